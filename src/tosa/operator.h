#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

// The operators of TOSA 1.0. Enumerator values are those of the `.tosa` wire format, where the
// attribute table of an operator has the same number.
enum class Op : uint32_t {
  kUnknown = 0,
  kArgmax = 1,
  kAvgPool2d = 2,
  kConv2d = 3,
  kConv3d = 4,
  kDepthwiseConv2d = 5,
  kFft2d = 6,
  kMatmul = 7,
  kMaxPool2d = 8,
  kRfft2d = 9,
  kTransposeConv2d = 10,
  kClamp = 11,
  kErf = 12,
  kSigmoid = 13,
  kTanh = 14,
  kAdd = 15,
  kArithmeticRightShift = 16,
  kBitwiseAnd = 17,
  kBitwiseOr = 18,
  kBitwiseXor = 19,
  kIntdiv = 20,
  kLogicalAnd = 21,
  kLogicalLeftShift = 22,
  kLogicalRightShift = 23,
  kLogicalOr = 24,
  kLogicalXor = 25,
  kMaximum = 26,
  kMinimum = 27,
  kMul = 28,
  kPow = 29,
  kSub = 30,
  kTable = 31,
  kAbs = 32,
  kBitwiseNot = 33,
  kCeil = 34,
  kClz = 35,
  kCos = 36,
  kExp = 37,
  kFloor = 38,
  kLog = 39,
  kLogicalNot = 40,
  kNegate = 41,
  kReciprocal = 42,
  kRsqrt = 43,
  kSin = 44,
  kSelect = 45,
  kEqual = 46,
  kGreater = 47,
  kGreaterEqual = 48,
  kReduceAll = 49,
  kReduceAny = 50,
  kReduceMax = 51,
  kReduceMin = 52,
  kReduceProduct = 53,
  kReduceSum = 54,
  kConcat = 55,
  kPad = 56,
  kReshape = 57,
  kReverse = 58,
  kSlice = 59,
  kTile = 60,
  kTranspose = 61,
  kGather = 62,
  kScatter = 63,
  kResize = 64,
  kCast = 65,
  kRescale = 66,
  kConst = 67,
  kIdentity = 68,
  kCustom = 69,
  kCondIf = 70,
  kWhileLoop = 71,
  kVariable = 72,
  kVariableWrite = 73,
  kVariableRead = 74,
  kConstShape = 75,
};

inline constexpr int kOperatorCount = 75;

// What makes a compile-time constant.
constexpr bool IsConstant(Op op) { return op == Op::kConst || op == Op::kConstShape; }
constexpr bool IsControlFlow(Op op) { return op == Op::kCondIf || op == Op::kWhileLoop; }
constexpr bool IsVariableOperator(Op op) {
  return op == Op::kVariable || op == Op::kVariableRead || op == Op::kVariableWrite;
}

// "CONV2D". "UNKNOWN" for kUnknown.
std::string_view OperatorName(Op op);
std::optional<Op> OperatorByName(std::string_view name);

// The attributes of all operators, by the names of the specification's Arguments tables.
enum class AttributeId : uint8_t {
  kAccType,
  kAxis,
  kBodyGraph,
  kCondGraph,
  kDilation,
  kDomainName,
  kElseGraph,
  kImplementationAttrs,
  kInitialValue,
  kInputUnsigned,
  kInverse,
  kKernel,
  kLocalBound,
  kMaxVal,
  kMinVal,
  kMode,
  kName,
  kNanMode,
  kOperatorName,
  kOutPad,
  kOutputUnsigned,
  kPad,
  kPerChannel,
  kPerms,
  kRound,
  kRoundingMode,
  kScale32,
  kStride,
  kThenGraph,
  kType,
  kValues,
  kVarShape,
};

// "acc_type".
std::string_view AttributeName(AttributeId attribute);
// Whether its text is the name of a block that control flow runs.
constexpr bool NamesBlock(AttributeId attribute) {
  return attribute == AttributeId::kThenGraph || attribute == AttributeId::kElseGraph ||
         attribute == AttributeId::kCondGraph || attribute == AttributeId::kBodyGraph;
}
std::optional<AttributeId> AttributeByName(std::string_view name);

}  // namespace assay
