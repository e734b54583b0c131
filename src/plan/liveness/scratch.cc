// SPDX-License-Identifier: Apache-2.0
#include "scratch.h"

#include <algorithm>

#include "operator_set.h"

namespace assay {
namespace {

const Shape& ShapeOf(const Block& block, const std::vector<TensorIndex>& list, size_t position) {
  static const Shape scalar;
  return position < list.size() ? block.TypeOf(list[position]).shape : scalar;
}

// Returns the innermost dimension of the result.
int64_t Channels(const Block& block, const Operator& op) {
  const Shape& shape = ShapeOf(block, op.outputs, 0);
  return shape.rank() == 0 ? 1 : std::max(shape[shape.rank() - 1], 0);
}

// Returns the bytes of one accumulator. Its type is the operator's `acc_type`, if there is one;
// otherwise the type of the result, with at least four bytes.
int64_t AccumulatorBytes(const Block& block, const Operator& op) {
  DType type = op.attributes.named_type();
  if (type == DType::kUnknown && !op.outputs.empty()) type = block.TypeOf(op.outputs[0]).type;
  return std::max(ElementBytes(type), 4);
}

Scratch Accumulator(const Block& block, const Operator& op) {
  return {"accumulator", Channels(block, op) * AccumulatorBytes(block, op)};
}

// Returns the scratch of a convolution over the dimensions between the first and the last of its
// input. Its `pad` has two numbers for each of these dimensions.
std::vector<Scratch> ConvolutionScratch(const Block& block, const Operator& op) {
  std::vector<Scratch> scratch = {Accumulator(block, op)};
  const AttributeValue* attribute = op.attributes.Find(AttributeId::kPad);
  const auto* pad = attribute == nullptr ? nullptr : std::get_if<std::vector<int32_t>>(attribute);
  if (pad == nullptr || op.inputs.empty()) return scratch;
  Shape padded = ShapeOf(block, op.inputs, 0);
  const bool pads = std::any_of(pad->begin(), pad->end(), [](int32_t p) { return p > 0; });
  if (!pads || static_cast<size_t>(padded.rank()) != pad->size() / 2 + 2) return scratch;
  for (size_t i = 0; i < pad->size(); ++i) padded[static_cast<int>(i / 2) + 1] += (*pad)[i];
  const int64_t element = ElementBytes(block.TypeOf(op.inputs[0]).type);
  const int64_t elements = std::min(padded.Elements(), INT64_MAX / 16);
  scratch.push_back({"padded_input", elements * element});
  return scratch;
}

}  // namespace

std::vector<Scratch> ScratchOf(const Block& block, const Operator& op) {
  switch (ops::DefinitionOf(op.op).traits.scratch) {
    case ops::ScratchKind::kNone:
      return {};
    case ops::ScratchKind::kAccumulator:
      return {Accumulator(block, op)};
    case ops::ScratchKind::kAccumulatorAndPadding:
      return ConvolutionScratch(block, op);
  }
  return {};
}

}  // namespace assay
