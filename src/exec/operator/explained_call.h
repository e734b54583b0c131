// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "calculation.h"
#include "domain.h"
#include "graph.h"

namespace assay {

// An operator with the operands that it had in an execution, and the types of its results.
struct OperatorCall {
  const Operator* op = nullptr;
  std::vector<DomainTensor<Scalar>> inputs;  // in the order of the Arguments table
  std::vector<TensorType> outputs;
};

// The way in which one element of a result comes about.
struct ExplainedElement {
  Scalar value;
  // Set if the element is that of an operand, unchanged. Then there are no lines.
  std::optional<Calculation::Place> moved_from;
  // The calculation.
  Calculation::Text text;
};

// Explains element `element` of result `output`. `name_of` names an element of an operand. Returns
// nothing for control flow, variables, constants and CUSTOM, and if the call has too many steps to
// be recorded (a few million).
std::optional<ExplainedElement> ExplainElement(const OperatorCall& call, int output,
                                               int64_t element, const Calculation::NameOf& name_of);

}  // namespace assay
