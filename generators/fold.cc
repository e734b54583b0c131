// SPDX-License-Identifier: Apache-2.0
// Pairs of graphs, before and after what a folder might do. Laws that hold and laws that nearly
// hold alternate with whole graphs. In whole graphs some values are computed in a longer way that
// must fold back, or that must not. Both graphs of a pair are executed on the same inputs.
#include <algorithm>
#include <cmath>

#include "check.h"
#include "equation.h"
#include "executor.h"
#include "grow_graph.h"
#include "inverse_folding.h"
#include "vector_facts.h"

namespace assay::generators {

extern const Generator fold_generator;

namespace {

constexpr int kAttempts = 24;
constexpr int64_t kSteps = 2;  // of a law: inputs that both graphs are run on

// The sorts of pairs; the index selects them in turn.
enum class Sort : uint8_t { kExactLaw, kNearLaw, kUnfolded, kWronglyUnfolded };
constexpr uint64_t kSorts = 4;

std::string_view TitleOf(Sort sort, const Law* law) {
  constexpr std::string_view kExact[] = {"integer-law", "data-movement-law", "float-law"};
  constexpr std::string_view kNear[] = {"no-integer-law", "no-data-movement-law", "no-float-law"};
  if (law == nullptr) return sort == Sort::kUnfolded ? "unfolded" : "wrongly-unfolded";
  return (law->holds ? kExact : kNear)[static_cast<size_t>(law->sort)];
}

// Returns a number of cases that covers each law four times, so that its operands differ in kind.
int64_t Targets(const GeneratorOptions&) {
  const auto laws = std::max(ExactLaws().size(), NearLaws().size());
  return static_cast<int64_t>(4 * kSorts * laws);
}

bool SameElements(const Tensor& a, const Tensor& b) {
  if (a.tensor_type() != b.tensor_type() || !IsFloat(a.type())) return a == b;
  for (int64_t i = 0; i < a.elements(); ++i) {
    const bool nan = std::isnan(a.Float(i)) && std::isnan(b.Float(i));
    if (!nan && a.FloatBits(i) != b.FloatBits(i)) return false;
  }
  return true;
}

bool SameResults(const Step& a, const Step& b) {
  return a.expected == b.expected && std::ranges::equal(a.outputs, b.outputs, SameElements,
                                                        &Expectation::value, &Expectation::value);
}

// Returns true if the first graph is valid in all steps and the pair shows what it should: if not
// `equal`, the second graph gives other results in some step. Fails a Check if the pair is `equal`
// and the results differ.
bool Shows(const TestVector& vector, bool equal) {
  bool differs = false;
  for (size_t i = 0; i + 1 < vector.steps.size(); i += 2) {
    if (vector.steps[i].expected != OutcomeKind::kValid) return false;
    differs = differs || !SameResults(vector.steps[i], vector.steps[i + 1]);
  }
  Check(!(equal && differs), "a law that holds changes no result");
  return equal || differs;
}

// Returns the steps twice: each one for graph 0, then for graph 1, in contexts of their own.
std::vector<Step> StepsOfBoth(const std::vector<Step>& steps) {
  std::vector<Step> both;
  for (const Step& step : steps) {
    for (const int32_t graph : {0, 1}) {
      both.push_back(step);
      both.back().context = static_cast<int32_t>(both.size()) - 1;
      both.back().graph = graph;
    }
  }
  return both;
}

std::optional<TestVector> WriteLaw(Choices& choices, const GeneratorOptions& options,
                                   const Law& law) {
  Equation equation(choices, options);
  law.write(equation);
  std::optional<TestVector> vector = equation.Finish(kSteps);
  if (vector) {
    vector->steps = StepsOfBoth(vector->steps);
    vector->fold_pairs = {{0, 1, std::string(law.text), law.holds, std::string(law.reason)}};
  }
  return vector;
}

std::optional<TestVector> WriteUnfolded(Choices& choices, const GeneratorOptions& options,
                                        const Menu& menu, bool wrongly) {
  TestVector vector =
      GrowGraph(choices, options, menu, choices.Between(2, 12), ValueMode::kFinite, false);
  if (vector.steps.empty()) return std::nullopt;
  std::optional<Graph> unfolded = Unfold(vector.graphs[0], choices, options, wrongly);
  if (!unfolded) return std::nullopt;
  vector.graphs.insert(vector.graphs.begin(), std::move(*unfolded));
  vector.steps = StepsOfBoth(vector.steps);
  vector.fold_pairs = {{0, 1, wrongly ? "f(g(x)) = x" : "f(f'(x)) = x", !wrongly,
                        wrongly ? "one of the operators that were put in does not undo the other"
                                : "the operators that were put in undo each other"}};
  return vector;
}

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  Choices choices(Random::For(options.seed, index, fold_generator.kind, fold_generator.version));
  const Menu menu(options);
  if (menu.empty()) return std::nullopt;
  const auto sort = static_cast<Sort>(index % kSorts);
  const bool equal = sort == Sort::kExactLaw || sort == Sort::kUnfolded;
  const std::span<const Law> laws = equal ? ExactLaws() : NearLaws();
  const bool by_law = sort == Sort::kExactLaw || sort == Sort::kNearLaw;
  const Law* const law = by_law ? &laws[index / kSorts % laws.size()] : nullptr;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::optional<TestVector> vector = law != nullptr
                                           ? WriteLaw(choices, options, *law)
                                           : WriteUnfolded(choices, options, menu, !equal);
    if (!vector || !Expect(*vector, {}) || !Shows(*vector, equal)) continue;
    Describe(*vector, options, fold_generator, index, TitleOf(sort, law));
    return vector;
  }
  return std::nullopt;
}

}  // namespace

const Generator fold_generator = {
    .kind = "fold",
    .help = "pairs of graphs: folding one to the other is either allowed or wrong",
    .version = 5,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators
