// SPDX-License-Identifier: Apache-2.0
#include "lattice_pass.h"

#include <utility>

#include "ensemble_run.h"
#include "interrupt.h"
#include "model_lattice.h"

namespace assay {
namespace {

// To choose the weights takes longer than an execution.
constexpr int64_t kMultiplyAccumulatesMost = int64_t{1} << 28;

}  // namespace

std::optional<LatticePass> JudgeOnLattice(Backend& backend, const TestVector& model,
                                          const std::string& path, uint64_t seed,
                                          ModelJudging judging, ModelPower& power) {
  const bool is_small = MultiplyAccumulates(model) <= kMultiplyAccumulatesMost;
  const bool may_show = power.HasOpenFaults() && is_small && model.steps.size() == 1;
  if (!may_show || Interrupted()) return std::nullopt;
  const Result<LatticeModel> lattice = OnLattice(model, seed, 0);
  LatticePass pass;
  if (!lattice) {
    if (lattice.error().kind == Error::Kind::kUsage) return std::nullopt;
    pass.why_not = lattice.error().message;
    return pass;
  }
  pass.inputs = lattice->Summary();
  ModelPower on_lattice(backend.Declared());
  judging.power = &on_lattice;
  Result<ModelVerdict> verdict = JudgeModel(backend, lattice->vector, path, judging);
  if (!verdict) {
    pass.why_not = verdict.error().message;
    return pass;
  }
  pass.backend.title = backend.Describe();
  pass.backend.verdict = std::move(*verdict);
  power.TakeLattice(on_lattice);
  return pass;
}

}  // namespace assay
