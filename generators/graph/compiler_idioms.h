#pragma once

#include "allowed_operators.h"

namespace assay {

// Adds a group of operators that compilers like to merge, fold or reorder: casts of casts, a slice
// of a concatenation, sums with zero, a select with a constant condition... False, with the builder
// as it was, if the one that was drawn does not fit what is there.
bool GrowIdiom(GraphBuilder& builder, const Menu& menu);

}  // namespace assay
