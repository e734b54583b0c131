// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor.h"
#include "mutants.h"
#include "test_vector.h"

namespace assay {

// Returns the options with which vectors run on a mutant, or on none if it is null. They end loops
// that a mutant never leaves; vectors that need more iterations are not used.
ExecutionOptions ExecutionOf(const Mutant* mutant);

// Returns what an execution of a vector takes, in multiply-accumulates and elements of tensors.
int64_t ExecutionWork(const TestVector& vector);

// Returns how a vector kills a mutant, in one line; "" if it does not. If `reached` is not null, it
// is set if the mutant says that it changes something (RunMutant()).
std::string KilledBy(const Mutant& mutant, const TestVector& vector, bool* reached = nullptr);

// Returns the positions in AllMutants() of the mutants that a vector kills. None if the executor
// without a fault does not agree with the vector.
std::vector<size_t> KillsOf(const TestVector& vector);

}  // namespace assay
