#include "network_idioms.h"

#include <array>

namespace assay {
namespace {

// Builds expressions on values of the pool. A value of -1 stands for one that could not be added;
// everything on it is -1 again. A call must not have two arguments that add operators, because the
// compiler chooses their order.
class Expression {
 public:
  Expression(GraphBuilder& builder, const Menu& menu) : builder_(builder), menu_(menu) {}

  Choices& choices() { return builder_.choices(); }
  DType type(ValueIndex x) const { return builder_.TypeOf(x).type; }
  const Shape& shape(ValueIndex x) const { return builder_.TypeOf(x).shape; }

  // Returns a float tensor of the pool that is not vague and that `op` reads; -1 if there is none.
  ValueIndex Start(Op op, int rank_min = 1) {
    return builder_.Pick([&](const PoolValue& value) {
      return IsFloat(value.type().type) && !value.vague && !value.has_special &&
             value.type().shape.rank() >= rank_min && menu_.Reads(op, value.type().type);
    });
  }
  ValueIndex Apply(Op op, ValueIndex x) { return Add(op, {x}); }
  ValueIndex Apply(Op op, ValueIndex x, ValueIndex y) {
    if (op != Op::kMul) return Add(op, {x, y});
    return x < 0 || y < 0 ? -1 : Add(op, {x, y, builder_.AddNumber(DType::kInt8, 0, true)});
  }
  ValueIndex Apply(Op op, ValueIndex x, double number) {
    if (x < 0) return -1;
    Shape one = shape(x);
    for (int axis = 0; axis < one.rank(); ++axis) one[axis] = 1;
    return Apply(op, x, builder_.AddConstant(Tensor::FromFloats(type(x), one, {&number, 1})));
  }
  ValueIndex Reduce(Op op, ValueIndex x, int axis) {
    if (x < 0) return -1;
    Operator reduce;
    reduce.attributes.Set(AttributeId::kAxis, axis);
    if (op == Op::kReduceMax) {
      reduce.attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
    }
    return Add(op, {x}, std::move(reduce));
  }
  ValueIndex Cast(ValueIndex x, DType to) {
    return x < 0 || !menu_.Reads(Op::kCast, type(x)) ? -1 : Add(Op::kCast, {x}, {}, to);
  }
  // Adds an operator of the menu by its recipe, with drawn operands.
  ValueIndex Grown(Op op, ValueIndex x) {
    const MenuEntry* entry = x < 0 ? nullptr : menu_.Find(choices(), op, type(x));
    if (entry == nullptr) return -1;
    Wish wish;
    wish.op = op;
    wish.type_row = entry->type_row;
    wish.attribute_class = static_cast<int>(choices().Below(RecipeOf(op)->classes.size()));
    wish.first_operand = x;
    return Grow(builder_, wish);
  }
  ValueIndex Activation(ValueIndex x) {
    constexpr Op kActivations[] = {Op::kClamp, Op::kClamp, Op::kTanh, Op::kSigmoid,
                                   Op::kErf,   Op::kExp,   Op::kAbs,  Op::kFloor};
    const Op op = choices().Pick(kActivations);
    if (op != Op::kClamp) return x < 0 ? -1 : Apply(op, x);
    if (x < 0 || !menu_.Reads(op, type(x))) return -1;
    Operator clamp;
    const std::array<double, 2> bounds = {choices().OneIn(4) ? -1.0 : 0.0,
                                          choices().OneIn(2) ? 6.0 : 1.0};
    clamp.attributes.Set(AttributeId::kMinVal, Tensor::FromFloats(type(x), {}, {&bounds[0], 1}));
    clamp.attributes.Set(AttributeId::kMaxVal, Tensor::FromFloats(type(x), {}, {&bounds[1], 1}));
    clamp.attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
    return Add(op, {x}, std::move(clamp));
  }

 private:
  ValueIndex Add(Op op, std::vector<ValueIndex> inputs, Operator draft = {},
                 DType result = DType::kUnknown) {
    for (const ValueIndex input : inputs) {
      if (input < 0) return -1;
    }
    const MenuEntry* entry = menu_.Find(choices(), op, type(inputs[0]), result);
    if (entry == nullptr) return -1;
    draft.op = op;
    draft.inputs = std::move(inputs);
    return builder_.Add(std::move(draft), {&entry->result, 1});
  }

  GraphBuilder& builder_;
  const Menu& menu_;
};

ValueIndex DotProduct(Expression& e) {
  constexpr Op kDotProducts[] = {Op::kMatmul,          Op::kConv2d,          Op::kConv3d,
                                 Op::kDepthwiseConv2d, Op::kTransposeConv2d, Op::kReduceSum,
                                 Op::kAvgPool2d};
  const Op op = e.choices().Pick(kDotProducts);
  return e.Grown(op, e.Start(op));
}

ValueIndex DotProductAndActivation(Expression& e) {
  ValueIndex x = DotProduct(e);
  if (e.choices().OneIn(2)) x = e.Grown(Op::kAdd, x);
  return e.Activation(x);
}

ValueIndex Softmax(Expression& e) {
  const ValueIndex x = e.Start(Op::kExp);
  if (x < 0) return -1;
  const int axis = e.choices().Between32(0, e.shape(x).rank() - 1);
  const ValueIndex largest = e.Reduce(Op::kReduceMax, x, axis);
  const ValueIndex power = e.Apply(Op::kExp, e.Apply(Op::kSub, x, largest));
  const ValueIndex sum = e.Reduce(Op::kReduceSum, power, axis);
  return e.Apply(Op::kMul, power, e.Apply(Op::kReciprocal, sum));
}

ValueIndex Normalization(Expression& e) {
  const ValueIndex x = e.Start(Op::kRsqrt);
  if (x < 0) return -1;
  const int axis = e.choices().Between32(0, e.shape(x).rank() - 1);
  const double share = 1.0 / e.shape(x)[axis];
  const ValueIndex mean = e.Apply(Op::kMul, e.Reduce(Op::kReduceSum, x, axis), share);
  const ValueIndex centered = e.Apply(Op::kSub, x, mean);
  const ValueIndex squares = e.Apply(Op::kMul, centered, centered);
  const ValueIndex variance = e.Apply(Op::kMul, e.Reduce(Op::kReduceSum, squares, axis), share);
  const ValueIndex scale = e.Apply(Op::kRsqrt, e.Apply(Op::kAdd, variance, 0.01));
  return e.Apply(Op::kMul, centered, scale);
}

// GELU is x / 2 * (1 + erf(x / sqrt 2)), or about x / 2 * (1 + tanh(sqrt(2 / pi) (x + 0.044715
// x^3))).
ValueIndex Gelu(Expression& e) {
  const bool by_erf = e.choices().OneIn(2);
  const ValueIndex x = e.Start(by_erf ? Op::kErf : Op::kTanh);
  const ValueIndex half = e.Apply(Op::kMul, x, 0.5);
  ValueIndex inner = e.Apply(Op::kMul, x, 0.70710678118654752);
  if (!by_erf) {
    const ValueIndex cube = e.Apply(Op::kMul, x, e.Apply(Op::kMul, x, x));
    inner = e.Apply(Op::kAdd, x, e.Apply(Op::kMul, cube, 0.044715));
    inner = e.Apply(Op::kMul, inner, 0.79788456080286536);
  }
  const ValueIndex gate = e.Apply(Op::kAdd, e.Apply(by_erf ? Op::kErf : Op::kTanh, inner), 1.0);
  return e.Apply(Op::kMul, half, gate);
}

// SiLU, a gated unit and squeeze-and-excite.
ValueIndex Gate(Expression& e) {
  const ValueIndex x = e.Start(Op::kSigmoid);
  ValueIndex gate = x;
  if (x >= 0 && e.choices().OneIn(2)) {
    gate = e.Reduce(Op::kReduceSum, x, e.choices().Between32(0, e.shape(x).rank() - 1));
  }
  return e.Apply(Op::kMul, x, e.Apply(Op::kSigmoid, gate));
}

ValueIndex Residual(Expression& e) {
  const ValueIndex x = e.Start(Op::kAdd);
  const ValueIndex changed = e.Grown(Op::kMul, x);
  return e.Apply(Op::kAdd, x, e.Activation(changed));
}

// Integers become floats, which are calculated with, and integers again.
ValueIndex Quantized(Expression& e) {
  const ValueIndex x = e.Start(Op::kCast);
  if (x < 0) return -1;
  const DType real = e.type(x);
  const ValueIndex quantized = e.Cast(e.Apply(Op::kMul, x, 16.0), DType::kInt8);
  const ValueIndex scaled = e.Apply(Op::kMul, e.Cast(quantized, real), 0.0625);
  return e.Cast(e.Apply(Op::kMul, e.Activation(scaled), 16.0), DType::kInt8);
}

}  // namespace

bool GrowNetworkIdiom(GraphBuilder& builder, const Menu& menu) {
  using Idiom = ValueIndex (*)(Expression&);
  constexpr Idiom kIdioms[] = {DotProductAndActivation,
                               DotProductAndActivation,
                               Softmax,
                               Normalization,
                               Gelu,
                               Gate,
                               Residual,
                               Quantized};
  const GraphBuilder::Mark mark = builder.mark();
  Expression expression(builder, menu);
  if (builder.choices().Pick(kIdioms)(expression) >= 0) return true;
  builder.Rollback(mark);
  return false;
}

}  // namespace assay
