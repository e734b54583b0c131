// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace assay {

// An unevaluated sum of two doubles, |low| <= ulp(high): some 106 bits. Everything here is plain
// IEEE 754 arithmetic without fused multiply-add. So it gives the same bits on every machine, and
// at compile time.
//
// The relative errors of Add, Multiply and Divide stay below 2^-102. (Joldes, Muller and Popescu,
// "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", 2017,
// prove 3, 7 and 15 times 2^-106 for these algorithms.) This requires that nothing overflows and
// that the low parts of products stay above the subnormals (|a * b| between 2^-960 and 2^960 is
// enough).
struct DoubleDouble {
  double high = 0;
  double low = 0;
};

// Returns a + b, exactly, for |a| >= |b| (or a == 0).
constexpr DoubleDouble FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// Returns a + b, exactly.
constexpr DoubleDouble TwoSum(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  const double of_a = sum - of_b;
  return {sum, (a - of_a) + (b - of_b)};
}

// Splits a into two parts of at most 26 bits (Veltkamp), |a| < 2^996.
constexpr DoubleDouble Split(double a) {
  const double scaled = 0x1.0000002p27 * a;
  const double high = scaled - (scaled - a);
  return {high, a - high};
}

// Returns a * b, exactly (Dekker).
constexpr DoubleDouble TwoProduct(double a, double b) {
  const DoubleDouble x = Split(a);
  const DoubleDouble y = Split(b);
  const double product = a * b;
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

constexpr DoubleDouble Negate(DoubleDouble a) { return {-a.high, -a.low}; }

// Multiplies by `factor`, a power of two. The result is exact.
constexpr DoubleDouble Scale(DoubleDouble a, double factor) {
  return {a.high * factor, a.low * factor};
}

constexpr DoubleDouble Add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = TwoSum(a.high, b.high);
  const DoubleDouble low = TwoSum(a.low, b.low);
  const DoubleDouble sum = FastTwoSum(high.high, high.low + low.high);
  return FastTwoSum(sum.high, sum.low + low.low);
}

constexpr DoubleDouble Add(DoubleDouble a, double b) {
  const DoubleDouble high = TwoSum(a.high, b);
  return FastTwoSum(high.high, high.low + a.low);
}

// Returns a + b for |b| <= |a| / 2: the cheap step of a polynomial evaluation. The error is below
// 2^-103 |a|.
constexpr DoubleDouble AddSmaller(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = FastTwoSum(a.high, b.high);
  return FastTwoSum(high.high, high.low + (a.low + b.low));
}

constexpr DoubleDouble Multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = TwoProduct(a.high, b.high);
  return FastTwoSum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

constexpr DoubleDouble Multiply(DoubleDouble a, double b) {
  const DoubleDouble high = TwoProduct(a.high, b);
  return FastTwoSum(high.high, high.low + a.low * b);
}

constexpr DoubleDouble Divide(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const DoubleDouble back = Multiply(b, quotient);
  const double rest = (a.high - back.high) + (a.low - back.low);
  return FastTwoSum(quotient, rest / b.high);
}

// Returns the double nearest to a number that lies within `relative_error` of `value`. Returns
// nothing if two doubles are possible (Ziv's rounding test). A `relative_error` of 2^-95 or more
// covers the rounding of the test itself.
constexpr std::optional<double> RoundedOnce(DoubleDouble value, double relative_error) {
  const double error = (value.high < 0 ? -value.high : value.high) * relative_error;
  const double below = value.high + (value.low - error);
  const double above = value.high + (value.low + error);
  if (below != above) return std::nullopt;
  return below;
}

// Returns 2^exponent, -1022 <= exponent <= 1023.
constexpr double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

}  // namespace assay
