// SPDX-License-Identifier: Apache-2.0
#include "mpfr_reference.h"

#include <mpfr.h>

#include <cmath>
#include <limits>

namespace assay {
namespace {

// The numbers and constants of MPFR, which belong to the thread.
struct Workspace {
  Workspace() {
    mpfr_init2(x, 53);
    mpfr_init2(y, 53);
    mpfr_init2(result, 53);
    mpfr_init2(wide, 53);
  }
  ~Workspace() {
    mpfr_clear(x);
    mpfr_clear(y);
    mpfr_clear(result);
    mpfr_clear(wide);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  mpfr_t x;
  mpfr_t y;
  mpfr_t result;
  mpfr_t wide;  // of changing precision
};

Workspace& TheWorkspace() {
  thread_local Workspace workspace;
  return workspace;
}

double ToDouble(mpfr_t value) {
  if (mpfr_nan_p(value)) return std::numeric_limits<double>::quiet_NaN();
  return mpfr_get_d(value, MPFR_RNDN);
}

// Calls a function of MPFR in the exponent range of double, so that overflow and subnormal results
// are also rounded once.
template <class Function>
double RoundOnce(Function function) {
  const mpfr_exp_t smallest = mpfr_get_emin();
  const mpfr_exp_t largest = mpfr_get_emax();
  mpfr_set_emin(-1073);
  mpfr_set_emax(1024);
  Workspace& workspace = TheWorkspace();
  const int direction = function(workspace.result);
  mpfr_subnormalize(workspace.result, direction, MPFR_RNDN);
  mpfr_set_emin(smallest);
  mpfr_set_emax(largest);
  return ToDouble(workspace.result);
}

using Unary = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

double RoundOnce(Unary function, double argument) {
  return RoundOnce([&](mpfr_t result) {
    Workspace& workspace = TheWorkspace();
    mpfr_set_d(workspace.x, argument, MPFR_RNDN);
    return function(result, workspace.x, MPFR_RNDN);
  });
}

}  // namespace

double MpfrExp(double x) { return RoundOnce(mpfr_exp, x); }
double MpfrExpm1(double x) { return RoundOnce(mpfr_expm1, x); }
double MpfrLog(double x) { return RoundOnce(mpfr_log, x); }
double MpfrSin(double x) { return RoundOnce(mpfr_sin, x); }
double MpfrCos(double x) { return RoundOnce(mpfr_cos, x); }
double MpfrTanh(double x) { return RoundOnce(mpfr_tanh, x); }
double MpfrErf(double x) { return RoundOnce(mpfr_erf, x); }

double MpfrSigmoid(double x) {
  if (std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x > 0 ? 1 : 0;
  if (x == 0) return 0.5;
  if (x < -1000) return 0;
  // MPFR has no such function. For other arguments, the value is transcendental. So with enough
  // digits, both ends of an interval around it round to the same double.
  Workspace& workspace = TheWorkspace();
  mpfr_set_d(workspace.x, -x, MPFR_RNDN);
  for (mpfr_prec_t precision = 128;; precision *= 2) {
    mpfr_set_prec(workspace.wide, precision);
    mpfr_exp(workspace.wide, workspace.x, MPFR_RNDN);
    mpfr_add_ui(workspace.wide, workspace.wide, 1, MPFR_RNDN);
    mpfr_ui_div(workspace.wide, 1, workspace.wide, MPFR_RNDN);
    // The three roundings cost less than 4 units of the last of `precision` bits. Steps of a unit
    // are enough.
    for (int i = 0; i < 4; ++i) mpfr_nextbelow(workspace.wide);
    const double below = mpfr_get_d(workspace.wide, MPFR_RNDN);
    for (int i = 0; i < 8; ++i) mpfr_nextabove(workspace.wide);
    if (mpfr_get_d(workspace.wide, MPFR_RNDN) == below) return below;
  }
}

double MpfrRsqrt(double x) {
  if (x == 0) return 1 / x;  // MPFR gives +inf for -0
  return RoundOnce(mpfr_rec_sqrt, x);
}

double MpfrPow(double x, double y) {
  return RoundOnce([&](mpfr_t result) {
    Workspace& workspace = TheWorkspace();
    mpfr_set_d(workspace.x, x, MPFR_RNDN);
    mpfr_set_d(workspace.y, y, MPFR_RNDN);
    return mpfr_pow(result, workspace.x, workspace.y, MPFR_RNDN);
  });
}

}  // namespace assay
