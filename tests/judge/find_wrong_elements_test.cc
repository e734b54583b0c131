// SPDX-License-Identifier: Apache-2.0
#include "find_wrong_elements.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace assay::find_wrong_elements_test {
namespace {

using State = WrongElement::State;

Tensor Floats(const Shape& shape, const std::vector<double>& values) {
  return Tensor::FromFloats(DType::kFp32, shape, values);
}

// Differences are in units of the last place: 2^-23 from 1 on, and 2^-22 from 2 on.
TEST(WrongElements, HaveDifferencesInUnits) {
  const double infinity = std::numeric_limits<double>::infinity(), unit = std::ldexp(1.0, -23);
  Expectation expectation;
  expectation.value = Floats({2, 3}, {1, 1, -0.0, 2, 1, infinity});
  const Tensor got = Floats({2, 3}, {1 + 3 * unit, 1, 0, 2 - 1024 * unit, std::nan(""), infinity});
  const WrongElements wrong = WrongElementsOf(expectation, got, "out", 0);
  EXPECT_EQ(wrong.tensor, "out: fp32[2,3]");
  EXPECT_EQ(wrong.rows, 2);
  EXPECT_EQ(wrong.columns, 3);
  ASSERT_EQ(wrong.elements.size(), 6u);
  EXPECT_EQ(wrong.elements[0].units, 3);
  EXPECT_EQ(wrong.elements[0].state, State::kWrong);
  EXPECT_EQ(wrong.elements[1].units, 0);
  EXPECT_EQ(wrong.elements[2].state, State::kRight) << "the sign of zero says nothing";
  EXPECT_EQ(wrong.elements[3].units, -512) << "the unit of 2 is twice that of 1";
  EXPECT_EQ(wrong.elements[4].units, std::nullopt);
  EXPECT_EQ(wrong.elements[4].state, State::kWrong);
  EXPECT_EQ(wrong.elements[5].units, 0);
  EXPECT_EQ(wrong.histogram, (std::vector<int64_t>{1, 3, 1, 0, 1}));
}

TEST(WrongElements, AreThoseAroundTheFirst) {
  Expectation expectation;
  std::vector<int64_t> values(size_t{3} * 50 * 40);
  expectation.value = Tensor::FromIntegers(DType::kInt32, {3, 50, 40}, values);
  values[77 * 40 + 39] = -1000;
  const Tensor got = Tensor::FromIntegers(DType::kInt32, {3, 50, 40}, values);
  const WrongElements wrong = WrongElementsOf(expectation, got, "out", 77 * 40 + 39);
  EXPECT_EQ(wrong.rows, 150);
  EXPECT_EQ(wrong.row, 61);
  EXPECT_EQ(wrong.column, 8);
  EXPECT_EQ(wrong.width, 32);
  ASSERT_EQ(wrong.elements.size(), 32u * 32);
  EXPECT_EQ(wrong.elements[16 * 32 + 31].units, -1000);
  EXPECT_EQ(wrong.histogram, (std::vector<int64_t>{0, 5999, 0, 0, 0, 1}));
}

// An element that no rule reaches is undecided, and one within its bound is right.
TEST(WrongElements, AreJudgedByTheirBounds) {
  Expectation expectation;
  expectation.value = Floats({3}, {1, 1, 1});
  expectation.reference = {1, 1, 1};
  expectation.error = {0.25, 0.25, std::nan("")};
  const WrongElements wrong = WrongElementsOf(expectation, Floats({3}, {1.125, 1.5, 9}), "out", 1);
  EXPECT_EQ(wrong.elements[0].state, State::kRight);
  EXPECT_EQ(wrong.elements[1].state, State::kWrong);
  EXPECT_EQ(wrong.elements[2].state, State::kUndecided);
}

}  // namespace
}  // namespace assay::find_wrong_elements_test
