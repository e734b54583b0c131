// SPDX-License-Identifier: Apache-2.0
// Sequences of invocations over variables: scripts that follow the table of the rules of variables,
// models with state, and graphs that declare, write, read and accumulate in either form. The forms
// are VARIABLE operators, and tensors with `variable=true` that IDENTITY reads and writes.
#include <string>
#include <utility>
#include <vector>

#include "branches_and_loops.h"
#include "executor.h"
#include "recurrent_models.h"
#include "sessions.h"
#include "variable_script.h"
#include "vector_facts.h"

namespace assay::generators {

extern const Generator stateful_generator;

namespace {

constexpr int kAttempts = 32;
constexpr int64_t kStepsMax = 8;
constexpr int64_t kInvocationsMax = 50;

// A sequence of invocations, with its title and the rule that it is meant to break.
struct Attempt {
  TestVector vector;
  std::string title;
  std::string breaks;  // the rule that the last step breaks; "" if all are valid
};

constexpr uint64_t kSorts = 8;  // of vectors, in turn by index

// Returns pair `number`, modulo their count, of the pairs of steps of the table of variables.
// Leaves out pairs that files cannot hold.
std::pair<VariableStep, VariableStep> GoalOf(uint64_t number) {
  static const auto pairs = [] {
    auto all = PairsIn(TableOf(AllStateRules()[0]));
    std::erase_if(all, [](const auto& pair) {
      return !WhyNotInFiles(pair.first.event).empty() || !WhyNotInFiles(pair.second.event).empty();
    });
    return all;
  }();
  return pairs[static_cast<size_t>(number % pairs.size())];
}

std::optional<Attempt> DrawScripted(Choices& choices, const GeneratorOptions& options,
                                    const Menu& menu, uint64_t index) {
  ScriptOptions script_options;
  const bool nested = index % kSorts == 6;
  script_options.rules = &AllStateRules()[nested && choices.OneIn(2) ? 1 : 0];
  script_options.control_flow = nested && AllowsControlFlow(options);
  script_options.variables_max = choices.OneIn(4) ? VariableMachine::kVariables : 3;
  script_options.other_types = AllowedRows(options, Op::kVariable).size() > 1;
  script_options.breaks = !nested && choices.OneIn(8);
  std::optional<std::pair<VariableStep, VariableStep>> goal;
  if (!nested) goal = GoalOf(index / kSorts * 4 + index % kSorts);
  const VariableScript script = DrawScript(choices, script_options, goal);
  std::optional<TestVector> vector = VectorOfScript(choices, options, menu, script);
  if (!vector) return std::nullopt;
  vector->semantics = std::string(script_options.rules->name);
  return Attempt{std::move(*vector), "", script.breaks};
}

std::optional<Attempt> DrawRecurrent(Choices& choices, const GeneratorOptions& options,
                                     uint64_t index) {
  const auto models = RecurrentModels();
  const RecurrentModel& model = models[static_cast<size_t>(index / kSorts % models.size())];
  const int64_t invocations = choices.Between(2, choices.OneIn(6) ? kInvocationsMax : kStepsMax);
  std::optional<TestVector> vector =
      VectorOfRecurrent(choices, options, model, invocations, choices.Between32(1, 3));
  if (!vector) return std::nullopt;
  return Attempt{std::move(*vector), std::string(model.name), ""};
}

// Draws a sequence. Of eight indices, four follow the table of variables, and one runs such a
// script inside control flow. One is a model with state, and two do arithmetic on the values that
// they read.
std::optional<Attempt> Draw(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                            uint64_t index) {
  const bool operators = AllowsOperator(options, Op::kVariable) &&
                         AllowsOperator(options, Op::kVariableRead) &&
                         AllowsOperator(options, Op::kVariableWrite);
  const uint64_t sort = index % kSorts;
  if (operators && (sort < 4 || sort == 6)) return DrawScripted(choices, options, menu, index);
  if (operators && sort == 7) return DrawRecurrent(choices, options, index);
  std::optional<TestVector> vector = DrawSessions(choices, options, menu);
  if (!vector) return std::nullopt;
  return Attempt{std::move(*vector), "", ""};
}

// Returns true if every step is expected to be valid. If `breaks` is not empty, the last step must
// be unpredictable by that rule instead.
bool HoldsTo(const TestVector& vector, const std::string& breaks) {
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const Step& step = vector.steps[i];
    const bool last = i + 1 == vector.steps.size();
    const OutcomeKind wanted =
        last && !breaks.empty() ? OutcomeKind::kUnpredictable : OutcomeKind::kValid;
    if (step.expected != wanted || (wanted == OutcomeKind::kUnpredictable && step.rule != breaks)) {
      return false;
    }
  }
  return true;
}

// Fills in the expectations of the steps; returns false if they are not those that the attempt
// means. If the specification's own reading gives the same expectations as the vector's, the vector
// takes that reading.
bool Fill(Attempt& attempt) {
  TestVector& vector = attempt.vector;
  if (!Expect(vector, {}) || !HoldsTo(vector, attempt.breaks)) return false;
  TestVector plain = vector;
  plain.semantics = std::string(AllStateRules()[0].name);
  if (Expect(plain, {}) && plain.steps == vector.steps) vector = std::move(plain);
  return true;
}

int64_t Targets(const GeneratorOptions&) { return 0; }

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  if (!options.target.Empty() && !options.target.Contains(Feature::kExtVariable)) {
    return std::nullopt;
  }
  Choices choices(
      Random::For(options.seed, index, stateful_generator.kind, stateful_generator.version));
  const Menu menu(options);
  for (int tries = 0; tries < kAttempts; ++tries) {
    std::optional<Attempt> attempt = Draw(choices, options, menu, index);
    if (!attempt || !Fill(*attempt)) continue;
    TestVector& vector = attempt->vector;
    Describe(vector, options, stateful_generator, index, attempt->title);
    if (!attempt->breaks.empty()) vector.tags.push_back("breaks:" + attempt->breaks);
    return std::move(vector);
  }
  return std::nullopt;
}

}  // namespace

const Generator stateful_generator = {
    .kind = "stateful",
    .help = "sequences of invocations that share variables, in up to three contexts",
    .version = 7,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators
