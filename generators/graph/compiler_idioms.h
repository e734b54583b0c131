// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "allowed_operators.h"

namespace assay {

// Adds a group of operators that compilers like to merge, fold or reorder: casts of casts, a slice
// of a concatenation, sums with zero, a select with a constant condition... Returns false, with the
// builder unchanged, if the drawn group does not fit the values in the pool.
bool GrowIdiom(GraphBuilder& builder, const Menu& menu);

}  // namespace assay
