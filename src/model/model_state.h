// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mutants.h"
#include "test_vector.h"

namespace assay {

// A mutant of control flow or state, which is in all operators of its kind at once.
struct StateFault {
  const Mutant* mutant;
  std::vector<size_t> layers;  // numbers, from 1; of VARIABLE: those that read and write
};

// Returns the faults that can show in a model with these layers, in the order of the table of
// mutants. A model is one graph, so no other graph shares or declares its variables.
std::vector<StateFault> StateFaultsOf(const TestVector& model, const std::vector<Op>& layers);

}  // namespace assay
