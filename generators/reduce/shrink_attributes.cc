// SPDX-License-Identifier: Apache-2.0
// SimplerAttributes(): every attribute and shape operand has a few values that are easier to read.
#include <algorithm>
#include <numeric>

#include "reinfer_types.h"
#include "resize_border.h"
#include "shrink_moves.h"
#include "tensor_elements.h"

namespace assay {
namespace {

using Alternatives = std::vector<AttributeValue>;

// Adds lists with one entry, and with all entries, set to `simple`.
void AddLists(const std::vector<int32_t>& list, int32_t simple, Alternatives& to) {
  std::vector<int32_t> all(list.size(), simple);
  if (all == list) return;
  to.emplace_back(all);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == simple) continue;
    std::vector<int32_t> one = list;
    one[i] = simple;
    if (one != all) to.emplace_back(one);
  }
}

void AddPermutations(const std::vector<int32_t>& perms, Alternatives& to) {
  std::vector<int32_t> identity(perms.size());
  std::iota(identity.begin(), identity.end(), 0);
  if (identity == perms) return;
  to.emplace_back(identity);
  // Puts one more axis in its place.
  for (size_t i = 0; i < perms.size(); ++i) {
    if (perms[i] == static_cast<int32_t>(i)) continue;
    std::vector<int32_t> swapped = perms;
    const auto at = std::find(swapped.begin(), swapped.end(), static_cast<int32_t>(i));
    if (at == swapped.end()) continue;  // an invalid graph may have a list that is no permutation
    std::iter_swap(at, swapped.begin() + static_cast<std::ptrdiff_t>(i));
    if (swapped != identity) to.emplace_back(swapped);
  }
}

Alternatives SimplerThan(AttributeId id, const AttributeValue& value) {
  Alternatives simpler;
  const auto* number = std::get_if<int32_t>(&value);
  const auto* list = std::get_if<std::vector<int32_t>>(&value);
  switch (id) {
    case AttributeId::kAxis:
      if (*number > 0) simpler.emplace_back(0);
      break;
    case AttributeId::kPerms:
      AddPermutations(*list, simpler);
      break;
    case AttributeId::kStride:
    case AttributeId::kDilation:
    case AttributeId::kKernel:
      AddLists(*list, 1, simpler);
      for (size_t i = 0; i < list->size(); ++i) {
        if ((*list)[i] < 3) continue;
        std::vector<int32_t> two = *list;
        two[i] = 2;
        simpler.emplace_back(std::move(two));
      }
      break;
    case AttributeId::kPad:
    case AttributeId::kOutPad:
      AddLists(*list, 0, simpler);
      break;
    case AttributeId::kNanMode:
    case AttributeId::kRoundingMode:
    case AttributeId::kMode:
      if (*number > 1) simpler.emplace_back(1);
      break;
    case AttributeId::kRound:
    case AttributeId::kInverse:
    case AttributeId::kLocalBound:
    case AttributeId::kInputUnsigned:
    case AttributeId::kOutputUnsigned:
    case AttributeId::kPerChannel:
      if (std::get<bool>(value)) simpler.emplace_back(false);
      break;
    case AttributeId::kAccType:
      // Sums of fp16 have a choice.
      if (*number == static_cast<int32_t>(DType::kFp16)) {
        simpler.emplace_back(static_cast<int32_t>(DType::kFp32));
      }
      break;
    case AttributeId::kBodyGraph:
    case AttributeId::kCondGraph:
    case AttributeId::kDomainName:
    case AttributeId::kElseGraph:
    case AttributeId::kImplementationAttrs:
    case AttributeId::kInitialValue:
    case AttributeId::kMaxVal:
    case AttributeId::kMinVal:
    case AttributeId::kName:
    case AttributeId::kOperatorName:
    case AttributeId::kScale32:
    case AttributeId::kThenGraph:
    case AttributeId::kType:
    case AttributeId::kValues:
    case AttributeId::kVarShape:
      break;
  }
  return simpler;
}

// Returns the neutral value of a shape operand: no padding, one copy, start at the front, if
// there is one. The size of a slice is 1 at its simplest.
std::optional<int64_t> PlainEntry(Op op, size_t operand) {
  if (op == Op::kPad) return 0;
  if (op == Op::kTile) return 1;
  if (op == Op::kSlice) return operand == 1 ? 0 : 1;
  return std::nullopt;
}

// Returns the elements of a constant operand; empty if it is not constant.
std::vector<int64_t> ConstantOf(const Block& block, TensorIndex operand) {
  const Operator* producer = block.ProducerOf(operand);
  if (producer == nullptr || !IsConstant(producer->op)) return {};
  return IntegerElements(producer->attributes.Value(AttributeId::kValues));
}

// The scale, offset and border of a RESIZE.
struct ResizeOperands {
  std::vector<int64_t> scale, offset, border;
  friend bool operator==(const ResizeOperands&, const ResizeOperands&) = default;
};

// Returns simpler resizes, each of which changes one axis: scale 1 or 2 with an offset of 0, 1 or
// -1; the same scale with offset 0 or an exact border; or numerator, denominator and offset halved.
// The border makes the division exact.
std::vector<ResizeOperands> SimplerResizes(const ResizeOperands& now, const Shape& in) {
  std::vector<ResizeOperands> simpler;
  if (now.scale.size() != 4 || now.offset.size() != 2 || now.border.size() != 2 || in.rank() != 4)
    return simpler;
  for (const size_t axis : {size_t{0}, size_t{1}}) {
    const auto add = [&](int64_t n, int64_t d, int64_t offset) {
      ResizeOperands other = now;
      other.scale[2 * axis] = n;
      other.scale[2 * axis + 1] = d;
      other.offset[axis] = offset;
      other.border[axis] = ExactBorder(in[static_cast<int>(axis) + 1], n, d, offset);
      if (other != now) simpler.push_back(std::move(other));
    };
    const int64_t n = now.scale[2 * axis], d = now.scale[2 * axis + 1], offset = now.offset[axis];
    if (n < 1 || d < 1) continue;
    add(1, 1, 0);
    add(1, 1, offset < 0 ? -1 : 1);
    add(2, 1, 0);
    add(2, 1, offset < 0 ? -1 : 1);
    add(n, d, 0);
    add(n, d, offset);
    if (n % 2 == 0 && d % 2 == 0) add(n / 2, d / 2, offset / 2);
  }
  return simpler;
}

// Returns multipliers and shifts of a RESCALE for multipliers of 16 bits: nearly the same scale,
// and small multipliers as they are.
std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> NarrowScales(
    const std::vector<int64_t>& multipliers, const std::vector<int64_t>& shifts) {
  constexpr int64_t kBits = 16, kMax = (1 << (kBits - 1)) - 1;
  if (multipliers.empty() || multipliers.size() != shifts.size()) return {};
  auto scaled = std::pair(multipliers, shifts), clipped = scaled;
  for (size_t i = 0; i < shifts.size(); ++i) {
    clipped.first[i] = std::min(multipliers[i], kMax);
    if (multipliers[i] <= kMax || shifts[i] < kBits + 2) continue;
    scaled.first[i] = multipliers[i] >> kBits;
    scaled.second[i] -= kBits;
  }
  const bool fits = std::ranges::max(scaled.first) <= kMax;
  if (!fits || scaled == clipped) return {clipped};
  return {scaled, clipped};
}

}  // namespace

std::vector<TestVector> SimplerAttributes(const TestVector& vector, int32_t graph, int32_t op) {
  std::vector<TestVector> simpler;
  const Block& main = *vector.graphs[static_cast<size_t>(graph)].Main();
  const Operator& target = main.operators[static_cast<size_t>(op)];
  const auto before = OperandTypes(main);
  const auto add = [&](auto edit_with) {
    TestVector copy = vector;
    GraphEdit edit(copy, graph);
    edit_with(edit);
    if (!Reinfer(edit, before)) return;
    edit.Sweep();
    simpler.push_back(std::move(copy));
  };
  for (const auto& [id, value] : target.attributes.entries()) {
    for (AttributeValue& alternative : SimplerThan(id, value)) {
      add([&, id = id](GraphEdit& edit) {
        edit.main().operators[static_cast<size_t>(op)].attributes.Set(id, alternative);
      });
    }
  }
  if (target.op == Op::kResize) {
    const auto values = [&](size_t operand) { return ConstantOf(main, target.inputs[operand]); };
    const ResizeOperands now = {values(1), values(2), values(3)};
    for (const ResizeOperands& other : SimplerResizes(now, main.TypeOf(target.inputs[0]).shape)) {
      add([&](GraphEdit& edit) {
        const auto at = static_cast<size_t>(op);
        edit.SetConstant(at, 1, Tensor::FromShape(other.scale));
        edit.SetConstant(at, 2, Tensor::FromShape(other.offset));
        edit.SetConstant(at, 3, Tensor::FromShape(other.border));
      });
    }
  }
  if (target.op == Op::kRescale && target.attributes.Flag(AttributeId::kScale32)) {
    for (const auto& scales :
         NarrowScales(ConstantOf(main, target.inputs[1]), ConstantOf(main, target.inputs[2]))) {
      add([&, &multipliers = scales.first, &shifts = scales.second](GraphEdit& edit) {
        const auto at = static_cast<size_t>(op);
        const Shape shape{static_cast<int32_t>(shifts.size())};
        edit.main().operators[at].attributes.Set(AttributeId::kScale32, false);
        edit.SetConstant(at, 1, Tensor::FromIntegers(DType::kInt16, shape, multipliers));
        if (shifts == ConstantOf(main, target.inputs[2])) return;
        edit.SetConstant(at, 2, Tensor::FromIntegers(DType::kInt8, shape, shifts));
      });
    }
  }
  for (size_t operand = 1; operand < target.inputs.size(); ++operand) {
    const std::optional<int64_t> plain = PlainEntry(target.op, operand);
    if (!plain || main.TypeOf(target.inputs[operand]).type != DType::kShape) continue;
    const std::vector<int64_t> values = ConstantOf(main, target.inputs[operand]);
    const auto set = [&](const std::vector<int64_t>& to) {
      add([&](GraphEdit& edit) {
        edit.SetConstant(static_cast<size_t>(op), operand, Tensor::FromShape(to));
      });
    };
    std::vector<int64_t> all(values.size(), *plain);
    if (all == values) continue;
    set(all);
    for (size_t i = 0; i < values.size(); ++i) {
      std::vector<int64_t> one = values;
      one[i] = *plain;
      if (one != values && one != all) set(one);
      // A value that is not plain, but closer to it.
      one[i] = std::min(values[i], *plain + 1);
      if (one != values) set(one);
    }
  }
  return simpler;
}

}  // namespace assay
