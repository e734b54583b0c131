#include "operator.h"

#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, kOperatorCount + 1> kOperatorNames = {
    "UNKNOWN",
    "ARGMAX",
    "AVG_POOL2D",
    "CONV2D",
    "CONV3D",
    "DEPTHWISE_CONV2D",
    "FFT2D",
    "MATMUL",
    "MAX_POOL2D",
    "RFFT2D",
    "TRANSPOSE_CONV2D",
    "CLAMP",
    "ERF",
    "SIGMOID",
    "TANH",
    "ADD",
    "ARITHMETIC_RIGHT_SHIFT",
    "BITWISE_AND",
    "BITWISE_OR",
    "BITWISE_XOR",
    "INTDIV",
    "LOGICAL_AND",
    "LOGICAL_LEFT_SHIFT",
    "LOGICAL_RIGHT_SHIFT",
    "LOGICAL_OR",
    "LOGICAL_XOR",
    "MAXIMUM",
    "MINIMUM",
    "MUL",
    "POW",
    "SUB",
    "TABLE",
    "ABS",
    "BITWISE_NOT",
    "CEIL",
    "CLZ",
    "COS",
    "EXP",
    "FLOOR",
    "LOG",
    "LOGICAL_NOT",
    "NEGATE",
    "RECIPROCAL",
    "RSQRT",
    "SIN",
    "SELECT",
    "EQUAL",
    "GREATER",
    "GREATER_EQUAL",
    "REDUCE_ALL",
    "REDUCE_ANY",
    "REDUCE_MAX",
    "REDUCE_MIN",
    "REDUCE_PRODUCT",
    "REDUCE_SUM",
    "CONCAT",
    "PAD",
    "RESHAPE",
    "REVERSE",
    "SLICE",
    "TILE",
    "TRANSPOSE",
    "GATHER",
    "SCATTER",
    "RESIZE",
    "CAST",
    "RESCALE",
    "CONST",
    "IDENTITY",
    "CUSTOM",
    "COND_IF",
    "WHILE_LOOP",
    "VARIABLE",
    "VARIABLE_WRITE",
    "VARIABLE_READ",
    "CONST_SHAPE",
};

constexpr std::string_view kAttributeNames[] = {
    "acc_type",
    "axis",
    "body_graph",
    "cond_graph",
    "dilation",
    "domain_name",
    "else_graph",
    "implementation_attrs",
    "initial_value",
    "input_unsigned",
    "inverse",
    "kernel",
    "local_bound",
    "max_val",
    "min_val",
    "mode",
    "name",
    "nan_mode",
    "operator_name",
    "out_pad",
    "output_unsigned",
    "pad",
    "per_channel",
    "perms",
    "round",
    "rounding_mode",
    "scale32",
    "stride",
    "then_graph",
    "type",
    "values",
    "var_shape",
};

}  // namespace

std::string_view OperatorName(Op op) {
  const auto index = static_cast<uint32_t>(op);
  return index < kOperatorNames.size() ? kOperatorNames[index] : kOperatorNames[0];
}

std::optional<Op> OperatorByName(std::string_view name) {
  for (uint32_t i = 1; i < kOperatorNames.size(); ++i) {
    if (kOperatorNames[i] == name) return static_cast<Op>(i);
  }
  return std::nullopt;
}

std::string_view AttributeName(AttributeId attribute) {
  return kAttributeNames[static_cast<uint8_t>(attribute)];
}

std::optional<AttributeId> AttributeByName(std::string_view name) {
  for (uint8_t i = 0; i < std::size(kAttributeNames); ++i) {
    if (kAttributeNames[i] == name) return static_cast<AttributeId>(i);
  }
  return std::nullopt;
}

}  // namespace assay
