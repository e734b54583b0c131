// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay {

// The functions of elementary.h, evaluated by MPFR. They are also rounded correctly to fp64,
// subnormal results included, but take microseconds. They decide the cases that the fast functions
// leave undecided, and tests compare the fast functions with them. Every NaN is the same quiet NaN.
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
