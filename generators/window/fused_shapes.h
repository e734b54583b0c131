// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "operator.h"

namespace assay {

// Returns true if backends fuse operators like these in practice: a dot product with bias,
// activation, rescale, residual addition or padding; pooling; softmax; layer normalization;
// attention; gates. `operators` are those of a connected part of a graph, without constants. A
// single operator is never fused.
bool AreFusedInPractice(std::span<const Op> operators);

}  // namespace assay
