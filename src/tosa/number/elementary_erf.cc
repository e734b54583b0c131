// SPDX-License-Identifier: Apache-2.0
// Erf.
#include <array>
#include <cmath>

#include "elementary.h"
#include "exp_kernel.h"
#include "mpfr_reference.h"

namespace assay {
namespace {

constexpr double kErfError = 0x1p-88;  // 2^-93 is argued for below
constexpr DoubleDouble kTwoOverSqrtPi = {0x1.20dd750429b6dp+0, 0x1.1ae3a914fed8p-56};

constexpr int kDegree = 18;
constexpr int kPrecise = 8;  // coefficients that need more than a double

// erf(center + h) = sum of coefficients[n] * h^n.
struct Expansion {
  std::array<DoubleDouble, kPrecise> precise;
  std::array<double, kDegree + 1 - kPrecise> plain;
};

using Coefficients = std::array<DoubleDouble, kDegree + 1>;

// Returns the Taylor coefficients of erf around `center`, without that of h^0. The derivative of
// erf is 2/sqrt(pi) exp(-(c+h)^2) = 2/sqrt(pi) exp(-c^2) * sum of g[n] h^n, g[n] = (-1)^n H_n(c) /
// n!. The recurrence of the Hermite polynomials gives g[n+1] = -2 (c g[n] + g[n-1]) / (n+1).
constexpr Coefficients TaylorCoefficients(double center) {
  const ScaledDouble power = ExpKernel({-center * center, 0});
  const DoubleDouble scale =
      Scale(Multiply(kTwoOverSqrtPi, power.value), PowerOfTwo(power.exponent));
  Coefficients result;
  DoubleDouble previous = {0, 0};
  DoubleDouble g = {1, 0};
  for (int n = 0; n < kDegree; ++n) {
    const DoubleDouble divisor = {static_cast<double>(n + 1), 0};
    result[static_cast<size_t>(n + 1)] = Divide(Multiply(scale, g), divisor);
    const DoubleDouble next = Divide(Scale(Add(Multiply(g, center), previous), -2), divisor);
    previous = g;
    g = next;
  }
  return result;
}

constexpr DoubleDouble Evaluate(const Coefficients& coefficients, double h) {
  DoubleDouble sum = {0, 0};
  for (size_t n = kDegree; n >= 1; --n) sum = Multiply(Add(sum, coefficients[n]), h);
  return sum;
}

constexpr int kCenters = 97;

// The expansions around i/16, for |h| <= 1/32. Half way between two centers, both expansions have
// the same value, which yields erf(i/16) from erf((i-1)/16). Because |g[n]| <= 1.09 * 2^(n/2) /
// sqrt(n!) * exp(c^2/2), the first term left out is 2^-114.
constexpr std::array<Expansion, kCenters> kExpansions = [] {
  std::array<Expansion, kCenters> table;
  DoubleDouble value = {0, 0};
  Coefficients previous = {};
  for (int i = 0; i < kCenters; ++i) {
    const Coefficients here = TaylorCoefficients(i / 16.0);
    if (i > 0) {
      value = Add(value, Add(Evaluate(previous, 1.0 / 32), Negate(Evaluate(here, -1.0 / 32))));
    }
    Expansion& expansion = table[static_cast<size_t>(i)];
    expansion.precise[0] = value;
    for (size_t n = 1; n <= kDegree; ++n) {
      if (n < kPrecise) {
        expansion.precise[n] = here[n];
      } else {
        expansion.plain[n - kPrecise] = here[n].high;
      }
    }
    previous = here;
  }
  return table;
}();

// Returns erf(x) for 2^-900 < x < 1/32: 2/sqrt(pi) * (x - x^3/3 + x^5/10 - x^7/42 + ...). The
// coefficients are (-1)^n / (n! (2n + 1)), up to x^17 (the next term is 2^-112 of the result). The
// terms from x^9 on (2^-47 of the result) are evaluated in double.
DoubleDouble ErfSeries(double x) {
  constexpr DoubleDouble kThird = Divide({-1, 0}, {3, 0});
  constexpr DoubleDouble kFifth = Divide({1, 0}, {10, 0});
  constexpr DoubleDouble kSeventh = Divide({-1, 0}, {42, 0});
  const DoubleDouble square = TwoProduct(x, x);
  const double z = square.high;
  const double tail =
      z *
      (1.0 / 216 + z * (-1.0 / 1320 + z * (1.0 / 9360 + z * (-1.0 / 75600 + z * (1.0 / 685440)))));
  DoubleDouble sum = AddSmaller(kSeventh, {tail, 0});
  sum = AddSmaller(kFifth, Multiply(square, sum));
  sum = AddSmaller(kThird, Multiply(square, sum));
  sum = AddSmaller({1, 0}, Multiply(square, sum));
  return Multiply(Multiply(kTwoOverSqrtPi, x), sum);
}

// Returns erf(x) for 1/32 <= x < 6.
DoubleDouble ErfKernel(double x) {
  constexpr double kRoundToSixteenth = 0x1.8p48;
  const double center = (x + kRoundToSixteenth) - kRoundToSixteenth;
  const double h = x - center;  // exact
  const Expansion& expansion = kExpansions[static_cast<size_t>(center * 16)];
  // The terms from h^8 on are at most 2^-41 of the result.
  double tail = 0;
  for (size_t n = expansion.plain.size(); n-- > 0;) tail = tail * h + expansion.plain[n];
  DoubleDouble sum = {tail * h, 0};
  for (size_t n = kPrecise; n-- > 1;) sum = Multiply(Add(expansion.precise[n], sum), h);
  return Add(expansion.precise[0], sum);
}

}  // namespace

double Erf(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude >= 6) return std::copysign(1.0, x);  // 1 - erf(6) < 2^-54
  if (!(magnitude > 0x1p-900)) return MpfrErf(x);
  const DoubleDouble value = magnitude < 0x1p-5 ? ErfSeries(magnitude) : ErfKernel(magnitude);
  const std::optional<double> rounded = RoundedOnce(value, kErfError);
  return rounded ? std::copysign(*rounded, x) : MpfrErf(x);
}

}  // namespace assay
