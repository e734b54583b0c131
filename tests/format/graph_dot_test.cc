// SPDX-License-Identifier: Apache-2.0
#include "graph_dot.h"

#include "gtest/gtest.h"

namespace assay::graph_dot_test {
namespace {

// Returns a chain of `count` ABS of int32: t0 -> t1 -> ...
Graph Chain(int32_t count) {
  Graph graph = EmptyGraph();
  Block& block = *graph.Main();
  for (int32_t i = 0; i <= count; ++i) {
    TensorInfo info;
    info.name = "t" + std::to_string(i);
    info.type = {DType::kInt32, Shape({2})};
    block.tensors.push_back(info);
  }
  block.inputs = {0};
  block.outputs = {count};
  for (int32_t i = 0; i < count; ++i) {
    Operator op;
    op.op = Op::kAbs;
    op.inputs = {i};
    op.outputs = {i + 1};
    block.operators.push_back(op);
  }
  return graph;
}

TEST(GraphDot, GivesMarkedOperatorsAThickBorder) {
  const Graph graph = Chain(2);
  const std::string dot = GraphDot(graph, {{&graph.Main()->operators[1]}, {}});
  EXPECT_NE(dot.find("b0n0 [label=\"ABS\", shape=box];"), std::string::npos) << dot;
  EXPECT_NE(dot.find("b0n1 [label=\"ABS\", shape=box, penwidth=4, class=marked];"),
            std::string::npos)
      << dot;
}

TEST(GraphDot, DrawsOnlyTheNeighbourhoodOfMarkedOperators) {
  const Graph graph = Chain(9);
  const std::string dot = GraphDot(graph, {{&graph.Main()->operators[4]}, 2});
  EXPECT_NE(dot.find("main\\\", 5 of 9 operators\";"), std::string::npos) << dot;
  for (int i = 0; i < 9; ++i) {
    const std::string node = "b0n" + std::to_string(i) + " [label";
    EXPECT_EQ(dot.find(node) != std::string::npos, 2 <= i && i <= 6) << i << dot;
  }
  // The tensor that comes from outside is dashed; the output of the graph is outside as well.
  EXPECT_NE(dot.find("b0t2 [label=\"%t2:i32[2]\", shape=ellipse, style=dashed];"),
            std::string::npos)
      << dot;
  EXPECT_EQ(dot.find("b0o0"), std::string::npos) << dot;
  EXPECT_EQ(dot.find("b0t0"), std::string::npos) << dot;
  EXPECT_NE(GraphDot(graph, {{&graph.Main()->operators[8]}, 2}).find("b0n8 -> b0o0"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::graph_dot_test
