// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "folding.h"
#include "graph.h"
#include "memory_plan.h"
#include "outcome.h"

namespace assay {

// The whole-tensor part of "Dot product accuracy requirements", for a tensor of T results of dot
// products of data from Appendix A. With e = (got - reference) / unit for each of them, the rule is
//   sum(e * e) <= variance_bound * T, and
//   abs(sum(e)) <= sqrt(10 * variance_bound * T) for the sets 3 to 5.
struct DotStatistics {
  std::vector<double> unit;   // out_err_bnd of each element; if 0, its error counts as 0
  double abs_bound = 0;       // ABS_BOUND; what `error` has beyond abs_bound * unit may be a flush
  double variance_bound = 0;  // VARIANCE_ERROR_BOUND
  int32_t set = -1;           // S, or -1 if the data are of no set
  friend bool operator==(const DotStatistics&, const DotStatistics&) = default;
};

// The value that an output must have. `value` is the reference output, rounded to the output type.
//
// If the specification determines every element to one value (except zero signs and NaN payloads),
// `reference` and `error` are empty. Otherwise, they have one fp64 per element. The backend's
// element must lie within `error` of `reference` by the specification's bound rule (accuracy.h,
// WithinBound). An error of 0 means exactly `reference`. An error of NaN marks an element that no
// sound rule reaches: it is undecided and never judged.
struct Expectation {
  Tensor value;
  std::vector<double> reference;
  std::vector<double> error;
  std::string rule;  // the numeric rule in words: "exact", "ADD 0.5 ULP", ...
  std::optional<DotStatistics> statistics = std::nullopt;
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

// One invocation of one graph in one context.
struct Step {
  // Not inline: copies are made all over the code.
  Step();
  Step(const Step& other);
  Step& operator=(const Step& other);
  Step(Step&& other) noexcept;
  Step& operator=(Step&& other) noexcept;
  ~Step();

  int32_t context = 0;
  int32_t graph = 0;
  std::vector<Tensor> inputs;                  // in the order of the main block's inputs
  OutcomeKind expected = OutcomeKind::kValid;  // valid, error or unpredictable
  std::string rule;                            // the rule that decides, unless valid
  std::vector<Expectation> outputs;            // valid only; in the order of the graph's outputs
  // The variables of the context after the step, by name (both forms of state); valid only.
  std::map<std::string, Expectation> state_after;
  // The variables that are loaded into the context before the step (Arm test directories).
  std::map<std::string, Tensor> state_before;
  friend bool operator==(const Step&, const Step&) = default;
};

// A memory problem, with or without a plan, and the expected verdict of a checker on the plan.
struct PlanRecord {
  PlannedProblem planned;
  std::optional<int32_t> graph = {};  // the vector's graph that it is for: BLOCK/TENSOR are buffers
  std::string broken = {};            // the one rule that the plan breaks ("overlap"); "": sound
  std::string fault = {};             // the planner's mistake, for people
  std::optional<int64_t> optimum = {};  // the smallest peak of the one pool, where it is known
  friend bool operator==(const PlanRecord&, const PlanRecord&) = default;
};

// The origin of a vector, for people. The file replays without it.
struct Provenance {
  uint64_t campaign = 0;  // the seed
  uint64_t index = 0;
  std::string kind;  // the generator's name; "" if not generated
  uint32_t generator_version = 0;
  std::string toolkit_version;
  std::string note;
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

// A test vector: inputs and expectations for a sequence of invocations over one or more graphs and
// contexts. It may also hold records of how graphs were folded, and pairs of graphs to compare. It
// may hold memory plans, of these graphs or of graphs that are not in the vector.
struct TestVector {
  // Not inline: copies are made all over the code.
  TestVector();
  TestVector(const TestVector& other);
  TestVector& operator=(const TestVector& other);
  TestVector(TestVector&& other) noexcept;
  TestVector& operator=(TestVector&& other) noexcept;
  ~TestVector();

  const Graph& GraphOf(const Step& step) const { return graphs[static_cast<size_t>(step.graph)]; }
  // Returns the operators of all graphs, in order. They refer into the vector.
  std::vector<PlacedOperator> Operators() const;
  int64_t OperatorCount() const;

  std::string name;
  SpecVersion spec;                       // the version of the rules that it is judged by
  std::vector<std::string> requirements;  // profiles and extensions it needs: "PRO-INT", ...
  std::string level = "8K";
  std::string semantics = "1.0";  // the rules of variables (state_rules.h)
  std::vector<Graph> graphs;
  std::vector<Step> steps;
  std::vector<std::string> tags;  // readings and features, to select by
  // The constness of the inputs of each graph's main block. If a graph is not there, all its inputs
  // vary.
  std::map<int32_t, std::vector<Constness>> constness;
  std::vector<FoldRecord> folds;
  std::vector<FoldPair> fold_pairs;
  std::vector<PlanRecord> plans;
  Provenance provenance;
  friend bool operator==(const TestVector&, const TestVector&) = default;
};

}  // namespace assay
