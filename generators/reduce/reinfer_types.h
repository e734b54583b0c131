// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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

// Applies an edit to a copy of the vector, computes the types of the graph again, and sweeps it.
// `edit_with` takes the GraphEdit and returns false if it cannot be made. Returns nothing if it
// cannot, or if nothing would be left.
template <class Edit>
std::optional<TestVector> Edited(const TestVector& vector, int32_t graph, Edit edit_with) {
  TestVector copy = vector;
  GraphEdit edit(copy, graph);
  const auto before = OperandTypes(edit.main());
  if (!edit_with(edit) || !Reinfer(edit, before)) return std::nullopt;
  edit.Sweep();
  if (edit.main().operators.empty()) return std::nullopt;
  return copy;
}

}  // namespace assay
