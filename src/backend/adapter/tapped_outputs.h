#pragma once

#include "backend.h"

namespace assay {

// Taps for backends that return nothing but outputs: an inner tensor becomes an output.

// Returns the vector with further outputs of the main blocks: the tensors that are asked for, in
// order, behind the graph's own. Expectations stay those of the vector.
TestVector WithTapsAsOutputs(const TestVector& vector, const TapRequest& asked);

// Moves the values of the further outputs out of the outcomes of such a vector.
TappedRun TakeTapsFromOutputs(const TestVector& vector, const TapRequest& asked,
                              std::vector<Outcome> outcomes);

}  // namespace assay
