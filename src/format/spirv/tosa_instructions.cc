// SPDX-License-Identifier: Apache-2.0
#include "tosa_instructions.h"

#include <algorithm>

#include "check.h"

namespace assay::spirv {
namespace {

// The names are those of the grammar extinst.tosa.001000.1, and equal to those of TOSA.
constexpr TosaInstruction kInstructions[] = {
    {Op::kArgmax, "axis nan_mode input"},
    {Op::kAvgPool2d, "kernel stride pad acc_type input input_zp! output_zp!"},
    {Op::kConv2d,
     "pad stride dilation acc_type local_bound input weight bias input_zp! "
     "weight_zp!"},
    {Op::kConv3d,
     "pad stride dilation acc_type local_bound input weight bias input_zp! "
     "weight_zp!"},
    {Op::kDepthwiseConv2d,
     "pad stride dilation acc_type local_bound input weight bias input_zp! "
     "weight_zp!"},
    {Op::kFft2d, "inverse local_bound input_real input_imag"},
    {Op::kMatmul, "A B A_zp! B_zp!"},
    {Op::kMaxPool2d, "kernel stride pad nan_mode input"},
    {Op::kRfft2d, "local_bound input_real"},
    {Op::kTransposeConv2d,
     "out_pad stride acc_type local_bound input weight bias input_zp! "
     "weight_zp!"},
    {Op::kClamp, "min_val max_val nan_mode input"},
    {Op::kErf, "input"},
    {Op::kSigmoid, "input"},
    {Op::kTanh, "input"},
    {Op::kAdd, "input1 input2"},
    {Op::kArithmeticRightShift, "round input1 input2"},
    {Op::kBitwiseAnd, "input1 input2"},
    {Op::kBitwiseOr, "input1 input2"},
    {Op::kBitwiseXor, "input1 input2"},
    {Op::kIntdiv, "input1 input2"},
    {Op::kLogicalAnd, "input1 input2"},
    {Op::kLogicalLeftShift, "input1 input2"},
    {Op::kLogicalRightShift, "input1 input2"},
    {Op::kLogicalOr, "input1 input2"},
    {Op::kLogicalXor, "input1 input2"},
    {Op::kMaximum, "nan_mode input1 input2"},
    {Op::kMinimum, "nan_mode input1 input2"},
    {Op::kMul, "input1 input2 shift!"},
    {Op::kPow, "input1 input2"},
    {Op::kSub, "input1 input2"},
    {Op::kTable, "input1 table!"},
    {Op::kAbs, "input1"},
    {Op::kBitwiseNot, "input1"},
    {Op::kCeil, "input1"},
    {Op::kClz, "input1"},
    {Op::kCos, "input1"},
    {Op::kExp, "input1"},
    {Op::kFloor, "input1"},
    {Op::kLog, "input1"},
    {Op::kLogicalNot, "input1"},
    {Op::kNegate, "input1 input1_zp! output_zp!"},
    {Op::kReciprocal, "input1"},
    {Op::kRsqrt, "input1"},
    {Op::kSin, "input1"},
    {Op::kSelect, "input1 input2 input3"},
    {Op::kEqual, "input1 input2"},
    {Op::kGreater, "input1 input2"},
    {Op::kGreaterEqual, "input1 input2"},
    {Op::kReduceAll, "axis input"},
    {Op::kReduceAny, "axis input"},
    {Op::kReduceMax, "axis nan_mode input"},
    {Op::kReduceMin, "axis nan_mode input"},
    {Op::kReduceProduct, "axis input"},
    {Op::kReduceSum, "axis input"},
    {Op::kConcat, "axis input1*"},
    {Op::kPad, "input1 padding! pad_const!"},
    {Op::kReshape, "input1 shape!"},
    {Op::kReverse, "axis input1"},
    {Op::kSlice, "input1 start! size!"},
    {Op::kTile, "input1 multiples!"},
    {Op::kTranspose, "perms input1"},
    {Op::kGather, "values indices"},
    {Op::kScatter, "values_in indices input"},
    {Op::kResize, "mode input scale! offset! border!"},
    {Op::kCast, "input"},
    {Op::kRescale,
     "scale32 rounding_mode per_channel input_unsigned output_unsigned input "
     "multiplier! shift! input_zp! output_zp!"},
};

constexpr DType kAccTypes[] = {DType::kInt32, DType::kFp16, DType::kFp32, DType::kInt48};

}  // namespace

std::span<const TosaInstruction> TosaInstructions() { return kInstructions; }

std::optional<uint32_t> NumberOf(Op op) {
  const auto* found = std::ranges::find(kInstructions, op, &TosaInstruction::op);
  if (found == std::end(kInstructions)) return std::nullopt;
  return static_cast<uint32_t>(found - kInstructions);
}

std::vector<TosaOperand> OperandsOf(const TosaInstruction& instruction) {
  const std::span<const ArgumentRow> arguments = RowOf(instruction.op).arguments;
  std::vector<TosaOperand> operands;
  std::string_view rest = instruction.operands;
  while (!rest.empty()) {
    std::string_view name = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    const bool constant = name.ends_with('!');
    const bool list = name.ends_with('*');
    if (constant || list) name.remove_suffix(1);
    size_t input = 0;
    const auto row = std::ranges::find_if(arguments, [&](const ArgumentRow& argument) {
      if (argument.direction != Direction::kOutput && argument.name == name) return true;
      if (argument.direction == Direction::kInput) ++input;
      return false;
    });
    Check(row != arguments.end(), "an operand of an extended instruction is no argument");
    operands.push_back({&*row, input, constant, list});
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
