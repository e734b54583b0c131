#pragma once

#include <string>

#include "graph_builder.h"

namespace assay {

// Operands that hold the specification's tables of special values and its NaN propagation modes
// entry by entry: every infinity, zero of either sign and NaN that an operator names a result for
// (pairs of them for two operands), and NaN in the first, a middle and the last place and alone
// where an operator selects. Beside them the bounds of the type's numbers.

// How many tables there are for a type row: one, or one for each NaN propagation mode; of CLAMP as
// many again for bounds that are infinite. None for operators and types that have no such entries.
int SpecialTableCount(Op op, int type_row);

// "special-table", "special-table-propagate", "special-table-ignore-all-lowest".
std::string SpecialTableTitle(Op op, int table);

// Adds the operator on the operands of a table to a builder of the special mode: index of the
// result, or -1.
ValueIndex AddSpecialTable(GraphBuilder& builder, Op op, int type_row, int table);

}  // namespace assay
