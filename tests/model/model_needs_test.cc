// SPDX-License-Identifier: Apache-2.0
// Tests what models need of a backend, operator by operator.
#include "model_needs.h"

#include <gtest/gtest.h>

#include "block_builder.h"

namespace assay::model_needs_test {
namespace {

TestVector ModelOf(const Block& block) {
  TestVector model;
  model.graphs = {GraphOf({block})};
  return model;
}

// A CONV2D with a kernel of 3x5, then two ABS of different ranks.
TestVector Convolution() {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[1,8,8,1]");
  const TensorIndex weights = b.Input("fp32[2,3,5,1]");
  const TensorIndex bias = b.Constant("fp32[1]{0}");
  const TensorIndex zero = b.Constant("fp32[1]{0}");
  const TensorIndex y = b.Add(Op::kConv2d, {x, weights, bias, zero, zero}, "fp32[1,3,2,2]",
                              {{AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
                               {AttributeId::kStride, std::vector<int32_t>{2, 3}},
                               {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
                               {AttributeId::kAccType, static_cast<int32_t>(DType::kFp32)},
                               {AttributeId::kLocalBound, false}});
  b.Outputs({b.Add(Op::kAbs, {y}, "fp32[1,3,2,2]"), b.Add(Op::kAbs, {bias}, "fp32[1]")});
  return ModelOf(b.block);
}

TEST(ModelNeeds, AreTheLargestOfEachOperatorAndTypeRow) {
  ModelNeeds needs;
  needs.Add(Convolution());
  BlockBuilder b;
  b.Outputs({b.Add(Op::kAbs, {b.Input("i32[300]")}, "i32[300]")});
  const TestVector integers = ModelOf(b.block);
  needs.Add(integers);
  needs.AddConfiguration(integers, true);
  needs.AddConfiguration(integers, false);
  const std::vector<OperatorNeed> table = needs.Table();
  ASSERT_EQ(table.size(), 3u);
  const OperatorNeed& convolution = table[0];
  EXPECT_EQ(convolution.op, Op::kConv2d);
  EXPECT_EQ(convolution.operators, 1);
  EXPECT_EQ(convolution.configurations, 0);
  EXPECT_EQ(convolution.kernel, 5);
  EXPECT_EQ(convolution.stride, 3);
  EXPECT_EQ(convolution.dilation, 1);
  EXPECT_EQ(convolution.rank, 4);
  EXPECT_EQ(convolution.dimension, 8);
  EXPECT_EQ(convolution.elements, 64);
  for (const OperatorNeed& need : {table[1], table[2]}) {
    EXPECT_EQ(need.op, Op::kAbs);
    const bool is_float = need.type == DType::kFp32;
    EXPECT_EQ(need.operators, is_float ? 2 : 1);
    EXPECT_EQ(need.configurations, is_float ? 0 : 2);
    EXPECT_EQ(need.vectors, is_float ? 0 : 1);
    EXPECT_EQ(need.rank, is_float ? 4 : 1);
    EXPECT_EQ(need.elements, is_float ? 12 : 300);
    EXPECT_EQ(need.kernel, 0);
  }
}

TEST(ModelNeeds, AreATableWithEmptyCellsForWhatAnOperatorDoesNotHave) {
  ModelNeeds needs;
  needs.Add(Convolution());
  const std::string text = NeedsToText(needs.Table());
  EXPECT_NE(text.find("operator  types"), std::string::npos) << text;
  EXPECT_NE(text.find("\nABS       fp32"), std::string::npos) << text;
  const std::string json = NeedsToJson(needs.Table());
  EXPECT_NE(json.find("\"kernel_max\": 5"), std::string::npos) << json;
}

}  // namespace
}  // namespace assay::model_needs_test
