// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model_verdict.h"

namespace assay {

// The second pass of a run: the model with weights on a lattice, where sums have one right value.
struct LatticePass {
  std::string inputs;   // one line: what is on the lattice
  std::string why_not;  // the reason if there is no verdict
  BackendOnModel backend;
};

// Judges a model that agrees with weights on a lattice, if faults are open (ModelPower). Those that
// it shows are so in `power`. `judging` is that of the first pass. Returns nothing if no fault is
// open, and for a model that runs several steps, has no weights of floats, or takes too many
// multiply-accumulates.
std::optional<LatticePass> JudgeOnLattice(Backend& backend, const TestVector& model,
                                          const std::string& path, uint64_t seed,
                                          ModelJudging judging, ModelPower& power);

}  // namespace assay
