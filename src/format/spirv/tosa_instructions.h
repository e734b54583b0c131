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

// An extended instruction. Its number is its position in TosaInstructions().
struct TosaInstruction {
  Op op;
  // The names of the operands in order, separated by blanks: the attributes, and then the inputs.
  // '!' follows an input that must come from a constant instruction, '*' one that may be repeated.
  std::string_view operands;
};
std::span<const TosaInstruction> TosaInstructions();

// Returns the number of the instruction for an operator; nothing if there is none.
std::optional<uint32_t> NumberOf(Op op);

// One operand of an extended instruction.
struct TosaOperand {
  const ArgumentRow* argument;  // of the operator, with its name and its attribute
  size_t input;                 // of an input, its position among the operator's inputs
  bool constant;                // it must come from a constant instruction
  bool list;
};
std::vector<TosaOperand> OperandsOf(const TosaInstruction& instruction);

// The numbers that `acc_type` has, which are not those of `.tosa` files. ToAccType() returns
// kUnknown for another number.
uint32_t FromAccType(DType type);
DType ToAccType(uint32_t number);

}  // namespace assay::spirv
