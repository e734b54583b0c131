// SPDX-License-Identifier: Apache-2.0
// Tests the large constants of a graph that the backend `mlir` gets as arguments.
#include "mlir_constants.h"

#include <gtest/gtest.h>

#include "backend_kind.h"
#include "block_builder.h"
#include "executor.h"
#include "files.h"
#include "mlir_helper.h"
#include "mlir_message.h"

namespace assay::mlir_constants_test {
namespace {

// Adds a constant of 0, 1, 2 ... modulo 97.
TensorIndex AddCounting(BlockBuilder& b, DType type, const Shape& shape) {
  std::vector<double> elements(static_cast<size_t>(shape.Elements()));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>(i % 97);
  Tensor values;
  if (IsFloat(type)) {
    values = Tensor::FromFloats(type, shape, elements);
  } else {
    values =
        Tensor::FromIntegers(type, shape, std::vector<int64_t>(elements.begin(), elements.end()));
  }
  const TensorIndex constant = b.Declare(values.tensor_type().ToString());
  b.Append(Op::kConst, {}, {constant}, {{AttributeId::kValues, values}});
  return constant;
}

// x + small + large, and a MAXIMUM of two large constants. No size is a multiple of a page.
Graph GraphOfLargeConstants() {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[1,1]");
  const TensorIndex large = AddCounting(b, DType::kFp32, {517, 509});
  const TensorIndex small = AddCounting(b, DType::kFp32, {517, 1});
  const TensorIndex first = AddCounting(b, DType::kInt32, {270001});
  const TensorIndex second = AddCounting(b, DType::kInt32, {270001});
  const TensorIndex sum =
      b.Add(Op::kAdd, {b.Add(Op::kAdd, {x, small}, "fp32[517,1]"), large}, "fp32[517,509]");
  b.Outputs({sum, b.Add(Op::kSub, {first, second}, "i32[270001]"), second});
  return GraphOf({b.block});
}

TEST(MlirConstants, AreInputsIfTheyAreLarge) {
  const Graph graph = GraphOfLargeConstants();
  const OpenedGraph opened = WithLargeConstantsAsInputs(graph);
  EXPECT_EQ(opened.graph.Main()->inputs, (std::vector<TensorIndex>{0, 1, 3, 4}));
  ASSERT_EQ(opened.constants.size(), 3U);
  EXPECT_EQ(opened.constants[0].tensor_type().ToString(), "fp32[517,509]");
  EXPECT_EQ(opened.graph.OperatorCount(), graph.OperatorCount() - 3);
}

TEST(MlirConstants, StayIfTheyAreNeededAtCompileTime) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[262144,1]");
  const TensorIndex multiplier = AddCounting(b, DType::kInt32, {262144});
  const TensorIndex shift = b.Constant("i8[262144]{30}");
  const TensorIndex zero = b.Constant("i32[1]{0}"), zero_out = b.Constant("i8[1]{0}");
  const TensorIndex y = b.Declare("i8[262144,1]");
  b.Append(Op::kRescale, {x, multiplier, shift, zero, zero_out}, {y});
  b.Outputs({y});
  EXPECT_TRUE(WithLargeConstantsAsInputs(GraphOf({b.block})).constants.empty());
}

TEST(MlirConstants, AreAFileOfTensorsAtPages) {
  const std::vector<Tensor> tensors = {Tensor::Splat(DType::kInt8, {5}, 7),
                                       Tensor::Splat(DType::kInt8, {2}, 9)};
  const auto shared = SharedArguments::Make(tensors);
  ASSERT_TRUE(shared);
  const Result<std::vector<uint8_t>> bytes = ReadFile((*shared)->path());
  ASSERT_TRUE(bytes);
  ASSERT_EQ(bytes->size(), 2 * mlir_message::kSharedAlignment);
  EXPECT_EQ((*bytes)[4], 7);
  EXPECT_EQ((*bytes)[5], 0);
  EXPECT_EQ((*bytes)[mlir_message::kSharedAlignment + 1], 9);
}

// Both steps are calls of one module. Each has the constants as they were.
TEST(MlirConstants, AreThoseOfTheGraphInEveryCall) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const auto mlir = Open(backend::mlir_backend, "");
  ASSERT_TRUE(mlir);
  TestVector vector;
  vector.graphs.push_back(GraphOfLargeConstants());
  for (const double x : {1.0, 2.0}) {
    vector.steps.emplace_back().inputs = {Tensor::FromFloats(DType::kFp32, {1, 1}, {&x, 1})};
  }
  ASSERT_EQ((*mlir)->WhyUnsupported(vector), "");
  const Result<std::vector<Outcome>> got = (*mlir)->Run(vector);
  ASSERT_TRUE(got);
  const std::vector<Outcome> expected = ExecuteVector(vector, {});
  for (const size_t step : {0u, 1u}) {
    ASSERT_EQ((*got)[step].kind, OutcomeKind::kValid) << (*got)[step].message;
    EXPECT_EQ((*got)[step].outputs, expected[step].outputs) << step;
  }
}

}  // namespace
}  // namespace assay::mlir_constants_test
