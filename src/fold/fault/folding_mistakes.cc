// SPDX-License-Identifier: Apache-2.0
#include "folding_mistakes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "float_format.h"

namespace assay {
namespace {

Tensor Flushed(const Tensor& tensor) {
  if (!IsFloat(tensor.type())) return tensor;
  std::vector<int64_t> bits;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = tensor.Float(i);
    const bool is_small = std::abs(value) < FormatOf(tensor.type()).normal_min;
    bits.push_back(is_small ? 0 : int64_t{tensor.FloatBits(i)});
  }
  return Tensor::FromIntegers(tensor.type(), tensor.shape(), bits);
}

Tensor AsSplat(const Tensor& tensor) {
  if (!IsFloat(tensor.type()) || tensor.elements() == 0) return tensor;
  for (int64_t i = 1; i < tensor.elements(); ++i) {
    if (tensor.Float(i) != tensor.Float(0)) return tensor;
  }
  return Tensor::Splat(tensor.type(), tensor.shape(), tensor.FloatBits(0));
}

}  // namespace

TensorIndex AddTensor(Block& block, std::string name, TensorType type) {
  while (block.FindTensor(name)) name += "_";
  return block.AddTensor(std::move(name), std::move(type));
}

Attributes Carried(const Attributes& attributes, bool are_lost) {
  Attributes carried = attributes;
  if (!are_lost) return carried;
  for (const auto& [id, value] : attributes.entries()) {
    if (std::holds_alternative<bool>(value)) carried.Set(id, false);
    if (id == AttributeId::kAxis) carried.Set(id, int32_t{0});
    if (id == AttributeId::kMinVal || id == AttributeId::kMaxVal) {
      const Tensor& limit = std::get<Tensor>(value);
      carried.Set(id, Tensor::Splat(limit.type(), limit.shape(), 0));
    }
    if (const auto* list = std::get_if<std::vector<int32_t>>(&value)) {
      std::vector<int32_t> sorted = *list;
      std::ranges::sort(sorted);
      carried.Set(id, sorted);
    }
  }
  return carried;
}

void Spoil(std::vector<Tensor>& results, FoldStage which, FoldFault fault) {
  const bool early = which == FoldStage::kCompileTime;
  const bool flushes =
      fault == (early ? FoldFault::kFoldsFlushing : FoldFault::kRuntimeFoldsFlushing);
  for (Tensor& result : results) {
    if (flushes) result = Flushed(result);
    if (early && fault == FoldFault::kSplatsByValue) result = AsSplat(result);
  }
}

const Mutant* EvaluatorOf(FoldFault fault) {
  static constexpr Mutant kSigned = {
      "", OperatorClass::kConversion, Op::kCast, Twist::kOperandNegated, {}, ""};
  if (fault == FoldFault::kFoldsBoolSigned) return &kSigned;
  if (fault == FoldFault::kFoldsWrapping) return MutantById("cast/wraps");
  if (fault == FoldFault::kFoldsMulTruncating) return MutantById("mul/rounding-lost");
  return nullptr;
}

Graph WithoutRounding(const Graph& stage) {
  Graph wide = stage;
  Block& main = *wide.Main();
  const auto is_narrow = [](DType type) { return type == DType::kFp16 || type == DType::kBf16; };
  const std::vector<TensorInfo> before = main.tensors;
  for (TensorInfo& info : main.tensors) {
    if (is_narrow(info.type.type)) info.type.type = DType::kFp32;
  }
  std::vector<Operator> casts;
  const auto narrow_again = [&](TensorIndex& tensor, bool is_input) {
    const TensorInfo info = before[static_cast<size_t>(tensor)];
    if (!is_narrow(info.type.type)) return;
    const TensorIndex outside = AddTensor(main, info.name + "/narrow", info.type);
    casts.push_back(is_input ? Operator{Op::kCast, {}, {outside}, {tensor}}
                             : Operator{Op::kCast, {}, {tensor}, {outside}});
    tensor = outside;
  };
  for (TensorIndex& input : main.inputs) narrow_again(input, true);
  for (TensorIndex& output : main.outputs) narrow_again(output, false);
  main.operators.insert(main.operators.end(), casts.begin(), casts.end());
  return wide;
}

}  // namespace assay
