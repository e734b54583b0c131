#include "run_stages.h"

#include "check.h"

namespace assay {

Outcome RunStage(const Folding& folding, FoldStage stage, Context& context,
                 std::span<const Tensor> arguments, CachedValues& cached,
                 const ExecutionOptions& options) {
  cached.resize(folding.record.cached.size());
  const FoldStageRecord& record = folding.record.at(stage);
  std::vector<Tensor> inputs;
  for (const FoldSource& source : record.inputs) {
    const auto index = static_cast<size_t>(source.index);
    if (source.kind == FoldSource::Kind::kArgument) {
      Check(index < arguments.size(), "there is an argument for each input");
      inputs.push_back(arguments[index]);
    } else if (cached[index]) {
      inputs.push_back(*cached[index]);
    } else {
      Outcome missing;
      missing.message = "cached tensor " + folding.record.cached[index].name + " is not there";
      return missing;
    }
  }
  Context own;
  Context& state = stage == FoldStage::kEntry ? context : own;
  Outcome outcome = Execute(state, folding.stage(stage), inputs, options);
  if (stage == FoldStage::kEntry || outcome.kind != OutcomeKind::kValid) return outcome;
  for (size_t i = 0; i < record.outputs.size(); ++i) {
    cached[static_cast<size_t>(record.outputs[i])] = outcome.outputs[i];
  }
  return outcome;
}

Outcome RunFolding(const Folding& folding, Context& context, std::span<const Tensor> arguments,
                   CachedValues& cached, const ExecutionOptions& options) {
  for (const FoldStage stage : {FoldStage::kCompileTime, FoldStage::kRuntime}) {
    Outcome outcome = RunStage(folding, stage, context, arguments, cached, options);
    if (outcome.kind != OutcomeKind::kValid) return outcome;
  }
  return RunStage(folding, FoldStage::kEntry, context, arguments, cached, options);
}

}  // namespace assay
