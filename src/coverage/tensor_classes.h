#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator_table.h"
#include "trace.h"

namespace assay {

// "rank 3", "a dimension of 1", "only the first operand broadcast": of the first operand that is
// data, or of the result where there is none.
std::vector<std::string> ShapeClassesOf(const OperatorRow& row);
std::vector<std::string> ShapeClassesMet(const ExecutedOperator& executed, const OperatorRow& row);

// "zero", "lowest", "NaN": what elements of a type can be. Empty for shapes.
std::vector<std::string_view> NumericClassesOf(DType type);
std::vector<std::string_view> NumericClassesMet(const DomainTensor<Scalar>& tensor);

// Whether an input is data: anything but a compile-time constant, an index or a shape. Not what
// control flow hands to its blocks, for which the specification lists no types.
bool IsData(const ArgumentRow& argument);

}  // namespace assay
