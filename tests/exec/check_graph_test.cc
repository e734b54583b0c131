// SPDX-License-Identifier: Apache-2.0
#include "check_graph.h"

#include "gtest/gtest.h"
#include "operator_definition.h"
#include "operator_set.h"
#include "worked_example.h"

namespace assay::check_graph_test {
namespace {

// Returns true if the static checks of the vector's first graph report the rule as broken.
bool IsStatic(const TestVector& vector, const std::string& rule) {
  for (const Breach& breach : CheckGraph(vector.graphs[0], kLevel8K, {})) {
    if (breach.rule == rule) return true;
  }
  return false;
}

TEST(CheckGraph, IsSilentOnEveryValidExample) {
  int checked = 0;
  for (const ops::OperatorDefinition* definition : ops::AllDefinitions()) {
    for (const ops::Example& example : definition->examples) {
      const Result<TestVector> vector = VectorOfExample(definition->op, example);
      ASSERT_TRUE(vector) << vector.error().message;
      if (vector->steps[0].expected != OutcomeKind::kValid) continue;
      ++checked;
      for (const Breach& breach : CheckGraph(vector->graphs[0], kLevel8K, {})) {
        ADD_FAILURE() << vector->name << ": " << breach.rule << " at " << breach.where;
      }
    }
  }
  EXPECT_GT(checked, 100);
}

TEST(CheckGraph, FindsEveryErrorOfTheExamples) {
  int found = 0;
  for (const ops::OperatorDefinition* definition : ops::AllDefinitions()) {
    for (const ops::Example& example : definition->examples) {
      const Result<TestVector> vector = VectorOfExample(definition->op, example);
      ASSERT_TRUE(vector) << vector.error().message;
      // An ERROR_IF reads only shapes, attributes and constants.
      if (vector->steps[0].expected != OutcomeKind::kError) continue;
      EXPECT_TRUE(IsStatic(*vector, vector->steps[0].rule))
          << vector->name << ": " << vector->steps[0].rule;
      ++found;
    }
  }
  EXPECT_GT(found, 20);
}

// b = ADD(a, a), c = ADD(b, b); tensors 0 to 2.
Graph TwoAdds() {
  Graph graph = EmptyGraph();
  Block& main = *graph.Main();
  const TensorType type = {DType::kInt32, {2}};
  for (const char* name : {"a", "b", "c"}) main.tensors.push_back({name, type, false, "", {}});
  main.inputs = {0};
  main.outputs = {2};
  main.operators = {{Op::kAdd, {}, {0, 0}, {1}}, {Op::kAdd, {}, {1, 1}, {2}}};
  return graph;
}

std::string RulesOf(const Graph& graph) {
  std::string rules;
  for (const Breach& breach : CheckGraph(graph, kLevel8K, {})) rules += breach.rule + " ";
  return rules;
}

TEST(CheckGraph, NamesWhatIsWrongWithAGraph) {
  EXPECT_EQ(RulesOf(TwoAdds()), "");
  EXPECT_EQ(RulesOf({}), "graph/ERROR_IF/main-block ");
  Graph graph = TwoAdds();
  graph.Main()->tensors[1].name = "a";
  EXPECT_EQ(RulesOf(graph), "graph/ERROR_IF/unique-names ");
  graph = TwoAdds();
  graph.Main()->inputs = {};
  EXPECT_EQ(RulesOf(graph), "graph/ERROR_IF/unproduced-tensor ");
  graph = TwoAdds();
  graph.Main()->operators[1].outputs = {1};
  EXPECT_EQ(RulesOf(graph),
            "graph/ERROR_IF/duplicate-producer graph/ERROR_IF/unproduced-tensor "
            "graph/ERROR_IF/cycle ");
  graph = TwoAdds();
  graph.Main()->inputs = {0, 1};
  EXPECT_EQ(RulesOf(graph), "graph/ERROR_IF/produced-input ");
  graph = TwoAdds();
  graph.Main()->operators[0].inputs[1] = 2;
  EXPECT_EQ(RulesOf(graph), "graph/ERROR_IF/cycle ");
  graph = TwoAdds();
  graph.regions.push_back(graph.regions[0]);
  EXPECT_EQ(RulesOf(graph), "graph/ERROR_IF/unique-regions ");
  graph = TwoAdds();
  graph.regions[0].blocks.push_back(graph.regions[0].blocks[0]);
  EXPECT_EQ(RulesOf(graph), "graph/ERROR_IF/unique-blocks ");
  graph = TwoAdds();
  graph.Main()->operators[0].op = Op::kUnknown;
  EXPECT_EQ(RulesOf(graph), "graph/ERROR_IF/unknown-operator ");
}

// Returns a graph whose main runs `calls` blocks inside each other through COND_IF; the last one
// calls `last`.
Graph Nested(int calls, const std::string& last) {
  Graph graph = EmptyGraph();
  graph.regions[0].blocks.clear();
  const TensorType flag = {DType::kBool, {1}};
  for (int depth = 0; depth <= calls; ++depth) {
    Block block;
    block.name = depth == 0 ? "main" : "block" + std::to_string(depth);
    block.tensors = {{"c", flag, false, "", {}}, {"r", flag, false, "", {}}};
    block.inputs = {0};
    block.outputs = {1};
    const std::string next = depth == calls ? last : "block" + std::to_string(depth + 1);
    const Attributes attributes = {{AttributeId::kThenGraph, next},
                                   {AttributeId::kElseGraph, next}};
    if (next.empty()) {
      block.operators = {{Op::kLogicalNot, {}, {0}, {1}}};
    } else {
      block.operators = {{Op::kCondIf, attributes, {0, 0}, {1}}};
    }
    graph.regions[0].blocks.push_back(block);
  }
  return graph;
}

TEST(CheckGraph, FollowsCalls) {
  EXPECT_EQ(RulesOf(Nested(kLevel8K.max_nesting, "")), "");
  EXPECT_EQ(RulesOf(Nested(kLevel8K.max_nesting + 1, "")), "COND_IF/ERROR_IF/1 ");
  EXPECT_EQ(RulesOf(Nested(2, "no such block")), "graph/ERROR_IF/unknown-region ");
  EXPECT_EQ(RulesOf(Nested(2, "block1")), "graph/ERROR_IF/recursion ");
}

TEST(CheckGraph, EndsOnManyPathsToTheSameBlocks) {
  // Each block calls the next twice: 2^200 paths.
  Graph graph = Nested(200, "");
  EXPECT_NE(RulesOf(graph).find("COND_IF/ERROR_IF/1"), std::string::npos);
}

TEST(CheckGraph, WantsCompileTimeConstants) {
  Graph graph = TwoAdds();
  Block& main = *graph.Main();
  main.tensors.push_back({"shift", {DType::kInt8, {1}}, false, "", {}});
  main.inputs = {0, 3};
  main.operators[1] = {Op::kMul, {}, {1, 1, 3}, {2}};
  EXPECT_EQ(RulesOf(graph), "graph/ERROR_IF/compile-time-constant ");
  EXPECT_TRUE(CheckGraph(graph, kLevel8K, {Feature::kExtDynamic}).empty());
}

TEST(CheckGraph, FindsAllThatIsWrongWithAnOperator) {
  // NEGATE of fp32: both zero points are 1 (ERROR_IF 1 and 2), and the result is i32.
  const auto vector = VectorOfExample(
      Op::kNegate,
      {"fp32[1]{1} fp32[1]{1} fp32[1]{1}", "output=i32[1]", "error NEGATE/ERROR_IF/types"});
  ASSERT_TRUE(vector) << vector.error().message;
  EXPECT_EQ(RulesOf(vector->graphs[0]),
            "NEGATE/ERROR_IF/types NEGATE/ERROR_IF/1 NEGATE/ERROR_IF/2 ");
}

TEST(CheckGraph, TellsACaptureFromATensorThatNothingMakes) {
  Graph graph = Nested(1, "");
  Block& inner = graph.regions[0].blocks[1];
  inner.tensors[0].name = "own";
  inner.tensors.push_back({"c", {DType::kBool, {1}}, false, "", {}});
  inner.operators[0].inputs = {2};
  EXPECT_EQ(RulesOf(graph), "graph/ERROR_IF/captured-tensor ");
  inner.tensors[2].name = "d";
  EXPECT_EQ(RulesOf(graph), "graph/ERROR_IF/unproduced-tensor ");
}

TEST(CheckGraph, NamesOperatorsOutsideOfATarget) {
  // ADD of i32 is in both profiles, RESCALE with DOUBLE_ROUND in PRO-INT with an extension.
  EXPECT_TRUE(CheckGraph(TwoAdds(), kLevel8K, {Feature::kProFp}).empty());
  Graph graph = TwoAdds();
  for (TensorInfo& tensor : graph.Main()->tensors) tensor.type.type = DType::kFp16;
  EXPECT_TRUE(CheckGraph(graph, kLevel8K, {Feature::kProFp}).empty());
  EXPECT_EQ(CheckGraph(graph, kLevel8K, {Feature::kProInt}).size(), 2u);
  EXPECT_EQ(CheckGraph(graph, kLevel8K, {Feature::kProInt})[0].rule, "graph/TARGET/operators");
  const auto rescale =
      VectorOfExample(Op::kRescale, {"i8[1]{1} i32[1]{1073741824} i8[1]{32} i8[1]{0} i8[1]{0}",
                                     "scale32=true rounding_mode=DOUBLE_ROUND per_channel=false "
                                     "input_unsigned=false output_unsigned=false",
                                     "i8[1]{1}"});
  ASSERT_TRUE(rescale);
  EXPECT_EQ(CheckGraph(rescale->graphs[0], kLevel8K, {Feature::kProInt}).size(), 1u);
  EXPECT_TRUE(CheckGraph(rescale->graphs[0], kLevel8K, {Feature::kProInt, Feature::kExtDoubleround})
                  .empty());
}

}  // namespace
}  // namespace assay::check_graph_test
