// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "float_format.h"

namespace assay {

// The numeric rules of TOSA 1.0.2 as functions of doubles. Each `...Error` returns the absolute
// error that an operator's "Precision Requirements" allow around `reference`. `reference` is the
// result of fp64 arithmetic before any rounding to `type`, the type of the output. WithinBound()
// judges with the error.
//
// Three properties hold for all of them:
// - They take the operands as they are. If an operand is subnormal and its type may flush, a result
//   is also right if it is right for the flushed operand. Call the function again with the
//   reference of that operand (reading `flushed-operands`).
// - If the reference is infinite or NaN, the error is 0: only this infinity or a NaN passes. The
//   specification's infinite bound would let everything pass (reading `infinite-bound`). The same
//   holds for infinite operands and the results in the tables of special values.
// - An infinite error means that the specification leaves the result open.

// Returns tosa_reference_ulp<T>(reference) * ulps; 0 for a zero, infinite or NaN reference. (The
// text asks is_normal_fp64(reference). A subnormal fp64 has the ulp of normal_min<T>, the wider
// reading.) ADD, SUB, MUL, CEIL, FLOOR and integer-to-float CAST allow 0.5 ULP.
double UlpError(DType type, double reference, double ulps);

// Returns calcAbsErrorBound<T>(bound_magnitude, bounds_value, lower_bound, normal_divisor). The
// exponent -normal_frac<T>() / normal_divisor loses its fraction, because exp2 takes an int. So it
// is 2^-11 for fp32 and 2^-3 for bf16 with divisor 2, the wider reading (`half-exponent`).
double AbsoluteErrorBound(DType type, double magnitude, double value, double lower_bound,
                          double normal_divisor);

// Return the error of unary operators for the operand `x`. SIGMOID, TANH and SIN put their tables
// before the bound ("Otherwise ..."), so that a zero operand allows no error. EXP and COS do not,
// and keep the bound at zero, the wider reading (`table-at-zero`).
double ExpError(DType type, double x, double reference);
double LogError(DType type, double x, double reference);
double SigmoidError(DType type, double x, double reference);
double TanhError(DType type, double x, double reference);
double SinError(DType type, double x, double reference);
double CosError(DType type, double x, double reference);
double ErfError(DType type, double x, double reference);    // 5 ULP
double RecipError(DType type, double x, double reference);  // 1 ULP
double RsqrtError(DType type, double x, double reference);  // 2 ULP

// Returns the error of x to the power of y. It is infinite if the result is undefined: x < 0, x = 0
// with y <= 0, infinite and NaN operands. Otherwise, it is 0 for x = 0 and for y = 0. If the
// reference underflows to 0 in fp64, out_ref * expm1(mul_err) is replaced by its value before the
// underflow: exp(y log x + mul_err).
double PowError(DType type, double x, double y, double reference);

// Return, for REDUCE_PRODUCT of n elements: the error; the factor by which it grows with the
// reference; and the error by this factor.
double ReduceProductError(DType type, double reference, int64_t n);
double ReduceProductGrowth(DType type, int64_t n);
double ReduceProductErrorBy(DType type, double reference, double growth);

// Returns the error of RESIZE in mode BILINEAR. `maximum` is max(abs(input)) over the whole tensor.
// The error is also infinite if the reference is, because no table of special values comes before
// this bound.
double ResizeBilinearError(DType type, double maximum, double reference);

// "Dot product accuracy requirements". DotProductRoundings() returns `ksb`, the roundings that a
// dot product of kernel_size products may take. One rounding is always counted for the bias,
// because max_value(bias_abs) is at least normal_min. This includes operators without bias (reading
// `bias-term`). Half the difference of fraction bits is a division of integers if that is the wider
// reading (`accumulator-bits`). ABS_BOUND is 2 * ksb, VARIANCE_ERROR_BOUND 4 * 0.4 * ksb.
double DotProductRoundings(DType acc_type, DType out_type, int64_t kernel_size);
double DotProductAbsBound(DType acc_type, DType out_type, int64_t kernel_size);
double DotProductVarianceBound(DType acc_type, DType out_type, int64_t kernel_size);

// Returns `out_err_bnd`, the unit in which the error of a dot product is measured. `bound` is the
// dot product of the absolute values. The unit is half an ulp of `bound`, or normal_min if that is
// more.
double DotProductUnit(DType out_type, double bound);

// The bounds on the errors of a whole tensor hold for tensors of at least this many dot products
// (MIN_DOT_PRODUCTS, Appendix A).
inline constexpr int64_t kMinDotProducts = 1000;

// Returns the error that an ABS_BOUND allows an element. `bound` is the dot product of the absolute
// values. The error is 0 if `bound` is 0. It is infinite if `bound` is NaN, or rounds to infinity
// after the error is added.
double DotProductError(DType out_type, double abs_bound, double bound);

// Computes units and errors for many dot products of one rule.
class DotProductAccuracy {
 public:
  DotProductAccuracy(DType out_type, double abs_bound);
  double Unit(double bound) const { return std::max(bound * half_ulp_, normal_min_); }
  double Error(double bound) const {
    if (bound == 0) return 0;
    return bound * growth_ <= max_ || StaysFinite(bound) ? abs_bound_ * Unit(bound) : HUGE_VAL;
  }

 private:
  bool StaysFinite(double bound) const;

  DType type_;
  double abs_bound_, half_ulp_, normal_min_, max_;
  double growth_;  // 1 plus the error that is allowed of 1
};

// Returns tosa_reference_check_fp_bnd<T>(test, reference, error); `test` is a value of the type. A
// NaN reference admits any NaN and nothing else. An infinite or NaN error admits everything.
// Otherwise, values within `error` of the reference are admitted. If this range reaches beyond the
// largest value, an infinity is admitted, too (NaN for fp8e4m3). If it reaches below normal_min,
// zero is admitted, too, except for fp8. The sign of zero is ignored. `error` must not be negative.
bool WithinBound(DType type, double test, double reference, double error);

// Returns tosa_reference_check_fp<T>(test, reference, 0): true if both are equal. NaN equals NaN,
// the sign of zero is ignored, and a subnormal reference may have been flushed (not for fp8).
bool MatchesExactly(DType type, double test, double reference);

}  // namespace assay
