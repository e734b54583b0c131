// SPDX-License-Identifier: Apache-2.0
// Identities that hold bit by bit (any NaN being any NaN) wherever the left side is valid.
#include "law_words.h"

namespace assay {
namespace {

using enum Op;
using enum LawSort;

// A function that adds an operand with planted values.
using Operand = T (*)(Equation&, std::initializer_list<double>);

// --- Integers and floats

// Writes the law x op (a number) = x.
template <Op kOp, int kNumber, Operand kOperand = Int32>
void Neutral(Equation& e) {
  const T x = kOperand(e, {});
  SayUnchanged(e, x, [&](S& s) { return s.Binary(kOp, x, s.Number(x, kNumber)); });
}
// Writes the law x op x = x.
template <Op kOp, Operand kOperand = Int32>
void Idempotent(Equation& e) {
  const T x = kOperand(e, {});
  SayUnchanged(e, x, [&](S& s) { return s.Binary(kOp, x, x); });
}
template <DType kNarrow, DType kWide>
void WidenAndBack(Equation& e) {
  const T x = e.Operand({kNarrow, e.DrawShape()});
  SayUnchanged(e, x, [&](S& s) { return s.Cast(s.Cast(x, kWide), kNarrow); });
}

// --- Integers

// Writes the law x op (a number) = the number.
template <Op kOp, int kNumber>
void Absorbing(Equation& e) {
  const T x = Int32(e);
  Say(
      e, [&](S& s) { return s.Binary(kOp, x, s.Number(x, kNumber)); },
      [&](S& s) { return s.Splat(x, kNumber); });
}
// Writes the law f(f(x)) = x, for 8, 16 and 32 bits.
template <Op kOp>
void Involution(Equation& e) {
  const T x = e.Operand({kOp == kLogicalNot ? DType::kBool : e.DrawInteger(), e.DrawShape()});
  SayUnchanged(e, x, [&](S& s) { return s.Unary(kOp, s.Unary(kOp, x)); });
}
template <Op kOp>
void Commutative(Equation& e) {
  const T a = Modest(e, DType::kInt32);
  const T b = Another(e, a, ValueRange::Between(-1000, 1000));
  Say(
      e, [&](S& s) { return s.Binary(kOp, a, b); }, [&](S& s) { return s.Binary(kOp, b, a); });
}
void TwoAdditions(Equation& e) {
  const T x = Modest(e, DType::kInt32);
  const double a = e.choices().Between32(-1000, 1000), b = e.choices().Between32(-1000, 1000);
  Say(
      e,
      [&](S& s) {
        const T left = s.Binary(kAdd, x, s.Number(x, a));
        return s.Binary(kAdd, left, s.Number(x, b));
      },
      [&](S& s) { return s.Binary(kAdd, x, s.Number(x, a + b)); });
}
void AddAndTakeAway(Equation& e) {
  const T a = Modest(e, DType::kInt32);
  const T b = Another(e, a, ValueRange::Between(-1000, 1000));
  SayUnchanged(e, a, [&](S& s) { return s.Binary(kSub, s.Binary(kAdd, a, b), b); });
}
void TwiceIsShifted(Equation& e) {
  const T x = Modest(e, DType::kInt32);
  Say(
      e, [&](S& s) { return s.Binary(kAdd, x, x); },
      [&](S& s) { return s.Binary(kLogicalLeftShift, x, s.Number(x, 1)); });
}
void DeMorgan(Equation& e) {
  const T a = Int32(e), b = Another(e, a, ValueRange::All(DType::kInt32));
  Say(
      e, [&](S& s) { return s.Unary(kBitwiseNot, s.Binary(kBitwiseAnd, a, b)); },
      [&](S& s) {
        const T left = s.Unary(kBitwiseNot, a);
        return s.Binary(kBitwiseOr, left, s.Unary(kBitwiseNot, b));
      });
}
void AndByXor(Equation& e) {
  const T a = Int32(e), b = Another(e, a, ValueRange::All(DType::kInt32));
  Say(
      e, [&](S& s) { return s.Binary(kBitwiseXor, s.Binary(kBitwiseAnd, a, b), a); },
      [&](S& s) { return s.Binary(kBitwiseAnd, a, s.Unary(kBitwiseNot, b)); });
}
void MinusIsPlusNot(Equation& e) {
  const T x =
      e.Operand({DType::kInt32, e.DrawShape()}, ValueRange::Between(kInt32Min + 1, kInt32Max));
  Say(
      e, [&](S& s) { return s.Unary(kNegate, x); },
      [&](S& s) {
        const T left = s.Unary(kBitwiseNot, x);
        return s.Binary(kSub, left, s.Number(x, -1));
      });
}
void NestedClamps(Equation& e) {
  const T x = e.Operand({e.choices().OneIn(2) ? DType::kInt8 : DType::kInt16, e.DrawShape()});
  Say(
      e,
      [&](S& s) {
        return s.Clamp(s.Clamp(x, -60, 90, NanMode::kPropagate), -40, 100, NanMode::kPropagate);
      },
      [&](S& s) { return s.Clamp(x, -40, 90, NanMode::kPropagate); });
}
template <Op kOp, bool kResult>
void ComparedWithItself(Equation& e) {
  const T x = Int32(e);
  Say(
      e,
      [&](S& s) {
        return s.Apply(kOp, {x, x});
      },
      [&](S& s) { return s.Constant(Tensor::Splat(DType::kBool, s.ShapeOf(x), kResult ? 1 : 0)); });
}
void TwoShifts(Equation& e) {
  const T x = Int32(e);
  Say(
      e, [&](S& s) { return s.Shifted(s.Shifted(x, 3, false), 4, false); },
      [&](S& s) { return s.Shifted(x, 7, false); });
}
void ReduceOneByOne(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape(3)}, ValueRange::Between(-1000, 1000));
  Say(
      e, [&](S& s) { return s.Reduce(kReduceSum, s.Reduce(kReduceSum, x, 0), 1); },
      [&](S& s) { return s.Reduce(kReduceSum, s.Reduce(kReduceSum, x, 1), 0); });
}
void SumOfReversed(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape()}, ValueRange::Between(-1000, 1000));
  const int32_t axis = e.DrawAxis(x);
  Say(
      e, [&](S& s) { return s.Reduce(kReduceSum, s.Reverse(x, axis), axis); },
      [&](S& s) { return s.Reduce(kReduceSum, x, axis); });
}

// --- Data movement

void ReverseTwice(Equation& e) {
  const T x = Any(e);
  const int32_t axis = e.DrawAxis(x);
  SayUnchanged(e, x, [&](S& s) { return s.Reverse(s.Reverse(x, axis), axis); });
}
void ReverseBothAxes(Equation& e) {
  const T x = Any(e, 3);
  Say(
      e, [&](S& s) { return s.Reverse(s.Reverse(x, 0), 2); },
      [&](S& s) { return s.Reverse(s.Reverse(x, 2), 0); });
}
void TransposeAndBack(Equation& e) {
  const T x = Any(e, e.choices().Between32(2, 4));
  const auto perms = DrawPermutation(e, e.before.ShapeOf(x).rank());
  SayUnchanged(e, x, [&](S& s) { return s.Transpose(s.Transpose(x, perms), InverseOf(perms)); });
}
void TwoTransposes(Equation& e) {
  const T x = Any(e, 3);
  // out[i] = in[first[second[i]]]: first = (1, 2, 0), second = (0, 2, 1).
  Say(
      e,
      [&](S& s) {
        return s.Transpose(s.Transpose(x, {1, 2, 0}), {0, 2, 1});
      },
      [&](S& s) {
        return s.Transpose(x, {1, 0, 2});
      });
}
void ReshapeTwice(Equation& e) {
  const T x = Any(e);
  const Shape shape = e.before.ShapeOf(x);
  SayUnchanged(e, x, [&](S& s) { return s.Reshape(s.Reshape(x, FlatShape(shape)), shape); });
}
void SliceOfPad(Equation& e) {
  const T x = Any(e);
  const Shape shape = e.before.ShapeOf(x);
  std::vector<int64_t> padding = Zeros(2 * shape.rank()), start = Zeros(shape.rank());
  for (size_t axis = 0; axis < start.size(); ++axis) {
    start[axis] = padding[2 * axis] = e.choices().Between(0, 2);
    padding[2 * axis + 1] = e.choices().Between(0, 2);
  }
  const double value = e.DrawValue(e.before.TypeOf(x).type);
  SayUnchanged(e, x, [&](S& s) { return s.Slice(s.Pad(x, padding, value), start, shape); });
}
void TwoPads(Equation& e) {
  const T x = Any(e, 2);
  const double value = e.DrawValue(e.before.TypeOf(x).type);
  const int64_t one[] = {1, 0, 2, 1}, other[] = {0, 2, 1, 1}, both[] = {1, 2, 3, 2};
  Say(
      e, [&](S& s) { return s.Pad(s.Pad(x, one, value), other, value); },
      [&](S& s) { return s.Pad(x, both, value); });
}
void SliceOfConcat(Equation& e) {
  const T a = Any(e), b = Another(e, a, ValueRange::All(e.before.TypeOf(a).type));
  const int32_t axis = e.DrawAxis(a);
  const Shape shape = e.before.ShapeOf(a);
  std::vector<int64_t> start = Zeros(shape.rank());
  start[static_cast<size_t>(axis)] = shape[axis];
  SayUnchanged(e, b, [&](S& s) { return s.Slice(s.Concat({a, b}, axis), start, shape); });
}
void ConcatOfSlices(Equation& e) {
  const T x = Any(e);
  const int32_t axis = e.DrawAxis(x);
  const Shape shape = e.before.ShapeOf(x);
  Shape first = shape, rest = shape;
  first[axis] = e.choices().Between32(1, shape[axis] - 1);
  rest[axis] -= first[axis];
  std::vector<int64_t> start = Zeros(shape.rank());
  start[static_cast<size_t>(axis)] = first[axis];
  SayUnchanged(e, x, [&](S& s) {
    const T low = s.Slice(x, Zeros(shape.rank()), first);
    return s.Concat({low, s.Slice(x, start, rest)}, axis);
  });
}
void TwoTiles(Equation& e) {
  const T x = Any(e, 2);
  const int64_t one[] = {2, 1}, other[] = {1, 3}, both[] = {2, 3};
  Say(
      e, [&](S& s) { return s.Tile(s.Tile(x, one), other); },
      [&](S& s) { return s.Tile(x, both); });
}
void TileOfReversed(Equation& e) {
  const T x = Any(e, 2);
  const int64_t multiples[] = {2, 2};
  Say(
      e, [&](S& s) { return s.Tile(s.Reverse(x, 1), multiples); },
      [&](S& s) { return s.Reverse(s.Tile(x, multiples), 1); });
}
void SliceOfTile(Equation& e) {
  const T x = Any(e, 2);
  const Shape shape = e.before.ShapeOf(x);
  const int64_t multiples[] = {3, 2};
  const std::vector<int64_t> start = {shape[0], shape[1]};
  SayUnchanged(e, x, [&](S& s) { return s.Slice(s.Tile(x, multiples), start, shape); });
}
void GatherInOrder(Equation& e) {
  const Shape shape = e.DrawShape(3);
  const T x = e.Operand({DType::kInt32, shape});
  std::vector<int64_t> indices;
  for (int32_t n = 0; n < shape[0]; ++n) {
    for (int32_t k = 0; k < shape[1]; ++k) indices.push_back(k);
  }
  SayUnchanged(e, x, [&](S& s) {
    const T order = s.Constant(Tensor::FromIntegers(DType::kInt32, {shape[0], shape[1]}, indices));
    return s.Apply(kGather, {x, order});
  });
}
void TransposeOfOnes(Equation& e) {
  const Shape drawn = e.DrawShape(2);
  const Shape shape = {drawn[0], 1, drawn[1]};
  const T x = e.Operand({e.DrawAnyType(), shape});
  Say(
      e,
      [&](S& s) {
        return s.Transpose(x, {1, 0, 2});
      },
      [&](S& s) {
        return s.Reshape(x, {1, drawn[0], drawn[1]});
      });
}
void SelectOfTheSame(Equation& e) {
  const T x = Int32(e);
  const T condition = e.Operand({DType::kBool, e.before.ShapeOf(x)});
  SayUnchanged(e, x, [&](S& s) { return s.Apply(kSelect, {condition, x, x}); });
}
void MaximumOfReversed(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape()});
  const int32_t axis = e.DrawAxis(x);
  Say(
      e, [&](S& s) { return s.Reduce(kReduceMax, s.Reverse(x, axis), axis); },
      [&](S& s) { return s.Reduce(kReduceMax, x, axis); });
}
// Writes the law f(transposed x) = transposed f(x).
template <Op kOp>
void ThenTransposed(Equation& e) {
  const T x = e.Operand({e.DrawFloat(), e.DrawShape(2)});
  Say(
      e,
      [&](S& s) {
        return s.Unary(kOp, s.Transpose(x, {1, 0}));
      },
      [&](S& s) {
        return s.Transpose(s.Unary(kOp, x), {1, 0});
      });
}
void ExpOfTile(Equation& e) {
  const T x = e.Operand({e.DrawFloat(), e.DrawShape(2)});
  const int64_t multiples[] = {2, 3};
  Say(
      e, [&](S& s) { return s.Unary(kExp, s.Tile(x, multiples)); },
      [&](S& s) { return s.Tile(s.Unary(kExp, x), multiples); });
}
void AddOfTiles(Equation& e) {
  const T x = e.Operand({e.DrawFloat(), e.DrawShape(2)});
  const T y = Another(e, x, ValueRange::All(e.before.TypeOf(x).type));
  const int64_t multiples[] = {3, 2};
  Say(
      e,
      [&](S& s) {
        const T left = s.Tile(x, multiples);
        return s.Binary(kAdd, left, s.Tile(y, multiples));
      },
      [&](S& s) { return s.Tile(s.Binary(kAdd, x, y), multiples); });
}
void ExpOfConcat(Equation& e) {
  const T x = e.Operand({e.DrawFloat(), e.DrawShape(2)});
  const T y = Another(e, x, ValueRange::All(e.before.TypeOf(x).type));
  Say(
      e,
      [&](S& s) {
        return s.Unary(kExp, s.Concat({x, y}, 1));
      },
      [&](S& s) {
        const T left = s.Unary(kExp, x);
        return s.Concat({left, s.Unary(kExp, y)}, 1);
      });
}
void AbsOfPad(Equation& e) {
  const T x = e.Operand({e.DrawFloat(), e.DrawShape(2)});
  const int64_t padding[] = {1, 0, 2, 1};
  Say(
      e, [&](S& s) { return s.Unary(kAbs, s.Pad(x, padding, -1.5)); },
      [&](S& s) { return s.Pad(s.Unary(kAbs, x), padding, 1.5); });
}

// --- Floats

template <Op kOuter, Op kInner, Op kAlone>
void Nested(Equation& e) {
  const T x = Float(e);
  Say(
      e, [&](S& s) { return s.Unary(kOuter, s.Unary(kInner, x)); },
      [&](S& s) { return s.Unary(kAlone, x); });
}
void NegatedTwice(Equation& e) {
  const T x = Float(e);
  SayUnchanged(e, x, [&](S& s) { return s.Unary(kNegate, s.Unary(kNegate, x)); });
}
template <Op kOp>
void FloatCommutative(Equation& e) {
  const T a = Float(e), b = Another(e, a, ValueRange::All(e.before.TypeOf(a).type));
  Say(
      e, [&](S& s) { return s.Binary(kOp, a, b); }, [&](S& s) { return s.Binary(kOp, b, a); });
}
void TimesMinusOne(Equation& e) {
  const T x = Float(e);
  Say(
      e, [&](S& s) { return s.Binary(kMul, x, s.Number(x, -1)); },
      [&](S& s) { return s.Unary(kNegate, x); });
}
void TimesTwo(Equation& e) {
  const T x = Float(e);
  Say(
      e, [&](S& s) { return s.Binary(kMul, x, s.Number(x, 2)); },
      [&](S& s) { return s.Binary(kAdd, x, x); });
}
void PlusMinusZero(Equation& e) {
  const T x = Float(e);
  SayUnchanged(e, x, [&](S& s) { return s.Binary(kAdd, x, s.Number(x, -0.0)); });
}
void MinusIsPlusNegated(Equation& e) {
  const T a = Float(e), b = Another(e, a, ValueRange::All(e.before.TypeOf(a).type));
  Say(
      e, [&](S& s) { return s.Binary(kSub, a, b); },
      [&](S& s) { return s.Binary(kAdd, a, s.Unary(kNegate, b)); });
}
void CeilByFloor(Equation& e) {
  const T x = Float(e);
  Say(
      e, [&](S& s) { return s.Unary(kCeil, x); },
      [&](S& s) { return s.Unary(kNegate, s.Unary(kFloor, s.Unary(kNegate, x))); });
}
void ProductOfNegated(Equation& e) {
  const T a = Float(e), b = Another(e, a, ValueRange::All(e.before.TypeOf(a).type));
  Say(
      e,
      [&](S& s) {
        const T left = s.Unary(kNegate, a);
        return s.Binary(kMul, left, s.Unary(kNegate, b));
      },
      [&](S& s) { return s.Binary(kMul, a, b); });
}
void FloatNestedClamps(Equation& e) {
  const T x = Float(e);
  Say(
      e,
      [&](S& s) {
        return s.Clamp(s.Clamp(x, -2, 4, NanMode::kPropagate), -1, 8, NanMode::kPropagate);
      },
      [&](S& s) { return s.Clamp(x, -1, 4, NanMode::kPropagate); });
}
void ClampByExtremes(Equation& e) {
  const T x = Float(e);
  Say(
      e, [&](S& s) { return s.Clamp(x, -2, 3, NanMode::kPropagate); },
      [&](S& s) {
        const T low = s.Extreme(kMaximum, x, s.Number(x, -2), NanMode::kPropagate);
        return s.Extreme(kMinimum, low, s.Number(x, 3), NanMode::kPropagate);
      });
}
void AndOfTheSame(Equation& e) {
  const T a = Float(e), b = Another(e, a, ValueRange::All(e.before.TypeOf(a).type));
  Say(
      e,
      [&](S& s) {
        return s.Apply(kLogicalAnd, {s.Apply(kGreater, {a, b}), s.Apply(kGreater, {a, b})});
      },
      [&](S& s) {
        return s.Apply(kGreater, {a, b});
      });
}

constexpr Law kExactLaws[] = {
    {"x + 0 = x", "no sum overflows", kInteger, true, Neutral<kAdd, 0>},
    {"x - 0 = x", "no difference overflows", kInteger, true, Neutral<kSub, 0>},
    {"x * 1 = x", "exact", kInteger, true, Neutral<kMul, 1>},
    {"x * 0 = 0", "integers have one zero and no NaN", kInteger, true, Absorbing<kMul, 0>},
    {"x / 1 = x", "exact", kInteger, true, Neutral<kIntdiv, 1>},
    {"x | 0 = x", "bit by bit", kInteger, true, Neutral<kBitwiseOr, 0>},
    {"x ^ 0 = x", "bit by bit", kInteger, true, Neutral<kBitwiseXor, 0>},
    {"x & -1 = x", "bit by bit", kInteger, true, Neutral<kBitwiseAnd, -1>},
    {"x & 0 = 0", "bit by bit", kInteger, true, Absorbing<kBitwiseAnd, 0>},
    {"x | -1 = -1", "bit by bit", kInteger, true, Absorbing<kBitwiseOr, -1>},
    {"x << 0 = x", "bit by bit", kInteger, true, Neutral<kLogicalLeftShift, 0>},
    {"max(x, x) = x", "integers", kInteger, true, Idempotent<kMaximum>},
    {"min(x, x) = x", "integers", kInteger, true, Idempotent<kMinimum>},
    {"x & x = x", "bit by bit", kInteger, true, Idempotent<kBitwiseAnd>},
    {"x | x = x", "bit by bit", kInteger, true, Idempotent<kBitwiseOr>},
    {"~~x = x", "bit by bit", kInteger, true, Involution<kBitwiseNot>},
    {"not not x = x", "bool", kInteger, true, Involution<kLogicalNot>},
    {"a + b = b + a", "integers", kInteger, true, Commutative<kAdd>},
    {"a * b = b * a", "integers", kInteger, true, Commutative<kMul>},
    {"(x + a) + b = x + (a + b)", "valid where both sums are; a + b is a small constant", kInteger,
     true, TwoAdditions},
    {"(a + b) - b = a", "valid where the sum is", kInteger, true, AddAndTakeAway},
    {"x + x = x << 1", "valid where the sum is; the shift always is", kInteger, true,
     TwiceIsShifted},
    {"~(a & b) = ~a | ~b", "bit by bit", kInteger, true, DeMorgan},
    {"(a & b) ^ a = a & ~b", "bit by bit", kInteger, true, AndByXor},
    {"-x = ~x - (-1)", "two's complement, but for the least number", kInteger, true,
     MinusIsPlusNot},
    {"clamp(clamp(x)) = clamp(x)", "the bounds of one, and then of the other", kInteger, true,
     NestedClamps},
    {"i8(i16(x)) = x", "every number of 8 bits is one of 16", kInteger, true,
     WidenAndBack<DType::kInt8, DType::kInt16>},
    {"i8(i32(x)) = x", "every number of 8 bits is one of 32", kInteger, true,
     WidenAndBack<DType::kInt8, DType::kInt32>},
    {"i16(i32(x)) = x", "every number of 16 bits is one of 32", kInteger, true,
     WidenAndBack<DType::kInt16, DType::kInt32>},
    {"bool(i32(x)) = x", "true is 1", kInteger, true, WidenAndBack<DType::kBool, DType::kInt32>},
    {"x == x is true", "integers have no NaN", kInteger, true, ComparedWithItself<kEqual, true>},
    {"x > x is false", "nothing is greater than itself", kInteger, true,
     ComparedWithItself<kGreater, false>},
    {"x >= x is true", "integers have no NaN", kInteger, true,
     ComparedWithItself<kGreaterEqual, true>},
    {"(x >> 3) >> 4 = x >> 7", "without rounding", kInteger, true, TwoShifts},
    {"sum over a, then b = over b, then a", "sums of integers, in range", kInteger, true,
     ReduceOneByOne},
    {"sum(reverse(x)) = sum(x)", "sums of integers, in range", kInteger, true, SumOfReversed},

    {"reverse(reverse(x)) = x", "the same axis", kDataMovement, true, ReverseTwice},
    {"reverses of two axes commute", "different axes", kDataMovement, true, ReverseBothAxes},
    {"transpose(transpose(x)) = x", "inverse permutations", kDataMovement, true, TransposeAndBack},
    {"transpose(transpose(x)) = transpose(x)", "the permutations composed", kDataMovement, true,
     TwoTransposes},
    {"reshape(reshape(x)) = x", "the elements keep their order", kDataMovement, true, ReshapeTwice},
    {"slice(pad(x)) = x", "what was padded is cut off", kDataMovement, true, SliceOfPad},
    {"pad(pad(x)) = pad(x)", "the same value", kDataMovement, true, TwoPads},
    {"slice(concat(a, b)) = b", "the second part", kDataMovement, true, SliceOfConcat},
    {"concat(slice(x), slice(x)) = x", "both parts", kDataMovement, true, ConcatOfSlices},
    {"tile(tile(x)) = tile(x)", "the multiples multiplied", kDataMovement, true, TwoTiles},
    {"tile(reverse(x)) = reverse(tile(x))", "the copies are reversed among themselves",
     kDataMovement, true, TileOfReversed},
    {"slice(tile(x)) = x", "one whole copy", kDataMovement, true, SliceOfTile},
    {"gather(x, 0 1 2...) = x", "all rows in their order", kDataMovement, true, GatherInOrder},
    {"transpose(x) = reshape(x)", "an axis of one element moves", kDataMovement, true,
     TransposeOfOnes},
    {"select(c, x, x) = x", "either is x", kDataMovement, true, SelectOfTheSame},
    {"max(reverse(x)) = max(x)", "the maximum has no order", kDataMovement, true,
     MaximumOfReversed},
    {"exp(transpose(x)) = transpose(exp(x))", "element by element", kDataMovement, true,
     ThenTransposed<kExp>},
    {"tanh(transpose(x)) = transpose(tanh(x))", "element by element", kDataMovement, true,
     ThenTransposed<kTanh>},
    {"exp(tile(x)) = tile(exp(x))", "element by element", kDataMovement, true, ExpOfTile},
    {"tile(x) + tile(y) = tile(x + y)", "element by element", kDataMovement, true, AddOfTiles},
    {"exp(concat(x, y)) = concat(exp(x), exp(y))", "element by element", kDataMovement, true,
     ExpOfConcat},
    {"abs(pad(x, -1.5)) = pad(abs(x), 1.5)", "the padding becomes abs of it", kDataMovement, true,
     AbsOfPad},

    {"-(-x) = x", "the sign is flipped twice", kFloat, true, NegatedTwice},
    {"abs(abs(x)) = abs(x)", "the sign is cleared", kFloat, true, Nested<kAbs, kAbs, kAbs>},
    {"abs(-x) = abs(x)", "the sign is cleared", kFloat, true, Nested<kAbs, kNegate, kAbs>},
    {"floor(floor(x)) = floor(x)", "a whole number stays one", kFloat, true,
     Nested<kFloor, kFloor, kFloor>},
    {"ceil(floor(x)) = floor(x)", "a whole number stays one", kFloat, true,
     Nested<kCeil, kFloor, kFloor>},
    {"a + b = b + a", "floats, NaN included", kFloat, true, FloatCommutative<kAdd>},
    {"a * b = b * a", "floats, NaN included", kFloat, true, FloatCommutative<kMul>},
    {"max(x, x) = x", "NaN is propagated", kFloat, true, Idempotent<kMaximum, Float>},
    {"min(x, x) = x", "NaN is propagated", kFloat, true, Idempotent<kMinimum, Float>},
    {"x * 1 = x", "exact, also for infinities and zeros", kFloat, true, Neutral<kMul, 1, Float>},
    {"x * -1 = -x", "exact, also for infinities and zeros", kFloat, true, TimesMinusOne},
    {"x * 2 = x + x", "both are rounded once, and overflow alike", kFloat, true, TimesTwo},
    {"x - 0 = x", "-0 - 0 = -0", kFloat, true, Neutral<kSub, 0, Float>},
    {"x + -0 = x", "-0 + -0 = -0, 0 + -0 = 0", kFloat, true, PlusMinusZero},
    {"a - b = a + -b", "what IEEE 754 says a difference is", kFloat, true, MinusIsPlusNegated},
    {"ceil(x) = -floor(-x)", "also for -0 and 0 < x < 1", kFloat, true, CeilByFloor},
    {"-a * -b = a * b", "the signs cancel", kFloat, true, ProductOfNegated},
    {"fp16(fp32(x)) = x", "every fp16 is an fp32", kFloat, true,
     WidenAndBack<DType::kFp16, DType::kFp32>},
    {"bf16(fp32(x)) = x", "every bf16 is an fp32", kFloat, true,
     WidenAndBack<DType::kBf16, DType::kFp32>},
    {"i8(fp32(x)) = x", "every number of 8 bits is an fp32", kFloat, true,
     WidenAndBack<DType::kInt8, DType::kFp32>},
    {"clamp(clamp(x)) = clamp(x)", "both propagate NaN", kFloat, true, FloatNestedClamps},
    {"clamp(x) = min(max(x))", "all propagate NaN", kFloat, true, ClampByExtremes},
    {"c and c = c", "of a comparison", kFloat, true, AndOfTheSame},
};

}  // namespace

std::span<const Law> ExactLaws() { return kExactLaws; }

}  // namespace assay
