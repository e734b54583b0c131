// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay {

// Elementary functions of fp64 arguments, rounded correctly to fp64 (nearest, ties to even) on
// every machine and compiler. No transcendental function of libm is involved. Each function
// evaluates in double-double arithmetic (25 to 170 ns) and applies Ziv's rounding test. It asks
// MPFR (a few microseconds) if the test is undecided, if the result is subnormal or nearly so, and
// for Sin and Cos beyond 2^17.
//
// Special values follow IEEE 754 (Exp(-inf) = 0, Log(0) = -inf, Log(x<0) = NaN, Sin(inf) = NaN,
// Rsqrt(-0) = -inf, Rsqrt(x<0) = NaN, Pow as in C99, with a zero or negative x too). A NaN result
// is always the same quiet NaN.
double Exp(double x);
double Expm1(double x);
double Log(double x);
double Sin(double x);
double Cos(double x);
double Tanh(double x);
double Erf(double x);
double Sigmoid(double x);  // 1 / (1 + exp(-x)), rounded once
double Rsqrt(double x);    // 1 / sqrt(x), rounded once
double Pow(double x, double y);

}  // namespace assay
