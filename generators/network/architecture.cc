// SPDX-License-Identifier: Apache-2.0
#include "architecture.h"

#include <algorithm>

#include "recurrent_cell.h"

namespace assay {
namespace {

using Outputs = std::vector<TensorIndex>;

constexpr KernelWindow kPoint = {1, 1, 1};
constexpr KernelWindow kThree = {3, 3, 1};

// Pools an image and classifies it.
Outputs Classify(Arithmetic& a, TensorIndex x, int32_t classes) {
  return a.Outputs(a.Conv(a.GlobalPool(x), classes, kPoint, Activation::kNone));
}

// --- images

struct Stage {
  int32_t expansion, channels, blocks, stride;
};
constexpr Stage kMobileStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                   {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
constexpr Stage kSmallMobileStages[] = {{1, 6, 1, 1}, {2, 8, 2, 2}, {2, 8, 1, 1}};

// Builds MobileNetV2: blocks that expand, filter each channel, and project, with a residual where
// the shape stays.
Outputs BuildMobileNetV2(Arithmetic& a, int32_t size, bool real) {
  TensorIndex x = a.Input({1, size, size, 3});
  x = a.Conv(x, real ? 32 : 6, {3, 3, 2}, Activation::kRelu6);
  const auto stages =
      real ? std::span<const Stage>(kMobileStages) : std::span<const Stage>(kSmallMobileStages);
  for (const Stage& stage : stages) {
    for (int32_t block = 0; block < stage.blocks; ++block) {
      const int32_t stride = block == 0 ? stage.stride : 1;
      const int32_t channels = a.graph().ShapeOf(x)[3];
      const bool residual = stride == 1 && channels == stage.channels;
      TensorIndex inner = x;
      if (stage.expansion > 1) {
        inner = a.Conv(x, channels * stage.expansion, kPoint, Activation::kRelu6);
      }
      inner = a.Depthwise(inner, {3, 3, stride}, Activation::kRelu6);
      x = a.Conv(inner, stage.channels, kPoint, Activation::kLinear,
                 residual ? std::optional(x) : std::nullopt);
    }
  }
  return Classify(a, a.Conv(x, real ? 1280 : 16, kPoint, Activation::kRelu6), real ? 1000 : 10);
}

constexpr Stage kResNetStages[] = {{1, 64, 2, 1}, {1, 128, 2, 2}, {1, 256, 2, 2}, {1, 512, 2, 2}};
constexpr Stage kSmallResNetStages[] = {{1, 6, 1, 1}, {1, 10, 1, 2}};

// Adds the input of a residual network and the layers before its stages.
TensorIndex Stem(Arithmetic& a, int32_t size, bool real) {
  const TensorIndex x = a.Input({1, size, size, 3});
  if (real) return a.MaxPool(a.Conv(x, 64, {7, 7, 2}, Activation::kRelu), {3, 3, 2});
  return a.MaxPool(a.Conv(x, 6, kThree, Activation::kRelu), {2, 2, 2});
}

// Builds ResNet-18: two convolutions and a residual in each block.
Outputs BuildResNet(Arithmetic& a, int32_t size, bool real) {
  TensorIndex x = Stem(a, size, real);
  const auto stages =
      real ? std::span<const Stage>(kResNetStages) : std::span<const Stage>(kSmallResNetStages);
  for (const Stage& stage : stages) {
    for (int32_t block = 0; block < stage.blocks; ++block) {
      const int32_t stride = block == 0 ? stage.stride : 1;
      const bool same = stride == 1 && a.graph().ShapeOf(x)[3] == stage.channels;
      const TensorIndex shortcut =
          same ? x : a.Conv(x, stage.channels, {stride, stride, stride}, Activation::kLinear);
      const TensorIndex inner = a.Conv(x, stage.channels, {3, 3, stride}, Activation::kRelu);
      x = a.Conv(inner, stage.channels, kThree, Activation::kRelu, shortcut);
    }
  }
  return Classify(a, x, real ? 1000 : 10);
}

constexpr Stage kBottleneckStages[] = {
    {4, 64, 3, 1}, {4, 128, 4, 2}, {4, 256, 6, 2}, {4, 512, 3, 2}};
constexpr Stage kSmallBottleneckStages[] = {{2, 4, 1, 1}, {2, 6, 2, 2}};

// Reads every second row and column of an image, from the first on. A window of one element must
// not leave a rest, so the last row and column of an even size are cut off before.
TensorIndex Halve(Arithmetic& a, TensorIndex x, int32_t channels) {
  for (const int axis : {1, 2}) {
    const int32_t size = a.graph().ShapeOf(x)[axis];
    if (size % 2 == 0) x = a.Slice(x, axis, 0, size - 1);
  }
  return a.Conv(x, channels, {1, 1, 2}, Activation::kLinear);
}

// Builds ResNet-50: each block reduces the channels, convolves, expands, and adds a residual.
Outputs BuildBottleneckResNet(Arithmetic& a, int32_t size, bool real) {
  TensorIndex x = Stem(a, size, real);
  const auto stages = real ? std::span<const Stage>(kBottleneckStages)
                           : std::span<const Stage>(kSmallBottleneckStages);
  for (const Stage& stage : stages) {
    const int32_t expanded = stage.expansion * stage.channels;
    for (int32_t block = 0; block < stage.blocks; ++block) {
      const int32_t stride = block == 0 ? stage.stride : 1;
      TensorIndex shortcut = x;
      if (stride == 2) {
        shortcut = Halve(a, x, expanded);
      } else if (block == 0) {
        shortcut = a.Conv(x, expanded, kPoint, Activation::kLinear);
      }
      TensorIndex inner = a.Conv(x, stage.channels, kPoint, Activation::kRelu);
      inner = a.Conv(inner, stage.channels, {3, 3, stride}, Activation::kRelu);
      x = a.Conv(inner, expanded, kPoint, Activation::kRelu, shortcut);
    }
  }
  return Classify(a, x, real ? 1000 : 10);
}

// Builds U-Net: down by pooling, up by transposed convolutions, and across by concatenation.
Outputs BuildUNet(Arithmetic& a, int32_t size, bool real) {
  const int32_t levels = real ? 4 : 2;
  int32_t channels = real ? 32 : 4;
  TensorIndex x = a.Input({1, size, size, real ? 3 : 2});
  const auto twice = [&](TensorIndex from) {
    const TensorIndex first = a.Conv(from, channels, kThree, Activation::kRelu6);
    return real ? a.Conv(first, channels, kThree, Activation::kRelu6) : first;
  };
  Outputs skipped;
  for (int32_t level = 0; level < levels; ++level) {
    x = twice(x);
    skipped.push_back(x);
    x = a.MaxPool(x, {2, 2, 2});
    channels *= 2;
  }
  x = twice(x);
  for (int32_t level = levels; level-- > 0;) {
    channels /= 2;
    x = a.Upsample(x, channels, Activation::kLinear);
    x = twice(a.Concat(skipped[static_cast<size_t>(level)], x, 3));
  }
  return a.Outputs(a.Conv(x, real ? 21 : 3, kPoint, Activation::kNone));
}

// Builds a keyword spotter: depthwise separable convolutions on a spectrogram of 10 features.
Outputs BuildKeywordSpotter(Arithmetic& a, int32_t size, bool real) {
  const int32_t channels = real ? 64 : 8;
  TensorIndex x = a.Input({1, size, 10, 1});
  x = a.Conv(x, channels, {real ? 10 : 4, 4, 2}, Activation::kRelu);
  for (int block = 0; block < (real ? 4 : 2); ++block) {
    x = a.Depthwise(x, kThree, Activation::kRelu6);
    x = a.Conv(x, channels, kPoint, Activation::kRelu6);
  }
  return Classify(a, x, 12);
}

// --- sequences

// Splits the features of a sequence among heads: [1, T, H * D] to [H, T, D].
TensorIndex ToHeads(Arithmetic& a, TensorIndex x, int32_t heads) {
  const Shape in = a.graph().ShapeOf(x);
  const TensorIndex split = a.Reshape(x, {in[1], heads, in[2] / heads});
  return a.Transpose(split, {1, 0, 2});
}

TensorIndex FromHeads(Arithmetic& a, TensorIndex x) {
  const Shape in = a.graph().ShapeOf(x);
  return a.Reshape(a.Transpose(x, {1, 0, 2}), {1, in[1], in[0] * in[2]});
}

struct TransformerShape {
  int32_t blocks, features, heads, expansion, classes;
};

// Builds transformer blocks: attention and two dense layers, each behind a normalization and with a
// residual.
Outputs BuildBlocks(Arithmetic& a, int32_t size, const TransformerShape& shape) {
  const int32_t features = shape.features, heads = shape.heads;
  TensorIndex x = a.Input({1, size, features});
  for (int32_t block = 0; block < shape.blocks; ++block) {
    const TensorIndex normal = a.Normalize(x);
    const TensorIndex q = a.Dense(normal, features, Activation::kLinear);
    const TensorIndex k = a.Dense(normal, features, Activation::kLinear);
    const TensorIndex v = a.Dense(normal, features, Activation::kLinear);
    const TensorIndex queries = ToHeads(a, q, heads), keys = ToHeads(a, k, heads);
    const TensorIndex seen = FromHeads(a, a.Attend(queries, keys, ToHeads(a, v, heads)));
    x = a.Dense(seen, features, Activation::kLinear, x);
    const TensorIndex inner =
        a.Dense(a.Normalize(x), shape.expansion * features, Activation::kGelu);
    x = a.Dense(inner, features, Activation::kLinear, x);
  }
  return a.Outputs(a.Dense(x, shape.classes, Activation::kNone));
}

Outputs BuildTransformer(Arithmetic& a, int32_t size, bool real) {
  return BuildBlocks(a, size,
                     real ? TransformerShape{2, 256, 4, 4, 100} : TransformerShape{2, 12, 2, 2, 6});
}

// Builds the encoder of BERT-base and ViT-base, without embeddings.
Outputs BuildTransformerBase(Arithmetic& a, int32_t size, bool real) {
  return BuildBlocks(
      a, size, real ? TransformerShape{12, 768, 12, 4, 1000} : TransformerShape{3, 12, 3, 2, 6});
}

struct Cell {
  int32_t inputs, units;
};
Cell CellOf(bool real) { return real ? Cell{64, 128} : Cell{6, 6}; }

// Builds a recurrent network, unrolled. The state before the first step is 0.
Outputs BuildRecurrent(Arithmetic& a, int32_t size, bool real, CellStep* step) {
  const auto [inputs, units] = CellOf(real);
  const TensorIndex all = a.Input({1, size, inputs});
  const TensorIndex zeros = a.graph().AddConstant(Tensor::Splat(a.type(), {1, 1, units}, 0));
  CellState state = {zeros, zeros};
  CellWeights weights;
  TensorIndex states = zeros;
  for (int32_t i = 0; i < size; ++i) {
    state = step(a, a.Slice(all, 1, i, 1), state, weights);
    states = i == 0 ? state.hidden : a.Concat(states, state.hidden, 1);
  }
  return a.Outputs(a.Dense(states, real ? 32 : 4, Activation::kNone));
}

Outputs BuildLstm(Arithmetic& a, int32_t size, bool real) {
  return BuildRecurrent(a, size, real, LstmStep);
}

Outputs BuildGru(Arithmetic& a, int32_t size, bool real) {
  return BuildRecurrent(a, size, real, GruStep);
}

constexpr Architecture kArchitectures[] = {
    {"mobilenet_v2", 16, 8, 512, 96, {16, 24}, BuildMobileNetV2},
    {"resnet", 8, 8, 512, 96, {8, 16}, BuildResNet},
    {"unet", 16, 16, 512, 96, {16, 32}, BuildUNet},
    {"transformer", 2, 1, 2048, 64, {4, 8}, BuildTransformer},
    {"lstm", 1, 1, 256, 16, {3, 5}, BuildLstm},
    {"gru", 1, 1, 256, 16, {3, 5}, BuildGru},
    {"keyword_spotter", 8, 1, 1024, 49, {12, 20}, BuildKeywordSpotter},
    {"resnet50", 8, 8, 512, 96, {8, 16}, BuildBottleneckResNet},
    {"transformer_base", 2, 1, 2048, 64, {4, 8}, BuildTransformerBase},
};

}  // namespace

std::span<const Architecture> AllArchitectures() { return kArchitectures; }

const Architecture* ArchitectureByName(std::string_view name) {
  const auto* found = std::ranges::find(kArchitectures, name, &Architecture::name);
  return found == std::end(kArchitectures) ? nullptr : found;
}

}  // namespace assay
