// SPDX-License-Identifier: Apache-2.0
#include "certified_folding.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "check_graph.h"
#include "checked_postponement.h"
#include "named_graph.h"
#include "operator_facts.h"

namespace assay {
namespace {

constexpr FoldStage kStages[] = {FoldStage::kCompileTime, FoldStage::kRuntime, FoldStage::kEntry};

int64_t BytesOf(const TensorType& type) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(type.shape.Elements(), int64_t{ElementBytes(type.type)}, &bytes)) {
    return std::numeric_limits<int64_t>::max();
  }
  return bytes;
}

std::string NameOf(const NamedOperator& op) {
  const std::string name(OperatorName(op.op));
  return op.outputs.empty() ? name : name + " " + op.outputs[0];
}

class Checker {
 public:
  Checker(const Folding& folding, const FoldCertificateOptions& options)
      : folding_(folding), record_(folding.record), options_(options) {}

  std::vector<FoldFlaw> Check() {
    const Result<Done> valid = ValidateFoldRecord(record_, folding_.graphs);
    if (!valid) return {{"R12/record", valid.error().message}};
    if (folding_.arguments.size() != folding_.original().Main()->inputs.size()) {
      return {{"R12/record", "not one mark for each argument"}};
    }
    CheckGraphs();
    if (!flaws_.empty()) return flaws_;
    original_.emplace(folding_.original(), options_.pure_domains);
    postponed_.emplace(folding_.postponed(), options_.pure_domains);
    for (const FoldStage stage : kStages) {
      stages_.emplace_back(folding_.stage(stage), options_.pure_domains);
    }
    CheckPostponements();
    FindConstness();
    CheckCached();
    for (const FoldStage stage : kStages) CheckStage(stage);
    CheckEffects();
    CheckBaked();
    return flaws_;
  }

 private:
  void Note(std::string_view rule, std::string where) {
    flaws_.push_back({std::string(rule), std::move(where)});
  }

  const NamedGraph& At(FoldStage stage) const { return stages_[static_cast<size_t>(stage)]; }

  // --- Graphs by themselves

  void CheckGraphs() {
    Requirements target;
    if (options_.execution.dynamic) target = {Feature::kExtDynamic};
    const auto check = [&](const Graph& graph, std::string_view rule, std::string name) {
      const std::vector<Breach> breaches = CheckGraph(graph, options_.execution.level, target);
      if (breaches.empty()) return;
      Note(rule, std::move(name) + ": " + breaches[0].where + ": " + breaches[0].rule);
    };
    check(folding_.original(), "R12/original", "original");
    check(folding_.postponed(), "R12/graph", "postponed");
    for (const FoldStage stage : kStages) {
      check(folding_.stage(stage), "R12/graph", std::string(assay::NameOf(stage)));
    }
  }

  // --- From the original graph to the postponed one

  void CheckPostponements() {
    NamedGraph graph = *original_;
    for (const Postponement& postponement : record_.certificate.postponements) {
      const std::string flaw = Postpone(graph, postponement, *postponed_, options_.execution);
      if (flaw.empty()) continue;
      Note("R12/postponement", postponement.result + ": " +
                                   std::string(assay::NameOf(postponement.kind)) + ": " + flaw);
      return;
    }
    if (graph.inputs() != postponed_->inputs() || graph.outputs() != postponed_->outputs()) {
      Note("R12/postponed", "other inputs or outputs");
    }
    for (const std::string& input : graph.inputs()) CompareTensor("R12/postponed", graph, input);
    for (const std::string& output : graph.outputs()) {
      CompareTensor("R12/postponed", graph, output);
    }
    CompareOperators(graph);
    CompareEffects("R12/postponed", graph, folding_.original(), folding_.postponed());
  }

  void CompareTensor(std::string_view rule, const NamedGraph& graph, const std::string& tensor) {
    const TensorInfo *here = graph.Find(tensor), *there = postponed_->Find(tensor);
    if (there == nullptr || *here != *there) Note(rule, tensor + " is of another type");
  }

  // Compares the operators without effects. The postponed graph may drop operators that no output
  // needs. It must not add any, because they might break a REQUIRE.
  void CompareOperators(const NamedGraph& graph) {
    for (const NamedOperator* op : graph.Needed(&NamedOperator::has_effect)) {
      if (op->has_effect) continue;
      if (postponed_->ProducerOf(op->outputs[0]) == nullptr) {
        Note("R12/postponed", "lacks " + NameOf(*op));
      }
    }
    for (const auto& op : postponed_->operators()) {
      if (op->has_effect || op->outputs.empty()) continue;
      const std::string& name = op->outputs[0];
      const NamedOperator* expected = graph.ProducerOf(name);
      if (expected == nullptr && IsConstant(op->op) && postponed_->ReadsOf(name) == 0) continue;
      if (expected == nullptr || *expected != *op) {
        Note("R12/postponed", NameOf(*op) + " is another");
        continue;
      }
      CompareBlocks(*op, folding_.original(), folding_.postponed());
      for (const std::string& output : op->outputs) CompareTensor("R12/postponed", graph, output);
    }
  }

  // Checks that operators with effects keep their order.
  void CompareEffects(std::string_view rule, const NamedGraph& graph, const Graph& whole,
                      const Graph& whole_postponed) {
    const auto effects_of = [](const NamedGraph& of) {
      std::vector<const NamedOperator*> effects;
      for (const auto& op : of.operators()) {
        if (op && op->has_effect) effects.push_back(&*op);
      }
      return effects;
    };
    const std::vector<const NamedOperator*> a = effects_of(graph), b = effects_of(*postponed_);
    if (a.size() != b.size()) return Note(rule, "more or fewer operators with effects");
    for (size_t i = 0; i < a.size(); ++i) {
      if (*a[i] != *b[i]) return Note(rule, NameOf(*a[i]) + " is another, or at another time");
      CompareBlocks(*a[i], whole, whole_postponed);
    }
  }

  // Compares the blocks that an operator runs in two graphs.
  void CompareBlocks(const NamedOperator& op, const Graph& a, const Graph& b) {
    for (const auto& [id, value] : op.attributes.entries()) {
      if (NamesBlock(id)) CompareBlocks(std::get<std::string>(value), a, b);
    }
  }

  void CompareBlocks(const std::string& name, const Graph& a, const Graph& b) {
    const Block *here = a.FindBlock(name), *there = b.FindBlock(name);
    if (!compared_.emplace(here, there).second) return;
    if (here == nullptr || there == nullptr || *here != *there) return Note("R12/block", name);
    for (const Operator& op : here->operators) {
      for (const auto& [id, value] : op.attributes.entries()) {
        if (NamesBlock(id)) CompareBlocks(std::get<std::string>(value), a, b);
      }
    }
  }

  // --- How constant the values of the postponed graph are: starts with the highest level, and
  // lowers levels that are too high until nothing changes

  void FindConstness() {
    for (size_t i = 0; i < folding_.arguments.size(); ++i) {
      constness_[postponed_->inputs()[i]] = folding_.arguments[i];
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& op : postponed_->operators()) {
        const Constness level = LevelOf(*op);
        for (const std::string& output : op->outputs) {
          const auto [known, is_new] = constness_.try_emplace(output, level);
          if (known->second != level) changed = true;
          changed |= is_new;
          known->second = level;
        }
      }
    }
  }

  Constness ConstnessOf(const std::string& tensor) const {
    const auto known = constness_.find(tensor);
    return known == constness_.end() ? Constness::kVarying : known->second;
  }

  Constness LevelOf(const NamedOperator& op) const {
    if (op.has_effect) return Constness::kVarying;
    Constness level = Constness::kCompileTime;
    for (const std::string& input : op.inputs) level = std::min(level, ConstnessOf(input));
    return level;
  }

  // --- What is cached

  void CheckCached() {
    std::set<int64_t> indices;
    std::set<std::string> names;
    for (const CachedTensor& cached : record_.cached) {
      const TensorInfo* info = postponed_->Find(cached.name);
      if (info == nullptr || info->type != cached.type) {
        Note("R12/cached", cached.name + " is of another type");
        continue;
      }
      if (!names.insert(cached.name).second) Note("R12/cached", cached.name + " is there twice");
      if (!indices.insert(cached.global_index).second) {
        Note("R12/cached", cached.name + " shares its global index");
      }
      if (cached.bytes != BytesOf(cached.type)) {
        Note("R12/cached", cached.name + " is of " + std::to_string(BytesOf(cached.type)) +
                               " bytes, not " + std::to_string(cached.bytes));
      }
      if (cached.type.type == DType::kShape) Note("R12/shape", cached.name);
      if (!Fits(cached.name)) {
        Note("R13/size", cached.name + ": " + std::to_string(BytesOf(cached.type)) + " bytes of " +
                             std::to_string(RootBytes(cached.name)));
      }
    }
    std::set<int32_t> made;
    for (const FoldStage stage : kStages) {
      for (const int32_t output : record_.at(stage).outputs) {
        const CachedTensor& cached = record_.cached[static_cast<size_t>(output)];
        const bool is_first = made.insert(output).second;
        if (!is_first || cached.stage != stage || stage == FoldStage::kEntry) {
          Note("R12/output", cached.name + " is an output of another stage, too");
        }
      }
    }
    if (made.size() != record_.cached.size()) Note("R12/output", "not all that is cached is made");
  }

  bool Fits(const std::string& tensor) {
    return Allows(record_.policy, BytesOf(postponed_->Find(tensor)->type), RootBytes(tensor));
  }

  // Returns the bytes of the distinct arguments and CONSTs that a value is computed from, except
  // through compile-time-constant operands.
  int64_t RootBytes(const std::string& tensor) {
    const auto [known, is_new] = root_bytes_.try_emplace(tensor, 0);
    if (!is_new) return known->second;
    std::set<std::string> seen = {tensor};
    std::vector<std::string> wanted = {tensor};
    while (!wanted.empty()) {
      const std::string name = std::move(wanted.back());
      wanted.pop_back();
      const NamedOperator* producer = postponed_->ProducerOf(name);
      if (producer == nullptr || IsConstant(producer->op)) {
        known->second += BytesOf(postponed_->Find(name)->type);
        continue;
      }
      for (size_t i = 0; i < producer->inputs.size(); ++i) {
        const std::string& input = producer->inputs[i];
        if (!FactsOf(producer->op).NeedsConstant(i) && seen.insert(input).second)
          wanted.push_back(input);
      }
    }
    return known->second;
  }

  // --- The stages

  Constness Least(FoldStage stage) const {
    switch (stage) {
      case FoldStage::kCompileTime:
        return Constness::kCompileTime;
      case FoldStage::kRuntime:
        return Constness::kRuntime;
      case FoldStage::kEntry:
        break;
    }
    return Constness::kVarying;
  }

  void CheckStage(FoldStage stage) {
    CheckInputs(stage);
    CheckOutputs(stage);
    CheckOperators(stage);
    CheckNeeded(stage);
    if (record_.form == FoldForm::kRuntime && stage == FoldStage::kCompileTime &&
        (!At(stage).operators().empty() || !At(stage).inputs().empty())) {
      Note("R12/form", "the stage of compile time is not empty");
    }
  }

  void CheckInputs(FoldStage stage) {
    const std::string prefix = std::string(assay::NameOf(stage)) + ": ";
    const std::vector<FoldSource>& sources = record_.at(stage).inputs;
    for (size_t i = 0; i < sources.size(); ++i) {
      const std::string& input = At(stage).inputs()[i];
      const auto index = static_cast<size_t>(sources[i].index);
      const bool is_argument = sources[i].kind == FoldSource::Kind::kArgument;
      const std::string& source =
          is_argument ? original_->inputs()[index] : record_.cached[index].name;
      if (input != source) Note("R12/input", prefix + input + " is " + source);
      if (!is_argument && record_.cached[index].stage >= stage) {
        Note("R12/input", prefix + input + " is not there yet");
      }
      if (ConstnessOf(input) < Least(stage)) Note("R12/constness", prefix + "reads " + input);
      const TensorInfo* there = postponed_->Find(input);
      if (there == nullptr || *there != *At(stage).Find(input)) Note("R12/tensor", prefix + input);
      if (At(stage).Find(input)->type.type == DType::kShape) Note("R12/shape", prefix + input);
    }
  }

  void CheckOutputs(FoldStage stage) {
    const std::string prefix = std::string(assay::NameOf(stage)) + ": ";
    const std::vector<std::string>& outputs = At(stage).outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string& expected =
          stage == FoldStage::kEntry
              ? postponed_->outputs()[i]
              : record_.cached[static_cast<size_t>(record_.at(stage).outputs[i])].name;
      if (outputs[i] != expected) Note("R12/output", prefix + outputs[i] + " for " + expected);
    }
  }

  void CheckOperators(FoldStage stage) {
    const std::string prefix = std::string(assay::NameOf(stage)) + ": ";
    const NamedGraph& graph = At(stage);
    size_t expected = 0;
    for (size_t i = 0; i < postponed_->operators().size(); ++i) {
      const NamedOperator& op = *postponed_->operators()[i];
      if (op.has_effect || op.outputs.empty()) continue;
      if (!record_.certificate.went[i].Has(stage) || IsBaked(op.outputs[0])) continue;
      ++expected;
      const NamedOperator* here = graph.ProducerOf(op.outputs[0]);
      if (here == nullptr || *here != op) {
        Note("R12/operator", prefix + "lacks " + NameOf(op));
        continue;
      }
      CompareBlocks(op, folding_.stage(stage), folding_.postponed());
      if (LevelOf(op) < Least(stage)) Note("R12/constness", prefix + "computes " + NameOf(op));
    }
    size_t found = 0;
    for (const auto& op : graph.operators()) {
      const bool is_baked = IsConstant(op->op) && IsBaked(op->outputs[0]);
      if (!op->has_effect && !op->outputs.empty() && !is_baked) ++found;
      for (const std::string& output : op->outputs) {
        const TensorInfo* there = postponed_->Find(output);
        if (there == nullptr || *there != *graph.Find(output)) Note("R12/tensor", prefix + output);
      }
    }
    if (found != expected) {
      Note("R12/operator",
           prefix + std::to_string(found) + " operators for " + std::to_string(expected));
    }
  }

  // Checks that nothing unneeded is computed, and nothing anew that could have been cached.
  // Operators on varying values stay where they are, even if nothing needs them.
  void CheckNeeded(FoldStage stage) {
    const std::string prefix = std::string(assay::NameOf(stage)) + ": ";
    std::set<const NamedOperator*> needed;
    for (const NamedOperator* op : At(stage).Needed(
             [this](const NamedOperator& one) { return LevelOf(one) == Constness::kVarying; })) {
      needed.insert(op);
    }
    for (const auto& op : At(stage).operators()) {
      if (IsConstant(op->op)) continue;
      const bool is_needed = needed.contains(&*op);
      if ((is_needed && !CouldBeEarlier(*op, stage)) || CannotBeFolded(*op)) continue;
      Note(is_needed ? "R9/not-folded" : "R9/unneeded", prefix + NameOf(*op));
    }
  }

  // Returns true if an earlier stage could compute every result of an operator that this stage
  // reads.
  bool CouldBeEarlier(const NamedOperator& op, FoldStage stage) {
    const Constness level = LevelOf(op);
    const bool in_entry = stage == FoldStage::kEntry && level >= Constness::kRuntime;
    const bool in_runtime = stage == FoldStage::kRuntime && level == Constness::kCompileTime &&
                            record_.form == FoldForm::kSplit;
    return (in_entry || in_runtime) &&
           std::ranges::all_of(op.outputs, [&](const std::string& output) {
             const bool is_read = At(stage).ReadsOf(output) > 0 || At(stage).IsOutput(output);
             return !is_read || CouldBeCached(output, stage);
           });
  }

  bool CouldBeCached(const std::string& tensor, FoldStage stage) {
    for (const auto& op : At(stage).operators()) {
      for (size_t i = 0; i < op->inputs.size(); ++i) {
        if (op->inputs[i] == tensor && FactsOf(op->op).NeedsConstant(i)) return false;
      }
    }
    return postponed_->Find(tensor)->type.type != DType::kShape && Fits(tensor);
  }

  // Returns true if the CONSTs that an operator depends on break a REQUIRE.
  bool CannotBeFolded(const NamedOperator& op) const {
    if (op.outputs.empty()) return false;
    return OutcomeOf(postponed_->ConstantPart(op.outputs[0])).kind != OutcomeKind::kValid;
  }

  Outcome OutcomeOf(const Graph& constants) const {
    ExecutionOptions options = options_.execution;
    options.dynamic = true;  // shapes may follow from CONSTs
    Context context;
    return Execute(context, constants, {}, options);
  }

  void CheckEffects() {
    for (const FoldStage stage : {FoldStage::kCompileTime, FoldStage::kRuntime}) {
      for (const auto& op : At(stage).operators()) {
        if (op->has_effect) {
          Note("R12/effect", std::string(assay::NameOf(stage)) + ": " + NameOf(*op));
        }
      }
    }
    StageSet entry;
    entry.Add(FoldStage::kEntry);
    for (size_t i = 0; i < postponed_->operators().size(); ++i) {
      const NamedOperator& op = *postponed_->operators()[i];
      if (op.has_effect && record_.certificate.went[i] != entry) {
        Note("R12/effect", NameOf(op) + " is not in the entry alone");
      }
    }
    CompareEffects("R12/effect", At(FoldStage::kEntry), folding_.stage(FoldStage::kEntry),
                   folding_.postponed());
  }

  // --- What became a CONST

  bool IsBaked(const std::string& tensor) const {
    return std::ranges::find(record_.certificate.baked, tensor) != record_.certificate.baked.end();
  }

  void CheckBaked() {
    for (const std::string& name : record_.certificate.baked) {
      const Outcome outcome = OutcomeOf(postponed_->ConstantPart(name));
      for (const NamedGraph& stage : stages_) {
        const Tensor* value = stage.ConstantIn(name);
        if (value == nullptr) continue;
        if (outcome.outputs.size() != 1 || *value != outcome.outputs[0]) {
          Note("R12/baked", name + " is another value");
        }
      }
    }
  }

  const Folding& folding_;
  const FoldRecord& record_;
  const FoldCertificateOptions& options_;
  std::optional<NamedGraph> original_, postponed_;
  std::vector<NamedGraph> stages_;
  std::map<std::string, Constness> constness_;
  std::map<std::string, int64_t> root_bytes_;
  std::set<std::pair<const Block*, const Block*>> compared_;
  std::vector<FoldFlaw> flaws_;
};

}  // namespace

bool Allows(const SizePolicy& policy, int64_t bytes, int64_t roots) {
  __extension__ using Wide = __int128;
  switch (policy.kind) {
    case SizePolicyKind::kRatio:
      return bytes <= static_cast<Wide>(policy.limit) * roots;
    case SizePolicyKind::kAdditive:
      return bytes <= static_cast<Wide>(policy.limit) + roots;
    case SizePolicyKind::kAbsolute:
      break;
  }
  return bytes <= policy.limit;
}

std::vector<FoldFlaw> FlawsOf(const Folding& folding, const FoldCertificateOptions& options) {
  return Checker(folding, options).Check();
}

}  // namespace assay
