// SPDX-License-Identifier: Apache-2.0
// Tests the kind `control-flow`: which rows of its table appear in the vectors and in their
// executions, and the rewritings that make the siblings.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "block_builder.h"
#include "generated.h"
#include "generator_table.h"
#include "mutants.h"
#include "nest_shapes.h"
#include "reduce.h"
#include "rewritings.h"
#include "trace.h"
#include "vector_size.h"

namespace assay::control_flow_graphs_test {
namespace {

const Generator& Kind() { return *GeneratorByKind("control-flow"); }

// Returns the vectors of one pass through the table.
const std::vector<TestVector>& OnePass() {
  static const std::vector<TestVector> vectors = [] {
    std::vector<TestVector> all;
    for (int64_t i = 0; i < Kind().targets(Options(1)); ++i) {
      auto vector = Kind().make(Options(1), static_cast<uint64_t>(i));
      if (vector) all.push_back(std::move(*vector));
    }
    return all;
  }();
  return vectors;
}

std::string OriginalOf(const TestVector& vector) {
  for (const std::string& tag : vector.tags) {
    if (tag.starts_with("sibling-of:")) return tag.substr(tag.find(':') + 1);
  }
  return "";
}

bool IsOriginal(const TestVector& vector) { return OriginalOf(vector).empty(); }

int64_t CountOf(const TestVector& vector, Op wanted) {
  return std::ranges::count_if(vector.Operators(), [wanted](const PlacedOperator& placed) {
    return placed.op.op == wanted;
  });
}

// Counts how often each operator ran in the steps of a vector.
class Runs : public Trace {
 public:
  explicit Runs(const TestVector& vector, const Level& level = kLevel8K) : vector_(vector) {
    outcomes_ = ExecuteVector(vector_, {.level = level, .trace = this});
  }
  void Ran(const ExecutedOperator& executed) override { ++count_[&executed.op]; }

  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  int64_t Of(const Operator& op) const {
    const auto found = count_.find(&op);
    return found == count_.end() ? 0 : found->second;
  }

  // Adds the nests that ran, from a block on, as texts like "CW".
  void AddNests(const Graph& graph, const Block& block, const std::string& around,
                std::set<std::string>& nests) const {
    for (const Operator& op : block.operators) {
      if ((op.op != Op::kCondIf && op.op != Op::kWhileLoop) || Of(op) == 0) continue;
      const std::string nest = around + (op.op == Op::kCondIf ? 'C' : 'W');
      nests.insert(nest);
      for (const AttributeId id :
           {AttributeId::kThenGraph, AttributeId::kElseGraph, AttributeId::kBodyGraph}) {
        if (op.attributes.Has(id)) {
          AddNests(graph, *graph.FindBlock(op.attributes.Text(id)), nest, nests);
        }
      }
    }
  }

 private:
  const TestVector& vector_;
  std::vector<Outcome> outcomes_;
  std::map<const Operator*, int64_t> count_;
};

TEST(ControlFlow, EverySiblingGivesWhatTheOriginalGives) {
  std::map<std::string, std::vector<Outcome>> originals;
  std::map<std::string, int> sorts;
  for (const TestVector& vector : OnePass()) {
    const std::vector<Outcome> outcomes = ExecuteVector(vector, {});
    if (IsOriginal(vector)) {
      originals[vector.name] = outcomes;
      continue;
    }
    ASSERT_TRUE(originals.contains(OriginalOf(vector))) << vector.name;
    const std::vector<Outcome>& expected = originals[OriginalOf(vector)];
    ASSERT_EQ(outcomes.size(), expected.size()) << vector.name;
    for (size_t s = 0; s < outcomes.size(); ++s) {
      ASSERT_EQ(outcomes[s].kind, OutcomeKind::kValid) << vector.name << outcomes[s].message;
      EXPECT_EQ(outcomes[s].outputs, expected[s].outputs) << vector.name << " step " << s;
      EXPECT_EQ(outcomes[s].state, expected[s].state) << vector.name << " step " << s;
    }
    for (const char* sort : {"inlined", "peeled", "unrolled", "if-converted"}) {
      sorts[sort] += HasTag(vector, sort);
    }
  }
  EXPECT_EQ(originals.size(), ControlFlowShapes(Options(1)).size());
  for (const auto& [sort, count] : sorts) EXPECT_GT(count, 100) << sort;
}

TEST(ControlFlow, SiblingsAreWhatTheirTagsSay) {
  std::map<std::string, const TestVector*> originals;
  for (const TestVector& vector : OnePass()) {
    if (IsOriginal(vector)) {
      originals[vector.name] = &vector;
      continue;
    }
    const TestVector& original = *originals.at(OriginalOf(vector));
    if (HasTag(vector, "inlined")) {
      EXPECT_FALSE(HasTag(vector, "control-flow")) << vector.name;
    }
    if (HasTag(vector, "if-converted")) {
      EXPECT_GT(CountOf(vector, Op::kSelect), 0) << vector.name;
      EXPECT_EQ(CountOf(vector, Op::kCondIf), 0) << vector.name;
    }
    if (HasTag(vector, "peeled")) {
      EXPECT_GT(CountOf(vector, Op::kCondIf), CountOf(original, Op::kCondIf)) << vector.name;
    }
    if (HasTag(vector, "unrolled")) {
      EXPECT_NE(vector.graphs, original.graphs) << vector.name;
    }
  }
}

TEST(ControlFlow, RunsEveryMixUpToTheLimit) {
  std::set<std::string> nests;
  for (const TestVector& vector : OnePass()) {
    if (!IsOriginal(vector)) continue;
    const Runs runs(vector);
    for (const Graph& graph : vector.graphs) {
      EXPECT_LE(NestingDepth(graph), kLevel8K.max_nesting) << vector.name;
      runs.AddNests(graph, *graph.Main(), "", nests);
    }
  }
  // Words of one to six letters out of two.
  EXPECT_EQ(nests.size(), 2u + 4 + 8 + 16 + 32 + 64);
}

TEST(ControlFlow, ReachesTheLimitOfALevelThatHasNone) {
  GeneratorOptions options = Options(1);
  options.level = kLevelNone;
  // The deepest comes last.
  const auto vector = Kind().make(options, static_cast<uint64_t>(Kind().targets(options) - 4));
  ASSERT_TRUE(vector);
  EXPECT_TRUE(IsOriginal(*vector));
  std::set<std::string> nests;
  const Graph& graph = vector->graphs[0];
  Runs(*vector, options.level).AddNests(graph, *graph.Main(), "", nests);
  EXPECT_TRUE(nests.contains(std::string(256, 'W')));
}

// Returns how many rounds the loop of a main block runs in all steps, or -1 if there is no such
// loop.
int64_t RoundsOf(const TestVector& vector, const Runs& runs) {
  const Graph& graph = vector.graphs[0];
  for (const Operator& op : graph.Main()->operators) {
    if (op.op != Op::kWhileLoop) continue;
    const Block& body = *graph.FindBlock(op.attributes.Text(AttributeId::kBodyGraph));
    return runs.Of(body.operators.back());
  }
  return -1;
}

TEST(ControlFlow, LoopsRunZeroToFiveRoundsFromEverySource) {
  const std::vector<ControlFlowShape> shapes = ControlFlowShapes(Options(1));
  std::map<Source, std::set<int64_t>> rounds;
  size_t row = 0;
  for (const TestVector& vector : OnePass()) {
    if (!IsOriginal(vector)) continue;
    const ControlFlowShape& shape = shapes[row++];
    if (shape.nest != "W" || shape.handover != Handover::kComputes || vector.steps.size() > 1) {
      continue;
    }
    const int64_t ran = RoundsOf(vector, Runs(vector));
    EXPECT_EQ(ran, shape.rounds) << vector.name;
    rounds[shape.source].insert(ran);
    // The number that it counts towards is an input of shape [1].
    const Block& main = *vector.graphs[0].Main();
    const bool given = std::any_of(main.inputs.begin(), main.inputs.end(), [&](TensorIndex input) {
      return main.TypeOf(input) == TensorType{DType::kInt32, Shape{1}};
    });
    EXPECT_TRUE(given || shape.source != Source::kHidden) << vector.name;
  }
  const std::set<int64_t> all = {0, 1, 2, 3, 5};
  for (const Source source : {Source::kHidden, Source::kConstant, Source::kInside}) {
    EXPECT_EQ(rounds[source], all) << static_cast<int>(source);
  }
}

// --- What the outermost operators do with values, seen in the blocks ---

bool Reads(const Block& block, TensorIndex tensor) {
  for (const Operator& op : block.operators) {
    if (std::count(op.inputs.begin(), op.inputs.end(), tensor) > 0) return true;
  }
  return std::count(block.outputs.begin(), block.outputs.end(), tensor) > 0;
}

// Returns the names of the features that one operator of a main block shows.
std::set<std::string> FeaturesOf(const Graph& graph, const Block& block, const Operator& op) {
  std::set<std::string> features;
  const bool loop = op.op == Op::kWhileLoop;
  const auto callee = [&](AttributeId id) { return *graph.FindBlock(op.attributes.Text(id)); };
  const Block first = callee(loop ? AttributeId::kBodyGraph : AttributeId::kThenGraph);
  const Block second = callee(loop ? AttributeId::kCondGraph : AttributeId::kElseGraph);
  const std::vector<TensorIndex> given(op.inputs.begin() + (loop ? 0 : 1), op.inputs.end());
  const std::string prefix = loop ? "loop " : "branch ";
  if (std::set<TensorIndex>(given.begin(), given.end()).size() < given.size()) {
    features.insert(prefix + "given twice");
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (!Reads(first, first.inputs[i]) && !Reads(second, second.inputs[i])) {
      features.insert(prefix + "unread");
    }
    const Operator* producer = block.ProducerOf(given[i]);
    if (producer != nullptr && producer->op == Op::kConst) features.insert(prefix + "constant");
    if (loop && first.outputs[i] == first.inputs[i]) features.insert("loop invariant");
    for (size_t k = 0; loop && k < given.size(); ++k) {
      if (k != i && first.outputs[i] == first.inputs[k]) features.insert("loop moved");
    }
  }
  for (const TensorIndex output : op.outputs) {
    if (!Reads(block, output)) features.insert(prefix + "unused");
  }
  if (loop) {
    features.insert("loop carries " + std::to_string(given.size()));
    features.insert("condition of rank " +
                    std::to_string(second.TypeOf(second.outputs[0]).shape.rank()));
    for (const Operator& inner : second.operators) {
      if (inner.op == Op::kLogicalAnd) features.insert("loop ends early");
    }
    return features;
  }
  features.insert("condition of rank " + std::to_string(block.TypeOf(op.inputs[0]).shape.rank()));
  if (op.attributes.Text(AttributeId::kThenGraph) == op.attributes.Text(AttributeId::kElseGraph)) {
    features.insert("branch both the same");
  }
  if (op.outputs.size() > given.size()) features.insert("branch gives more");
  for (const Block& branch : {first, second}) {
    if (branch.operators.empty() && branch.outputs == branch.inputs) {
      features.insert("branch passes on");
    }
    if (branch.operators.empty() && branch.outputs != branch.inputs) {
      features.insert("branch crosses");
    }
    const bool constant = std::all_of(branch.operators.begin(), branch.operators.end(),
                                      [](const Operator& inner) { return inner.op == Op::kConst; });
    if (constant && !branch.operators.empty()) features.insert("branch of constants");
  }
  if (first.operators.size() != second.operators.size()) features.insert("branches differ");
  return features;
}

TEST(ControlFlow, HandsValuesOnInEveryWayOfTheTable) {
  std::set<std::string> seen;
  for (const TestVector& vector : OnePass()) {
    if (!IsOriginal(vector)) continue;
    for (const Graph& graph : vector.graphs) {
      const Block& main = *graph.Main();
      std::map<std::string, int> calls;
      for (const Operator& op : main.operators) {
        if (op.op != Op::kCondIf && op.op != Op::kWhileLoop) continue;
        seen.merge(FeaturesOf(graph, main, op));
        const bool loop = op.op == Op::kWhileLoop;
        const AttributeId id = loop ? AttributeId::kBodyGraph : AttributeId::kThenGraph;
        if (++calls[op.attributes.Text(id)] == 2) seen.insert(loop ? "loop twice" : "branch twice");
      }
    }
  }
  for (const char* feature :
       {"branch given twice", "branch unread",       "branch unused",       "branch twice",
        "branch crosses",     "branch passes on",    "branch of constants", "branch both the same",
        "branch gives more",  "branches differ",     "loop given twice",    "loop unread",
        "loop unused",        "loop twice",          "loop invariant",      "loop constant",
        "loop ends early",    "loop carries 1",      "loop carries 2",      "loop carries 3",
        "loop carries 4",     "condition of rank 0", "condition of rank 1", "condition of rank 2",
        "condition of rank 3"}) {
    EXPECT_TRUE(seen.contains(feature)) << feature;
  }
}

TEST(ControlFlow, TakesAnotherWayInALaterStep) {
  int of_inputs = 0, of_state = 0;
  for (const TestVector& vector : OnePass()) {
    if (!IsOriginal(vector) || vector.steps.size() == 1) continue;
    for (size_t s = 1; s < vector.steps.size(); ++s) {
      for (size_t before = 0; before < s; ++before) {
        const Step& a = vector.steps[before];
        const Step& b = vector.steps[s];
        if (a.graph != b.graph || a.outputs == b.outputs || b.outputs.empty()) continue;
        const bool ticks = NestingDepth(vector.graphs[static_cast<size_t>(b.graph)]) == 0;
        if (!ticks) ++(a.inputs == b.inputs ? of_state : of_inputs);
      }
    }
  }
  EXPECT_GT(of_inputs, 30);
  EXPECT_GE(of_state, 14);
}

// Returns true if the executor with that fault gives a wrong result.
bool Shows(const Mutant& mutant, const TestVector& vector) {
  const std::vector<Outcome> outcomes =
      ExecuteVector(vector, {.mutant = &mutant, .loop_iterations_max = 100});
  for (size_t s = 0; s < outcomes.size(); ++s) {
    // A loop that the fault makes endless is a wrong result, too.
    if (outcomes[s].kind != OutcomeKind::kValid) return true;
    for (size_t k = 0; k < outcomes[s].outputs.size(); ++k) {
      if (!(outcomes[s].outputs[k] == vector.steps[s].outputs[k].value)) return true;
    }
  }
  return false;
}

std::vector<const Mutant*> FaultsOfControlFlow() {
  std::vector<const Mutant*> faults;
  for (const Mutant& mutant : AllMutants()) {
    if (mutant.operator_class == OperatorClass::kControlFlow) faults.push_back(&mutant);
  }
  return faults;
}

TEST(ControlFlow, ShowsEveryFaultOfControlFlowInAHundredVectors) {
  const std::span<const TestVector> hundred = std::span(OnePass()).first(100);
  EXPECT_EQ(FaultsOfControlFlow().size(), 13u);
  for (const Mutant* mutant : FaultsOfControlFlow()) {
    EXPECT_TRUE(std::any_of(hundred.begin(), hundred.end(), [&](const TestVector& vector) {
      return Shows(*mutant, vector);
    })) << mutant->id;
  }
}

// Shrinks graphs that are three operators deep or more. The operator at fault remains, sometimes
// inside others, with few operators beside it. Two nested operators that both reverse their outputs
// look right. So none of three such operators can be removed alone. A loop may count to a number
// that is sliced from an input.
TEST(ControlFlow, ShrinksToTheOperatorAtFault) {
  for (const Mutant* mutant : FaultsOfControlFlow()) {
    int reduced = 0;
    for (const TestVector& vector : OnePass()) {
      if (NestingDepth(vector.graphs[0]) < 3 || !Shows(*mutant, vector)) continue;
      const Reduction reduction =
          Reduce(vector, [&](const TestVector& smaller) { return Shows(*mutant, smaller); });
      const int64_t deepest = mutant->id == "cond_if/outputs-reversed" ? 3 : 2;
      EXPECT_LE(NestingDepth(reduction.vector.graphs[0]), deepest)
          << mutant->id << " " << vector.name;
      EXPECT_LE(WorkingOperators(reduction.vector), 8) << mutant->id << " " << vector.name;
      if (++reduced == 3) break;
    }
    EXPECT_EQ(reduced, 3) << mutant->id;
  }
}

// --- Rewritings, by hand ---

// Returns the body of while (limit > i) { i = i + 1; x = x + x; }; the limit does not change.
Block LoopBody() {
  BlockBuilder b("body");
  const TensorIndex i = b.Input("i32[]");
  const TensorIndex limit = b.Input("i32[]");
  const TensorIndex x = b.Input("i32[2]");
  const TensorIndex one = b.Constant("i32[]{1}");
  const TensorIndex next = b.Add(Op::kAdd, {i, one}, "i32[]");
  b.Outputs({next, limit, b.Add(Op::kAdd, {x, x}, "i32[2]")});
  return b.block;
}

Block LoopCondition() {
  BlockBuilder b("cond");
  const TensorIndex i = b.Input("i32[]");
  const TensorIndex limit = b.Input("i32[]");
  b.Input("i32[2]");
  b.Outputs({b.Add(Op::kGreater, {limit, i}, "bool[]")});
  return b.block;
}

TestVector Loop(std::string_view limit) {
  BlockBuilder b;
  const std::vector<TensorIndex> carried = {b.Input("i32[]"), b.Input("i32[]"), b.Input("i32[2]")};
  const std::vector<TensorIndex> results = {b.Declare("i32[]"), b.Declare("i32[]"),
                                            b.Declare("i32[2]")};
  b.Append(Op::kWhileLoop, carried, results,
           {{AttributeId::kCondGraph, std::string("cond")},
            {AttributeId::kBodyGraph, std::string("body")}});
  b.Outputs({results[0], results[2]});
  TestVector vector;
  vector.graphs.push_back(GraphOf({b.block, LoopCondition(), LoopBody()}));
  Step step;
  step.inputs = {TensorOf("i32[]{0}"), TensorOf(limit), TensorOf("i32[2]{1,-3}")};
  vector.steps.push_back(step);
  return vector;
}

std::string ResultOf(const TestVector& vector) {
  std::string text;
  for (const Outcome& outcome : ExecuteVector(vector, {})) text += TextOf(outcome);
  return text;
}

TEST(Rewriting, WritesOutTheRoundsThatAStepRuns) {
  const auto inlined = Rewrite(Loop("i32[]{3}"), Rewriting::kInlined, Options(1));
  ASSERT_TRUE(inlined);
  EXPECT_EQ(inlined->graphs[0].regions.size(), 1u);
  EXPECT_EQ(CountOf(*inlined, Op::kWhileLoop), 0);
  EXPECT_EQ(CountOf(*inlined, Op::kAdd), 6);  // two in each of three rounds
  // i = 0 + 1 + 1 + 1; x = {1, -3} * 2 * 2 * 2.
  EXPECT_EQ(ResultOf(*inlined), "valid i32[]{3} i32[2]{8,-24}");
}

TEST(Rewriting, GivesBackTheInputsOfALoopWithoutRounds) {
  const auto inlined = Rewrite(Loop("i32[]{0}"), Rewriting::kInlined, Options(1));
  ASSERT_TRUE(inlined);
  EXPECT_EQ(CountOf(*inlined, Op::kAdd), 0);
  EXPECT_EQ(ResultOf(*inlined), "valid i32[]{0} i32[2]{1,-3}");
}

TEST(Rewriting, PeelsTheFirstRound) {
  for (const auto& [limit, expected] :
       std::map<std::string, std::string>{{"i32[]{0}", "valid i32[]{0} i32[2]{1,-3}"},
                                          {"i32[]{1}", "valid i32[]{1} i32[2]{2,-6}"},
                                          {"i32[]{3}", "valid i32[]{3} i32[2]{8,-24}"}}) {
    const auto peeled = Rewrite(Loop(limit), Rewriting::kPeeled, Options(1));
    ASSERT_TRUE(peeled);
    const std::vector<Operator>& main = peeled->graphs[0].Main()->operators;
    ASSERT_EQ(main.size(), 3u);
    EXPECT_EQ(main[0].op, Op::kGreater);
    EXPECT_EQ(main[1].op, Op::kCondIf);
    EXPECT_EQ(main[2].op, Op::kWhileLoop);
    EXPECT_EQ(ResultOf(*peeled), expected);
    // The loop runs one round less.
    const Operator& body_add = peeled->graphs[0].FindBlock("body")->operators.back();
    EXPECT_EQ(Runs(*peeled).Of(body_add), Runs(Loop(limit)).outcomes()[0].outputs[0].Integer(0));
  }
}

TEST(Rewriting, UnrollsByTwo) {
  for (const auto& [limit, expected] :
       std::map<std::string, std::string>{{"i32[]{0}", "valid i32[]{0} i32[2]{1,-3}"},
                                          {"i32[]{2}", "valid i32[]{2} i32[2]{4,-12}"},
                                          {"i32[]{5}", "valid i32[]{5} i32[2]{32,-96}"}}) {
    const auto unrolled = Rewrite(Loop(limit), Rewriting::kUnrolled, Options(1));
    ASSERT_TRUE(unrolled);
    EXPECT_EQ(ResultOf(*unrolled), expected);
    const Operator& loop = unrolled->graphs[0].Main()->operators[0];
    const Block& body =
        *unrolled->graphs[0].FindBlock(loop.attributes.Text(AttributeId::kBodyGraph));
    EXPECT_EQ(body.operators.back().op, Op::kCondIf);
  }
  // Rounds 1 and 2, 3 and 4, and 5 alone: three rounds of the new loop.
  const auto five = Rewrite(Loop("i32[]{5}"), Rewriting::kUnrolled, Options(1));
  EXPECT_EQ(RoundsOf(*five, Runs(*five)), 3);
}

TEST(Rewriting, WritesOutTheOuterLoopWhereTwoRoundsInOneNestTooDeep) {
  GeneratorOptions options = Options(1);
  options.level.max_nesting = 1;
  const auto unrolled = Rewrite(Loop("i32[]{2}"), Rewriting::kUnrolled, options);
  ASSERT_TRUE(unrolled);
  EXPECT_EQ(CountOf(*unrolled, Op::kWhileLoop), 0);
  EXPECT_EQ(CountOf(*unrolled, Op::kAdd), 4);
  EXPECT_EQ(ResultOf(*unrolled), "valid i32[]{2} i32[2]{4,-12}");
}

// Returns a vector of condition ? x + y : x, with y crossed; the results have ranks 1 and 0.
TestVector Branches(std::string_view condition, std::string_view x) {
  BlockBuilder then_block("then");
  const TensorIndex a = then_block.Input("i32[2]");
  const TensorIndex c = then_block.Input("i32[]");
  const TensorIndex doubled = then_block.Add(Op::kAdd, {a, a}, "i32[2]");
  then_block.Outputs({doubled, c});
  BlockBuilder else_block("else");
  const TensorIndex p = else_block.Input("i32[2]");
  else_block.Outputs({p, else_block.Input("i32[]")});
  BlockBuilder b;
  const TensorIndex decides = b.Input("bool[1]");
  const TensorIndex first = b.Input("i32[2]");
  const TensorIndex second = b.Input("i32[]");
  const std::vector<TensorIndex> results = {b.Declare("i32[2]"), b.Declare("i32[]")};
  b.Append(Op::kCondIf, {decides, first, second}, results,
           {{AttributeId::kThenGraph, std::string("then")},
            {AttributeId::kElseGraph, std::string("else")}});
  b.Outputs(results);
  TestVector vector;
  vector.graphs.push_back(GraphOf({b.block, then_block.block, else_block.block}));
  Step step;
  step.inputs = {TensorOf(condition), TensorOf(x), TensorOf("i32[]{7}")};
  vector.steps.push_back(step);
  return vector;
}

TEST(Rewriting, SelectsBetweenBranchesThatAreBothComputed) {
  const auto taken =
      Rewrite(Branches("bool[1]{true}", "i32[2]{4,-5}"), Rewriting::kIfConverted, Options(1));
  ASSERT_TRUE(taken);
  EXPECT_EQ(CountOf(*taken, Op::kCondIf), 0);
  EXPECT_EQ(CountOf(*taken, Op::kSelect), 2);
  EXPECT_EQ(CountOf(*taken, Op::kReshape), 1);  // the condition, for the result of rank 0
  EXPECT_EQ(ResultOf(*taken), "valid i32[2]{8,-10} i32[]{7}");
  const auto other =
      Rewrite(Branches("bool[1]{false}", "i32[2]{4,-5}"), Rewriting::kIfConverted, Options(1));
  EXPECT_EQ(ResultOf(*other), "valid i32[2]{4,-5} i32[]{7}");
}

// A branch that no step takes may break a REQUIRE. When both branches are computed, the graph
// breaks it.
TEST(Rewriting, OfABranchThatBreaksARequireIsNotValid) {
  const TestVector vector = Branches("bool[1]{false}", "i32[2]{2147483647,0}");
  EXPECT_EQ(ResultOf(vector), "valid i32[2]{2147483647,0} i32[]{7}");
  const auto converted = Rewrite(vector, Rewriting::kIfConverted, Options(1));
  EXPECT_EQ(ResultOf(*converted), "unpredictable ADD/REQUIRE/apply_add_s");
}

// Each step gets a graph with the branch that it takes.
TEST(Rewriting, WritesAGraphForEachStep) {
  TestVector vector = Branches("bool[1]{true}", "i32[2]{4,-5}");
  vector.steps.push_back(vector.steps[0]);
  vector.steps[1].inputs[0] = TensorOf("bool[1]{false}");
  const auto inlined = Rewrite(vector, Rewriting::kInlined, Options(1));
  ASSERT_TRUE(inlined);
  ASSERT_EQ(inlined->graphs.size(), 2u);
  EXPECT_EQ(inlined->graphs[0].Main()->operators[0].op, Op::kAdd);
  EXPECT_EQ(CountOf(*inlined, Op::kAdd), 1);
  EXPECT_EQ(ResultOf(*inlined), "valid i32[2]{8,-10} i32[]{7}valid i32[2]{4,-5} i32[]{7}");
}

}  // namespace
}  // namespace assay::control_flow_graphs_test
