// SPDX-License-Identifier: Apache-2.0
// Tests the elements of drawn tensors, for every type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "float_format.h"
#include "nasty_values.h"
#include "random.h"
#include "tensor_elements.h"

namespace assay::draw_tensor_test {
namespace {

constexpr DType kFloats[] = {DType::kFp32, DType::kFp16, DType::kBf16, DType::kFp8e4m3,
                             DType::kFp8e5m2};
constexpr DType kIntegers[] = {DType::kBool,  DType::kInt4,  DType::kInt8,
                               DType::kInt16, DType::kInt32, DType::kInt48};
constexpr uint64_t kTensors = 400;

// Returns the elements of the tensor that seed `index` draws.
std::vector<double> Draw(uint64_t index, DType type, const ValueRange& range, ValueMode mode,
                         int32_t count = 40) {
  Choices choices(Random::For(1, index, "draw", 1));
  const Tensor tensor = DrawTensor(choices, {type, Shape{count}}, range, mode);
  std::vector<double> numbers;
  const auto keep = [&](auto number) { numbers.push_back(static_cast<double>(number)); };
  IsFloat(type) ? ForEachFloat(tensor, keep) : ForEachInteger(tensor, keep);
  return numbers;
}

// Returns how many of the tensors have an element for which `is_one` is true.
template <class IsOne>
uint64_t TensorsWith(DType type, const ValueRange& range, ValueMode mode, IsOne is_one) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < kTensors; ++i) {
    const std::vector<double> numbers = Draw(i, type, range, mode);
    count += std::ranges::any_of(numbers, is_one) ? 1 : 0;
  }
  return count;
}

class Float : public testing::TestWithParam<DType> {
 protected:
  DType type_ = GetParam();
  const FloatFormat& format_ = FormatOf(type_);
  ValueRange all_ = ValueRange::All(type_);

  bool IsSubnormal(double x) const { return x != 0 && std::fabs(x) < format_.normal_min; }
};
INSTANTIATE_TEST_SUITE_P(Types, Float, testing::ValuesIn(kFloats),
                         [](const auto& one) { return std::string(TypeName(one.param)); });

// A backend may flush subnormals of some types to zero. Results of such elements say little.
TEST_P(Float, IsSeldomSubnormalWhereABackendMayFlush) {
  const uint64_t count =
      TensorsWith(type_, all_, ValueMode::kFinite, [this](double x) { return IsSubnormal(x); });
  if (format_.must_keep_subnormals) {
    EXPECT_GT(count, kTensors / 2);
  } else {
    EXPECT_GT(count, 0u);
    EXPECT_LT(count, kTensors / 10);  // one in sixteen
  }
}

TEST_P(Float, IsFiniteUnlessTheVectorIsAboutSpecialValues) {
  const auto is_special = [](double x) { return !std::isfinite(x); };
  EXPECT_EQ(TensorsWith(type_, all_, ValueMode::kFinite, is_special), 0u);
  EXPECT_GT(TensorsWith(type_, all_, ValueMode::kSpecial, is_special), kTensors / 2);
  ValueRange plain = all_;
  plain.may_be_special = false;
  EXPECT_EQ(TensorsWith(type_, plain, ValueMode::kSpecial, is_special), 0u);
  const auto is_nan = [](double x) { return std::isnan(x); };
  EXPECT_GT(TensorsWith(type_, all_, ValueMode::kSpecial, is_nan), kTensors / 4);
}

TEST_P(Float, LiesWithinItsRange) {
  for (const auto& [low, high] : {std::pair{-1.5, 3.0}, {0.25, 8.0}, {-2.0, 0.0}}) {
    const auto is_outside = [low = low, high = high](double x) { return x < low || x > high; };
    EXPECT_EQ(TensorsWith(type_, ValueRange::Between(low, high), ValueMode::kFinite, is_outside),
              0u)
        << low << " to " << high;
  }
}

// A divisor that a backend may flush to zero counts as a zero.
TEST_P(Float, IsNeitherZeroNorFlushedToZeroWhereNoneMayBe) {
  ValueRange range = all_;
  range.nonzero = true;
  EXPECT_EQ(TensorsWith(type_, range, ValueMode::kFinite, [](double x) { return x == 0; }), 0u);
  if (format_.must_keep_subnormals) return;
  const uint64_t count =
      TensorsWith(type_, range, ValueMode::kFinite, [this](double x) { return IsSubnormal(x); });
  EXPECT_LT(count, kTensors / 10);
}

TEST_P(Float, HasZerosOfBothSigns) {
  const auto is_negative_zero = [](double x) { return x == 0 && std::signbit(x); };
  const auto is_positive_zero = [](double x) { return x == 0 && !std::signbit(x); };
  EXPECT_GT(TensorsWith(type_, all_, ValueMode::kFinite, is_negative_zero), kTensors / 4);
  EXPECT_GT(TensorsWith(type_, all_, ValueMode::kFinite, is_positive_zero), kTensors / 4);
}

TEST_P(Float, BeginsWithEveryClassInASweep) {
  const std::span<const double> classes = NumbersOfEveryClass(type_);
  for (uint64_t i = 0; i < kTensors; ++i) {
    const std::vector<double> numbers = Draw(i, type_, all_, ValueMode::kSweep);
    const auto begin = numbers.begin();
    const auto end = begin + std::ssize(classes);
    for (const double x : classes) {
      const auto is_it = [x](double y) {
        return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
      };
      EXPECT_TRUE(std::any_of(begin, end, is_it)) << x << " in tensor " << i;
    }
  }
}

class Integer : public testing::TestWithParam<DType> {
 protected:
  DType type_ = GetParam();
  double least_ = static_cast<double>(MinimumInteger(type_));
  double greatest_ = static_cast<double>(MaximumInteger(type_));
};
INSTANTIATE_TEST_SUITE_P(Types, Integer, testing::ValuesIn(kIntegers),
                         [](const auto& one) { return std::string(TypeName(one.param)); });

TEST_P(Integer, ReachesTheEndsOfItsTypeAndNoFurther) {
  const ValueRange all = ValueRange::All(type_);
  const auto tensors_with = [&](double end) {
    return TensorsWith(type_, all, ValueMode::kFinite, [end](double x) { return x == end; });
  };
  EXPECT_GT(tensors_with(least_), kTensors / 4);
  EXPECT_GT(tensors_with(greatest_), kTensors / 4);
  const auto is_outside = [this](double x) { return x < least_ || x > greatest_; };
  EXPECT_EQ(TensorsWith(type_, all, ValueMode::kFinite, is_outside), 0u);
}

TEST_P(Integer, LiesWithinItsRangeAndIsNotZeroWhereNoneMayBe) {
  ValueRange range = ValueRange::Between(std::max(least_, -3.0), std::min(greatest_, 5.0));
  range.nonzero = true;
  const auto is_wrong = [&](double x) { return x < range.low || x > range.high || x == 0; };
  EXPECT_EQ(TensorsWith(type_, range, ValueMode::kFinite, is_wrong), 0u);
}

}  // namespace
}  // namespace assay::draw_tensor_test
