// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend.h"
#include "test_vector.h"

namespace assay {

// Returns a SHA-256 of what a backend gets of a vector: its level, its graphs, and the inputs and
// variables of its steps. Expectations, names and tags of the vector are no part of it, so that
// answers stay valid when another version of Assay expects something else.
std::string VectorKey(const TestVector& vector);

// Returns the key of a run that is asked for taps.
std::string TapsKey(const TestVector& vector, const TapRequest& asked);

}  // namespace assay
