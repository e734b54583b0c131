// SPDX-License-Identifier: Apache-2.0
// Compares what a set of vectors reaches of the specification with counts made by hand.

#include "coverage.h"

#include "block_builder.h"
#include "generator_table.h"
#include "operator_definition.h"
#include "operator_set.h"
#include "operator_table.h"
#include "worked_example.h"

namespace assay::coverage_test {
namespace {

TestVector VectorOf(Graph graph, const std::vector<std::string_view>& inputs) {
  TestVector vector;
  vector.graphs.push_back(std::move(graph));
  Step step;
  for (const std::string_view input : inputs) step.inputs.push_back(TensorOf(input));
  vector.steps.push_back(std::move(step));
  return vector;
}

Block BlockOf(std::string name, Op op, std::string_view a, std::string_view b,
              std::string_view result) {
  BlockBuilder builder(std::move(name));
  const TensorIndex x = builder.Input(a);
  const TensorIndex y = builder.Input(b);
  return builder.Outputs({builder.Add(op, {x, y}, result, {})}).block;
}

const CoverageGroup& GroupOf(const std::vector<CoverageGroup>& table, std::string_view name) {
  for (const CoverageGroup& group : table) {
    if (group.name == name) return group;
  }
  ADD_FAILURE() << "no group " << name;
  return table[0];
}

bool Missed(const std::vector<CoverageGroup>& table, std::string_view group,
            std::string_view item) {
  const std::vector<std::string>& missed = GroupOf(table, group).missed;
  return std::find(missed.begin(), missed.end(), item) != missed.end();
}

TEST(Coverage, ListsTheWholeSpecificationBeforeAnythingRuns) {
  const std::vector<CoverageGroup> table = Coverage().Table();
  const auto all = [&](std::string_view name) {
    const CoverageGroup& group = GroupOf(table, name);
    EXPECT_EQ(group.reached, 0) << name;
    EXPECT_EQ(group.total, std::ssize(group.missed)) << name;
    return group.total + std::ssize(group.unreachable);
  };
  int64_t type_rows = 0;
  for (const OperatorRow& row : AllOperators()) type_rows += std::ssize(row.type_rows);
  EXPECT_EQ(all("operators"), kOperatorCount);
  EXPECT_EQ(all("type_rows"), type_rows);
  EXPECT_EQ(all("nests"), 2 + 4 + 8 + 16 + 32 + 64);
  EXPECT_EQ(all("rules_broken"), std::ranges::count(AllRules(), false, &Rule::implied));
}

TEST(Coverage, CountsWhatOneAdditionReaches) {
  Coverage coverage;
  const Block add = BlockOf("main", Op::kAdd, "i32[2,1]", "i32[1,3]", "i32[2,3]");
  coverage.Add(VectorOf(GraphOf({add}), {"i32[2,1]{2147483647,-5}", "i32[1,3]{0,0,-1}"}));
  const std::vector<CoverageGroup> table = coverage.Table();
  EXPECT_EQ(GroupOf(table, "operators").reached, 1);
  EXPECT_FALSE(Missed(table, "operators", "ADD"));
  EXPECT_EQ(GroupOf(table, "type_rows").reached, 1);
  // Rank 2, a dimension of 1, different dimensions, both operands broadcast.
  EXPECT_EQ(GroupOf(table, "shape_classes").reached, 4);
  EXPECT_FALSE(Missed(table, "shape_classes", "ADD both broadcast"));
  // Highest and negative; zero and negative.
  EXPECT_EQ(GroupOf(table, "numeric_classes").reached, 4);
  EXPECT_FALSE(Missed(table, "numeric_classes", "ADD input1 i32 highest"));
  EXPECT_TRUE(Missed(table, "numeric_classes", "ADD input2 i32 highest"));
  EXPECT_EQ(GroupOf(table, "rules_broken").reached, 0);
  EXPECT_FALSE(Missed(table, "rules_held", "ADD/REQUIRE/apply_add_s"));
}

TEST(Coverage, CountsARuleWhereAnOperatorBreaksItAndNothingElse) {
  Coverage coverage;
  const Block add = BlockOf("main", Op::kAdd, "i32[1]", "i32[1]", "i32[1]");
  coverage.Add(VectorOf(GraphOf({add}), {"i32[1]{2147483647}", "i32[1]{1}"}));
  const std::vector<CoverageGroup> table = coverage.Table();
  EXPECT_FALSE(Missed(table, "rules_broken", "ADD/REQUIRE/apply_add_s"));
  for (const CoverageGroup& group : table) {
    EXPECT_EQ(group.reached, group.name == "rules_broken" ? 1 : 0) << group.name;
  }
}

// No backend has to raise implied errors, so they are in no total until a vector demands one.
TEST(Coverage, CountsImpliedErrorsApart) {
  Coverage coverage;
  const Block add = BlockOf("main", Op::kAdd, "i32[1]", "i32[1]", "i32[1]");
  const auto has_group = [&coverage] {
    return std::ranges::any_of(coverage.Table(), [](const CoverageGroup& group) {
      return group.name == "implied_errors";
    });
  };
  coverage.Add(VectorOf(GraphOf({add}), {"i32[1]{1}", "i32[2]{1,2}"}));
  EXPECT_EQ(GroupOf(coverage.Table(), "rules_broken").reached, 1);
  EXPECT_FALSE(has_group());
  coverage.Add(VectorOf(GraphOf({add}), {"i32[1]{1}", "i8[1]{1}"}));
  EXPECT_EQ(GroupOf(coverage.Table(), "rules_broken").reached, 1);
  EXPECT_EQ(GroupOf(coverage.Table(), "implied_errors").reached, 1);
  EXPECT_FALSE(Missed(coverage.Table(), "implied_errors", "graph/ERROR_IF/list-types"));
}

TEST(Coverage, SeesTheBranchThatRunsAndNotTheOther) {
  BlockBuilder b;
  const TensorIndex condition = b.Input("bool[]");
  const TensorIndex x = b.Input("i32[2]");
  const TensorIndex y = b.Input("i32[2]");
  const Attributes branches = {{AttributeId::kThenGraph, std::string("then")},
                               {AttributeId::kElseGraph, std::string("else")}};
  b.Outputs({b.Add(Op::kCondIf, {condition, x, y}, "i32[2]", branches)});
  Coverage coverage;
  coverage.Add(VectorOf(GraphOf({b.block, BlockOf("then", Op::kAdd, "i32[2]", "i32[2]", "i32[2]"),
                                 BlockOf("else", Op::kSub, "i32[2]", "i32[2]", "i32[2]")}),
                        {"bool[]{true}", "i32[2]{1}", "i32[2]{2}"}));
  const std::vector<CoverageGroup> table = coverage.Table();
  EXPECT_FALSE(Missed(table, "operators", "COND_IF"));
  EXPECT_FALSE(Missed(table, "operators", "ADD"));
  EXPECT_TRUE(Missed(table, "operators", "SUB"));
  EXPECT_FALSE(Missed(table, "nests", "COND_IF"));
  EXPECT_EQ(GroupOf(table, "nests").reached, 1);
}

TEST(Coverage, SeesHowDeepOperatorsRanAndNotHowDeepTheyMight) {
  // COND_IF(c0) runs a COND_IF(c1) in its then-branch, which adds or subtracts.
  const Attributes inner = {{AttributeId::kThenGraph, std::string("add")},
                            {AttributeId::kElseGraph, std::string("sub")}};
  BlockBuilder then_block("then");
  const TensorIndex c1 = then_block.Input("bool[]");
  const TensorIndex a = then_block.Input("i32[2]");
  const TensorIndex b = then_block.Input("i32[2]");
  then_block.Outputs({then_block.Add(Op::kCondIf, {c1, a, b}, "i32[2]", inner)});
  BlockBuilder else_block("else");
  else_block.Input("bool[]");
  else_block.Outputs({else_block.Input("i32[2]")});
  else_block.Input("i32[2]");
  BlockBuilder main;
  std::vector<TensorIndex> inputs = {main.Input("bool[]"), main.Input("bool[]"),
                                     main.Input("i32[2]"), main.Input("i32[2]")};
  main.Outputs({main.Add(Op::kCondIf, inputs, "i32[2]",
                         {{AttributeId::kThenGraph, std::string("then")},
                          {AttributeId::kElseGraph, std::string("else")}})});
  const Graph graph = GraphOf({main.block, then_block.block, else_block.block,
                               BlockOf("add", Op::kAdd, "i32[2]", "i32[2]", "i32[2]"),
                               BlockOf("sub", Op::kSub, "i32[2]", "i32[2]", "i32[2]")});
  Coverage coverage;
  coverage.Add(VectorOf(graph, {"bool[]{false}", "bool[]{true}", "i32[2]{1}", "i32[2]{2}"}));
  EXPECT_TRUE(Missed(coverage.Table(), "nests", "COND_IF/COND_IF"));
  coverage.Add(VectorOf(graph, {"bool[]{true}", "bool[]{true}", "i32[2]{1}", "i32[2]{2}"}));
  EXPECT_FALSE(Missed(coverage.Table(), "nests", "COND_IF/COND_IF"));
  EXPECT_EQ(GroupOf(coverage.Table(), "nests").reached, 2);
}

TEST(Coverage, OfNestsIsCompleteAfterOnePassOfTheirGenerator) {
  GeneratorOptions options;
  options.seed = 2;
  options.level = kLevel8K;
  const Generator& generator = *GeneratorByKind("control-flow");
  Coverage coverage;
  for (int64_t i = 0; i < generator.targets(options); ++i) {
    const auto vector = generator.make(options, static_cast<uint64_t>(i));
    if (vector) coverage.Add(*vector);
  }
  const std::vector<CoverageGroup> table = coverage.Table();
  for (const std::string& item : GroupOf(table, "nests").missed) ADD_FAILURE() << item;
  for (const std::string& item : coverage.unlisted()) ADD_FAILURE() << item;
}

TEST(Coverage, ListsEverythingThatTheWorkedExamplesReach) {
  Coverage coverage;
  for (const ops::OperatorDefinition* definition : ops::AllDefinitions()) {
    for (const ops::Example& example : definition->examples) {
      const Result<TestVector> vector = VectorOfExample(definition->op, example);
      if (vector) coverage.Add(*vector);
    }
  }
  for (const std::string& item : coverage.unlisted()) ADD_FAILURE() << item;
  // Every operator has examples, except those of state and control flow.
  EXPECT_GT(GroupOf(coverage.Table(), "operators").reached, 60);
}

// Returns true for items of control flow and state, which other generators reach.
bool IsOfOtherKinds(std::string_view item) {
  return item.starts_with("COND_IF") || item.starts_with("WHILE_LOOP") ||
         item.starts_with("VARIABLE");
}

// A read of an unknown variable breaks a rule. Later actions, here the declaration in the second
// step, then do not count. In a vector of its own the declaration counts.
TEST(Coverage, CountsNothingOfStateAfterABrokenRule) {
  BlockBuilder reads, declares;
  reads.Outputs(
      {reads.Add(Op::kVariableRead, {}, "i8[1]", {{AttributeId::kName, std::string("v")}})});
  declares.Append(Op::kVariable, {}, {},
                  {{AttributeId::kName, std::string("v")},
                   {AttributeId::kVarShape, std::vector<int32_t>{1}},
                   {AttributeId::kType, static_cast<int32_t>(DType::kInt8)}});
  TestVector vector;
  vector.graphs = {GraphOf({reads.block}), GraphOf({declares.block})};
  vector.steps.resize(2);
  vector.steps[1].graph = 1;
  Coverage coverage;
  coverage.Add(vector);
  EXPECT_FALSE(Missed(coverage.Table(), "state_transitions", "VARIABLE_READ when unknown"));
  EXPECT_TRUE(Missed(coverage.Table(), "state_transitions", "VARIABLE when unknown"));
  vector.steps.erase(vector.steps.begin());
  coverage.Add(vector);
  EXPECT_FALSE(Missed(coverage.Table(), "state_transitions", "VARIABLE when unknown"));
}

// The coverage table has the same rules as the executor, so it lists every transition that a trace
// shows.
TEST(Coverage, OfSixHundredSequencesHasEveryPairOfThingsThatCanHappenToAVariable) {
  GeneratorOptions options;
  options.seed = 7;
  options.level = kLevel8K;
  Coverage coverage;
  for (uint64_t i = 0; i < 600; ++i) {
    const auto vector = GeneratorByKind("stateful")->make(options, i);
    ASSERT_TRUE(vector) << i;
    coverage.Add(*vector);
  }
  for (const std::string& item : coverage.unlisted()) ADD_FAILURE() << item;
  const std::vector<CoverageGroup> table = coverage.Table();
  EXPECT_EQ(GroupOf(table, "state_transitions").total, 49);
  EXPECT_EQ(GroupOf(table, "state_transitions").unreachable.size(), 10u);
  EXPECT_EQ(GroupOf(table, "state_pairs").total, 169);
  for (const char* group : {"state_transitions", "state_pairs"}) {
    for (const std::string& item : GroupOf(table, group).missed) ADD_FAILURE() << item;
  }
}

// Returns what vectors of the operator generator have to reach, and did not: the group and the
// item.
std::vector<std::pair<std::string, std::string>> MissedAlone(Coverage& coverage) {
  std::vector<std::pair<std::string, std::string>> missed;
  for (const CoverageGroup& group : coverage.Table()) {
    if (group.name == "rules_broken" || group.name.starts_with("state_")) continue;
    for (const std::string& item : group.missed) {
      if (!IsOfOtherKinds(item)) missed.emplace_back(group.name, item);
    }
  }
  return missed;
}

// One pass covers everything else, but chance may leave out a class of numbers where most numbers
// overflow. Further passes of the operators concerned have to reach it.
TEST(Coverage, OfTheOperatorGeneratorIsComplete) {
  GeneratorOptions options;
  options.level = kLevel8K;
  const Generator& generator = *GeneratorByKind("operator");
  Coverage coverage;
  for (options.seed = 1; options.seed <= 8; ++options.seed) {
    for (int64_t i = 0; i < generator.targets(options); ++i) {
      const auto vector = generator.make(options, static_cast<uint64_t>(i));
      if (vector) coverage.Add(*vector);
    }
    options.operators.clear();
    for (const auto& [group, item] : MissedAlone(coverage)) {
      if (group != "numeric_classes") ADD_FAILURE() << group << ": " << item;
      const auto op = OperatorByName(item.substr(0, item.find(' ')));
      if (op && group == "numeric_classes") options.operators.push_back(*op);
    }
    if (options.operators.empty()) break;
  }
  for (const std::string& item : coverage.unlisted()) ADD_FAILURE() << item;
  for (const auto& [group, item] : MissedAlone(coverage)) ADD_FAILURE() << group << ": " << item;
}

}  // namespace
}  // namespace assay::coverage_test
