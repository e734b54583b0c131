// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "allowed_operators.h"

namespace assay {

// Builds expressions on values of the pool. A value of -1 stands for one that could not be added;
// everything on it is -1 again. A call must not have two arguments that add operators, because the
// compiler chooses their order.
class Expression {
 public:
  Expression(GraphBuilder& builder, const Menu& menu) : builder_(builder), menu_(menu) {}

  GraphBuilder& builder() { return builder_; }
  Choices& choices() { return builder_.choices(); }
  DType type(ValueIndex x) const { return builder_.TypeOf(x).type; }
  const Shape& shape(ValueIndex x) const { return builder_.TypeOf(x).shape; }
  bool Reads(Op op, DType type) const { return menu_.Reads(op, type); }

  // Returns a float tensor of the pool that is not vague and that `op` reads; -1 if there is none.
  ValueIndex Start(Op op, int rank_min = 1);
  // Returns one of this rank; if there is none, a fresh input. Returns -1 if `op` reads no float
  // type, or in a block that cannot get inputs.
  ValueIndex StartOfRank(Op op, int rank);

  ValueIndex Apply(Op op, ValueIndex x) { return Add(op, {x}); }
  ValueIndex Apply(Op op, ValueIndex x, ValueIndex y);
  ValueIndex Apply(Op op, ValueIndex x, double number);
  ValueIndex Reduce(Op op, ValueIndex x, int axis);
  ValueIndex Cast(ValueIndex x, DType to) {
    return x < 0 || !menu_.Reads(Op::kCast, type(x)) ? -1 : Add(Op::kCast, {x}, {}, to);
  }
  // `result` is the type of the result, if the operands leave it open.
  ValueIndex MatMul(ValueIndex x, ValueIndex y, DType result = DType::kUnknown);
  // Adds a convolution with drawn weights and bias and a square kernel of odd size, padded so that
  // the image keeps its size. DEPTHWISE_CONV2D keeps the channels; `channels` is then not used.
  ValueIndex DrawnConvolution(Op op, ValueIndex x, int32_t kernel, int32_t channels);
  // Adds an operator of the menu by its recipe, with drawn operands.
  ValueIndex Grown(Op op, ValueIndex x);
  // Does the same with these weights and bias.
  ValueIndex Convolution(Op op, ValueIndex x, ValueIndex weight, ValueIndex bias);
  ValueIndex Select(ValueIndex condition, ValueIndex x, ValueIndex y);
  // Adds CLAMP with bounds that leave some elements as they are.
  ValueIndex Clamp(ValueIndex x);
  ValueIndex Clamp(ValueIndex x, double low, double high);
  // Adds an activation function that is not flat on most of the elements.
  ValueIndex Activation(ValueIndex x);

  // Adds constants: of this shape with elements between `low` and `high`; for a channel, the last
  // dimension, one element.
  ValueIndex Constant(const TensorType& type, double low, double high);
  ValueIndex PerChannel(ValueIndex x, double low, double high);

  // Adds an operator of the menu, with the attributes of `draft`. `result` is the type of its
  // result, if the menu has rows for several.
  ValueIndex Add(Op op, std::vector<ValueIndex> inputs, Operator draft = {},
                 DType result = DType::kUnknown);

 private:
  GraphBuilder& builder_;
  const Menu& menu_;
};

}  // namespace assay
