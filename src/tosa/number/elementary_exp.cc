// SPDX-License-Identifier: Apache-2.0
// Exp, Expm1, Tanh and Sigmoid.
#include <cmath>

#include "elementary.h"
#include "exp_kernel.h"
#include "float_format.h"
#include "mpfr_reference.h"

namespace assay {
namespace {

// The error bounds of the kernels (2^-65, 2^-96, 2^-88) with some room, and with a division if
// there is one.
constexpr double kQuickExpError = 0x1p-64;
constexpr double kExpError = 0x1p-92;
constexpr double kExpm1Error = 0x1p-86;

// Rounds value * 2^exponent. Returns nothing if that is undecided, subnormal or too large.
std::optional<double> RoundedOnce(ScaledDouble result, double relative_error) {
  if (result.exponent < -1020 || result.exponent > 1020) return std::nullopt;
  const std::optional<double> rounded = RoundedOnce(result.value, relative_error);
  if (!rounded) return std::nullopt;
  return *rounded * PowerOfTwo(result.exponent);
}

}  // namespace

double Exp(double x) {
  if (x > 710) return kInfinity;  // the largest double is exp(709.78...)
  if (x < -746) return 0;         // half the smallest one is exp(-745.13...)
  if (!(std::fabs(x) < 700)) return MpfrExp(x);
  if (std::fabs(x) < 0x1p-54) return 1;
  std::optional<double> rounded = RoundedOnce(QuickExpKernel(x), kQuickExpError);
  if (!rounded) rounded = RoundedOnce(ExpKernel({x, 0}), kExpError);
  return rounded ? *rounded : MpfrExp(x);
}

double Expm1(double x) {
  if (std::fabs(x) < 0x1p-54) return x;  // x^2/2 is less than half an ulp
  if (x < -38) return -1;                // exp(-38) < 2^-54
  if (x > 710) return kInfinity;
  if (!(x < 700)) return MpfrExpm1(x);
  const std::optional<double> rounded = RoundedOnce(Expm1Kernel(x), kExpm1Error);
  return rounded ? *rounded : MpfrExpm1(x);
}

double Tanh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < 0x1p-27) return x;                   // |x|^3/3 is less than half an ulp
  if (magnitude > 19.1) return std::copysign(1.0, x);  // 2 exp(-38.2) < 2^-54
  if (std::isnan(x)) return MpfrTanh(x);
  const DoubleDouble growth = Expm1Kernel(2 * magnitude);
  const std::optional<double> rounded = RoundedOnce(Divide(growth, Add(growth, 2)), kExpm1Error);
  return rounded ? std::copysign(*rounded, x) : MpfrTanh(x);
}

double Sigmoid(double x) {
  if (x > 37.5) return 1;                  // exp(-37.5) < 2^-54
  if (std::fabs(x) < 0x1p-53) return 0.5;  // 1/2 + x/4
  if (x < -746) return 0;                  // as Exp
  if (!(x > -700)) return MpfrSigmoid(x);
  // This is exp(x) / (1 + exp(x)), with the smaller one of exp(x) and exp(-x), so that nothing
  // overflows.
  const ScaledDouble power = ExpKernel({-std::fabs(x), 0});
  const DoubleDouble unscaled = Scale(power.value, PowerOfTwo(power.exponent));
  const DoubleDouble denominator = Add(unscaled, 1);
  ScaledDouble result = {Divide({1, 0}, denominator), 0};
  if (x < 0) result = {Divide(power.value, denominator), power.exponent};
  const std::optional<double> rounded = RoundedOnce(result, kExpError);
  return rounded ? *rounded : MpfrSigmoid(x);
}

}  // namespace assay
