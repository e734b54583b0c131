// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "operator_table.h"

namespace assay::spirv {

inline constexpr std::string_view kTosaInstructionSet = "TOSA.001000.1";

// The instructions that name the parts of a graph, with their numbers. kDebugGraph takes a graph
// and its name, kDebugOperation a DebugGraph, a name and results of instructions, kDebugTensor a
// tensor, its name and, of a struct, its number.
inline constexpr std::string_view kDebugInstructionSet = "NonSemantic.Graph.DebugInfo.1";
inline constexpr uint32_t kDebugGraph = 1;
inline constexpr uint32_t kDebugOperation = 2;
inline constexpr uint32_t kDebugTensor = 3;

// The operators that are extended instructions, by the numbers of these. The grammar
// extinst.tosa.001000.1 has the operators up to RESCALE, in the order of the specification.
std::span<const OperatorRow> TosaInstructions();

// Returns the number of the instruction for an operator; nothing if there is none.
std::optional<uint32_t> NumberOf(Op op);

// One operand of an extended instruction. A compile-time constant comes from a constant
// instruction.
struct TosaOperand {
  const ArgumentRow* argument;  // an attribute or input of the operator
  size_t input;                 // of an input, its position among the operator's inputs
};
// Returns the operands in the order of the grammar. The attributes come before the inputs, both as
// the specification lists them.
std::vector<TosaOperand> OperandsOf(const OperatorRow& instruction);

// The numbers that `acc_type` has, which are not those of `.tosa` files. ToAccType() returns
// kUnknown for another number.
uint32_t FromAccType(DType type);
DType ToAccType(uint32_t number);

}  // namespace assay::spirv
