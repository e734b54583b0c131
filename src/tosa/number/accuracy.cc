// SPDX-License-Identifier: Apache-2.0
#include "accuracy.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "check.h"
#include "elementary.h"

namespace assay {
namespace {

constexpr double kPi = 0x1.921fb54442d18p+1;

// Returns 2^n, for the exponents of normal numbers.
double Exp2(int n) {
  Check(n > -1023 && n < 1024, "2^n is a normal number");
  return std::bit_cast<double>(static_cast<uint64_t>(n + 1023) << 52);
}

// Returns `err_base` of EXP, TANH and POW.
double ErrorBase(DType type) { return type == DType::kFp32 ? 3 : 1; }

}  // namespace

double UlpError(DType type, double reference, double ulps) {
  if (reference == 0 || !std::isfinite(reference)) return 0;
  const FloatFormat& format = FormatOf(type);
  // The power of two at or below |reference|; 0 if fp64 itself is subnormal.
  constexpr uint64_t kExponent = uint64_t{0x7ff} << 52;
  const double power = std::bit_cast<double>(std::bit_cast<uint64_t>(reference) & kExponent);
  return std::max(power, format.normal_min) * Exp2(-format.fraction_bits) * ulps;
}

double AbsoluteErrorBound(DType type, double magnitude, double value, double lower_bound,
                          double normal_divisor) {
  const FloatFormat& format = FormatOf(type);
  // Infinity times zero is no error.
  if (!std::isfinite(value) && magnitude == 0) return 0;
  double value_bound = std::max(std::fabs(magnitude), format.normal_min);
  if (lower_bound > 0) value_bound = std::max(lower_bound / value, value_bound);
  const double exponent = std::trunc(format.fraction_bits / normal_divisor);
  return Exp2(-static_cast<int>(exponent)) * value_bound * value;
}

double ExpError(DType type, double x, double reference) {
  if (!std::isfinite(x) || !std::isfinite(reference)) return 0;
  return AbsoluteErrorBound(type, reference, ErrorBase(type) + 2 * std::fabs(x), 0, 1);
}

double LogError(DType type, double, double reference) {
  if (!std::isfinite(reference)) return 0;
  return AbsoluteErrorBound(type, reference, 5, 0.5, 1);
}

double SigmoidError(DType type, double x, double reference) {
  if (!std::isfinite(x) || x == 0) return 0;
  return AbsoluteErrorBound(type, reference, 2 * (1 + std::fabs(x)), 0, 1);
}

double TanhError(DType type, double x, double reference) {
  if (!std::isfinite(x) || x == 0) return 0;
  return AbsoluteErrorBound(type, reference, 4 * (ErrorBase(type) + 2 * std::fabs(x)), 0.5, 1);
}

double SinError(DType type, double x, double) {
  if (!std::isfinite(x) || x == 0) return 0;
  return std::max(AbsoluteErrorBound(type, x, 2, 0, 2), kPi * FormatOf(type).normal_min);
}

double CosError(DType type, double x, double) {
  if (!std::isfinite(x)) return 0;
  return AbsoluteErrorBound(type, 1 + std::fabs(x), 1, 0, 2);
}

double ErfError(DType type, double, double reference) { return UlpError(type, reference, 5); }

double RecipError(DType type, double, double reference) { return UlpError(type, reference, 1); }

double RsqrtError(DType type, double, double reference) { return UlpError(type, reference, 2); }

double PowError(DType type, double x, double y, double reference) {
  if (!(x >= 0) || !std::isfinite(x) || !std::isfinite(y) || (x == 0 && y <= 0)) return kInfinity;
  if (x == 0 || y == 0 || !std::isfinite(reference)) return 0;
  const double exponent = y * Log(x);
  const double mul_err = AbsoluteErrorBound(type, exponent, 5.5, std::fabs(0.55 * y), 1);
  const double exp_err = AbsoluteErrorBound(
      type, reference, ErrorBase(type) + 2 * std::fabs(exponent + mul_err), 0, 1);
  const double growth = reference == 0 ? Exp(exponent + mul_err) : reference * Expm1(mul_err);
  return growth + exp_err;
}

double ReduceProductGrowth(DType type, int64_t n) {
  // (1 + 2^(-normal_frac - 1))^n - 1
  return Expm1(static_cast<double>(n) * Log(1 + Exp2(-FormatOf(type).fraction_bits - 1)));
}

double ReduceProductErrorBy(DType type, double reference, double growth) {
  if (!std::isfinite(reference)) return 0;
  return std::max(std::fabs(reference), FormatOf(type).normal_min) * growth;
}

double ReduceProductError(DType type, double reference, int64_t n) {
  return ReduceProductErrorBy(type, reference, ReduceProductGrowth(type, n));
}

double ResizeBilinearError(DType type, double maximum, double reference) {
  if (std::isnan(reference)) return 0;
  return std::max(AbsoluteErrorBound(type, maximum, 20, 0, 1), maximum * 0.006);
}

double DotProductRoundings(DType acc_type, DType out_type, int64_t kernel_size) {
  const int difference = FormatOf(acc_type).fraction_bits - FormatOf(out_type).fraction_bits;
  double divisor = Exp2(difference / 2);
  // Below zero, cutting off the half is the narrower reading.
  if (difference < 0 && difference % 2 != 0) divisor = std::sqrt(Exp2(difference));
  return std::ceil(static_cast<double>(kernel_size) / divisor) + 1;
}

double DotProductAbsBound(DType acc_type, DType out_type, int64_t kernel_size) {
  return 2 * DotProductRoundings(acc_type, out_type, kernel_size);
}

double DotProductVarianceBound(DType acc_type, DType out_type, int64_t kernel_size) {
  return 4 * 0.4 * DotProductRoundings(acc_type, out_type, kernel_size);
}

DotProductAccuracy::DotProductAccuracy(DType out_type, double abs_bound)
    : type_(out_type),
      abs_bound_(abs_bound),
      half_ulp_(Exp2(-1 - FormatOf(out_type).fraction_bits)),
      normal_min_(FormatOf(out_type).normal_min),
      max_(FormatOf(out_type).max),
      growth_(1 + abs_bound * half_ulp_) {}

bool DotProductAccuracy::StaysFinite(double bound) const {
  return std::isfinite(RoundToType(type_, bound * growth_));
}

double DotProductUnit(DType out_type, double bound) {
  return DotProductAccuracy(out_type, 0).Unit(bound);
}

double DotProductError(DType out_type, double abs_bound, double bound) {
  return DotProductAccuracy(out_type, abs_bound).Error(bound);
}

bool WithinBound(DType type, double test, double reference, double error) {
  if (std::isnan(reference)) return std::isnan(test);
  if (!std::isfinite(error)) return true;
  Check(error >= 0, "an error bound is not negative");
  constexpr double kSigns[] = {1, -1};  // no branch: signs are as good as random
  const double sign = kSigns[reference < 0 ? 1 : 0];
  reference *= sign;
  test *= sign;
  const FloatFormat& format = FormatOf(type);
  double highest = reference + error;
  double lowest = reference - error;
  if (highest > format.max) highest = kInfinity;
  if (lowest > format.max) lowest = kInfinity;
  if (lowest < -format.max) lowest = -kInfinity;
  if (!format.must_keep_subnormals && test == 0) return lowest < format.normal_min;
  if (type == DType::kFp8e4m3 && std::isnan(test)) return highest == kInfinity;
  return test >= lowest && test <= highest;
}

bool MatchesExactly(DType type, double test, double reference) {
  return WithinBound(type, test, reference, 0);
}

}  // namespace assay
