#pragma once

namespace assay {

// The functions of elementary.h as MPFR evaluates them: rounded correctly to fp64 as well,
// subnormal results included, but in microseconds. They decide what the fast ones leave undecided,
// and they are what the fast ones are tested against. Every NaN is the same quiet NaN.
double MpfrExp(double x);
double MpfrExpm1(double x);
double MpfrLog(double x);
double MpfrSin(double x);
double MpfrCos(double x);
double MpfrTanh(double x);
double MpfrErf(double x);
double MpfrSigmoid(double x);
double MpfrRsqrt(double x);
double MpfrPow(double x, double y);

}  // namespace assay
