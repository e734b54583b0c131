// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "allowed_operators.h"

namespace assay {

// Builds expressions on values of the pool. An operator on a value that could not be added is not
// added either. A call must not have two arguments that add operators, because the compiler chooses
// their order.
class Expression {
 public:
  Expression(GraphBuilder& builder, const Menu& menu) : builder_(builder), menu_(menu) {}

  GraphBuilder& builder() { return builder_; }
  Choices& choices() { return builder_.choices(); }
  DType type(ValueIndex x) const { return builder_.TypeOf(x).type; }
  const Shape& shape(ValueIndex x) const { return builder_.TypeOf(x).shape; }
  bool Reads(Op op, DType type) const { return menu_.Reads(op, type); }

  // Returns a float tensor of the pool that is not vague and that `op` reads, if there is one.
  MaybeValue Start(Op op, int rank_min = 1);
  // Returns one of this rank; if there is none, a fresh input. Returns none if `op` reads no
  // float type, or in a block that cannot get inputs.
  MaybeValue StartOfRank(Op op, int rank);

  MaybeValue Apply(Op op, MaybeValue x) { return Add(op, {x}); }
  MaybeValue Apply(Op op, MaybeValue x, MaybeValue y);
  MaybeValue Apply(Op op, MaybeValue x, ValueIndex y) { return Apply(op, x, MaybeValue(y)); }
  MaybeValue Apply(Op op, MaybeValue x, double number);
  MaybeValue Reduce(Op op, MaybeValue x, int axis);
  MaybeValue Cast(MaybeValue x, DType to) {
    return x && Reads(Op::kCast, type(*x)) ? Add(Op::kCast, {x}, {}, to) : std::nullopt;
  }
  // `result` is the type of the result, if the operands leave it open.
  MaybeValue MatMul(MaybeValue x, ValueIndex y, DType result = DType::kUnknown);
  // Adds a convolution with drawn weights and bias and a square kernel of odd size, padded so that
  // the image keeps its size. DEPTHWISE_CONV2D keeps the channels; `channels` is then not used.
  MaybeValue DrawnConvolution(Op op, MaybeValue x, int32_t kernel, int32_t channels);
  // Adds an operator of the menu by its recipe, with drawn operands.
  MaybeValue Grown(Op op, MaybeValue x);
  // Does the same with these weights and bias.
  MaybeValue Convolution(Op op, MaybeValue x, ValueIndex weight, ValueIndex bias);
  MaybeValue Select(MaybeValue condition, ValueIndex x, ValueIndex y);
  // Adds CLAMP with bounds that leave some elements as they are.
  MaybeValue Clamp(MaybeValue x);
  MaybeValue Clamp(MaybeValue x, double low, double high);
  // Adds an activation function that is not flat on most of the elements.
  MaybeValue Activation(MaybeValue x);

  // Adds constants: of this shape with elements between `low` and `high`; for a channel, the last
  // dimension, one element.
  ValueIndex Constant(const TensorType& type, double low, double high);
  MaybeValue PerChannel(MaybeValue x, double low, double high);

  // Adds an operator of the menu, with these attributes. `result` is the type of its
  // result, if the menu has rows for several.
  MaybeValue Add(Op op, const std::vector<MaybeValue>& inputs, Attributes attributes = {},
                 DType result = DType::kUnknown);

 private:
  GraphBuilder& builder_;
  const Menu& menu_;
};

}  // namespace assay
