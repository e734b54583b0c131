#pragma once

namespace assay {

// Elementary functions of fp64 arguments, rounded correctly to fp64 (nearest, ties to even) on
// every machine and compiler: no libm transcendental is involved. Each evaluates in double-double
// arithmetic, applies Ziv's rounding test, and asks MPFR where that is undecided.
// Special values follow IEEE 754 (Exp(-inf) = 0, Log(0) = -inf, Log(x<0) = NaN, Sin(inf) = NaN,
// Rsqrt(-0) = -inf, Rsqrt(x<0) = NaN, Pow as in C99 for x >= 0, ...).
double Exp(double x);
double Expm1(double x);
double Log(double x);
double Sin(double x);
double Cos(double x);
double Tanh(double x);
double Erf(double x);
double Sigmoid(double x);        // 1 / (1 + exp(-x)), rounded once
double Rsqrt(double x);          // 1 / sqrt(x), rounded once
double Pow(double x, double y);  // x >= 0

}  // namespace assay
