// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph_edit.h"

namespace assay {

// Returns the types of the operands of each operator, by operator. Call it before an edit.
std::vector<std::vector<TensorType>> OperandTypes(const Block& block);

// Computes all types of the main block again, operator by operator, from the types of its inputs
// and constants. `before` is OperandTypes() before the edit. Attributes and shape operands that no
// longer fit are repaired so that they mean the same for the new shapes: a slice of everything
// stays one, a reshape keeps its axes, an axis stays in range, padding grows until the stride
// divides. Returns false if an operator cannot be made to fit.
bool Reinfer(GraphEdit& edit, const std::vector<std::vector<TensorType>>& before);

}  // namespace assay
