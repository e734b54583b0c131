// SPDX-License-Identifier: Apache-2.0
// Tests which output channels a large window loses, and that nothing else about it changes.
#include "trimmed_window.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "block_builder.h"
#include "windows.h"

namespace assay::trimmed_window_test {
namespace {

std::string CountingTensor(const std::string& type, int64_t elements) {
  std::string text = type + "{";
  for (int64_t i = 0; i < elements; ++i) text += (i > 0 ? "," : "") + std::to_string(i % 100);
  return text + "}";
}

// Returns the window of the only operator of a graph.
Window WindowOf(const Block& block, const std::vector<std::string>& inputs) {
  TestVector vector;
  vector.graphs = {GraphOf({block})};
  vector.steps.resize(1);
  for (const std::string& input : inputs) vector.steps[0].inputs.push_back(TensorOf(input));
  std::vector<Window> windows = FindWindows(vector).windows;
  EXPECT_EQ(windows.size(), 1u);
  return std::move(windows.at(0));
}

// Returns the window of a CONV2D with a kernel of 1x2, 3 input channels and `channels` output
// channels.
Window Convolution(int64_t channels) {
  const std::string oc = std::to_string(channels);
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[1,2,3,3]");
  const TensorIndex weights = b.Constant(CountingTensor("i8[" + oc + ",1,2,3]", channels * 6));
  const TensorIndex bias = b.Constant(CountingTensor("i32[" + oc + "]", channels));
  const TensorIndex zero = b.Constant("i8[1]{0}");
  b.Outputs({b.Add(Op::kConv2d, {x, weights, bias, zero, zero}, "i32[1,2,2," + oc + "]",
                   {{AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
                    {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                    {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
                    {AttributeId::kAccType, static_cast<int32_t>(DType::kInt32)},
                    {AttributeId::kLocalBound, false}})});
  return WindowOf(b.block, {CountingTensor("i8[1,2,3,3]", 18)});
}

// The bytes of the window above: for each output channel 6 weights, a bias and 4 results; and the
// input and the zero point.
constexpr int64_t ConvolutionBytes(int64_t channels) { return channels * (6 + 4 + 16) + 18 + 1; }

const Tensor& ResultOf(Window& window) {
  std::string reason;
  EXPECT_TRUE(ExpectWindow(window, &reason)) << reason;
  return window.vector.steps[0].outputs.at(0).value;
}

TEST(TrimmedWindow, KeepsTheFirstChannelsAndTheTailOfVectors) {
  Window whole = Convolution(203), trimmed = whole;
  EXPECT_EQ(BytesOf(whole), ConvolutionBytes(203));
  // 203 = 3 * 64 + 11. One byte too few for two times 64 channels leaves one.
  EXPECT_EQ(TrimChannels(trimmed, ConvolutionBytes(139) - 1),
            "the first 75 of 203 output channels");
  EXPECT_EQ(BytesOf(trimmed), ConvolutionBytes(75));
  EXPECT_EQ(trimmed.identity, whole.identity);
  const Tensor& all = ResultOf(whole);
  const Tensor& some = ResultOf(trimmed);
  ASSERT_EQ(some.tensor_type().ToString(), "i32[1,2,2,75]");
  for (int64_t pixel = 0; pixel < 4; ++pixel) {
    for (int64_t channel = 0; channel < 75; ++channel) {
      EXPECT_EQ(some.Integer(pixel * 75 + channel), all.Integer(pixel * 203 + channel));
    }
  }
}

TEST(TrimmedWindow, StaysWholeIfItFits) {
  Window window = Convolution(203);
  EXPECT_EQ(TrimChannels(window, ConvolutionBytes(203)), "");
  EXPECT_EQ(BytesOf(window), ConvolutionBytes(203));
}

TEST(TrimmedWindow, StaysWholeIfTooFewChannelsWouldBeLeft) {
  Window window = Convolution(203);
  EXPECT_EQ(TrimChannels(window, ConvolutionBytes(75) - 1), "");
  EXPECT_EQ(BytesOf(window), ConvolutionBytes(203));
}

TEST(TrimmedWindow, LosesChannelsOfMatmulAndGather) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[1,1,1]");
  const TensorIndex weights = b.Input("i8[1,1,130]");
  const TensorIndex zero = b.Constant("i8[1]{0}");
  b.Outputs({b.Add(Op::kMatmul, {x, weights, zero, zero}, "i32[1,1,130]")});
  Window product = WindowOf(b.block, {"i8[1,1,1]{3}", CountingTensor("i8[1,1,130]", 130)});
  EXPECT_EQ(TrimChannels(product, 600), "the first 66 of 130 output channels");
  EXPECT_EQ(ResultOf(product).Integer(65), 3 * 65);

  BlockBuilder g;
  const TensorIndex table = g.Constant(CountingTensor("i8[1,2,130]", 260));
  g.Outputs({g.Add(Op::kGather, {table, g.Input("i32[1,1]")}, "i8[1,1,130]")});
  Window gather = WindowOf(g.block, {"i32[1,1]{1}"});
  EXPECT_EQ(TrimChannels(gather, 300), "the first 66 of 130 output channels");
  EXPECT_EQ(ResultOf(gather).Integer(0), 130 % 100);
}

TEST(TrimmedWindow, StaysWholeIfAnOperandHasAnotherPartAsWell) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[1,130,130]");
  const TensorIndex zero = b.Constant("i8[1]{0}");
  b.Outputs({b.Add(Op::kMatmul, {x, x, zero, zero}, "i32[1,130,130]")});
  Window window = WindowOf(b.block, {CountingTensor("i8[1,130,130]", 130 * 130)});
  EXPECT_EQ(TrimChannels(window, 70000), "");
}

}  // namespace
}  // namespace assay::trimmed_window_test
