// SPDX-License-Identifier: Apache-2.0
#include "paired_runs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "comparison.h"
#include "version.h"

namespace assay {
namespace {

// Returns the expected value of a tensor and how another one differs from it; "" if it does not.
std::string Difference(const Tensor& before, const Tensor& after) {
  if (before == after) return "";
  if (before.tensor_type() != after.tensor_type()) {
    return before.tensor_type().ToString() + " before, " + after.tensor_type().ToString() +
           " after";
  }
  for (int64_t i = 0; i < before.elements(); ++i) {
    const std::string a = before.ElementText(i), b = after.ElementText(i);
    if (a != b) return "element " + std::to_string(i) + ": " + a + " before, " + b + " after";
  }
  return "";  // NaNs of other bits
}

std::string Difference(const Expectation& before, const Tensor& after) {
  const Comparison compared = Compare(before, after);
  if (!compared.Wrong()) return "";
  return compared.position + ": " + compared.expected + " (" + compared.allowed + ") before, " +
         compared.got + " after";
}

// Runs BEFORE in the domain that the mode needs.
class Exact {
 public:
  explicit Exact(const ExecutionOptions& options) : options_(options) {}
  Outcome Run(const Graph& graph, const FoldInvocation& inputs) {
    return Execute(context_, graph, inputs, options_);
  }

 private:
  const ExecutionOptions& options_;
  Context context_;
};

class WithBounds {
 public:
  explicit WithBounds(const ExecutionOptions& options) : options_(options) {}
  BoundedOutcome Run(const Graph& graph, const FoldInvocation& inputs) {
    BoundedOutcome outcome = ExecuteWithBounds(context_, graph, inputs, options_);
    if (outcome.uncertain_requirement && outcome.kind == OutcomeKind::kValid) {
      outcome.kind = OutcomeKind::kUnpredictable;
      outcome.rule = "a REQUIRE that hangs on an undetermined element";
    }
    return outcome;
  }

 private:
  const ExecutionOptions& options_;
  BoundContext context_;
};

template <class Outcome>
std::string StateDifference(const Outcome& before, const assay::Outcome& after) {
  for (const auto& [name, value] : before.state) {
    const auto other = after.state.find(name);
    if (other == after.state.end()) return "variable " + name + ": never written after";
    const std::string difference = Difference(value, other->second);
    if (!difference.empty()) return "variable " + name + ", " + difference;
  }
  for (const auto& [name, value] : after.state) {
    if (!before.state.contains(name)) return "variable " + name + ": never written before";
  }
  return "";
}

template <class Outcome>
FoldRun Judge(const Graph& graph, const Outcome& before, const assay::Outcome& after) {
  if (after.kind == OutcomeKind::kUnsupported) return {FoldRunKind::kUnsupported, after.message};
  if (after.kind != OutcomeKind::kValid) {
    const std::string rule = after.rule.empty() ? "" : after.rule + " at ";
    return {FoldRunKind::kDiffer, "valid before, " + std::string(OutcomeName(after.kind)) +
                                      " after: " + rule + after.message};
  }
  const Block& main = *graph.Main();
  for (size_t i = 0; i < before.outputs.size(); ++i) {
    const std::string difference = Difference(before.outputs[i], after.outputs[i]);
    if (difference.empty()) continue;
    const TensorInfo& output = main.tensors[static_cast<size_t>(main.outputs[i])];
    return {FoldRunKind::kDiffer, "output " + output.name + ", " + difference};
  }
  const std::string difference = StateDifference(before, after);
  return {difference.empty() ? FoldRunKind::kAgree : FoldRunKind::kDiffer, difference};
}

template <class Runner>
FoldRun Run(const Graph& before, const Graph& after, const std::vector<FoldInvocation>& invocations,
            const ExecutionOptions& options) {
  Runner first(options);
  Exact second(options);
  FoldRun run;
  for (const FoldInvocation& inputs : invocations) {
    const auto a = first.Run(before, inputs);
    if (a.kind == OutcomeKind::kUnsupported) return {FoldRunKind::kUnsupported, a.message};
    // Earlier valid invocations are already compared.
    if (a.kind != OutcomeKind::kValid) {
      return run.kind == FoldRunKind::kAgree ? run : FoldRun{FoldRunKind::kExcluded, a.rule};
    }
    run = Judge(before, a, second.Run(after, inputs));
    if (run.kind != FoldRunKind::kAgree) return run;
  }
  return run;
}

// Returns true if some sum overflows in an order other than that of the pseudocode. An
// implementation may use any order, so such inputs show nothing.
bool DependsOnOrder(const Graph& graph, const std::vector<FoldInvocation>& invocations,
                    const ExecutionOptions& options) {
  BoundContext context;
  return std::ranges::any_of(invocations, [&](const FoldInvocation& inputs) {
    return ExecuteWithBounds(context, graph, inputs, options).order_dependent;
  });
}

}  // namespace

FoldRun CompareOutcomes(const Graph& graph, const Outcome& before, const Outcome& after) {
  if (before.kind == OutcomeKind::kUnsupported) return {FoldRunKind::kUnsupported, before.message};
  if (before.kind != OutcomeKind::kValid) return {FoldRunKind::kExcluded, before.rule};
  return Judge(graph, before, after);
}

FoldRun RunBoth(const Graph& before, const Graph& after,
                const std::vector<FoldInvocation>& invocations, const FoldCheckOptions& options) {
  FoldRun run = options.mode == FoldMode::kExact
                    ? Run<Exact>(before, after, invocations, options.execution)
                    : Run<WithBounds>(before, after, invocations, options.execution);
  if (run.kind == FoldRunKind::kDiffer && DependsOnOrder(before, invocations, options.execution)) {
    run = {FoldRunKind::kExcluded, "a sum that overflows in another order"};
  }
  return run;
}

TestVector CounterexampleOf(const Graph& before, const Graph& after,
                            const std::vector<FoldInvocation>& invocations, std::string text,
                            const FoldCheckOptions& options) {
  TestVector vector;
  vector.name = "fold-counterexample";
  vector.level = options.execution.level.name;
  vector.semantics = options.execution.state_rules->name;
  if (options.execution.dynamic) vector.requirements = {"EXT-DYNAMIC"};
  vector.graphs = {before, after};
  vector.fold_pairs = {{0, 1, "after = before", false, std::move(text)}};
  vector.provenance.kind = "fold-check";
  vector.provenance.toolkit_version = kToolkitVersion;
  for (const int32_t graph : {0, 1}) {
    for (const FoldInvocation& inputs : invocations) {
      Step step;
      step.context = step.graph = graph;
      step.inputs = inputs;
      vector.steps.push_back(std::move(step));
    }
  }
  // If a sum depends on its order, there is no expectation; the steps still replay.
  std::string reason;
  if (!Expect(vector, options.execution, &reason)) vector.provenance.note = reason;
  return vector;
}

}  // namespace assay
