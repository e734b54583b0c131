// SPDX-License-Identifier: Apache-2.0
// Tests that open dimensions of graphs are given by their inputs, or refused by name.
#include "open_dimensions.h"

#include "block_builder.h"
#include "check_graph.h"

namespace assay::open_dimensions_test {
namespace {

Shape ShapeOf(const Graph& graph, TensorIndex tensor) { return graph.Main()->TypeOf(tensor).shape; }

// A graph whose batch and height are open.
class Network {
 public:
  Network() {
    BlockBuilder b;
    x = b.Input("fp32[-1,-1,8,3]");
    const TensorIndex weight = b.Input("fp32[4,3,3,3]");
    const TensorIndex bias = b.Input("fp32[4]");
    const TensorIndex zero = b.Constant("fp32[1]{0}");
    convolution = b.Add(Op::kConv2d, {x, weight, bias, zero, zero}, "fp32[-1,-1,6,4]",
                        {{AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
                         {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                         {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
                         {AttributeId::kAccType, static_cast<int32_t>(DType::kFp32)},
                         {AttributeId::kLocalBound, false}});
    sum = b.Add(Op::kReduceSum, {convolution}, "fp32[-1,1,6,4]", {{AttributeId::kAxis, 1}});
    b.Outputs({b.Add(Op::kExp, {sum}, "fp32[-1,1,6,4]")});
    graph = GraphOf({b.block});
    name = b.block.tensors[static_cast<size_t>(x)].name;
  }

  Graph graph;
  TensorIndex x = 0, convolution = 0, sum = 0;
  std::string name;
};

std::string ErrorOf(Graph graph, const std::vector<NamedShape>& shapes) {
  const Result<Done> closed = CloseDimensions(graph, shapes);
  return closed ? "" : closed.error().message;
}

TEST(OpenDimensions, AreInferredFromTheInputs) {
  Network network;
  const Result<Done> closed = CloseDimensions(network.graph, {{network.name, {2, 7, 8, 3}}});
  ASSERT_TRUE(closed) << closed.error().message;
  EXPECT_EQ(ShapeOf(network.graph, network.x), (Shape{2, 7, 8, 3}));
  EXPECT_EQ(ShapeOf(network.graph, network.convolution), (Shape{2, 5, 6, 4}));
  EXPECT_EQ(ShapeOf(network.graph, network.sum), (Shape{2, 1, 6, 4}));
  EXPECT_TRUE(CheckGraph(network.graph, kLevel8K, {}).empty());
}

TEST(OpenDimensions, AreInferredInBlocksThatAreRun) {
  BlockBuilder body("body");
  const TensorIndex y = body.Input("i32[-1]");
  body.Outputs({body.Add(Op::kAbs, {y}, "i32[-1]")});
  BlockBuilder other("other");
  const TensorIndex z = other.Input("i32[-1]");
  other.Outputs({other.Add(Op::kClz, {z}, "i32[-1]")});
  BlockBuilder b;
  const TensorIndex condition = b.Input("bool[]"), x = b.Input("i32[-1]");
  const TensorIndex result = b.Add(Op::kCondIf, {condition, x}, "i32[-1]",
                                   {{AttributeId::kThenGraph, std::string("body")},
                                    {AttributeId::kElseGraph, std::string("other")}});
  b.Outputs({result});
  Graph graph = GraphOf({b.block, body.block, other.block});
  const std::string name = b.block.tensors[static_cast<size_t>(x)].name;
  const Result<Done> closed = CloseDimensions(graph, {{name, {5}}});
  ASSERT_TRUE(closed) << closed.error().message;
  EXPECT_EQ(ShapeOf(graph, result), (Shape{5}));
  for (const Block& block : graph.Blocks()) {
    EXPECT_EQ(block.TypeOf(block.outputs[0]).shape, (Shape{5})) << block.name;
  }
}

TEST(OpenDimensions, AreRefusedByTheNameOfTheInput) {
  const Network network;
  EXPECT_EQ(ErrorOf(network.graph, {}),
            "input \"" + network.name +
                "\" of type fp32[?,?,8,3] has open dimensions: give them "
                "with --shape " +
                network.name + "=N,N,8,3");
  const std::string contradicts =
      ": contradicts input \"" + network.name + "\" of type fp32[?,?,8,3]";
  EXPECT_EQ(ErrorOf(network.graph, {{network.name, {2, 7, 9, 3}}}),
            "--shape " + network.name + "=2,7,9,3" + contradicts);
  EXPECT_EQ(ErrorOf(network.graph, {{network.name, {2, 7, 8}}}),
            "--shape " + network.name + "=2,7,8" + contradicts);
  EXPECT_EQ(ErrorOf(network.graph, {{network.name, {2, 7, 8, 3}}, {"other", {1}}}),
            "--shape: the graph has no input \"other\"; it has 0 \"t0\", 1 \"t1\", 2 \"t2\"");
}

TEST(OpenDimensions, MustFitTheGraph) {
  // The convolution needs a height of at least 3.
  const Network network;
  EXPECT_NE(ErrorOf(network.graph, {{network.name, {2, 1, 8, 3}}}).find("CONV2D"),
            std::string::npos);
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[-1]"), y = b.Input("fp32[4]");
  b.Outputs({b.Add(Op::kAdd, {x, y}, "fp32[-1]")});
  const std::string name = b.block.tensors[static_cast<size_t>(x)].name;
  EXPECT_NE(ErrorOf(GraphOf({b.block}), {{name, {3}}}).find("ADD"), std::string::npos);
  EXPECT_EQ(ErrorOf(GraphOf({b.block}), {{name, {1}}}), "");
}

TEST(OpenDimensions, MustFitWhatTheGraphKnows) {
  Network network;
  TensorInfo& convolution = network.graph.Main()->tensors[static_cast<size_t>(network.convolution)];
  convolution.type.shape = {-1, -1, 7, 4};
  EXPECT_EQ(ErrorOf(network.graph, {{network.name, {2, 7, 8, 3}}}),
            "CONV2D \"" + convolution.name +
                "\": its inputs give the shape [2,5,6,4], and the graph says fp32[?,?,7,4]");
}

TEST(OpenDimensions, OfAGraphWithoutAnyChangeNothing) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[4]");
  b.Outputs({b.Add(Op::kAbs, {x}, "fp32[4]")});
  Graph graph = GraphOf({b.block});
  const Graph before = graph;
  const std::string name = b.block.tensors[static_cast<size_t>(x)].name;
  EXPECT_TRUE(CloseDimensions(graph, {{name, {4}}}));
  EXPECT_EQ(graph, before);
  EXPECT_FALSE(CloseDimensions(graph, {{name, {5}}}));
}

}  // namespace
}  // namespace assay::open_dimensions_test
