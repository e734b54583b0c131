// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "test_vector.h"
#include "windows.h"

namespace assay {

// Returns the parts of a model that carry state: for each variable of its main block, the operators
// that read and write it and those between, as a vector of its own. Variables whose operators meet
// are in one part. It has the steps of the model, with their contexts. Its inputs are the values
// that the reference executor has in each step. Its outputs are what the rest of the model reads,
// or what the variables hold if nothing does. Variables that a called block uses, and parts with
// control flow, are left out. There is no expectation.
std::vector<Window> StateSequences(const TestVector& model);

}  // namespace assay
