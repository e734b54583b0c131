// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "declarations.h"
#include "outcome.h"
#include "test_vector.h"
#include "verdict.h"

namespace assay {

// Returns a finding for each type of which a run keeps a subnormal number although
// `flushes_subnormals` is declared, or flushes one although `keeps_subnormals` is. `rests_on` names
// the declaration. The outcomes must agree with the vector's expectation; results that do not are
// passed over. The evidence is that of the oracle: a result of arithmetic that is subnormal, a zero
// that only a flush explains, or a result that is right only for kept, or only for flushed, numbers
// of the vector.
std::vector<Finding> FindingsOfFlushing(const TestVector& vector, std::span<const Outcome> outcomes,
                                        const Declarations& declared);

}  // namespace assay
