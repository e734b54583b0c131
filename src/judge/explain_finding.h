// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "result.h"
#include "test_vector.h"
#include "verdict.h"

namespace assay {

// An element of an output of the vector, or of a variable after a step.
struct ExplainedPlace {
  int32_t step = 0;
  std::string tensor;  // or the variable
  bool is_variable = false;
  int64_t element = 0;
};

// Returns the place of the element that a finding names. Error kBadInput if the vector has no such
// element; kUnsupported if the finding is about something other than an element.
Result<ExplainedPlace> PlaceOfFinding(const TestVector& vector, const Finding& finding);

// Returns the place that "t3[0,1]" names in a step. Error kBadInput if there is none.
Result<ExplainedPlace> PlaceOfElement(const TestVector& vector, int32_t step,
                                      const std::string& element);

// Explains in lines of text how the reference executor calculates an element: the operators on the
// way to it, from the element backwards, each with its arithmetic on the elements that it uses.
// Data movement is followed to its source, and calculated operands through at most `depth`
// operators. Error kUnsupported if the step is not valid or has no such value.
Result<std::string> ExplainElementOf(const TestVector& vector, const ExplainedPlace& place,
                                     int depth);

// Explains a finding: what is wrong, how the right value comes about or which rule decides, what is
// allowed, what came back, and the readings of the specification behind it.
std::string ExplainFinding(const TestVector& vector, const Finding& finding, int depth);

}  // namespace assay
