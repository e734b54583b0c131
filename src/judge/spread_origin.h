// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "outcome.h"
#include "spread_distance.h"
#include "test_vector.h"

namespace assay {

// The seed of the ensemble. It is always the same, so that an ensemble depends on its vector only.
inline constexpr uint64_t kEnsembleSeed = 1;

// Compares output `output` of step `step` with the members' outcomes (ExecuteEnsemble).
SpreadDistance DistanceOfOutput(const std::vector<std::vector<Outcome>>& members,
                                const std::vector<Outcome>& got, size_t step, size_t output,
                                const Expectation* expected);

// The number of times that FindOrigin() runs the backend at most.
inline constexpr int kPrefixesMax = 12;

// Searches for the operator of the main block with which a suspect output of a step begins: the
// backend is beyond the threshold if the graph ends there, and is not if it ends with the operands.
// Bisects the operators that the output depends on, in the order of execution. Returns it as text,
// "CONV2D %12:fp32[1,8]". Returns "" if there is none: prefixes that the backend does not run, or
// whose results cannot be compared, count as not beyond.
std::string FindOrigin(Backend& backend, const TestVector& vector, size_t step, size_t output);

}  // namespace assay
