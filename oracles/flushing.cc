// SPDX-License-Identifier: Apache-2.0
// Checks that one run either keeps or flushes all subnormal numbers of a type.
#include "flushing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "comparison.h"
#include "declaration_names.h"
#include "executor.h"
#include "float_format.h"
#include "operator_set.h"
#include "oracle.h"
#include "suspect.h"

namespace assay {
namespace {

// An element that shows whether a backend keeps or flushes subnormal numbers of a type.
struct Evidence {
  bool found = false;
  int32_t step = 0;
  size_t output = 0;
  int64_t element = 0;
};

// The first element that was kept and the first that was flushed.
struct Habit {
  Evidence kept, flushed;
};

constexpr std::array kTypes = {DType::kFp32, DType::kFp16, DType::kBf16};

// The habits that the results show, by type.
struct Habits {
  std::array<Habit, 16> of_type;
  bool has_unexpected_zero = false;  // that only flushed operands may explain
};

// Returns true if results of the operator went through arithmetic. A machine that flushes may have
// kept what is only moved, selected or given another sign (reading `flush-all-or-none`).
bool Calculates(Op op) {
  if (op == Op::kUnknown) return false;
  const ops::ResultOrigin origin = ops::DefinitionOf(op).traits.results;
  return origin != ops::ResultOrigin::kPassed && origin != ops::ResultOrigin::kChosen &&
         origin != ops::ResultOrigin::kResigned;
}

bool IsSubnormal(DType type, double x) {
  return x != 0 && std::fabs(x) < FormatOf(type).normal_min;
}

// Returns true if element i is a zero that no error bound allows, only the permission to flush.
bool IsFlushed(const Expectation& expectation, int64_t i, double got) {
  if (got != 0) return false;
  const auto at = static_cast<size_t>(i);
  const bool bounded = !expectation.error.empty();
  const double reference = bounded ? expectation.reference[at] : expectation.value.Float(i);
  const double error = bounded ? expectation.error[at] : 0;
  return std::isfinite(reference) && std::fabs(reference) > error;
}

// Returns true if a zero stands where a number that no rounding makes subnormal was expected.
bool IsUnexpectedZero(const Expectation& expectation, int64_t i, double got) {
  const double normal_min = FormatOf(expectation.value.type()).normal_min;
  return got == 0 && std::fabs(expectation.value.Float(i)) >= 2 * normal_min;
}

// Returns true if a step that must have a result has one.
bool IsAnswered(const Step& step, const Outcome& outcome) {
  return step.expected == OutcomeKind::kValid && outcome.kind == OutcomeKind::kValid &&
         outcome.outputs.size() == step.outputs.size();
}

void Observe(const TestVector& vector, std::span<const Outcome> outcomes, int32_t index,
             Habits& habits) {
  const auto at = static_cast<size_t>(index);
  const Step& step = vector.steps[at];
  const Outcome& outcome = outcomes[at];
  if (!IsAnswered(step, outcome)) return;
  const Graph& graph = vector.GraphOf(step);
  for (size_t output = 0; output < step.outputs.size(); ++output) {
    const Expectation& expectation = step.outputs[output];
    const Tensor& got = outcome.outputs[output];
    const DType type = expectation.value.type();
    if (!IsFloat(type) || FormatOf(type).must_keep_subnormals) continue;
    if (!Calculates(ProducerOf(graph, output).op) || Compare(expectation, got).Wrong()) continue;
    const std::vector<double> values = NumbersOf(got);
    for (int64_t i = 0; i < got.elements(); ++i) {
      const double value = values[static_cast<size_t>(i)];
      habits.has_unexpected_zero |= IsUnexpectedZero(expectation, i, value);
      const bool kept = IsSubnormal(type, value);
      if (!kept && !IsFlushed(expectation, i, value)) continue;
      Habit& habit = habits.of_type[static_cast<size_t>(type)];
      Evidence& evidence = kept ? habit.kept : habit.flushed;
      if (!evidence.found) evidence = {true, index, output, i};
    }
  }
}

// Makes each subnormal number of the type a zero of its sign. Returns true if there is one.
bool FlushNumbers(Tensor& tensor, DType type) {
  if (!tensor.has_value() || tensor.type() != type) return false;
  bool found = false;
  std::vector<double> numbers = NumbersOf(tensor);
  for (double& x : numbers) {
    if (!IsSubnormal(type, x)) continue;
    x = std::copysign(0.0, x);
    found = true;
  }
  if (found) tensor = Tensor::FromFloats(type, tensor.shape(), numbers);
  return found;
}

// Flushes all numbers that a vector gives in the same way.
bool FlushGiven(TestVector& vector, DType type) {
  bool found = false;
  for (Graph& graph : vector.graphs) {
    for (Block& block : graph.Blocks()) {
      for (TensorInfo& tensor : block.tensors) found |= FlushNumbers(tensor.initial_value, type);
      for (Operator& op : block.operators) {
        for (const AttributeId id : {AttributeId::kValues, AttributeId::kInitialValue}) {
          if (!op.attributes.Has(id)) continue;
          Tensor value = op.attributes.Value(id);
          if (!FlushNumbers(value, type)) continue;
          op.attributes.Set(id, std::move(value));
          found = true;
        }
      }
    }
  }
  for (Step& step : vector.steps) {
    for (Tensor& input : step.inputs) found |= FlushNumbers(input, type);
    for (auto& [name, tensor] : step.state_before) found |= FlushNumbers(tensor, type);
  }
  return found;
}

// Returns true if the tensor has numbers that the vector gives, as they are or moved.
bool IsGiven(const Block& main, TensorIndex tensor) {
  const Operator* producer = main.ProducerOf(tensor);
  if (producer == nullptr || IsConstant(producer->op)) return true;
  return ops::DefinitionOf(producer->op).traits.results == ops::ResultOrigin::kPassed &&
         std::ranges::all_of(producer->inputs,
                             [&](TensorIndex input) { return IsGiven(main, input); });
}

// Returns true if the results of an output follow from given numbers by one operator, whose error
// is too small to make a normal number a zero. Behind an inexact operator, a zero needs no flush:
// CEIL(x) is 0 if the error of x makes it negative.
bool MayShowFlush(const Graph& graph, size_t output) {
  const Block& main = *graph.Main();
  const Operator* producer = main.ProducerOf(main.outputs[output]);
  constexpr std::array kOps = {Op::kAdd, Op::kSub, Op::kMul, Op::kCeil, Op::kFloor};
  return producer != nullptr && std::ranges::find(kOps, producer->op) != kOps.end() &&
         std::ranges::all_of(producer->inputs,
                             [&](TensorIndex input) { return IsGiven(main, input); });
}

// Adds the evidence of one output to a habit with operands. If a result is wrong for flushed
// operands, they were kept: CEIL(2^-20) = 1, 2^-20 > 0, 2^-20 * 2^10. If a zero is exact for
// flushed operands, where a normal number was expected, they were flushed (MayShowFlush()).
void ObserveOperands(const Expectation& expectation, const Expectation& of_flushed,
                     const Tensor& got, bool may_show_flush, Evidence at, Habit& habit) {
  const Comparison comparison = Compare(of_flushed, got);
  at.found = true;
  if (comparison.wrong > 0 && !habit.kept.found) {
    habit.kept = at;
    habit.kept.element = *comparison.first_wrong;
  }
  const std::vector<double> values = NumbersOf(got);
  for (size_t i = 0; i < values.size() && may_show_flush && !habit.flushed.found; ++i) {
    const auto element = static_cast<int64_t>(i);
    if (!IsUnexpectedZero(expectation, element, values[i])) continue;
    const bool exact = of_flushed.error.empty() || of_flushed.error[i] == 0;
    if (!exact || of_flushed.value.Float(element) != 0) continue;
    habit.flushed = at;
    habit.flushed.element = element;
  }
}

// Returns the habit of a run with subnormal operands of the type, for the numbers that the vector
// gives. `flushed` is the vector with these numbers flushed.
Habit HabitOfOperands(const TestVector& vector, TestVector& flushed,
                      std::span<const Outcome> outcomes) {
  Habit habit;
  if (!Expect(flushed, {})) return habit;
  for (size_t index = 0; index < vector.steps.size() && index < outcomes.size(); ++index) {
    const Step& step = vector.steps[index];
    const Outcome& outcome = outcomes[index];
    if (!IsAnswered(step, outcome) || !IsAnswered(flushed.steps[index], outcome)) continue;
    const Graph& graph = vector.GraphOf(step);
    for (size_t output = 0; output < step.outputs.size(); ++output) {
      const Tensor& got = outcome.outputs[output];
      const Expectation& expectation = step.outputs[output];
      if (!Calculates(ProducerOf(graph, output).op) || Compare(expectation, got).Wrong()) continue;
      ObserveOperands(expectation, flushed.steps[index].outputs[output], got,
                      MayShowFlush(graph, output),
                      {.step = static_cast<int32_t>(index), .output = output}, habit);
    }
  }
  return habit;
}

// Returns the only type of which the vector gives subnormal numbers, and the habit with them.
// Returns nullopt if there is no such type, or more than one, because a zero may then come of
// either.
std::optional<std::pair<DType, Habit>> HabitOfGiven(const TestVector& vector,
                                                    std::span<const Outcome> outcomes) {
  std::optional<DType> given;
  TestVector flushed = vector;
  for (const DType type : kTypes) {
    if (!FlushGiven(flushed, type)) continue;
    if (given) return std::nullopt;
    given = type;
  }
  if (!given) return std::nullopt;
  return std::pair(*given, HabitOfOperands(vector, flushed, outcomes));
}

std::string WhereText(const TestVector& vector, const Evidence& evidence) {
  const Step& step = vector.steps[static_cast<size_t>(evidence.step)];
  const Block& main = *vector.GraphOf(step).Main();
  const TensorIndex tensor = main.outputs[evidence.output];
  return "element " + std::to_string(evidence.element) + " of " +
         main.tensors[static_cast<size_t>(tensor)].name + " in step " +
         std::to_string(evidence.step);
}

// Returns a finding about the producer of the output that shows it.
Finding FindingAt(const TestVector& vector, const Evidence& evidence, std::string_view rule) {
  const Step& step = vector.steps[static_cast<size_t>(evidence.step)];
  const Suspect suspect = ProducerOf(vector.GraphOf(step), evidence.output);
  Finding finding;
  finding.violation = Violation::kFlush;
  finding.rule = rule;
  finding.op = suspect.op;
  finding.type = suspect.type;
  return finding;
}

Finding FindingOf(const TestVector& vector, DType type, const Evidence& kept,
                  const Evidence& flushed) {
  Finding finding = FindingAt(vector, flushed, "flush-all-or-none");
  finding.expected =
      "all subnormal numbers of " + std::string(TypeName(type)) + " flushed, or none";
  finding.got = WhereText(vector, kept) + " kept, " + WhereText(vector, flushed) + " flushed";
  return finding;
}

Habits HabitsOf(const TestVector& vector, std::span<const Outcome> outcomes) {
  Habits habits;
  for (size_t i = 0; i < vector.steps.size() && i < outcomes.size(); ++i) {
    Observe(vector, outcomes, static_cast<int32_t>(i), habits);
  }
  return habits;
}

// Returns what a backend did against a declaration, if there is evidence.
std::optional<Finding> FindingOfDeclaration(const TestVector& vector, DType type,
                                            const Declarations& declared, const Evidence& evidence,
                                            std::string_view expected, std::string_view got) {
  if (!evidence.found) return std::nullopt;
  const std::string name = DeclarationNames({declared});
  Finding finding = FindingAt(vector, evidence, name);
  finding.oracle = "flushing";
  finding.step = evidence.step;
  finding.expected =
      "all subnormal numbers of " + std::string(TypeName(type)) + " " + std::string(expected);
  finding.got = WhereText(vector, evidence) + " " + std::string(got);
  finding.rests_on = name;
  return finding;
}

// Judges the run as a whole with its last step. A run that flushes results only may have read its
// operands in a wider type. So flushed results and kept operands are no contradiction.
Verdict Judge(const TestVector& vector, std::span<const Outcome> outcomes, int index) {
  Verdict verdict;
  if (static_cast<size_t>(index) + 1 != vector.steps.size()) return verdict;
  const Habits habits = HabitsOf(vector, outcomes);
  std::optional<std::pair<DType, Habit>> operands;
  if (habits.has_unexpected_zero) operands = HabitOfGiven(vector, outcomes);
  for (const DType type : kTypes) {
    const Habit& results = habits.of_type[static_cast<size_t>(type)];
    const Habit given = operands && operands->first == type ? operands->second : Habit{};
    if (results.kept.found && (results.flushed.found || given.flushed.found)) {
      verdict.findings.push_back(FindingOf(
          vector, type, results.kept, results.flushed.found ? results.flushed : given.flushed));
    } else if (given.kept.found && given.flushed.found) {
      verdict.findings.push_back(FindingOf(vector, type, given.kept, given.flushed));
    }
  }
  if (!verdict.findings.empty()) verdict.kind = VerdictKind::kDisagrees;
  return verdict;
}

constexpr OracleCanary kCanaries[] = {{Violation::kFlush, "flushes-some"}};

}  // namespace

std::vector<Finding> FindingsOfFlushing(const TestVector& vector, std::span<const Outcome> outcomes,
                                        const Declarations& declared) {
  std::vector<Finding> findings;
  if (!declared.flushes_subnormals && !declared.keeps_subnormals) return findings;
  const Habits habits = HabitsOf(vector, outcomes);
  const std::optional<std::pair<DType, Habit>> operands = HabitOfGiven(vector, outcomes);
  const auto add = [&](const std::optional<Finding>& finding) {
    if (finding) findings.push_back(*finding);
  };
  for (const DType type : kTypes) {
    const Habit& results = habits.of_type[static_cast<size_t>(type)];
    const Habit given = operands && operands->first == type ? operands->second : Habit{};
    if (declared.flushes_subnormals) {
      add(FindingOfDeclaration(vector, type, {.flushes_subnormals = true},
                               results.kept.found ? results.kept : given.kept, "flushed", "kept"));
    }
    if (declared.keeps_subnormals) {
      add(FindingOfDeclaration(vector, type, {.keeps_subnormals = true},
                               results.flushed.found ? results.flushed : given.flushed, "kept",
                               "flushed"));
    }
  }
  return findings;
}

namespace oracles {
extern const Oracle flushing_oracle = {
    .name = "flushing",
    .question = "are the subnormal numbers of a type all kept in a run, or all flushed?",
    .relies_on = "the bounds of the expectation, and that operators which calculate do alike",
    .canaries = kCanaries,
    .judge = Judge,
};
}  // namespace oracles
}  // namespace assay
