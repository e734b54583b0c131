// SPDX-License-Identifier: Apache-2.0
// Properties of the toolkit over the generators of assay/rapidcheck.h, as a user would write them:
// variables, memory plans, constant folding; and the generators themselves.
// RC_PARAMS="max_success=10000 seed=7" tries other cases.
#include <assay/rapidcheck.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "any_content.h"
#include "equal_graphs.h"
#include "executor.h"
#include "folding_subjects.h"
#include "overlap_proof.h"
#include "pairwise_plan.h"
#include "planner.h"
#include "run_assay.h"
#include "variable_machine.h"

namespace assay::rapidcheck_test {
namespace {

// Every run has the same cases, unless RC_PARAMS is set.
[[maybe_unused]] const int kSeeded = setenv("RC_PARAMS", "seed=1", 0);

// --- Graphs

RC_GTEST_PROP(AnyGraphs, AreRightOnTheReference, (const AnyGraph& graph)) {
  const TestVector vector = ContentOf(graph);
  const std::string wrong = graph.Judge([&](Invocation& invocation) {
    const std::vector<Outcome> outcomes = ExecuteVector(vector, {});
    for (size_t i = 0; i < invocation.outputs.size(); ++i) {
      const auto bytes = outcomes[invocation.step].outputs[i].bytes();
      RC_ASSERT(bytes.size() == invocation.outputs[i].size);
      std::memcpy(invocation.outputs[i].data, bytes.data(), bytes.size());
    }
  });
  RC_ASSERT(wrong == "");
}

// --- Variables

// Returns the actions of a main block on variables, for the machine that knows only the table of
// their rules. `types` are the declared types of the context's variables, by name; it gets those
// that the block declares. Discards blocks with other forms of state or control flow.
std::vector<VariableAction> ActionsOf(const Graph& graph, std::map<std::string, TensorType>& types,
                                      std::map<std::string, int>& numbers) {
  RC_PRE(graph.Blocks().size() == 1 && !HasVariableTensors(graph));
  const Block& main = *graph.Main();
  std::vector<VariableAction> actions;
  for (const Operator& op : main.operators) {
    if (op.op != Op::kVariable && op.op != Op::kVariableRead && op.op != Op::kVariableWrite) {
      continue;
    }
    const std::string name = op.attributes.Text(AttributeId::kName);
    const auto number = numbers.emplace(name, std::ssize(numbers)).first->second;
    RC_PRE(number < VariableMachine::kVariables);
    VariableAction action;
    action.variable = number;
    if (op.op == Op::kVariable) {
      const auto& shape = op.attributes.Ints(AttributeId::kVarShape);
      const TensorType type{static_cast<DType>(op.attributes.Int(AttributeId::kType)),
                            Shape(shape)};
      const bool is_other = !types.emplace(name, type).second && types.at(name) != type;
      const bool has_value = op.attributes.Has(AttributeId::kInitialValue);
      action.event = is_other    ? VariableEvent::kDeclareOther
                     : has_value ? VariableEvent::kDeclareWithValue
                                 : VariableEvent::kDeclare;
    } else {
      const bool reads = op.op == Op::kVariableRead;
      const TensorType& type = main.TypeOf(reads ? op.outputs[0] : op.inputs[0]);
      const auto declared = types.find(name);
      const bool other_type = declared != types.end() && declared->second.type != type.type;
      const bool other_shape = declared != types.end() && declared->second.shape != type.shape;
      using enum VariableEvent;
      action.event = other_type    ? (reads ? kReadBadType : kWriteBadType)
                     : other_shape ? (reads ? kReadBadShape : kWriteBadShape)
                                   : (reads ? kRead : kWrite);
    }
    actions.push_back(action);
  }
  return actions;
}

RC_GTEST_PROP(AnySequences, BreakTheRulesThatTheTableOfVariablesSays,
              (const AnySequence& sequence)) {
  const TestVector vector = ContentOf(sequence);
  const StateRules& rules = *OptionsFor(vector, {}).state_rules;
  VariableMachine machine(TableOf(rules), rules.nested_clears_seen);
  std::map<int32_t, std::map<std::string, TensorType>> types;
  std::map<std::string, int> numbers;
  const std::vector<Outcome> outcomes = ExecuteVector(vector, {});
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const Step& step = vector.steps[i];
    const Graph& graph = vector.graphs[static_cast<size_t>(step.graph)];
    const bool runs = machine.Execute(step.context, ActionsOf(graph, types[step.context], numbers));
    const bool rule_of_variables = outcomes[i].rule.starts_with("VARIABLE");
    RC_ASSERT((runs ? "" : machine.rule()) == (rule_of_variables ? outcomes[i].rule : ""));
  }
}

// The names of variables belong to a context: what runs in the others makes no difference.
RC_GTEST_PROP(AnySequences, KeepContextsApart, (const AnySequence& sequence)) {
  const TestVector vector = ContentOf(sequence);
  const std::vector<Outcome> together = ExecuteVector(vector, {});
  for (int32_t context = 0; context < VariableMachine::kContexts; ++context) {
    TestVector alone = vector;
    std::erase_if(alone.steps, [&](const Step& step) { return step.context != context; });
    const std::vector<Outcome> outcomes = ExecuteVector(alone, {});
    size_t next = 0;
    for (size_t i = 0; i < vector.steps.size(); ++i) {
      if (vector.steps[i].context != context) continue;
      const Outcome& outcome = outcomes[next++];
      RC_ASSERT(outcome.kind == together[i].kind);
      RC_ASSERT(SameBytes(outcome.outputs, together[i].outputs));
    }
  }
}

// --- Memory plans

// Every algorithm's plan is sound by the plain definition, by the checkers, and by Z3's proof that
// no two buffers overlap.
RC_GTEST_PROP(AnyMemoryProblems, ArePlannedWithoutOverlaps, (const AnyMemoryProblem& problem)) {
  constexpr int64_t kFewSteps = 50'000;
  const PlannedProblem planned = ContentOf(problem).plans[0].planned;
  RC_ASSERT(WrongInPlan(planned.problem, *planned.plan) == "");
  const auto proved = *rc::gen::inRange<size_t>(0, AllAlgorithms().size());
  for (size_t i = 0; i < AllAlgorithms().size(); ++i) {
    const Result<PlanningResult> result =
        PlanMemory(planned.problem, *AllAlgorithms()[i], kFewSteps);
    if (!result) continue;
    RC_ASSERT(WrongInPlan(planned.problem, result->plan) == "");
    RC_ASSERT(problem.WrongIn(PlacesOf(result->plan)) == "");
    if (i != proved) continue;
    RC_ASSERT(OpinionOnPoint(planned.problem, result->plan).kind != PlanOpinionKind::kCollides);
    RC_ASSERT(OpinionOnPairs(planned.problem, result->plan).kind != PlanOpinionKind::kCollides);
  }
}

// --- Constant folding

// Folding undoes what the generator did to the graph, and keeps its meaning.
RC_GTEST_PROP(AnyFoldings, KeepTheMeaning, (const AnyFolding& folding)) {
  const TestVector vector = ContentOf(folding);
  FoldCheckOptions options;
  options.runs = 5;
  const FoldVerdict verdict = CheckFold(vector.graphs[0], vector.graphs[1], options);
  RC_LOG() << verdict.reason;
  RC_ASSERT(verdict.kind != FoldVerdictKind::kDifferent);
}

RC_GTEST_PROP(AnyFoldings, KeepAllRelationsWhateverIsConstant,
              (const AnyFolding& folding, const std::vector<uint8_t>& marks)) {
  const FoldSubject subject = SubjectOf(folding, marks);
  const auto broken =
      BrokenRelationsOf(subject, FolderOf(subject, FoldFault::kNone), {.all = true});
  for (const BrokenRelation& one : broken) RC_LOG() << one.relation << " " << one.witness << "\n";
  RC_ASSERT(broken.empty());
}

// --- The generators

// Returns the values and the origins that a generator gives for a seed of RapidCheck.
template <class Value>
std::vector<std::string> TextsOf(const rc::Gen<Value>& gen, uint64_t seed, int count) {
  std::vector<std::string> texts;
  rc::Random random(seed);
  for (int i = 0; i < count; ++i) texts.push_back(gen(random.split()).value().Text());
  return texts;
}

template <class Value>
void ExpectTheSameForASeed() {
  const auto gen = rc::gen::arbitrary<Value>();
  const auto texts = TextsOf(gen, 5, 12);
  EXPECT_EQ(texts, TextsOf(gen, 5, 12));
  EXPECT_EQ(std::set(texts.begin(), texts.end()).size(), texts.size());
  EXPECT_NE(texts, TextsOf(gen, 6, 12));
}

TEST(Gens, GiveTheSameValuesForASeed) {
  ExpectTheSameForASeed<AnyGraph>();
  ExpectTheSameForASeed<AnySequence>();
  ExpectTheSameForASeed<AnyFolding>();
  ExpectTheSameForASeed<AnyMemoryProblem>();
}

TEST(Gens, KeepToTheirOptions) {
  for (const rc::Gen<AnyGraph>& gen : {Graphs({"op=ADD,MUL", "type=fp32"})}) {
    rc::Random random(1);
    for (int i = 0; i < 10; ++i) {
      const AnyGraph graph = gen(random.split()).value();
      for (size_t k = 0; k < assay_vector_operator_count(graph.vector()); ++k) {
        const std::string op = assay_vector_operator(graph.vector(), k);
        EXPECT_TRUE(op == "ADD" || op == "MUL") << op;
      }
      EXPECT_NE(graph.Text().find("replay: assay gen --kind graph --seed 1 --op 'ADD,MUL' --type "
                                  "'fp32' --shard "),
                std::string::npos);
    }
  }
  EXPECT_THROW(Graphs({"op=ADDD"}), std::runtime_error);
}

// The line that a value shows makes the same vector.
using ReplayLine = Cli;
TEST_F(ReplayLine, MakesTheOriginal) {
  const AnySequence value = Sequences({"max-rank=2"})(rc::Random(9)).value();
  const std::string text = value.Text();
  const std::string start = "replay: assay";
  const Ran ran = RunShell("$ASSAY" + text.substr(text.find(start) + start.size()));
  ASSERT_EQ(ran.status, 0) << text << ran.errors;
  std::vector<std::string> made;
  for (const auto& entry : fs::recursive_directory_iterator(Path("DIR"))) {
    if (entry.path().extension() == ".tvec") made.push_back(*ReadTextFile(entry.path()));
  }
  EXPECT_EQ(made, std::vector{std::string(value.Tvec().begin(), value.Tvec().end())});
}

// Walks some way down the values that are smaller, and expects each to be valid and smaller.
template <class Value, class Expect>
void ExpectSmaller(int values, Expect expect) {
  const auto gen = rc::gen::arbitrary<Value>();
  rc::Random random(3);
  for (int i = 0; i < values; ++i) {
    rc::Shrinkable<Value> now = gen(random.split());
    for (int depth = 0; depth < 40; ++depth) {
      rc::Seq<rc::Shrinkable<Value>> smaller = now.shrinks();
      for (int skipped = (i + depth) % 5; skipped > 0; --skipped) smaller.next();
      rc::Seq<rc::Shrinkable<Value>> copy = smaller;
      const auto next = smaller.next();
      if (!next) break;
      EXPECT_EQ(next->value().Text(), copy.next()->value().Text());
      expect(ContentOf(now.value()), ContentOf(next->value()));
      now = *next;
    }
  }
}

TEST(Gens, ShrinkToValidValues) {
  const auto expect_valid = [](const TestVector& larger, TestVector vector) {
    const std::vector<Step> steps = vector.steps;
    for (const Step& step : steps) {
      EXPECT_TRUE(step.expected == OutcomeKind::kValid ||
                  std::ranges::any_of(larger.steps, [&](const Step& other) {
                    return other.expected == step.expected && other.rule == step.rule;
                  }));
    }
    std::string reason;
    EXPECT_TRUE(Expect(vector, OptionsFor(vector, {}), &reason)) << reason;
    EXPECT_EQ(vector.steps, steps);
  };
  ExpectSmaller<AnyGraph>(4, expect_valid);
  ExpectSmaller<AnySequence>(4, expect_valid);
  ExpectSmaller<AnyFolding>(4, expect_valid);
  ExpectSmaller<AnyMemoryProblem>(20, [](const TestVector& larger, const TestVector& vector) {
    const PlannedProblem& planned = vector.plans[0].planned;
    EXPECT_TRUE(ValidateProblem(planned.problem));
    EXPECT_EQ(WrongInPlan(planned.problem, *planned.plan), "");
    EXPECT_NE(planned.problem, larger.plans[0].planned.problem);
  });
}

}  // namespace
}  // namespace assay::rapidcheck_test
