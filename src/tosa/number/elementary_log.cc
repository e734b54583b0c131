// SPDX-License-Identifier: Apache-2.0
// Log, Pow and Rsqrt.
#include <array>
#include <cmath>

#include "elementary.h"
#include "exp_kernel.h"
#include "float_format.h"
#include "mpfr_reference.h"

namespace assay {
namespace {

// Returns 2 atanh(s) = log((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...) for |s| <= 2^-8.5, with
// a relative error below 2^-98. The series goes up to s^11, where the next term is 2^-106 of the
// result. The terms from s^7 on are at most 2^-54 of the result and are evaluated in double.
constexpr DoubleDouble LogSeries(DoubleDouble s) {
  constexpr DoubleDouble kThird = Divide({1, 0}, {3, 0});
  constexpr DoubleDouble kFifth = Divide({1, 0}, {5, 0});
  const DoubleDouble square = Multiply(s, s);
  const double x = square.high;
  const double tail = x * (1.0 / 7 + x * (1.0 / 9 + x * (1.0 / 11)));
  DoubleDouble sum = AddSmaller(kFifth, {tail, 0});
  sum = AddSmaller(kThird, Multiply(square, sum));
  return Scale(AddSmaller(s, Multiply(s, Multiply(square, sum))), 2);
}

constexpr int kFirstCenter = 96;

// log(c) for c = (96 + i) / 128 from 0.75 to 1.5.
constexpr std::array<DoubleDouble, 97> kLogTable = [] {
  std::array<DoubleDouble, 97> table;
  for (int i = 0; i < 97; ++i) {
    // 2 atanh(s) with s = (c - 1) / (c + 1), |s| <= 0.2: 0.2^48 / 49 < 2^-116.
    const double numerator = kFirstCenter + i - 128;
    const double denominator = kFirstCenter + i + 128;
    const DoubleDouble s = Divide({numerator, 0}, {denominator, 0});
    const DoubleDouble square = Multiply(s, s);
    DoubleDouble sum = {0, 0};
    for (int n = 47; n >= 1; n -= 2) {
      sum = Add(Divide({1, 0}, {static_cast<double>(n), 0}), Multiply(square, sum));
    }
    table[static_cast<size_t>(i)] = Scale(Multiply(s, sum), 2);
  }
  return table;
}();

// Returns log(x) for positive finite x, with a relative error below 2^-95.
DoubleDouble LogKernel(double x) {
  // x = 2^exponent * m, 0.75 <= m < 1.5, so that nothing cancels around x = 1.
  int exponent;
  double m = 2 * std::frexp(x, &exponent);
  --exponent;
  if (m >= 1.5) {
    m /= 2;
    ++exponent;
  }
  // m = c * (1 + s) / (1 - s), c a multiple of 1/128; the numerator m - c is exact.
  constexpr double kRoundToEighthBit = 0x1.8p45;
  const double center = (m + kRoundToEighthBit) - kRoundToEighthBit;
  const DoubleDouble s = Divide({m - center, 0}, TwoSum(m, center));
  const DoubleDouble log_center = kLogTable[static_cast<size_t>(center * 128) - kFirstCenter];
  return Add(Add(Multiply(kLn2, exponent), log_center), LogSeries(s));
}

}  // namespace

double Log(double x) {
  if (!(x > 0) || x == kInfinity) return MpfrLog(x);
  const std::optional<double> rounded = RoundedOnce(LogKernel(x), 0x1p-92);
  return rounded ? *rounded : MpfrLog(x);
}

double Pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (!(x > 0) || x == kInfinity || !std::isfinite(y)) return MpfrPow(x, y);
  const DoubleDouble log = LogKernel(x);
  const double estimate = y * log.high;
  if (estimate > 710) return kInfinity;  // the largest double is exp(709.78...)
  if (estimate < -746) return 0;         // half the smallest one is exp(-745.13...)
  if (std::fabs(estimate) < 0x1p-55) return 1;
  // Here, y is between 2^-65 and 2^63. The argument of exp is good to 746 * 2^-94 and some, which
  // is the relative error of the result.
  const ScaledDouble power = ExpKernel(Multiply(log, y));
  if (power.exponent > -1020 && power.exponent < 1020) {
    const std::optional<double> rounded = RoundedOnce(power.value, 0x1p-82);
    if (rounded) return *rounded * PowerOfTwo(power.exponent);
  }
  return MpfrPow(x, y);  // also where the exact power lies half way between two doubles
}

double Rsqrt(double x) {
  if (x == 0) return std::copysign(kInfinity, x);
  if (!(x > 0) || x == kInfinity) return MpfrRsqrt(x);
  // x = 4^half * m, 1/2 <= m < 2.
  int exponent;
  double m = std::frexp(x, &exponent);
  if (exponent % 2 != 0) {
    m *= 2;
    --exponent;
  }
  // One Newton step from an estimate with a relative error of 2^-51: with d = 1 - m y^2, the result
  // is y / sqrt(1 - d) = y (1 + d/2 + ...), and the next term is below 2^-101.
  const double y = 1 / std::sqrt(m);
  const DoubleDouble product = Multiply(TwoProduct(y, y), m);
  const double d = (1 - product.high) - product.low;
  const std::optional<double> rounded = RoundedOnce(FastTwoSum(y, y * (d / 2)), 0x1p-95);
  return rounded ? std::ldexp(*rounded, -exponent / 2) : MpfrRsqrt(x);
}

}  // namespace assay
