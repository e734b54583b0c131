// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph_builder.h"

namespace assay {

// Operands that hold the specification's tables of special values and its NaN propagation modes
// entry by entry. They have every infinity, zero of either sign and NaN that an operator names a
// result for (pairs of them for two operands). Where an operator selects, NaN stands in the first,
// a middle and the last place, and alone. The operands also hold the bounds of the type's numbers.
// Returns the number of tables for a type row: one, or one for each NaN propagation mode. CLAMP has
// as many again for each pair of infinite bounds. Returns 0 for operators and types without such
// entries.
int SpecialTableCount(Op op, int type_row);

// Returns the title of a table: "special-table", "special-table-propagate",
// "special-table-ignore-all-lowest".
std::string SpecialTableTitle(Op op, int table);

// Adds the operator on the operands of a table to a builder of the special mode. Returns the
// result, if it is not refused.
MaybeValue AddSpecialTable(GraphBuilder& builder, Op op, int type_row, int table);

}  // namespace assay
