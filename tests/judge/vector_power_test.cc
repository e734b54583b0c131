// SPDX-License-Identifier: Apache-2.0
// Tests what an agreement on vectors says that it would have noticed.
#include "vector_power.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "block_builder.h"
#include "ensemble_run.h"
#include "judge_case.h"

namespace assay::vector_power_test {
namespace {

// Returns the vector of a block's text with the inputs.
TestVector VectorOf(std::string_view text, std::vector<Tensor> inputs) {
  TestVector vector;
  vector.graphs = {GraphOf("block main " + std::string(text))};
  vector.steps.resize(1);
  vector.steps[0].inputs = std::move(inputs);
  EXPECT_TRUE(Expect(vector, {}));
  return vector;
}

bool Misses(const PowerSummary& sum, std::string_view fault) {
  return std::ranges::count(sum.not_shown, fault, &PowerSummary::NotShown::fault) > 0;
}

TestVector Subtraction(int a, int b) {
  return VectorOf(
      "(%a:i32[3], %b:i32[3]) -> (%y)\n  %y:i32[3] = SUB(%a, %b)",
      {Tensor::Splat(DType::kInt32, Shape{3}, a), Tensor::Splat(DType::kInt32, Shape{3}, b)});
}

TEST(VectorPower, NoticesWhatOneOfTheVectorsShows) {
  VectorPower power;
  power.Add(Subtraction(5, 5));
  const PowerSummary before = power.Summary();
  EXPECT_TRUE(Misses(before, "sub/operands-exchanged"));
  power.Add(Subtraction(5, 2));
  const PowerSummary after = power.Summary();
  EXPECT_FALSE(Misses(after, "sub/operands-exchanged"));
  EXPECT_EQ(after.faults, before.faults);
  EXPECT_GT(after.shown, before.shown);
}

TEST(VectorPower, DoesNotCountWhatChangesNothing) {
  VectorPower power;
  power.Add(Subtraction(5, 2));
  const PowerSummary sum = power.Summary();
  // A rule of floats.
  EXPECT_FALSE(Misses(sum, "sub/result-narrow"));
  EXPECT_GT(sum.cannot_show, 0);
  EXPECT_LT(sum.shown, sum.faults + sum.cannot_show);
}

TEST(VectorPower, SaysWhichVectorsItDoesNotMeasure) {
  VectorPower power;
  power.Add(Subtraction(5, 2));
  const int64_t shown = power.Summary().shown;
  TestVector vector;
  vector.graphs = {
      GraphOf("block main (%a:i8[1,1024,1024]) -> (%y)\n"
              "  %y:i32[1,1024,1024] = MATMUL(%a, %a, i8[1]{0}, i8[1]{0})")};
  vector.steps.resize(1);
  vector.steps[0].inputs = {Tensor::Splat(DType::kInt8, Shape{1, 1024, 1024}, 1)};
  power.Add(vector);
  const PowerSummary sum = power.Summary();
  EXPECT_EQ(sum.not_measured, std::vector<size_t>{2});
  EXPECT_EQ(sum.shown, shown);
  EXPECT_LT(sum.Percent(), 100);
}

}  // namespace
}  // namespace assay::vector_power_test
