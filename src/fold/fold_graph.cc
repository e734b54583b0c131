// SPDX-License-Identifier: Apache-2.0
#include "fold_graph.h"

#include <algorithm>

#include "check_graph.h"
#include "execution_order.h"
#include "folding_analysis.h"
#include "folding_mistakes.h"
#include "operator_facts.h"
#include "postpone.h"
#include "stage_graph.h"

namespace assay {
namespace {

constexpr FoldStage kStages[] = {FoldStage::kCompileTime, FoldStage::kRuntime, FoldStage::kEntry};

Result<Done> CheckRuntimeParameters(const Dataflow& flow) {
  const Block& main = flow.main();
  for (int32_t op = 0; op < std::ssize(main.operators); ++op) {
    const std::vector<TensorIndex>& uses = flow.UsesOf(op);
    for (size_t i = 0; i < uses.size(); ++i) {
      if (!flow.IsParameter(op, i) || flow.OfTensor(uses[i]) != Constness::kRuntime) continue;
      const Operator& one = main.operators[At(op)];
      return BadInput("operator " + std::to_string(op) + " (" + std::string(OperatorName(one.op)) +
                      "): the compile-time-constant operand " +
                      std::string(FactsOf(one.op).inputs[i].row->name) + " reads " +
                      main.tensors[At(uses[i])].name + ", which is a run-time constant");
    }
  }
  return Done();
}

Result<Done> CheckInput(const Graph& graph, std::span<const Constness> arguments,
                        const FoldOptions& options) {
  const Block* main = graph.Main();
  if (main == nullptr) return BadInput("the graph has no block main");
  if (arguments.size() != main->inputs.size()) {
    return BadInput("there is not one constness for each of " +
                    std::to_string(main->inputs.size()) + " inputs");
  }
  Judgement nesting;
  CheckNesting(graph, nesting);
  if (!nesting.valid()) return BadInput("breaks " + std::string(nesting.rule()));
  if (!options.execution.dynamic) {
    const Result<Done> parameters =
        CheckRuntimeParameters(Dataflow(graph, arguments, options.pure_domains));
    if (!parameters) return parameters.error();
  }
  const Requirements target =
      options.execution.dynamic ? Requirements{Feature::kExtDynamic} : Requirements{};
  for (const Breach& breach : CheckGraph(graph, options.execution.level, target)) {
    const Rule* rule = FindRule(breach.rule);
    if (rule != nullptr && rule->kind == RuleKind::kErrorIf) {
      return BadInput("breaks " + breach.rule + (breach.where.empty() ? "" : ": " + breach.where));
    }
  }
  return Done();
}

// Fills in the stages of a folding from the partition of its postponed graph.
class Assembly {
 public:
  Assembly(const FoldAnalysis& analysis, const FoldOptions& options, Folding& folding)
      : flow_(analysis.flow), partition_(analysis.partition), folding_(folding) {
    folding.record.certificate.went = partition_.went;
    for (const auto& [tensor, value] : partition_.baked) {
      if (!partition_.went[At(flow_.ProducerOf(tensor))].empty()) {
        folding.record.certificate.baked.push_back(NameOfTensor(tensor));
      }
    }
    int64_t global_index = options.first_global_index;
    slots_.assign(flow_.main().tensors.size(), -1);
    for (const FoldStage stage : {FoldStage::kCompileTime, FoldStage::kRuntime}) {
      for (const TensorIndex tensor : partition_.cached[At(stage)]) {
        const TensorType& type = flow_.main().TypeOf(tensor);
        slots_[At(tensor)] = static_cast<int32_t>(folding.record.cached.size());
        folding.record.cached.push_back(
            {global_index++, NameOfTensor(tensor), type, stage, StoredBytes(type)});
      }
    }
    for (const FoldStage stage : kStages) AddStage(stage);
  }

 private:
  const std::string& NameOfTensor(TensorIndex tensor) const {
    return flow_.main().tensors[At(tensor)].name;
  }

  void AddStage(FoldStage stage) {
    const bool is_entry = stage == FoldStage::kEntry;
    StagePart part;
    part.baked = partition_.baked;
    part.outputs = is_entry ? flow_.main().outputs : partition_.cached[At(stage)];
    std::vector<bool> needed(flow_.main().tensors.size());
    for (int32_t op = 0; op < std::ssize(partition_.went); ++op) {
      const bool runs = partition_.RunsIn(op, stage);
      part.operators.push_back(runs);
      if (!runs || IsBaked(op)) continue;
      for (const TensorIndex use : flow_.UsesOf(op)) needed[At(use)] = true;
    }
    for (const TensorIndex output : part.outputs) needed[At(output)] = true;

    FoldStageRecord& record = folding_.record.at(stage);
    const auto is_made = [&](TensorIndex tensor) {
      const int32_t producer = flow_.ProducerOf(tensor);
      return producer >= 0 && part.operators[At(producer)];
    };
    const std::vector<TensorIndex>& arguments = flow_.main().inputs;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!needed[At(arguments[i])] &&
          !(is_entry && folding_.arguments[i] == Constness::kVarying)) {
        continue;
      }
      part.inputs.push_back(arguments[i]);
      record.inputs.push_back({FoldSource::Kind::kArgument, static_cast<int32_t>(i)});
    }
    for (const FoldStage earlier : {FoldStage::kCompileTime, FoldStage::kRuntime}) {
      for (const TensorIndex tensor : partition_.cached[At(earlier)]) {
        if (!needed[At(tensor)] || is_made(tensor)) continue;
        part.inputs.push_back(tensor);
        record.inputs.push_back({FoldSource::Kind::kCached, slots_[At(tensor)]});
      }
    }
    if (!is_entry) {
      for (const TensorIndex output : part.outputs) record.outputs.push_back(slots_[At(output)]);
    }
    record.graph = static_cast<int32_t>(folding_.graphs.size());
    folding_.graphs.push_back(BuildStage(flow_.graph(), part));
  }

  bool IsBaked(int32_t op) const {
    const Operator& one = flow_.main().operators[At(op)];
    return !one.outputs.empty() && partition_.baked.contains(one.outputs[0]);
  }

  const Dataflow& flow_;
  const Partition& partition_;
  Folding& folding_;
  std::vector<int32_t> slots_;  // by tensor: its position among the cached ones, or -1
};

}  // namespace

Result<Folding> FoldGraph(const Graph& graph, std::span<const Constness> arguments,
                          const FoldOptions& options) {
  const Result<Done> input = CheckInput(graph, arguments, options);
  if (!input) return input.error();
  UnfoldedGraph changed = {
      graph, {arguments.begin(), arguments.end()}, options.policy, options.pure_domains};
  ChangeInput(options.fault, changed);
  FoldOptions changed_options = options;
  changed_options.policy = changed.policy;
  changed_options.pure_domains = changed.pure_domains;
  Folding folding;
  folding.graphs = {graph};
  folding.arguments.assign(arguments.begin(), arguments.end());
  folding.record.form = options.form;
  folding.record.policy = options.policy;
  if (options.postpone) {
    PostponedGraph postponed = PostponeExpanders(changed.graph, changed.arguments, changed_options);
    if (!postponed.postponements.empty() || options.fault != FoldFault::kNone) {
      folding.record.postponed = 1;
      folding.record.certificate.postponements = std::move(postponed.postponements);
      folding.graphs.push_back(std::move(postponed.graph));
    }
  }
  const Graph subject = folding.postponed();  // the list of graphs grows
  const FoldAnalysis analysis(subject, changed.arguments, changed_options);
  Assembly(analysis, options, folding);
  const Result<Done> valid = ValidateFoldRecord(folding.record, folding.graphs);
  Check(static_cast<bool>(valid), "a folding of ours is valid");
  ChangeFolding(options.fault, folding);
  return folding;
}

}  // namespace assay
