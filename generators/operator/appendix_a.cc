// SPDX-License-Identifier: Apache-2.0
#include "appendix_a.h"

#include <bit>
#include <cmath>

#include "check.h"
#include "elementary.h"

namespace assay {
namespace {

// The map x -> factor * x + term, modulo 2^32.
struct Jump {
  uint32_t factor, term;
};

// Returns the map that applies `a`, then `b`.
Jump Then(const Jump& a, const Jump& b) {
  return {a.factor * b.factor, a.term * b.factor + b.term};
}

uint32_t MultiplierOf(uint32_t set) { return (8 * set + 1) * 0x705A5E75u; }

// Converts a state to a number from -1 to 1. Avoids a branch on the sign, because the sign is
// nearly random.
float FromState(uint32_t state) {
  constexpr uint32_t kMagnitude = 0x7FFFFFFF;
  const float magnitude = static_cast<float>(state & kMagnitude) / static_cast<float>(kMagnitude);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | (state & ~kMagnitude));
}

}  // namespace

uint32_t TestDataState(uint32_t set, uint32_t index) {
  const uint32_t multiplier = MultiplierOf(set);
  Jump all = {1, 0};  // `index` steps of r * multiplier + 1, by doubling
  for (Jump power = {multiplier, 1}; index != 0; index >>= 1) {
    if (index % 2 == 1) all = Then(all, power);
    power = Then(power, power);
  }
  return (multiplier + 1) * all.factor + all.term;
}

float SetData(uint32_t set, uint32_t index) { return FromState(TestDataState(set, index)); }

SetDataStream::SetDataStream(uint32_t set) : set_(set), state_(TestDataState(set, 0)) {}

float SetDataStream::At(uint32_t index) {
  constexpr uint32_t kNear = 4;
  if (index - index_ > kNear) {
    state_ = TestDataState(set_, index);
    index_ = index;
  }
  for (; index_ != index; ++index_) state_ = state_ * MultiplierOf(set_) + 1;
  return FromState(state_);
}

double TestDataBound(DType in, DType out) {
  switch (in) {
    case DType::kFp8e4m3:
      return out == DType::kFp16 ? 240 : out == DType::kFp32 ? 448 : out == in ? 20 : 0;
    case DType::kFp8e5m2:
      return out == DType::kFp16 ? 224 : out == DType::kFp32 ? 57344 : out == in ? 224 : 0;
    case DType::kFp16:
      return out == DType::kFp16 ? 255.875 : out == DType::kFp32 ? 65504 : 0;
    case DType::kBf16:
      return out == DType::kBf16 || out == DType::kFp32 ? 0x1p64 - 0x1p56 : 0;
    case DType::kFp32:
      return out == DType::kFp32 ? 0x1p64 - 0x1p40 : 0;
    default:
      return 0;
  }
}

TestData::TestData(int set, int64_t kernel_size, int parameter, double bound)
    : set_(set), parameter_(parameter), middle_(kernel_size / 2) {
  Check(set >= 0 && set < kTestSets && parameter >= 0 && parameter <= 2, "a set and a parameter");
  for (int row = 0; row < 3; ++row) rows_.emplace_back(static_cast<uint32_t>(3 * set + row));
  const auto KS = static_cast<double>(kernel_size);
  root_ = std::sqrt(KS);
  scale_ = set != 1         ? bound / root_
           : parameter == 2 ? bound * bound / (KS + 1)
                            : bound / std::sqrt(KS + 1);
}

double TestData::Signed(double amount, uint32_t i) {
  constexpr double kSigns[] = {1, -1};
  return kSigns[Row(parameter_).At(2 * i) < 0 ? 1 : 0] * amount;
}

double TestData::LargeExponent(uint32_t i) {
  const double large = Signed(0.75, i);
  return large + 0.25 * Row(parameter_).At(2 * i + 1);
}

double TestData::VariedMagnitude(uint32_t i) {
  const double magnitude = Exp(2 * Row(parameter_).At(2 * i));
  return magnitude * Row(parameter_).At(2 * i + 1);
}

// Returns true if this operand keeps element i. Sets 0 and 4 take the same data for both operands:
// where one operand keeps an element, the other has zero.
bool TestData::IsKept(uint32_t i) { return (Row(0).At(i) < 0) == (parameter_ == 1); }

double TestData::At(int64_t k, int64_t element) {
  const auto i = static_cast<uint32_t>(element);
  if (set_ == 1) return scale_ * LargeExponent(i);
  if (parameter_ == 2) return 0;
  switch (set_) {
    case 0:
      return IsKept(i) ? Row(1).At(i) : 0;
    case 2:
      return k == 0 ? 1 : Row(parameter_).At(i) / root_;
    case 3:
      return k == 0 ? Signed(16, i) : VariedMagnitude(i);
    case 4:
      if (k == middle_) return IsKept(i) ? 0.5 : -0.5;
      return IsKept(i) ? scale_ * Row(1).At(i) : 0;
    default:
      return scale_ * Row(parameter_).At(i);
  }
}

}  // namespace assay
