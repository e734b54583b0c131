// SPDX-License-Identifier: Apache-2.0
// Sin and Cos.
#include <array>
#include <cmath>
#include <cstdint>

#include "double_double.h"
#include "elementary.h"
#include "mpfr_reference.h"

namespace assay {
namespace {

constexpr double kTrigError = 0x1p-88;  // 2^-91 is argued for below
constexpr DoubleDouble kLongPi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

// sin(i * pi/64) from 0 to pi/2.
constexpr std::array<DoubleDouble, 33> kSinTable = [] {
  std::array<DoubleDouble, 33> table;
  for (int i = 0; i <= 32; ++i) {
    // Taylor's series; the first term left out is (pi/2)^38 / 39! < 2^-128.
    const DoubleDouble x = Scale(Multiply(kLongPi, i), 0x1p-6);
    const DoubleDouble square = Multiply(x, x);
    DoubleDouble sum = {1, 0};
    for (int n = 36; n >= 2; n -= 2) {
      const double divisor = n * (n + 1);
      sum = Add(Negate(Divide(Multiply(square, sum), {divisor, 0})), 1);
    }
    table[static_cast<size_t>(i)] = Multiply(x, sum);
  }
  return table;
}();

// Returns sin(r) for |r| <= pi/128, with a relative error below 2^-96. It is Taylor's series up to
// r^13 (the next term is 2^-115 of the result). The terms from r^7 on (2^-44 of the result) are
// evaluated in double.
DoubleDouble SinSeries(DoubleDouble r, DoubleDouble square) {
  constexpr DoubleDouble kThird = Divide({-1, 0}, {6, 0});
  constexpr DoubleDouble kFifth = Divide({1, 0}, {120, 0});
  const double x = square.high;
  const double tail =
      x * (-1.0 / 5040 + x * (1.0 / 362880 + x * (-1.0 / 39916800 + x * (1.0 / 6227020800.0))));
  const DoubleDouble sum = AddSmaller(kThird, Multiply(square, AddSmaller(kFifth, {tail, 0})));
  return AddSmaller(r, Multiply(r, Multiply(square, sum)));
}

// Returns cos(r) for |r| <= pi/128, with a relative error below 2^-93. It is Taylor's series up to
// r^14 (the next term is 2^-129). The terms from r^6 on (2^-41) are evaluated in double.
DoubleDouble CosSeries(DoubleDouble square) {
  constexpr DoubleDouble kFourth = Divide({1, 0}, {24, 0});
  const double x = square.high;
  const double tail =
      x * (-1.0 / 720 +
           x * (1.0 / 40320 +
                x * (-1.0 / 3628800 + x * (1.0 / 479001600 + x * (-1.0 / 87178291200.0)))));
  const DoubleDouble sum = AddSmaller({-0.5, 0}, Multiply(square, AddSmaller(kFourth, {tail, 0})));
  return AddSmaller({1, 0}, Multiply(square, sum));
}

// Returns sin(x + quarter_turns * pi/2). Returns nothing if MPFR must decide: beyond 2^17, or so
// close to a multiple of pi/64 that the rest of the argument loses its relative accuracy.
std::optional<double> Sine(double x, int64_t quarter_turns) {
  if (!(std::fabs(x) < 0x1p17)) return std::nullopt;
  // pi/64 in four parts. The first three have 31 bits, so that their products with up to 2^22 steps
  // are exact. The rest is good to 2^-128, absolutely.
  constexpr double kStep[] = {0x1.921fb544p-5, 0x1.0b4611a8p-39, -0x1.d9cceba4p-71,
                              0x1.b839a252049c1p-109};
  constexpr double kStepsPerUnit = 0x1.45f306dc9c883p+4;
  constexpr double kRoundToInteger = 0x1.8p52;
  const double steps = (x * kStepsPerUnit + kRoundToInteger) - kRoundToInteger;
  DoubleDouble rest = {x, 0};
  if (steps != 0) {
    rest = TwoSum(x - steps * kStep[0], -steps * kStep[1]);
    rest = Add(Add(rest, -steps * kStep[2]), -steps * kStep[3]);
    if (std::fabs(rest.high) < 0x1p-30) return std::nullopt;
  }
  const int64_t count = static_cast<int64_t>(steps) + 32 * quarter_turns;
  auto index = static_cast<size_t>(count & 31);
  const DoubleDouble square = Multiply(rest, rest);
  const DoubleDouble sin_rest = SinSeries(rest, square);
  const DoubleDouble cos_rest = CosSeries(square);
  // sin(a + r) = sin a cos r + cos a sin r; in odd quadrants cos(a + r). For index 0, where the
  // result may be small, one summand is exactly zero. For other indices, at most one bit cancels.
  const bool odd = (count & 32) != 0;
  const DoubleDouble sin_base = odd ? kSinTable[32 - index] : kSinTable[index];
  const DoubleDouble cos_base = odd ? Negate(kSinTable[index]) : kSinTable[32 - index];
  const DoubleDouble sum = Add(Multiply(sin_base, cos_rest), Multiply(cos_base, sin_rest));
  return RoundedOnce((count & 64) != 0 ? Negate(sum) : sum, kTrigError);
}

}  // namespace

double Sin(double x) {
  if (std::fabs(x) < 0x1p-26) return x;  // |x|^3/6 is less than half an ulp
  const std::optional<double> rounded = Sine(x, 0);
  return rounded ? *rounded : MpfrSin(x);
}

double Cos(double x) {
  if (std::fabs(x) < 0x1p-27) return 1;  // x^2/2 is less than half an ulp below 1
  const std::optional<double> rounded = Sine(x, 1);
  return rounded ? *rounded : MpfrCos(x);
}

}  // namespace assay
