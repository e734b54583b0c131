// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.h"

namespace assay {

// Taps for backends that return nothing but outputs: an inner tensor becomes an output.

// The elements that an execution may keep whose every value is an output. It has to keep them in
// the form of their type only, so there may be more than ExecutionOptions::elements_max.
inline constexpr int64_t kKeptElementsMax = int64_t{1} << 28;

// Returns the vector with further outputs of the main blocks: the tensors that are asked for, in
// order, behind the graph's own. Expectations stay those of the vector.
TestVector WithTapsAsOutputs(const TestVector& vector, const TapRequest& asked);

// Moves the values of the further outputs out of the outcomes of such a vector.
TappedRun TakeTapsFromOutputs(const TestVector& vector, const TapRequest& asked,
                              std::vector<Outcome> outcomes);

}  // namespace assay
