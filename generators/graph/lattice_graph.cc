// SPDX-License-Identifier: Apache-2.0
#include "lattice_graph.h"

#include <cmath>

#include "exact_sums.h"
#include "executor.h"
#include "expression.h"
#include "float_format.h"

namespace assay {
namespace {

constexpr Op kLatticeSteps[] = {Op::kAdd,    Op::kAdd,     Op::kSub,     Op::kMul,   Op::kClamp,
                                Op::kAbs,    Op::kNegate,  Op::kMaximum, Op::kFloor, Op::kCeil,
                                Op::kSelect, Op::kMinimum, Op::kReverse};

class LatticeGrowth {
 public:
  LatticeGrowth(GraphBuilder& builder, const Menu& menu, DType type)
      : builder_(builder), expression_(builder, menu), type_(type) {
    // Inputs have few bits, so that sums have room in the type.
    unit_ = std::ldexp(1.0, type == DType::kFp32 ? -6 : type == DType::kFp16 ? -2 : 0);
    const int precision = FormatOf(type).fraction_bits + 1;
    most_ = std::ldexp(unit_, precision - 1);
    inputs_most_ = type == DType::kBf16 ? 7 : 31;
  }

  bool Begin() {
    for (const Op op : {Op::kAdd, Op::kMul, Op::kClamp}) {
      if (!expression_.Reads(op, type_)) return false;
    }
    std::vector<int32_t> dims = {1};
    const int64_t rank = choices().Between(3, 4);
    for (int64_t axis = 1; axis < rank; ++axis) dims.push_back(choices().Between32(2, 5));
    last_ = builder_.AddInput(Numbers(Shape(dims), inputs_most_));
    return true;
  }

  // Adds one operator, or a few. Returns false, with nothing changed, if the result is not exact or
  // not informative.
  bool Grow() {
    const GraphBuilder::Mark mark = builder_.mark();
    const MaybeValue next = choices().OneIn(3) ? Sum() : Step(choices().Pick(kLatticeSteps));
    if (next && AreExactFrom(mark) && IsFitting(builder_[*next])) {
      last_ = *next;
      return true;
    }
    builder_.Rollback(mark);
    return false;
  }

 private:
  Choices& choices() { return builder_.choices(); }

  // Returns random integers between -most and most, times the unit.
  Tensor Numbers(const Shape& shape, int64_t most) {
    std::vector<double> numbers(static_cast<size_t>(shape.Elements()));
    for (double& x : numbers) x = static_cast<double>(choices().Between(-most, most)) * unit_;
    return Tensor::FromFloats(type_, shape, numbers);
  }

  // Returns weights of which about `terms` of `taps` are not zero.
  ValueIndex Weights(const Shape& shape, int32_t taps, int32_t terms) {
    constexpr double kWeights[] = {1, 1, 1, -1, -1, -1, 2, -2, 3};
    std::vector<double> weights(static_cast<size_t>(shape.Elements()));
    for (double& w : weights) {
      const bool is_used = choices().Between(1, taps) <= terms;
      const double weight = choices().Pick(kWeights);
      w = is_used ? weight : 0;
    }
    return builder_.AddConstant(Tensor::FromFloats(type_, shape, weights));
  }

  bool AreExactFrom(const GraphBuilder::Mark& mark) const {
    for (size_t i = mark.values; i < builder_.pool().size(); ++i) {
      const PoolValue& value = builder_.pool()[i];
      if (value.origin == Origin::kResult && !value.exact) return false;
    }
    return true;
  }
  bool IsFitting(const PoolValue& value) const {
    return value.type().type == type_ && !value.has_special && value.low >= -most_ &&
           value.high <= most_ && value.elements() >= 2 && value.low < value.high;
  }

  MaybeValue Sum() {
    Expression& e = expression_;
    const Shape& shape = e.shape(last_);
    constexpr int32_t kTerms = 4;
    if (choices().OneIn(4) || shape.rank() < 3) {
      return e.Reduce(Op::kReduceSum, last_, choices().Between32(0, shape.rank() - 1));
    }
    if (shape.rank() == 3) {
      const int32_t in = shape[2], out = choices().Between32(2, 6);
      return e.MatMul(last_, Weights(Shape{shape[0], in, out}, in, kTerms), type_);
    }
    const Op op = choices().OneIn(3) ? Op::kDepthwiseConv2d : Op::kConv2d;
    const int32_t in = shape[3], out = choices().Between32(1, 4);
    const bool depthwise = op == Op::kDepthwiseConv2d;
    const int32_t kernel = choices().OneIn(2) ? 1 : 3;
    const int32_t taps = kernel * kernel * (depthwise ? 1 : in);
    const ValueIndex weight = Weights(
        depthwise ? Shape{kernel, kernel, in, 1} : Shape{out, kernel, kernel, in}, taps, kTerms);
    const ValueIndex bias =
        builder_.AddConstant(Numbers(Shape{depthwise ? in : out}, inputs_most_));
    return e.Convolution(op, last_, weight, bias);
  }

  MaybeValue Step(Op op) {
    Expression& e = expression_;
    switch (op) {
      case Op::kAdd:
      case Op::kSub:
        return e.Apply(op, last_, Other());
      case Op::kMul: {
        Shape one = e.shape(last_);
        for (int axis = 0; axis + 1 < one.rank(); ++axis) one[axis] = 1;
        return e.Apply(op, last_, Weights(one, 1, 1));
      }
      case Op::kMaximum:
      case Op::kMinimum:
        return e.Add(op, {last_, Other()},
                     {{AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}});
      case Op::kSelect: {
        const ValueIndex other = Other();
        if (!e.Reads(Op::kGreater, type_)) return std::nullopt;
        return e.Select(e.Apply(Op::kGreater, last_, other), last_, other);
      }
      case Op::kReverse:
        return e.Add(op, {last_},
                     {{AttributeId::kAxis, choices().Between32(0, e.shape(last_).rank() - 1)}});
      case Op::kClamp:
        return Clamp();
      default:
        return e.Apply(op, last_);
    }
  }

  // Returns another value of the shape of the last one, or a constant for each channel.
  ValueIndex Other() {
    const TensorType wanted = builder_.TypeOf(last_);
    const MaybeValue other = builder_.Pick([&](const PoolValue& value) {
      return value.type() == wanted && &value != &builder_[last_];
    });
    if (other && !choices().OneIn(4)) return *other;
    Shape channels = wanted.shape;
    for (int axis = 0; axis + 1 < channels.rank(); ++axis) channels[axis] = 1;
    return builder_.AddConstant(Numbers(channels, inputs_most_));
  }

  // Cuts off up to a quarter of the range at each end, so that most elements stay as they are.
  MaybeValue Clamp() {
    const double low = builder_[last_].low, high = builder_[last_].high;
    const double quarter = std::floor((high - low) / 4 / unit_) * unit_;
    return expression_.Clamp(last_, low + quarter, high - quarter);
  }

  GraphBuilder& builder_;
  Expression expression_;
  const DType type_;
  double unit_, most_;
  int64_t inputs_most_;
  ValueIndex last_ = 0;  // Begin() adds it
};

}  // namespace

TestVector GrowLatticeGraph(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                            int64_t operators) {
  constexpr DType kTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16};
  GraphBuilder builder(choices, options, ValueMode::kCalm, {.plain_sums = true});
  LatticeGrowth growth(builder, menu, choices.Pick(kTypes));
  if (!growth.Begin()) return {};
  for (int64_t tries = 0; builder.operators() < operators && tries < 16 * operators; ++tries) {
    growth.Grow();
  }
  const std::vector<ValueIndex> outputs = builder.Unread();
  if (outputs.empty()) return {};
  TestVector vector = builder.FinishVector(outputs);
  if (!HasOneAnswer(vector, outputs.size()) || !Expect(vector, {})) return {};
  return vector;
}

}  // namespace assay
