// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "operator_names.h"  // Op, kOperatorCount, AttributeId: generated from corpus/spec

namespace assay {

// Returns true for an operator that makes a compile-time constant.
constexpr bool IsConstant(Op op) { return op == Op::kConst || op == Op::kConstShape; }
constexpr bool IsControlFlow(Op op) { return op == Op::kCondIf || op == Op::kWhileLoop; }
constexpr bool IsVariableOperator(Op op) {
  return op == Op::kVariable || op == Op::kVariableRead || op == Op::kVariableWrite;
}

// Returns "CONV2D"; "UNKNOWN" for kUnknown.
std::string_view OperatorName(Op op);
std::optional<Op> OperatorByName(std::string_view name);

// "acc_type".
std::string_view AttributeName(AttributeId attribute);
// Returns true if the attribute's text is the name of a block that control flow runs.
constexpr bool NamesBlock(AttributeId attribute) {
  return attribute == AttributeId::kThenGraph || attribute == AttributeId::kElseGraph ||
         attribute == AttributeId::kCondGraph || attribute == AttributeId::kBodyGraph;
}
std::optional<AttributeId> AttributeByName(std::string_view name);

// Returns the names of the values 1, 2, ... of an attribute that is an enumeration; none for
// others.
std::span<const std::string_view> EnumeratorNames(AttributeId attribute);

}  // namespace assay
