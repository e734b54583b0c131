// SPDX-License-Identifier: Apache-2.0
#include "trimmed_window.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "graph_edit.h"

namespace assay {
namespace {

// The channels that are left out are a multiple of this number.
constexpr int64_t kChannelsTogether = 64;
// A float of an expectation has its reference and its error, in fp64.
constexpr int64_t kBytesOfExpectedFloat = 16;

int64_t BytesOf(const TensorType& type) {
  return type.shape.Elements() * static_cast<int64_t>(ElementBytes(type.type));
}

int64_t BytesWithExpectation(const TensorType& type) {
  return BytesOf(type) + (IsFloat(type.type) ? kBytesOfExpectedFloat * type.shape.Elements() : 0);
}

// The operands of an operator that have its output channels, and along which axis. The last axis of
// the output has them.
struct ChannelAxis {
  size_t input;
  int axis;
};
struct ChannelAxes {
  Op op;
  std::array<ChannelAxis, 2> axes;
  size_t count;
};
constexpr ChannelAxes kChannelAxes[] = {
    {Op::kConv2d, {{{1, 0}, {2, 0}}}, 2},           // weight [OC,KH,KW,IC], bias [OC] or [1]
    {Op::kConv3d, {{{1, 0}, {2, 0}}}, 2},           // weight [OC,KD,KH,KW,IC]
    {Op::kTransposeConv2d, {{{1, 0}, {2, 0}}}, 2},  // weight [OC,KH,KW,IC]
    {Op::kMatmul, {{{1, 2}}}, 1},                   // B [N,C,W]
    {Op::kGather, {{{0, 2}}}, 1},                   // values [N,K,C]
};

// A window of one operator whose channels can be left out.
class Trimmer {
 public:
  explicit Trimmer(Window& window) : window_(window), main_(*window.vector.graphs[0].Main()) {
    const auto working = [](const Operator& op) { return !IsConstant(op.op); };
    const auto op = std::ranges::find_if(main_.operators, working);
    const auto* row = std::ranges::find(kChannelAxes, op->op, &ChannelAxes::op);
    if (row == std::end(kChannelAxes)) return;
    output_ = op->outputs[0];
    const Shape& shape = main_.TypeOf(output_).shape;
    channels_ = shape[shape.rank() - 1];
    for (size_t i = 0; i < row->count; ++i) {
      const TensorIndex tensor = op->inputs[row->axes[i].input];
      if (std::ranges::count(op->inputs, tensor) > 1) return;
      if (main_.TypeOf(tensor).shape[row->axes[i].axis] != channels_) continue;  // a bias [1]
      trimmed_.emplace_back(tensor, row->axes[i].axis);
    }
    if (trimmed_.empty()) return;
    int64_t bytes = BytesWithExpectation(main_.TypeOf(output_));
    for (const auto& [tensor, axis] : trimmed_) bytes += BytesOf(main_.TypeOf(tensor));
    bytes_per_channel_ = bytes / channels_;
  }

  // Returns the number of channels to leave out so that the window takes `excess` bytes less;
  // nothing if too few would be left.
  std::optional<int64_t> ChannelsToDrop(int64_t excess) const {
    if (bytes_per_channel_ == 0) return std::nullopt;
    const int64_t per_step = bytes_per_channel_ * kChannelsTogether;
    const int64_t dropped = (excess + per_step - 1) / per_step * kChannelsTogether;
    if (channels_ - dropped < kChannelsTogether) return std::nullopt;
    return dropped;
  }

  void Drop(int64_t dropped) {
    const auto left = static_cast<int32_t>(channels_ - dropped);
    for (const auto& [tensor, axis] : trimmed_) {
      Shape shape = main_.TypeOf(tensor).shape;
      shape[axis] = left;
      SetValue(tensor, Crop(ValueOf(tensor), shape, Kept::kFirst));
      main_.tensors[static_cast<size_t>(tensor)].type.shape = shape;
    }
    Shape& shape = main_.tensors[static_cast<size_t>(output_)].type.shape;
    shape[shape.rank() - 1] = left;
  }

  int64_t channels() const { return channels_; }

 private:
  size_t InputOf(TensorIndex tensor) const {
    return static_cast<size_t>(std::ranges::find(main_.inputs, tensor) - main_.inputs.begin());
  }
  const Tensor& ValueOf(TensorIndex tensor) const {
    const Operator* constant = main_.ProducerOf(tensor);
    return constant != nullptr ? constant->attributes.Value(AttributeId::kValues)
                               : window_.vector.steps[0].inputs[InputOf(tensor)];
  }
  void SetValue(TensorIndex tensor, Tensor value) {
    for (Operator& op : main_.operators) {
      if (!IsConstant(op.op) || op.outputs[0] != tensor) continue;
      op.attributes.Set(AttributeId::kValues, std::move(value));
      return;
    }
    window_.vector.steps[0].inputs[InputOf(tensor)] = std::move(value);
  }

  Window& window_;
  Block& main_;
  TensorIndex output_ = -1;
  int64_t channels_ = 0;
  std::vector<std::pair<TensorIndex, int>> trimmed_;  // operands, with the axis of the channels
  int64_t bytes_per_channel_ = 0;
};

}  // namespace

int64_t BytesOf(const Window& window) {
  const Block& main = *window.vector.graphs[0].Main();
  int64_t bytes = 0;
  for (const Operator& op : main.operators) {
    if (IsConstant(op.op)) bytes += BytesOf(main.TypeOf(op.outputs[0]));
  }
  for (const TensorIndex input : main.inputs) bytes += BytesOf(main.TypeOf(input));
  for (const TensorIndex output : main.outputs) bytes += BytesWithExpectation(main.TypeOf(output));
  return bytes;
}

std::string TrimChannels(Window& window, int64_t bytes_max) {
  const int64_t excess = BytesOf(window) - bytes_max;
  if (excess <= 0 || window.size != 1) return "";
  Trimmer trimmer(window);
  const std::optional<int64_t> dropped = trimmer.ChannelsToDrop(excess);
  if (!dropped) return "";
  trimmer.Drop(*dropped);
  return "the first " + std::to_string(trimmer.channels() - *dropped) + " of " +
         std::to_string(trimmer.channels()) + " output channels";
}

}  // namespace assay
