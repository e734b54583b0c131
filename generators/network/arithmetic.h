// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exact_sums.h"
#include "network_graph.h"
#include "random.h"

namespace assay {

// The function behind a layer of dot products. kLinear stands between layers, where lattices need a
// bound. kNone stands behind the last layer.
enum class Activation : uint8_t { kNone, kLinear, kRelu, kRelu6, kGelu };

// The kernel of a convolution or pool. The padding is such that the output has
// ceil(input / stride) rows and columns.
struct KernelWindow {
  int32_t height = 1, width = 1, stride = 1;
};

// The weights of a layer that is used more than once. The first use chooses them.
struct SharedWeights {
  std::optional<TensorIndex> weight, bias;
  std::vector<double> scales;  // of RESCALE, for integers
};

// A layer of dot products before its weights are chosen.
struct LinearLayer {
  DotShape shape;
  TensorIndex x = 0;
  Shape weight_shape;
  Attributes attributes;  // without acc_type
  Activation activation = Activation::kNone;
  std::optional<TensorIndex> residual;  // is added before the activation
  SharedWeights* shared = nullptr;

  bool is_reused() const { return shared != nullptr && shared->weight; }
};

// The numbers of a network: the layers that depend on how weights, activations and gates are
// represented. Architectures are written in terms of it. A layer adds its operators to the graph,
// and takes fresh weights from `random`. Only one argument of a call may add operators: otherwise
// their order depends on the compiler.
//
// Images are [1, height, width, channels], sequences [1, time, features], heads [heads, time,
// features].
class Arithmetic {
 public:
  Arithmetic(NetworkGraph& graph, DType type, Random random)
      : graph_(graph), type_(type), random_(random) {}
  virtual ~Arithmetic() = default;

  NetworkGraph& graph() { return graph_; }
  DType type() const { return type_; }
  // Returns the number of layers of dot products with weights so far.
  int32_t layers() const { return layers_; }

  TensorIndex Conv(TensorIndex x, int32_t channels, KernelWindow window, Activation activation,
                   std::optional<TensorIndex> residual = {});
  TensorIndex Depthwise(TensorIndex x, KernelWindow window, Activation activation);
  // Adds a TRANSPOSE_CONV2D that doubles height and width.
  TensorIndex Upsample(TensorIndex x, int32_t channels, Activation activation);
  TensorIndex Dense(TensorIndex x, int32_t units, Activation activation,
                    std::optional<TensorIndex> residual = {}, SharedWeights* shared = nullptr);

  virtual TensorIndex Input(const Shape& shape) = 0;
  // Reduces an image to [1, 1, 1, channels].
  virtual TensorIndex GlobalPool(TensorIndex x) = 0;
  // Computes attention of queries, keys and values, which are heads.
  virtual TensorIndex Attend(TensorIndex q, TensorIndex k, TensorIndex v) = 0;
  // Normalizes the features of a sequence, where the representation has a way to do it.
  virtual TensorIndex Normalize(TensorIndex x) = 0;
  // The parts of recurrent cells: a gate between 0 and 1, a squashed state, gate * x, a * b + c * d
  // and 1 - gate.
  virtual TensorIndex Gate(TensorIndex x) = 0;
  virtual TensorIndex Squash(TensorIndex x) = 0;
  virtual TensorIndex Times(TensorIndex gate, TensorIndex x) = 0;
  virtual TensorIndex Add(TensorIndex a, TensorIndex b) = 0;
  virtual TensorIndex Complement(TensorIndex gate) = 0;
  // Returns the outputs of a network with these scores.
  virtual std::vector<TensorIndex> Outputs(TensorIndex scores) = 0;

  // Layers that only move data, or compare.
  TensorIndex MaxPool(TensorIndex x, KernelWindow window);
  TensorIndex Reshape(TensorIndex x, const Shape& shape);
  TensorIndex Transpose(TensorIndex x, std::vector<int32_t> perms);
  TensorIndex Concat(TensorIndex a, TensorIndex b, int32_t axis);
  // Adds a SLICE of `size` elements along an axis.
  TensorIndex Slice(TensorIndex x, int axis, int64_t start, int64_t size);

 protected:
  virtual TensorIndex Linear(const LinearLayer& layer) = 0;
  TensorIndex CountedLinear(const LinearLayer& layer);
  Random& random() { return random_; }
  TensorIndex Clamp(TensorIndex x, double low, double high);
  // Adds an AVG_POOL2D over the whole image.
  TensorIndex AveragePool(TensorIndex x);
  // Adds the operator of a layer, with this type of results.
  TensorIndex Apply(const LinearLayer& layer, TensorIndex weight, TensorIndex bias, DType acc_type,
                    DType result);
  TensorIndex Reduce(Op op, TensorIndex x, int axis);

 private:
  TensorIndex Convolve(LinearLayer layer, KernelWindow window);

  NetworkGraph& graph_;
  DType type_;
  Random random_;
  int32_t layers_ = 0;
};

// One axis of a window: the output's size and the padding before and after.
struct Padding {
  int32_t out, before, after;
};
Padding PaddingOf(int32_t in, int32_t kernel, int32_t stride);

}  // namespace assay
