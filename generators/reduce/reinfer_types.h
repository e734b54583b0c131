#pragma once

#include <vector>

#include "graph_edit.h"

namespace assay {

// The types that the operands of each operator had before an edit, by operator.
std::vector<std::vector<TensorType>> OperandTypes(const Block& block);

// Works out all types of the main block again, operator by operator, from those of its inputs and
// constants; `before` is OperandTypes() before the edit. Attributes and shape operands that no
// longer fit are repaired so that they say the same of the new shapes: a slice of everything stays
// one, a reshape keeps its axes, an axis stays in range, padding grows until the stride divides.
// False if an operator cannot be made to fit.
bool Reinfer(GraphEdit& edit, const std::vector<std::vector<TensorType>>& before);

}  // namespace assay
