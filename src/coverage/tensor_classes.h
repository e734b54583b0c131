// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator_table.h"
#include "trace.h"

namespace assay {

// Return the classes of the first operand that is data; if there is none, of the result. Examples
// are "rank 3", "a dimension of 1" and "only the first operand broadcast".
std::vector<std::string> ShapeClassesOf(const OperatorRow& row);
std::vector<std::string> ShapeClassesMet(const ExecutedOperator& executed, const OperatorRow& row);

// Return the classes of elements of a type: "zero", "lowest", "NaN". Empty for shapes.
std::vector<std::string_view> NumericClassesOf(DType type);
std::vector<std::string_view> NumericClassesMet(const DomainTensor<Scalar>& tensor);

// Returns true if an input is data: anything but a compile-time constant, an index or a shape.
// Operands that control flow passes to its blocks are no data, because the specification lists no
// types for them.
bool IsData(const ArgumentRow& argument);

}  // namespace assay
