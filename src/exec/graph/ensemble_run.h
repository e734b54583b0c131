// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "executor.h"
#include "member.h"

namespace assay {

// Runs all steps of a vector as every member of the ensemble does. Returns the outcomes of each
// member, in the order of Ensemble(). They are a pure function of the vector and the seed.
// `options` apply to every member. The runs end early, with one result less, after a member that a
// cap has stopped (kUnsupported). As many members run at once as Threads() tells.
std::vector<std::vector<Outcome>> ExecuteEnsemble(const TestVector& vector,
                                                  const ExecutionOptions& options, uint64_t seed);

// Returns the number of multiplications and additions in the sums and dot products of an operator,
// or the largest number if there are more. The operator may break rules.
int64_t MultiplyAccumulates(const Block& block, const Operator& op);

// Returns the number of multiplications and additions in the sums and dot products of a vector: of
// all steps, with each block of a graph counted once.
int64_t MultiplyAccumulates(const TestVector& vector);

}  // namespace assay
