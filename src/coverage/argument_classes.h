// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "levels.h"
#include "operator_table.h"
#include "trace.h"

namespace assay {

// Returns all classes of an argument of an operator: an attribute, or a compile-time-constant
// operand. Returns nothing for an argument without classes (names, tables, values of constants;
// acc_type and type are part of the type row).
std::vector<std::string_view> ClassesOf(Op op, const ArgumentRow& argument);

// Returns the classes of an argument that an executed operator falls into.
std::vector<std::string_view> ClassesMet(const ExecutedOperator& executed, const OperatorRow& row,
                                         const ArgumentRow& argument, const Level& level);

}  // namespace assay
