// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "allowed_operators.h"

namespace assay {

// Adds a group of floating-point operators that networks consist of and backends fuse: a dot
// product with bias and activation, softmax, normalization, GELU, gates, residuals, quantization.
// Returns false, with the builder unchanged, if the drawn group does not fit the values in the
// pool.
bool GrowNetworkIdiom(GraphBuilder& builder, const Menu& menu);

}  // namespace assay
