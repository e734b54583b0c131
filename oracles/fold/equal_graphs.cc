// SPDX-License-Identifier: Apache-2.0
#include "equal_graphs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "check_graph.h"
#include "enum_names.h"
#include "execution_order.h"
#include "isomorphic_graphs.h"
#include "paired_runs.h"
#include "telling_inputs.h"
#include "term_proof.h"

namespace assay {
namespace {

bool IsKnown(const TensorType& type) {
  constexpr int64_t kElementsMax = int64_t{1} << 26;
  return std::ranges::all_of(type.shape, [](int32_t dim) { return dim >= 0; }) &&
         type.shape.Elements() <= kElementsMax;
}

bool HasLoop(const Graph& graph) {
  return std::ranges::any_of(graph.Operators(), [](const PlacedOperator& placed) {
    return placed.op.op == Op::kWhileLoop;
  });
}

// Returns why two graphs are no pair; "" if they are.
std::string Mismatch(const Graph& before, const Graph& after) {
  for (const auto& [graph, name] : {std::pair(&before, "before"), std::pair(&after, "after")}) {
    Judgement judgement;
    CheckStructure(*graph, judgement);
    if (judgement.valid()) CheckNesting(*graph, judgement);
    if (!judgement.valid()) return std::string(name) + " is no graph: " + judgement.rule();
  }
  const Block &a = *before.Main(), &b = *after.Main();
  const std::vector<TensorType> inputs = a.TypesOf(a.inputs);
  if (inputs != b.TypesOf(b.inputs)) return "the inputs are not of the same number and types";
  if (a.outputs.size() != b.outputs.size()) return "the numbers of outputs differ";
  if (!std::ranges::all_of(inputs, IsKnown)) return "an input is of unknown or enormous size";
  return "";
}

// Runs the stages in order, from the cheapest, until one decides.
class FoldChecker {
 public:
  FoldChecker(const Graph& before, const Graph& after, const FoldCheckOptions& options)
      : before_(before), after_(after), options_(options) {
    // An input may make a loop long, but its millionth iteration shows nothing new.
    constexpr int64_t kIterationsMax = 4096;
    options_.execution.loop_iterations_max =
        std::min(options_.execution.loop_iterations_max, kIterationsMax);
  }

  FoldVerdict Check() {
    verdict_.reason = Mismatch(before_, after_);
    if (!verdict_.reason.empty()) return verdict_;
    if (options_.structural && BreakNoRule() && AreIsomorphic(before_, after_)) {
      return Equal(FoldArgument::kIsomorphic);
    }
    const FoldInputs inputs(before_, after_);
    if (TryInputs(inputs) || (valid_.empty() && !options_.prove)) return verdict_;
    if (valid_.empty()) valid_.push_back(inputs.Of(0, InputTypes()));
    ProveFold(before_, after_, options_, inputs, valid_, verdict_);
    return verdict_;
  }

 private:
  static constexpr size_t kValidMax = 4;
  static constexpr int kUnsupportedMax = 4;

  std::vector<TensorType> InputTypes() const {
    return before_.Main()->TypesOf(before_.Main()->inputs);
  }

  bool BreakNoRule() const {
    const Requirements target =
        options_.execution.dynamic ? Requirements{Feature::kExtDynamic} : Requirements{};
    return CheckGraph(before_, options_.execution.level, target).empty() &&
           CheckGraph(after_, options_.execution.level, target).empty();
  }

  FoldVerdict Equal(FoldArgument argument) {
    verdict_.kind = FoldVerdictKind::kEqual;
    verdict_.argument = argument;
    verdict_.reason.clear();
    return verdict_;
  }

  // Tries the inputs. Returns true if that decides, or if the graphs cannot be run.
  bool TryInputs(const FoldInputs& inputs) {
    const std::vector<TensorType> types = InputTypes();
    const int invocations = HasVariables(before_) || HasVariables(after_) ? 3 : 1;
    for (int run = 0; run < options_.runs; ++run) {
      std::vector<FoldInvocation> sequence;
      for (int i = 0; i < invocations; ++i) {
        sequence.push_back(inputs.Of(run * invocations + i, types));
      }
      if (Decides(Try(sequence))) return true;
      if (types.empty()) break;
    }
    if (options_.runs > 0 && TrySpecials(inputs, types, invocations)) return true;
    if (types.empty() && invocations == 1 && verdict_.runs > 0 &&
        options_.mode == FoldMode::kExact) {
      Equal(FoldArgument::kEnumeration);
      return true;
    }
    if (verdict_.runs > 0) {
      verdict_.reason = "they agree on " + std::to_string(verdict_.runs) + " inputs";
    }
    return false;
  }

  // Tries each special value of an input, and each pair of special values of two inputs.
  bool TrySpecials(const FoldInputs& inputs, const std::vector<TensorType>& types,
                   int invocations) {
    int64_t elements = 1 << 12;  // what a run costs besides
    for (const TensorInfo& info : before_.Main()->tensors) {
      elements += std::max<int64_t>(info.type.shape.Elements(), 0);
    }
    constexpr int64_t kElementsMax = int64_t{1} << 24;
    constexpr int64_t kOfLoop = 64;  // a loop may run often
    tries_left_ = kElementsMax / elements / (HasLoop(before_) || HasLoop(after_) ? kOfLoop : 1);
    const auto try_pairs = [&](size_t first, size_t second, DType type) {
      for (size_t other = 0; other < inputs.Specials(type).size(); ++other) {
        if (TryInTurn(inputs, types, invocations, {first, 0, 0, second, other})) return true;
      }
      return false;
    };
    if (types.size() == 1) return TryInTurn(inputs, types, invocations, {0, 0, 0, 1, 0});
    for (size_t a = 0; a < types.size(); ++a) {
      for (size_t b = a + 1; b < types.size(); ++b) {
        const bool is_larger = types[b].shape.Elements() > types[a].shape.Elements();
        const size_t first = is_larger ? b : a, second = is_larger ? a : b;
        if (try_pairs(first, second, types[second].type)) return true;
      }
    }
    return false;
  }

  // Tries all special values of input `special.first`, as many at once as it has elements.
  bool TryInTurn(const FoldInputs& inputs, const std::vector<TensorType>& types, int invocations,
                 FoldInputs::Special special) {
    const TensorType& type = types[special.first];
    const size_t all = inputs.Specials(type.type).size();
    const auto step = static_cast<size_t>(std::max<int64_t>(type.shape.Elements(), 1));
    for (special.from = 0; special.from < all; special.from += step) {
      special.to = std::min(special.from + step, all);
      if (TryApart(inputs, types, invocations, special)) return true;
    }
    return false;
  }

  // Tries some special values at once. If BEFORE is not valid with one of them, tries the halves.
  bool TryApart(const FoldInputs& inputs, const std::vector<TensorType>& types, int invocations,
                FoldInputs::Special special) {
    if (tries_left_-- <= 0) return false;
    const FoldInvocation invocation = inputs.Of(special, types);
    const auto kind = Try(std::vector(static_cast<size_t>(invocations), invocation));
    if (Decides(kind)) return true;
    if (kind != FoldRunKind::kExcluded || special.to - special.from < 2) return false;
    FoldInputs::Special half = special;
    half.to = special.from = (special.from + special.to) / 2;
    return TryApart(inputs, types, invocations, half) ||
           TryApart(inputs, types, invocations, special);
  }

  // Returns true if the graphs differ, or cannot be run.
  bool Decides(FoldRunKind kind) const {
    return kind == FoldRunKind::kDiffer || (kind == FoldRunKind::kUnsupported &&
                                            verdict_.runs == 0 && unsupported_ >= kUnsupportedMax);
  }

  FoldRunKind Try(const std::vector<FoldInvocation>& sequence) {
    FoldRun run = RunBoth(before_, after_, sequence, options_);
    switch (run.kind) {
      case FoldRunKind::kAgree:
        ++verdict_.runs;
        if (valid_.size() < kValidMax) valid_.push_back(sequence[0]);
        break;
      case FoldRunKind::kExcluded:
        if (verdict_.runs == 0) {
          verdict_.reason = "on every input tried, BEFORE is not valid: " + run.text;
        }
        break;
      case FoldRunKind::kDiffer:
        ++verdict_.runs;
        verdict_.kind = FoldVerdictKind::kDifferent;
        verdict_.reason = std::move(run.text);
        verdict_.counterexample =
            CounterexampleOf(before_, after_, sequence, verdict_.reason, options_);
        break;
      case FoldRunKind::kUnsupported:
        verdict_.reason = std::move(run.text);
        ++unsupported_;
        break;
    }
    return run.kind;
  }

  const Graph& before_;
  const Graph& after_;
  FoldCheckOptions options_;
  FoldVerdict verdict_;
  int unsupported_ = 0;                // runs
  int64_t tries_left_ = 0;             // of special values
  std::vector<FoldInvocation> valid_;  // first invocations on which BEFORE is valid
};

}  // namespace

FoldVerdict CheckFold(const Graph& before, const Graph& after, const FoldCheckOptions& options) {
  return FoldChecker(before, after, options).Check();
}

std::string_view FoldVerdictName(FoldVerdictKind kind) {
  constexpr std::string_view kNames[] = {"equal for all inputs", "different", "undecided"};
  return EntryOf(kNames, kind);
}

std::string_view FoldArgumentText(FoldArgument argument) {
  constexpr std::string_view kTexts[] = {
      "", "they are one graph but for names, order, copies and dead code",
      "every element is the same term over the inputs",
      "the terms that are not the same agree for all values of what they read",
      "Z3 finds no values for which the terms that are not the same differ"};
  return EntryOf(kTexts, argument);
}

}  // namespace assay
