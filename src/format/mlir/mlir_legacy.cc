// SPDX-License-Identifier: Apache-2.0
#include "mlir_legacy.h"

#include <cstdint>
#include <tuple>
#include <utility>

#include "mlir_literals.h"
#include "mlir_types.h"
#include "operator_table.h"

namespace assay {
namespace {

// Writes one operator.
class LegacyWriter {
 public:
  LegacyWriter(const Block& block, const Operator& op) : block_(block), op_(op) {}

  LegacyOperator Write() {
    out_.name = MlirOperatorName(OperatorName(op_.op));
    out_.operands = op_.inputs;
    if (op_.attributes.Has(AttributeId::kNanMode) &&
        op_.attributes.nan_mode() != NanMode::kPropagate) {
      Fail("NaN modes");
    }
    for (const std::vector<TensorIndex>* tensors : {&op_.inputs, &op_.outputs}) {
      for (const TensorIndex tensor : *tensors) {
        const DType type = block_.TypeOf(tensor).type;
        if (type == DType::kFp8e4m3 || type == DType::kFp8e5m2) Fail("fp8");
      }
    }
    WriteByOperator();
    return std::move(out_);
  }

 private:
  void Fail(const std::string& what) {
    if (out_.problem.empty()) out_.problem = what + " in LLVM 19";
  }

  void Add(std::string_view name, const std::string& value) {
    out_.attributes += (out_.attributes.empty() ? "" : ", ") + std::string(name) + " = " + value;
  }

  // Adds an attribute that is the same in both dialects, if the operator has it.
  void Keep(AttributeId id) {
    const AttributeValue* value = op_.attributes.Find(id);
    if (value != nullptr) Add(AttributeName(id), MlirAttribute(id, *value));
  }

  void Keep(std::initializer_list<AttributeId> ids) {
    for (const AttributeId id : ids) Keep(id);
  }

  // Returns the value of an operand that has to be constant.
  const Tensor& ConstantOperand(size_t operand) {
    static const Tensor none =
        Tensor::FromIntegers(DType::kInt32, Shape(std::initializer_list<int32_t>{0}), {});
    const Operator* producer =
        operand < op_.inputs.size() ? block_.ProducerOf(op_.inputs[operand]) : nullptr;
    if (producer != nullptr && IsConstant(producer->op)) {
      return producer->attributes.Value(AttributeId::kValues);
    }
    Fail("an operand of " + std::string(OperatorName(op_.op)) + " that is no constant");
    return none;
  }

  std::vector<int64_t> ConstantList(size_t operand) {
    const Tensor& tensor = ConstantOperand(operand);
    std::vector<int64_t> list;
    for (int64_t i = 0; i < tensor.elements(); ++i) list.push_back(tensor.Integer(i));
    return list;
  }

  // Returns a zero point. Those of floats are 0.
  std::string ZeroPoint(size_t operand) {
    const Tensor& value = ConstantOperand(operand);
    if (value.elements() != 1) Fail("a zero point of another shape");
    const bool is_float = IsFloat(value.type());
    return std::to_string(is_float || value.elements() != 1 ? 0 : value.Integer(0));
  }

  // Makes the operands from `first` on an attribute, if the operator is one on 8-bit integers.
  // Others have zero points of 0. Convolutions of other integers need the attribute as well.
  void QuantizedBy(std::string_view name, std::string_view a, std::string_view b, size_t first) {
    const DType type = block_.TypeOf(op_.inputs[0]).type;
    const std::string zero_a = ZeroPoint(first), zero_b = ZeroPoint(first + 1);
    out_.operands.resize(first);
    if (IsFloat(type) || (type != DType::kInt8 && name != "conv_quant")) return;
    Add("quantization_info", "#tosa." + std::string(name) + "<" + std::string(a) + " = " + zero_a +
                                 ", " + std::string(b) + " = " + zero_b + ">");
  }

  // Accumulates in the type of the result, and has a bias for each channel.
  void Convolution() {
    const TensorType& result = block_.TypeOf(op_.outputs[0]);
    if (op_.attributes.type(AttributeId::kAccType) != result.type) {
      Fail("an accumulator of another type than the result");
    }
    if (block_.TypeOf(op_.inputs[2]).shape[0] != result.shape[result.shape.rank() - 1]) {
      Fail("a bias of one element");
    }
    QuantizedBy("conv_quant", "input_zp", "weight_zp", 3);
    Keep({AttributeId::kPad, AttributeId::kOutPad, AttributeId::kStride, AttributeId::kDilation,
          AttributeId::kLocalBound});
    if (op_.op != Op::kTransposeConv2d) return;
    std::vector<int64_t> shape;
    for (const int32_t size : result.shape.dims()) shape.push_back(size);
    Add("out_shape", MlirArray("i64", shape));
  }

  void ShapeOperand(size_t operand, std::string_view attribute) {
    Add(attribute, MlirArray("i64", ConstantList(operand)));
  }

  void Clamp() {
    for (const auto& [id, integer, real] :
         {std::tuple(AttributeId::kMinVal, "min_int", "min_fp"),
          std::tuple(AttributeId::kMaxVal, "max_int", "max_fp")}) {
      const Tensor& value = op_.attributes.Value(id);
      const bool is_float = IsFloat(value.type());
      Add(integer, (is_float ? "0" : std::to_string(value.Integer(0))) + " : i64");
      Add(real, is_float ? MlirElement(value, 0) + " : " + std::string(MlirTypeName(value.type()))
                         : "0.0 : f32");
    }
  }

  static Tensor Integers(const std::vector<int64_t>& values, const Shape& shape) {
    return Tensor::FromIntegers(DType::kInt32, shape, values);
  }

  void Pad() {
    const std::vector<int64_t> sizes = ConstantList(1);
    const Tensor& value = ConstantOperand(2);
    if (!out_.problem.empty()) return;
    out_.operands.resize(1);
    out_.constants = {Integers(sizes, Shape({static_cast<int32_t>(sizes.size() / 2), 2})),
                      value.Reshaped(Shape())};
  }

  void Transpose() {
    const std::vector<int32_t>& perms = op_.attributes.Ints(AttributeId::kPerms);
    const std::vector<int64_t> wide(perms.begin(), perms.end());
    out_.constants = {Integers(wide, Shape({static_cast<int32_t>(perms.size())}))};
  }

  void Rescale() {
    const Attributes& attributes = op_.attributes;
    const auto rounding = static_cast<RoundingMode>(attributes.Int(AttributeId::kRoundingMode));
    if (rounding == RoundingMode::kInexactRound) Fail("INEXACT_ROUND");
    if (attributes.Flag(AttributeId::kInputUnsigned) ||
        attributes.Flag(AttributeId::kOutputUnsigned)) {
      Fail("unsigned RESCALE");
    }
    Add("multiplier", MlirArray("i32", ConstantList(1)));
    Add("shift", MlirArray("i8", ConstantList(2)));
    Add("input_zp", ZeroPoint(3) + " : i32");
    Add("output_zp", ZeroPoint(4) + " : i32");
    Add("double_round", rounding == RoundingMode::kDoubleRound ? "true" : "false");
    Keep({AttributeId::kScale32, AttributeId::kPerChannel});
    out_.operands.resize(1);
  }

  void WriteByOperator() {
    switch (op_.op) {
      case Op::kConv2d:
      case Op::kConv3d:
      case Op::kDepthwiseConv2d:
      case Op::kTransposeConv2d:
        return Convolution();
      case Op::kAvgPool2d:
        QuantizedBy("unary_quant", "input_zp", "output_zp", 1);
        return Keep(
            {AttributeId::kKernel, AttributeId::kStride, AttributeId::kPad, AttributeId::kAccType});
      case Op::kMaxPool2d:
        return Keep({AttributeId::kKernel, AttributeId::kStride, AttributeId::kPad});
      case Op::kMatmul:
        return QuantizedBy("matmul_quant", "a_zp", "b_zp", 2);
      case Op::kNegate:
        return QuantizedBy("unary_quant", "input_zp", "output_zp", 1);
      case Op::kClamp:
        return Clamp();
      case Op::kMul:
        Add("shift", std::to_string(ConstantList(2).empty() ? 0 : ConstantList(2)[0]) + " : i8");
        return out_.operands.resize(2);
      case Op::kPad:
        return Pad();
      case Op::kReshape:
        ShapeOperand(1, "new_shape");
        return out_.operands.resize(1);
      case Op::kSlice:
        ShapeOperand(1, "start");
        ShapeOperand(2, "size");
        return out_.operands.resize(1);
      case Op::kTile:
        ShapeOperand(1, "multiples");
        return out_.operands.resize(1);
      case Op::kTranspose:
        return Transpose();
      case Op::kResize:
        ShapeOperand(1, "scale");
        ShapeOperand(2, "offset");
        ShapeOperand(3, "border");
        Add("mode", MlirQuoted(MlirEnumeratorName(AttributeId::kMode,
                                                  op_.attributes.Int(AttributeId::kMode))));
        return out_.operands.resize(1);
      case Op::kRescale:
        return Rescale();
      case Op::kConst:
        return Add("value", MlirDense(op_.attributes.Value(AttributeId::kValues)));
      case Op::kIntdiv:
        out_.name = "tosa.int_div";
        return;
      case Op::kReduceProduct:
        out_.name = "tosa.reduce_prod";
        return Keep(AttributeId::kAxis);
      case Op::kCondIf:
      case Op::kWhileLoop:
        return;
      case Op::kVariableRead:
      case Op::kVariableWrite:
        out_.name = op_.op == Op::kVariableRead ? "tosa.variable.read" : "tosa.variable.write";
        return Add("name", MlirQuoted(op_.attributes.Text(AttributeId::kName)));
      case Op::kCustom:
        return Fail("CUSTOM");
      default:
        return Keep({AttributeId::kAxis, AttributeId::kInverse, AttributeId::kLocalBound,
                     AttributeId::kRound});
    }
  }

  const Block& block_;
  const Operator& op_;
  LegacyOperator out_;
};

}  // namespace

LegacyOperator ToLegacy(const Block& block, const Operator& op) {
  return LegacyWriter(block, op).Write();
}

}  // namespace assay
