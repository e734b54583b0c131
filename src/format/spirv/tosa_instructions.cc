// SPDX-License-Identifier: Apache-2.0
#include "tosa_instructions.h"

#include <algorithm>
#include <iterator>

namespace assay::spirv {
namespace {

constexpr DType kAccTypes[] = {DType::kInt32, DType::kFp16, DType::kFp32, DType::kInt48};

}  // namespace

std::span<const OperatorRow> TosaInstructions() {
  return AllOperators().first(static_cast<size_t>(Op::kRescale));  // operators count from 1
}

std::optional<uint32_t> NumberOf(Op op) {
  const auto number = static_cast<uint32_t>(op) - 1;
  return number < TosaInstructions().size() ? std::optional(number) : std::nullopt;
}

std::vector<TosaOperand> OperandsOf(const OperatorRow& instruction) {
  std::vector<TosaOperand> operands;
  for (const ArgumentRow& argument : instruction.arguments) {
    if (argument.direction == Direction::kAttribute) operands.push_back({&argument, 0});
  }
  size_t input = 0;
  for (const ArgumentRow& argument : instruction.arguments) {
    if (argument.direction == Direction::kInput) operands.push_back({&argument, input++});
  }
  return operands;
}

uint32_t FromAccType(DType type) {
  const auto* found = std::ranges::find(kAccTypes, type);
  return found == std::end(kAccTypes) ? 0 : static_cast<uint32_t>(found - kAccTypes) + 1;
}

DType ToAccType(uint32_t number) {
  return number >= 1 && number <= std::size(kAccTypes) ? kAccTypes[number - 1] : DType::kUnknown;
}

}  // namespace assay::spirv
