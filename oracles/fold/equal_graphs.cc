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
    if (TryInputs(inputs) || !options_.prove) return verdict_;
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
      if (Try(sequence)) return true;
      if (types.empty()) break;
    }
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

  bool Try(const std::vector<FoldInvocation>& sequence) {
    FoldRun run = RunBoth(before_, after_, sequence, options_);
    switch (run.kind) {
      case FoldRunKind::kAgree:
        ++verdict_.runs;
        if (valid_.size() < kValidMax) valid_.push_back(sequence[0]);
        return false;
      case FoldRunKind::kExcluded:
        if (verdict_.runs == 0) {
          verdict_.reason = "on every input tried, BEFORE is not valid: " + run.text;
        }
        return false;
      case FoldRunKind::kDiffer:
        ++verdict_.runs;
        verdict_.kind = FoldVerdictKind::kDifferent;
        verdict_.reason = std::move(run.text);
        verdict_.counterexample =
            CounterexampleOf(before_, after_, sequence, verdict_.reason, options_);
        return true;
      case FoldRunKind::kUnsupported:
        break;
    }
    verdict_.reason = std::move(run.text);
    return verdict_.runs == 0 && ++unsupported_ >= kUnsupportedMax;
  }

  const Graph& before_;
  const Graph& after_;
  FoldCheckOptions options_;
  FoldVerdict verdict_;
  int unsupported_ = 0;                // runs
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
