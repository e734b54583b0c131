// SPDX-License-Identifier: Apache-2.0
// Recipes of the element-wise, comparison and reduction operators.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "float_format.h"
#include "recipe.h"

namespace assay {
namespace {

// The relations between the shapes of two operands.
enum Relation {
  kSame,
  kBroadcast,
  kMutual,
  kScalar,
  kDeep,
  kSingle,
  kFirstStretched,
  kSecondStretched
};
constexpr std::string_view kRelations[] = {"same-shape",      "broadcast",       "mutual-broadcast",
                                           "rank-0",          "rank-max",        "one-element",
                                           "first-stretched", "second-stretched"};

// Returns true if the class says which operands are stretched.
bool IsStretching(int relation) {
  return relation == kMutual || relation == kFirstStretched || relation == kSecondStretched;
}
constexpr std::string_view kShapes[] = {"any-shape", "rank-0", "rank-max"};

// Appends the first operand of an operator with any number of operands, by the wished relation.
int First(Draft& draft, DType type, const ValueRange& range) {
  const int highest = draft.builder().level().max_rank;
  switch (draft.attribute_class()) {
    case kScalar:
      return draft.Any(type, 0, 0, range);
    case kDeep:
      return draft.Any(type, highest, highest, range);
    case kMutual:
    case kFirstStretched:
    case kSecondStretched: {
      // Axes of 1 beside axes of more, so that each operand can stretch the other.
      Shape shape = draft.DrawShape(2, kAnyRank, draft.elements_max() / 8);
      const auto axis =
          static_cast<int>(draft.choices().Below(static_cast<uint64_t>(shape.rank())));
      shape[axis] = 1;
      const int other = (axis + 1) % shape.rank();
      if (shape[other] == 1) shape[other] = 2;
      return draft.Fresh({type, shape}, range);
    }
    case kSingle: {
      Shape shape;
      const auto rank = draft.choices().Below(4);
      for (uint64_t i = 0; i < rank; ++i) shape.PushBack(1);
      return draft.Fresh({type, shape}, range);
    }
    default:
      return draft.Any(type, 0, kAnyRank, range);
  }
}

// Appends a further operand that broadcasts with `with`, by the wished relation.
int Next(Draft& draft, DType type, const Shape& with, const ValueRange& range) {
  const int relation = draft.attribute_class();
  if (IsStretching(relation)) {
    Shape shape = with;
    bool shorter = false;  // along some axis, so that this one is stretched
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (with[axis] == 1 && relation != kSecondStretched &&
          shape.Elements() <= draft.elements_max() / 4) {
        shape[axis] = draft.choices().Between32(2, 4);
      } else if (with[axis] > 1 && relation != kFirstStretched &&
                 (!shorter || draft.choices().Below(2) == 0)) {
        shape[axis] = 1;
        shorter = true;
      }
    }
    Shape joint;
    if (!BroadcastShape(shape, with, joint) || joint.Elements() > draft.elements_max()) {
      shape = with;
    }
    return draft.Fresh({type, shape}, range);
  }
  if (relation == kBroadcast) return draft.Partner(type, with, range);
  return draft.Of({type, with}, range);
}

// Returns the range within which sums and products of floats stay finite; most values are far
// below.
ValueRange FloatRange(DType type, double share) {
  const double most = FormatOf(type).max * share;
  return ValueRange::Between(-most, most);
}

// Returns the range of values whose sum (difference, if `minus`) with each element of `a` is in the
// range of the type.
ValueRange Addable(const PoolValue& a, DType type, bool minus) {
  if (IsFloat(type)) {
    return a.has_special ? ValueRange::All(type)
                         : FloatRange(type, 1 - std::max(std::fabs(a.low), std::fabs(a.high)) /
                                                    FormatOf(type).max);
  }
  const ValueRange all = ValueRange::All(type);
  // a - b: b from a.high - max to a.low - min.
  if (minus) return ValueRange::Between(a.high - all.high, a.low - all.low);
  return ValueRange::Between(all.low - a.low, all.high - a.high);
}

ValueRange Clipped(const ValueRange& range, DType type) {
  const ValueRange all = ValueRange::All(type);
  ValueRange clipped = range;
  clipped.low = std::max(range.low, all.low);
  clipped.high = std::min(range.high, all.high);
  return clipped;
}

// Returns a range for an operand of sums. At times it is the type's whole range, so that the other
// operand must fit; else it is a power of two on both sides of zero.
ValueRange Summand(Draft& draft, DType type) {
  if (IsFloat(type)) return FloatRange(type, 0.5);
  const ValueRange all = ValueRange::All(type);
  if (draft.choices().OneIn(4)) return all;
  const double half = std::ldexp(1.0, static_cast<int>(draft.choices().Between(2, 30)));
  return ValueRange::Between(-half, half - 1);
}

bool ProposeSum(Draft& draft) {
  const DType type = draft.type("in_out_t");
  ValueRange first = Summand(draft, type);
  if (draft.sweeps(1) && !IsFloat(type)) {
    const double neutral = draft.op() == Op::kSub ? -1 : 0;  // the second may be anything
    first = ValueRange::Between(neutral, neutral);
  }
  First(draft, type, first);
  const ValueRange range = Clipped(Addable(draft.operand(0), type, draft.op() == Op::kSub), type);
  if (range.low > range.high) return false;
  Next(draft, type, draft.shape(), range);
  return true;
}

bool ProposeMul(Draft& draft) {
  const DType type = draft.type("in_t");
  int64_t shift = 0;
  double product = IsFloat(type) ? FormatOf(type).max : 0x1p62;
  if (type == DType::kInt32) {
    // Besides 0: the usual Q31 scale, one bit, and the greatest shift whose rounding no product
    // overflows.
    constexpr std::array<int64_t, 6> kShifts = {0, 0, 31, 1, 16, 62};
    shift = draft.choices().Pick(kShifts);
    product = std::ldexp(1.0, static_cast<int>(30 + shift));
  }
  First(draft, type, ValueRange::All(type));
  const double size =
      std::max({std::fabs(draft.operand(0).low), std::fabs(draft.operand(0).high), 1.0});
  const double most = product / size;
  Next(draft, type, draft.shape(),
       draft.operand(0).has_special ? ValueRange::All(type)
                                    : Clipped(ValueRange::Between(-most, most), type));
  draft.Constant(DType::kInt8, shift);
  return true;
}

bool ProposeBitwise(Draft& draft) {
  const DType type = draft.type("in_out_t");
  First(draft, type, ValueRange::All(type));
  Next(draft, type, draft.shape(), ValueRange::All(type));
  if (draft.op() == Op::kMaximum || draft.op() == Op::kMinimum) draft.SetNanMode();
  return true;
}

bool ProposeShift(Draft& draft) {
  const DType type = draft.type("in_out_t");
  First(draft, type, ValueRange::All(type));
  Next(draft, type, draft.shape(), ValueRange::Between(0, IntegerBits(type) - 1));
  if (draft.op() == Op::kArithmeticRightShift) {
    draft.Set(AttributeId::kRound, draft.choices().Below(2) == 0);
  }
  return true;
}

bool ProposeIntdiv(Draft& draft) {
  const DType type = draft.type("in_out_t");
  First(draft, type, ValueRange::All(type));
  ValueRange divisor = ValueRange::All(type);
  divisor.nonzero = true;
  // The minimum divided by -1 is a quotient that does not fit.
  if (draft.operand(0).low <= divisor.low) divisor.low = 1;
  Next(draft, type, draft.shape(), divisor);
  return true;
}

// Proposes POW with bases above 0 (0 itself for positive exponents only) and exponents that keep
// the power finite. An operand that sweeps has numbers of every class instead.
bool ProposePow(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const bool zero_base = draft.choices().OneIn(4);
  ValueRange base = ValueRange::Between(zero_base ? 0 : 0x1p-4, 0x1p3);
  ValueRange exponent = ValueRange::Between(zero_base ? 0x1p-3 : -4, 4);
  if (draft.sweeps(0)) {
    base = ValueRange::Between(0, FormatOf(type).max);
    exponent = ValueRange::Between(0x1p-3, 4);
  } else if (draft.sweeps(1)) {
    base = ValueRange::Between(0x1p-4, 0x1p3);
    exponent = ValueRange::All(type);
  }
  base.may_be_special = exponent.may_be_special = false;
  First(draft, type, base);
  Next(draft, type, draft.shape(), exponent);
  return true;
}

bool ProposeComparison(Draft& draft) {
  const DType type = draft.type("in_t");
  First(draft, type, ValueRange::All(type));
  Next(draft, type, draft.shape(), ValueRange::All(type));
  return true;
}

bool ProposeSelect(Draft& draft) {
  const DType type = draft.type("in_out_t");
  First(draft, DType::kBool, ValueRange::All(DType::kBool));
  Next(draft, type, draft.shape(), ValueRange::All(type));
  Shape joint;
  if (!BroadcastShape(draft.shape(0), draft.shape(1), joint)) return false;
  Next(draft, type, joint, ValueRange::All(type));
  return true;
}

// Returns the range in which a unary operator is defined, finite, and worth judging (reading
// `wide-trigonometric-bounds`).
ValueRange UnaryRange(const Draft& draft, DType type, bool special) {
  const bool small = type == DType::kFp16;
  ValueRange range = ValueRange::All(type);
  const auto within = [&](double low, double high) {
    range.low = low;
    range.high = high;
  };
  switch (draft.op()) {
    case Op::kSin:
    case Op::kCos:
      if (!special) within(type == DType::kFp32 ? -128 : -8, type == DType::kFp32 ? 128 : 8);
      break;
    case Op::kExp:
      if (!special) within(small ? -9 : -80, small ? 11 : 80);
      break;
    case Op::kLog:
    case Op::kRsqrt:
      if (!special) within(FormatOf(type).normal_min, FormatOf(type).max);
      break;
    case Op::kReciprocal:
      if (!special) {
        range.nonzero = true;
        const double most = 1 / FormatOf(type).normal_min;
        within(-most, most);
      }
      break;
    case Op::kAbs:
    case Op::kNegate:
      // The minimum has no counterpart.
      if (type == DType::kInt32) range.low += 1;
      break;
    default:
      break;
  }
  return range;
}

bool ProposeUnary(Draft& draft) {
  const DType type = draft.type("in_out_t");
  const int highest = draft.builder().level().max_rank;
  const int rank_class = draft.attribute_class();  // of kShapes
  draft.Any(type, rank_class == 2 ? highest : 0, rank_class == 1 ? 0 : kAnyRank,
            UnaryRange(draft, type, draft.special()));
  return true;
}

// The classes of zero points: none, inside, and at the bounds of the type, where every element is
// on one side.
constexpr std::string_view kZeroPoints[] = {"zero-point-0", "zero-point-any", "zero-point-minimum",
                                            "zero-point-maximum", "zero-points-opposite"};

bool ProposeNegate(Draft& draft) {
  const DType type = draft.type("in_out_t");
  draft.Any(type, 0, kAnyRank, UnaryRange(draft, type, draft.special()));
  const auto zero_point = [&](int which) -> int64_t {
    if (type != DType::kInt8) return 0;
    switch (draft.attribute_class()) {
      case 1:
        return draft.choices().Between(-128, 127);
      case 2:
        return -128;
      case 3:
        return 127;
      case 4:
        return which == 0 ? -128 : 127;
      default:
        return 0;
    }
  };
  draft.Constant(type, zero_point(0));
  draft.Constant(type, zero_point(1));
  return true;
}

constexpr std::string_view kClampClasses[] = {"inside", "everything", "one-value",
                                              "below",  "above",      "infinite"};

bool ProposeClamp(Draft& draft) {
  const DType type = draft.type("in_out_t");
  draft.Any(type, 0, kAnyRank);
  const ValueRange all = ValueRange::All(type);
  double low = 0;
  double high = 0;
  const auto draw = [&](const ValueRange& range) {
    const Tensor one = DrawTensor(draft.choices(), {type, Shape{}}, range, ValueMode::kFinite);
    return IsFloat(type) ? one.Float(0) : static_cast<double>(one.Integer(0));
  };
  switch (draft.attribute_class()) {
    case 0:
      low = draw(all);
      high = draw(ValueRange::Between(low, all.high));
      break;
    case 1:
      low = all.low;
      high = all.high;
      break;
    case 2:
      low = high = draw(all);
      break;
    case 3:
      low = all.low;
      high = draw(ValueRange::Between(all.low, 0));
      break;
    case 5: {
      // No bound at all, or a bound on one side. In the special mode also bounds that leave only
      // one infinity.
      const bool infinite = IsFloat(type) && FormatOf(type).has_infinity;
      const double beyond = infinite ? std::numeric_limits<double>::infinity() : 0;
      const uint64_t kind = draft.choices().Below(draft.special() ? 6 : 4);
      low = kind == 3 ? draw(all) : kind == 5 ? all.high + beyond : all.low - beyond;
      high = kind == 2 ? draw(all) : kind == 4 ? all.low - beyond : all.high + beyond;
      break;
    }
    default:
      low = draw(ValueRange::Between(0, all.high));
      high = all.high;
      break;
  }
  if (low > high) std::swap(low, high);
  draft.Set(AttributeId::kMinVal, Filled({type, {}}, low));
  draft.Set(AttributeId::kMaxVal, Filled({type, {}}, high));
  draft.SetNanMode();
  return true;
}

constexpr std::string_view kAxes[] = {"axis-0", "axis-last", "axis-inner", "rank-max", "long-axis"};

// Returns the range of elements whose sum, or product of any of them, stays in range along an axis
// of n.
ValueRange ReduceRange(Op op, DType type, int64_t n) {
  if (op == Op::kReduceSum) {
    if (IsFloat(type)) return FloatRange(type, 1.0 / static_cast<double>(2 * n));
    const ValueRange all = ValueRange::All(type);
    return ValueRange::Between(std::ceil(all.low / static_cast<double>(n)),
                               std::floor(all.high / static_cast<double>(n)));
  }
  if (op == Op::kReduceProduct) {
    // Reading `product-order`: no partial product leaves the normal numbers.
    const double octaves =
        std::floor((type == DType::kFp16 ? 13.0 : 120.0) / static_cast<double>(n));
    const double most = std::ldexp(1.0, static_cast<int>(std::min(octaves, 4.0)));
    ValueRange range = ValueRange::Between(1 / most, most);
    return range;
  }
  return ValueRange::All(type);
}

bool ProposeReduction(Draft& draft) {
  const bool argmax = draft.op() == Op::kArgmax;
  const bool sum = draft.op() == Op::kReduceSum;
  const DType type = draft.type(argmax ? "in_t" : "in_out_t");
  const int highest = draft.builder().level().max_rank;
  const int axis_class = draft.attribute_class();
  // The length is not known before the operand; the longest possible length is safe for all.
  const bool bounded = sum || draft.op() == Op::kReduceProduct;
  const bool long_axis = axis_class == 4 && draft.op() != Op::kReduceProduct;
  const int64_t longest = !bounded    ? 1
                          : long_axis ? draft.elements_max()
                                      : std::max<int64_t>(draft.dimension_max(), 2);
  ValueRange range = ReduceRange(draft.op(), type, longest);
  if (long_axis) {
    // As many elements as possible, often of one sign: an accumulator with too few bits stops
    // growing.
    const auto most = static_cast<int32_t>(draft.elements_max());
    const int32_t length = draft.choices().Between32(most / 2, most);
    if (IsFloat(type) && draft.choices().Below(2) == 0) range.low = 0;
    const bool column = draft.choices().OneIn(3);
    draft.Fresh({type, column ? Shape{length, 1} : Shape{length}}, range);
    draft.Set(AttributeId::kAxis, 0);
    if (argmax || draft.op() == Op::kReduceMax || draft.op() == Op::kReduceMin) draft.SetNanMode();
    return true;
  }
  draft.Any(type, axis_class == 3 ? highest : axis_class == 2 ? 3 : 1, kAnyRank, range);
  const int rank = draft.shape().rank();
  int axis = 0;
  if (axis_class == 1) axis = rank - 1;
  if (axis_class == 2) axis = rank / 2;
  if (axis_class == 3) axis = static_cast<int>(draft.choices().Below(static_cast<uint64_t>(rank)));
  draft.Set(AttributeId::kAxis, axis);
  if (argmax || draft.op() == Op::kReduceMax || draft.op() == Op::kReduceMin) draft.SetNanMode();
  return true;
}

constexpr Recipe kElementWiseRecipes[] = {
    {Op::kAdd, kRelations, ProposeSum},
    {Op::kSub, kRelations, ProposeSum},
    {Op::kMul, kRelations, ProposeMul},
    {Op::kArithmeticRightShift, kRelations, ProposeShift},
    {Op::kLogicalLeftShift, kRelations, ProposeShift},
    {Op::kLogicalRightShift, kRelations, ProposeShift},
    {Op::kBitwiseAnd, kRelations, ProposeBitwise},
    {Op::kBitwiseOr, kRelations, ProposeBitwise},
    {Op::kBitwiseXor, kRelations, ProposeBitwise},
    {Op::kLogicalAnd, kRelations, ProposeBitwise},
    {Op::kLogicalOr, kRelations, ProposeBitwise},
    {Op::kLogicalXor, kRelations, ProposeBitwise},
    {Op::kMaximum, kRelations, ProposeBitwise},
    {Op::kMinimum, kRelations, ProposeBitwise},
    {Op::kIntdiv, kRelations, ProposeIntdiv},
    {Op::kPow, kRelations, ProposePow},
    {Op::kEqual, kRelations, ProposeComparison},
    {Op::kGreater, kRelations, ProposeComparison},
    {Op::kGreaterEqual, kRelations, ProposeComparison},
    {Op::kSelect, kRelations, ProposeSelect},
    {Op::kAbs, kShapes, ProposeUnary},
    {Op::kBitwiseNot, kShapes, ProposeUnary},
    {Op::kCeil, kShapes, ProposeUnary},
    {Op::kClz, kShapes, ProposeUnary},
    {Op::kCos, kShapes, ProposeUnary},
    {Op::kExp, kShapes, ProposeUnary},
    {Op::kFloor, kShapes, ProposeUnary},
    {Op::kLog, kShapes, ProposeUnary},
    {Op::kLogicalNot, kShapes, ProposeUnary},
    {Op::kReciprocal, kShapes, ProposeUnary},
    {Op::kRsqrt, kShapes, ProposeUnary},
    {Op::kSin, kShapes, ProposeUnary},
    {Op::kErf, kShapes, ProposeUnary},
    {Op::kSigmoid, kShapes, ProposeUnary},
    {Op::kTanh, kShapes, ProposeUnary},
    {Op::kIdentity, kShapes, ProposeUnary},
    {Op::kNegate, kZeroPoints, ProposeNegate},
    {Op::kClamp, kClampClasses, ProposeClamp},
    {Op::kArgmax, kAxes, ProposeReduction},
    {Op::kReduceAll, kAxes, ProposeReduction},
    {Op::kReduceAny, kAxes, ProposeReduction},
    {Op::kReduceMax, kAxes, ProposeReduction},
    {Op::kReduceMin, kAxes, ProposeReduction},
    {Op::kReduceProduct, kAxes, ProposeReduction},
    {Op::kReduceSum, kAxes, ProposeReduction},
};

}  // namespace

std::span<const Recipe> ElementWiseRecipes() { return kElementWiseRecipes; }

}  // namespace assay
