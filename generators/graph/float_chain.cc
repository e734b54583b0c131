// SPDX-License-Identifier: Apache-2.0
#include "float_chain.h"

#include <algorithm>
#include <cmath>

#include "expression.h"
#include "operator_set.h"

namespace assay {
namespace {

// Operators that any tensor of floats can pass, and keep its shape.
constexpr Op kSteps[] = {Op::kAdd, Op::kSub,     Op::kMul,    Op::kMul,        Op::kTanh,
                         Op::kErf, Op::kSigmoid, Op::kExp,    Op::kReciprocal, Op::kRsqrt,
                         Op::kLog, Op::kSin,     Op::kCos,    Op::kPow,        Op::kMatmul,
                         Op::kAbs, Op::kClamp,   Op::kMaximum};
// Operators that take what the chain has, by a recipe. They make the pairs of operators that a
// table of steps would leave out.
constexpr Op kDrawn[] = {Op::kAvgPool2d,
                         Op::kConv2d,
                         Op::kConv3d,
                         Op::kDepthwiseConv2d,
                         Op::kMatmul,
                         Op::kFft2d,
                         Op::kTransposeConv2d,
                         Op::kRfft2d,
                         Op::kReduceSum,
                         Op::kReduceProduct,
                         Op::kResize,
                         Op::kCast,
                         Op::kReshape,
                         Op::kTranspose,
                         Op::kAdd,
                         Op::kMul,
                         Op::kSub,
                         Op::kPow};

class FloatChain {
 public:
  FloatChain(GraphBuilder& builder, const Menu& menu)
      : builder_(builder), expression_(builder, menu) {}

  // Begins with an input of a type that the menu has. Returns false if there is none.
  bool Begin() {
    constexpr DType kTypes[] = {DType::kFp32, DType::kFp32, DType::kFp16, DType::kBf16};
    const DType type = choices().Pick(kTypes);
    if (!expression_.Reads(Op::kAdd, type) || !expression_.Reads(Op::kMul, type)) return false;
    std::vector<int32_t> dims;
    const int64_t rank = choices().Between(2, 4);
    for (int64_t axis = 0; axis < rank; ++axis) dims.push_back(choices().Between32(1, 5));
    dims.back() = choices().Between32(2, 8);
    last_ = builder_.AddInput(
        DrawTensor(choices(), {type, Shape(dims)}, ValueRange::Between(-2, 2), ValueMode::kCalm));
    return true;
  }

  enum class Growth : uint8_t { kNone, kExact, kInexact };

  // Adds one operator. Returns kNone, with nothing changed, if the result would not be informative.
  Growth Grow() {
    const GraphBuilder::Mark mark = builder_.mark();
    const MaybeValue next = choices().OneIn(3) ? expression_.Grown(choices().Pick(kDrawn), last_)
                                               : Step(choices().Pick(kSteps));
    const bool fits = next && Reads(last_) && IsFitting(builder_[*next]);
    const bool calculates = fits && Calculates(builder_.LastOperator().op);
    // Exact operators fit nearly always: most of them are left out.
    if (fits && (calculates || choices().OneIn(4))) {
      last_ = *next;
      return calculates ? Growth::kInexact : Growth::kExact;
    }
    builder_.Rollback(mark);
    return Growth::kNone;
  }

  ValueIndex last() const { return last_; }

 private:
  Choices& choices() { return builder_.choices(); }

  // Returns true if the last operator reads a value. A recipe takes another one that suits it
  // better.
  bool Reads(ValueIndex x) const {
    const std::vector<ValueIndex>& inputs = builder_.LastOperator().inputs;
    return std::ranges::find(inputs, x) != inputs.end();
  }

  static bool Calculates(Op op) {
    return ops::DefinitionOf(op).traits.results == ops::ResultOrigin::kCalculated;
  }

  // Returns true if elements of the value tell each other apart, and are large enough and small
  // enough for what follows.
  static bool IsFitting(const PoolValue& value) {
    constexpr double kMost = 16, kLeastSpread = 0.125;
    return IsFloat(value.type().type) &&
           FormatOf(value.type().type).must_keep_subnormals == false && !value.has_special &&
           value.low >= -kMost && value.high <= kMost && value.elements() >= 2 &&
           value.high - value.low >= kLeastSpread;
  }

  MaybeValue Step(Op op) {
    Expression& e = expression_;
    const double low = builder_[last_].low, high = builder_[last_].high;
    switch (op) {
      case Op::kAdd:
      case Op::kSub:
        return e.Apply(op, last_, e.PerChannel(last_, -2, 2));
      case Op::kMul:
        return e.Apply(op, last_, e.PerChannel(last_, choices().OneIn(2) ? 0.5 : -1.5, 1.5));
      case Op::kPow:
        if (low < 0.125) return std::nullopt;
        return e.Apply(op, last_, e.PerChannel(last_, 0.5, 2));
      case Op::kMaximum:
      case Op::kClamp:
        return e.Clamp(last_);
      case Op::kMatmul: {
        const Shape& shape = e.shape(last_);
        if (shape.rank() != 3) return std::nullopt;
        const int32_t in = shape[2], out = choices().Between32(2, 8);
        const double size = std::sqrt(3.0 / in);
        return e.MatMul(last_, e.Constant({e.type(last_), Shape{shape[0], in, out}}, -size, size));
      }
      case Op::kReciprocal:
      case Op::kRsqrt:
      case Op::kLog:
        if (low < 0.125) return std::nullopt;
        return e.Apply(op, last_);
      case Op::kExp:
        if (high > 2.5) return std::nullopt;
        return e.Apply(op, last_);
      default: {
        constexpr double kSteep = 4;  // of TANH, SIGMOID and ERF
        if (low < -kSteep || high > kSteep) return std::nullopt;
        return e.Apply(op, last_);
      }
    }
  }

  GraphBuilder& builder_;
  Expression expression_;
  ValueIndex last_ = 0;  // Begin() adds it
};

}  // namespace

TestVector GrowFloatChain(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                          int64_t operators) {
  GraphBuilder builder(choices, options, ValueMode::kCalm);
  FloatChain chain(builder, menu);
  if (!chain.Begin()) return {};
  int64_t missing = operators;
  for (int64_t tries = 0; missing > 0 && tries < 16 * operators; ++tries) {
    if (chain.Grow() == FloatChain::Growth::kInexact) --missing;
  }
  if (builder.operators() == 0) return {};
  const ValueIndex output = chain.last();
  return builder.FinishVector({&output, 1});
}

}  // namespace assay
