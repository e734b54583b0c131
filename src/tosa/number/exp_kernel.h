// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "double_double.h"

namespace assay {

inline constexpr DoubleDouble kLn2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

// value * 2^exponent, 0.99 < value < 2.01.
struct ScaledDouble {
  DoubleDouble value;
  int exponent;
};

// Returns exp(r) - 1 for |r| <= ln2/128, with a relative error below 2^-98. It is Taylor's series
// up to r^11 (the next term is 2^-111 of the result). The terms from r^6 on are at most 2^-50 of
// the result and are evaluated in double.
constexpr DoubleDouble Expm1Series(DoubleDouble r) {
  constexpr DoubleDouble kThird = Divide({1, 0}, {6, 0});
  constexpr DoubleDouble kFourth = Divide({1, 0}, {24, 0});
  constexpr DoubleDouble kFifth = Divide({1, 0}, {120, 0});
  const double x = r.high;
  const double tail =
      x * (1.0 / 720 +
           x * (1.0 / 5040 + x * (1.0 / 40320 + x * (1.0 / 362880 +
                                                     x * (1.0 / 3628800 + x * (1.0 / 39916800))))));
  DoubleDouble sum = AddSmaller(kFifth, {tail, 0});
  sum = AddSmaller(kFourth, Multiply(r, sum));
  sum = AddSmaller(kThird, Multiply(r, sum));
  sum = AddSmaller({0.5, 0}, Multiply(r, sum));
  return AddSmaller(r, Multiply(Multiply(r, r), sum));
}

// 2^(i/64).
inline constexpr std::array<DoubleDouble, 64> kExp2Table = [] {
  std::array<DoubleDouble, 64> table;
  for (int i = 0; i < 64; ++i) {
    // Taylor's series of exp(i/64 * ln2), whose argument is below 0.7: 0.7^28 / 28! < 2^-112.
    const DoubleDouble x = Scale(Multiply(kLn2, i), 0x1p-6);
    DoubleDouble sum = {1, 0};
    for (int n = 28; n >= 1; --n) {
      sum = Add(Divide(Multiply(x, sum), {static_cast<double>(n), 0}), 1);
    }
    table[static_cast<size_t>(i)] = sum;
  }
  return table;
}();

// x = steps * ln2/64 + rest, |rest| <= ln2/128 (and a hair).
struct ExpReduction {
  int64_t steps;
  DoubleDouble rest;
};

// Reduces |x| <= 1500. The rest is exact up to 2^-111 and the rounding of x.low (2^-97). It is x
// itself if steps is 0.
constexpr ExpReduction ReduceForExp(DoubleDouble x) {
  // ln2/64 in three parts. The first two have 34 bits, so that their products with up to 2^18 steps
  // are exact.
  constexpr double kStep[] = {0x1.62e42fef8p-7, 0x1.1cf79abc8p-42, 0x1.e3b39803f2f6bp-78};
  constexpr double kStepsPerUnit = 0x1.71547652b82fep+6;
  constexpr double kRoundToInteger = 0x1.8p52;
  const double steps = (x.high * kStepsPerUnit + kRoundToInteger) - kRoundToInteger;
  const DoubleDouble rest = TwoSum(x.high - steps * kStep[0], -steps * kStep[1]);
  return {static_cast<int64_t>(steps),
          FastTwoSum(rest.high, rest.low + (x.low - steps * kStep[2]))};
}

// Returns exp(x) for 2^-200 <= |x| <= 1500. The relative error is below 2^-65, which is enough to
// round most results. With r = high + low, |r| <= 2^-7.5, exp(r) is 1 + high + q for a q of at most
// 2^-15. The rounding of q in double costs four times 2^-68, and so do the sums with q.
constexpr ScaledDouble QuickExpKernel(double x) {
  const ExpReduction reduced = ReduceForExp({x, 0});
  const DoubleDouble factor = kExp2Table[static_cast<size_t>(reduced.steps & 63)];
  const auto [high, low] = reduced.rest;
  const double q =
      low +
      high * high *
          (0.5 + high * (1.0 / 6 + high * (1.0 / 24 +
                                           high * (1.0 / 120 + high * (1.0 / 720 + high / 5040)))));
  const DoubleDouble product = TwoProduct(factor.high, high);
  const DoubleDouble sum = FastTwoSum(factor.high, product.high);
  const double rest = product.low + (factor.high * q + (factor.low + factor.low * high));
  return {FastTwoSum(sum.high, sum.low + rest), static_cast<int>(reduced.steps >> 6)};
}

// Returns exp(x) for |x| <= 1500. The relative error is below 2^-96 if x.low is 0, 2^-94 otherwise.
constexpr ScaledDouble ExpKernel(DoubleDouble x) {
  const ExpReduction reduced = ReduceForExp(x);
  const DoubleDouble factor = kExp2Table[static_cast<size_t>(reduced.steps & 63)];
  const DoubleDouble growth = Expm1Series(reduced.rest);
  return {AddSmaller(factor, Multiply(factor, growth)), static_cast<int>(reduced.steps >> 6)};
}

// Returns exp(x) - 1 for 2^-200 <= |x| <= 700, with a relative error below 2^-88.
constexpr DoubleDouble Expm1Kernel(double x) {
  const ExpReduction reduced = ReduceForExp({x, 0});
  const DoubleDouble growth = Expm1Series(reduced.rest);
  if (reduced.steps == 0) return growth;
  const DoubleDouble factor = kExp2Table[static_cast<size_t>(reduced.steps & 63)];
  const DoubleDouble power = AddSmaller(factor, Multiply(factor, growth));
  // |x| > ln2/128 here, so at most 8 bits cancel.
  return Add(Scale(power, PowerOfTwo(static_cast<int>(reduced.steps >> 6))), -1);
}

}  // namespace assay
