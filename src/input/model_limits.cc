// SPDX-License-Identifier: Apache-2.0
#include "model_limits.h"

#include "ensemble_run.h"

namespace assay {
namespace {

// A model may take this many multiply-accumulates per second of the time limits.
constexpr double kMultiplyAccumulatesPerSecond = 2e7;
constexpr double kWallSecondsPerProcessorSecond = 6;

}  // namespace

BackendOptions LimitsOfModel(const TestVector& model, BackendOptions limits) {
  const double seconds =
      static_cast<double>(MultiplyAccumulates(model)) / kMultiplyAccumulatesPerSecond;
  limits.cpu_seconds += seconds;
  limits.wall_seconds += kWallSecondsPerProcessorSecond * seconds;
  return limits;
}

}  // namespace assay
