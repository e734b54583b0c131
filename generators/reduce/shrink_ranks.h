// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "shrink_moves.h"

namespace assay {

// Returns the classes of axes of length 1 in a main block (DimensionClasses), each once.
std::vector<int32_t> ClassesOfOne(const Block& block);

// Removes the axes of a class, which are of length 1, from all tensors. Attributes and shape
// operands that name axes change with them.
Candidate DropAxes(const TestVector& vector, int32_t graph, int32_t dimension_class);

}  // namespace assay
