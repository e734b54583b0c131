// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend.h"
#include "test_vector.h"
#include "verdict.h"
#include "wrong_elements.h"

namespace assay {

// Runs the vector once more and returns the elements of the output that the finding names, for a
// picture. Returns nothing if the finding is about something other than values of an output, or if
// the output is right this time.
std::optional<WrongElements> FindWrongElements(Backend& backend, const TestVector& vector,
                                               const Finding& finding);

// Returns the elements of an output with the type and the shape of its expectation.
WrongElements WrongElementsOf(const Expectation& expectation, const Tensor& got,
                              const std::string& name, int64_t first_wrong);

}  // namespace assay
