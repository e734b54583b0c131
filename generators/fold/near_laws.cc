// SPDX-License-Identifier: Apache-2.0
// Equations that look like identities but are not. Each says where it fails, and plants a value
// there: with it the sides differ, or only the left one is valid.
#include "law_words.h"

namespace assay {
namespace {

using enum Op;
using enum LawSort;

constexpr double kFp32Max = 3.4028234663852886e38;

// --- Integers

void AdditionsRegrouped(Equation& e) {
  const T a = Int32(e, {kInt32Max, 5}), b = Another(e, a, ValueRange::Between(-9, -1), {-9, -1});
  const T c = Another(e, a, ValueRange::Between(-9, -1), {-9, -1});
  // (max - 9) + 9 stays in range, max + 9 does not.
  Say(
      e,
      [&](S& s) {
        const T left = s.Binary(kAdd, a, b);
        return s.Binary(kAdd, left, s.Unary(kAbs, c));
      },
      [&](S& s) { return s.Binary(kAdd, s.Binary(kAdd, a, s.Unary(kAbs, c)), b); });
}
void SplitAddition(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape()}, ValueRange::Between(-9, 9), {kInt32Max});
  Say(
      e, [&](S& s) { return s.Binary(kAdd, x, s.Number(x, -1)); },
      [&](S& s) {
        const T left = s.Binary(kAdd, x, s.Number(x, 1));
        return s.Binary(kAdd, left, s.Number(x, -2));
      });
}
void ShiftIsNoSum(Equation& e) {
  const T x = Int32(e, {kInt32Max});
  Say(
      e, [&](S& s) { return s.Binary(kLogicalLeftShift, x, s.Number(x, 1)); },
      [&](S& s) { return s.Binary(kAdd, x, x); });
}
void ShiftIsNoDivision(Equation& e) {
  const T x = Int32(e, {-1});
  Say(
      e, [&](S& s) { return s.Shifted(x, 1, false); },
      [&](S& s) { return s.Binary(kIntdiv, x, s.Number(x, 2)); });
}
void ShiftsThatRound(Equation& e) {
  const T x = Int32(e, {5});  // 5 >> 1 rounds to 3, 3 >> 2 to 1; 5 >> 3 to 1; 3: 2, 1; 0
  Say(
      e, [&](S& s) { return s.Shifted(s.Shifted(x, 1, true), 1, true); },
      [&](S& s) { return s.Shifted(x, 2, true); });
}
void DivideAndMultiply(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape()}, ValueRange::Between(-1000, 1000), {7});
  SayUnchanged(e, x, [&](S& s) {
    const T left = s.Binary(kIntdiv, x, s.Number(x, 2));
    return s.Binary(kMul, left, s.Number(x, 2));
  });
}
void MultiplyAndDivide(Equation& e) {
  const T x =
      e.Operand({DType::kInt32, e.DrawShape()}, ValueRange::Between(-1000, 1000), {kInt32Max});
  const double factor = e.choices().Between32(2, 1000);
  SayUnchanged(e, x, [&](S& s) {
    const T left = s.Binary(kMul, x, s.Number(x, factor));
    return s.Binary(kIntdiv, left, s.Number(x, factor));
  });
}
// Writes a * 2 + b * 2 = (a + b) * 2.
void SayProductsOfASum(Equation& e, T a, T b) {
  Say(
      e,
      [&](S& s) {
        const T two = s.Number(a, 2);
        const T left = s.Binary(kMul, a, two);
        return s.Binary(kAdd, left, s.Binary(kMul, b, two));
      },
      [&](S& s) {
        const T sum = s.Binary(kAdd, a, b);
        return s.Binary(kMul, sum, s.Number(a, 2));
      });
}
void ProductsOfASum(Equation& e) {
  const T a = Modest(e, DType::kInt32, {kInt32Max});
  SayProductsOfASum(e, a, Another(e, a, ValueRange::Between(-1000, 1000), {1}));
}
void NegatedTwiceInEightBits(Equation& e) {
  const T x = e.Operand({DType::kInt8, e.DrawShape()}, {-128});
  SayUnchanged(e, x, [&](S& s) { return s.Unary(kNegate, s.Unary(kNegate, x)); });
}
void NarrowAndBack(Equation& e) {
  const T x = Int32(e, {300});
  SayUnchanged(e, x, [&](S& s) { return s.Cast(s.Cast(x, DType::kInt8), DType::kInt32); });
}
void NarrowThroughBool(Equation& e) {
  const T x = Int32(e, {2});
  SayUnchanged(e, x, [&](S& s) { return s.Cast(s.Cast(x, DType::kBool), DType::kInt32); });
}
void ClampsExchanged(Equation& e) {
  const T x = e.Operand({DType::kInt8, e.DrawShape()}, {-100});
  Say(
      e,
      [&](S& s) {
        return s.Clamp(s.Clamp(x, -60, -20, NanMode::kPropagate), 10, 40, NanMode::kPropagate);
      },
      [&](S& s) {
        return s.Clamp(s.Clamp(x, 10, 40, NanMode::kPropagate), -60, -20, NanMode::kPropagate);
      });
}
void DifferenceTurned(Equation& e) {
  const T a = Modest(e, DType::kInt32, {5}), b = Another(e, a, ValueRange::Between(-9, 9), {3});
  Say(
      e, [&](S& s) { return s.Binary(kSub, a, b); }, [&](S& s) { return s.Binary(kSub, b, a); });
}
void ProductsRounded(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape()}, ValueRange::Between(-1000, 1000), {3});
  const auto halved = [](S& s, T value, int64_t by) {
    const T shift = s.Constant(Tensor::Splat(DType::kInt8, {1}, by));
    return s.Apply(kMul, {value, s.Number(value, 1), shift}, {}, DType::kInt32);
  };
  // The planted x is 3, so x + 2 is 5. Half of 5 is 3 (2.5 rounded up), half of that 2; a quarter
  // of 5 is 1.
  Say(
      e, [&](S& s) { return halved(s, halved(s, s.Binary(kAdd, x, s.Number(x, 2)), 1), 1); },
      [&](S& s) { return halved(s, s.Binary(kAdd, x, s.Number(x, 2)), 2); });
}
void RescaleTwice(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape()}, ValueRange::Between(-1000, 1000), {5});
  const auto rescale = [](S& s, T value, int64_t shift) {
    const T multiplier = s.Constant(Tensor::Splat(DType::kInt32, {1}, int64_t{1} << 30));
    const T by = s.Constant(Tensor::Splat(DType::kInt8, {1}, shift));
    const T zero = s.Constant(Tensor::Splat(DType::kInt32, {1}, 0));
    return s.Apply(kRescale, {value, multiplier, by, zero, zero},
                   {{AttributeId::kScale32, true},
                    {AttributeId::kRoundingMode, static_cast<int32_t>(RoundingMode::kSingleRound)},
                    {AttributeId::kPerChannel, false},
                    {AttributeId::kInputUnsigned, false},
                    {AttributeId::kOutputUnsigned, false}},
                   DType::kInt32);
  };
  // Half of 5 is 3 (2.5 rounded up), half of that 2; a quarter of 5 is 1.
  Say(
      e, [&](S& s) { return rescale(s, rescale(s, x, 31), 31); },
      [&](S& s) { return rescale(s, x, 32); });
}

// --- Data movement

void TransposesComposedWrongly(Equation& e) {
  const int32_t size = e.choices().Between32(2, 6);
  const T x = e.Operand({DType::kInt32, {size, size, size}}, {1, 2, 3, 4, 5, 6, 7});
  Say(
      e,
      [&](S& s) {
        return s.Transpose(s.Transpose(x, {1, 2, 0}), {0, 2, 1});
      },
      [&](S& s) {
        return s.Transpose(x, {2, 1, 0});
      });
}
void TransposeIsNoReshape(Equation& e) {
  const Shape shape = e.DrawShape(2);
  const T x = e.Operand({DType::kInt32, shape}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  Say(
      e,
      [&](S& s) {
        return s.Transpose(x, {1, 0});
      },
      [&](S& s) {
        return s.Reshape(x, {shape[1], shape[0]});
      });
}
void ReshapeTransposeExchanged(Equation& e) {
  const Shape shape = e.DrawShape(3);
  const T x = e.Operand({DType::kInt32, shape}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const int32_t joint = shape[1] * shape[2];
  Say(
      e,
      [&](S& s) {
        return s.Transpose(s.Reshape(x, {shape[0], joint}), {1, 0});
      },
      [&](S& s) {
        return s.Reshape(s.Transpose(x, {2, 1, 0}), {joint, shape[0]});
      });
}
void TileThenReshape(Equation& e) {
  const Shape shape = e.DrawShape(2);
  const T x = e.Operand({DType::kInt32, shape}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const int64_t across[] = {1, 2}, down[] = {2, 1};
  const Shape wide = {shape[0], 2 * shape[1]};
  Say(
      e, [&](S& s) { return s.Tile(x, across); },
      [&](S& s) { return s.Reshape(s.Tile(x, down), wide); });
}
void ReversesOfOneAxis(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape(2)}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  SayUnchanged(e, x, [&](S& s) { return s.Reverse(s.Reverse(x, 0), 1); });
}
void ReverseOfConcat(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape(2)}, {1, 2, 3, 4});
  const T y = Another(e, x, ValueRange::All(DType::kInt32), {5, 6, 7, 8});
  Say(
      e,
      [&](S& s) {
        return s.Reverse(s.Concat({x, y}, 0), 0);
      },
      [&](S& s) {
        const T left = s.Reverse(x, 0);
        return s.Concat({left, s.Reverse(y, 0)}, 0);
      });
}
void PadsOfTwoValues(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape(1)});
  const int64_t one[] = {1, 1}, both[] = {2, 2};
  Say(
      e, [&](S& s) { return s.Pad(s.Pad(x, one, 1), one, 2); },
      [&](S& s) { return s.Pad(x, both, 2); });
}
void ExpOfPad(Equation& e) {
  const T x = e.Operand({DType::kFp32, e.DrawShape(2)});
  const int64_t padding[] = {1, 0, 0, 1};
  Say(
      e, [&](S& s) { return s.Unary(kExp, s.Pad(x, padding, 0)); },
      [&](S& s) { return s.Pad(s.Unary(kExp, x), padding, 0); });
}
void SliceBesideTile(Equation& e) {
  const Shape shape = e.DrawShape(1);
  const T x = e.Operand({DType::kInt32, shape}, {1, 2, 3, 4, 5, 6, 7, 8});
  const int64_t multiples[] = {2};
  SayUnchanged(e, x, [&](S& s) { return s.Slice(s.Tile(x, multiples), {1}, shape); });
}
void PadPastReverse(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape(1)}, {1, 2, 3});
  const int64_t padding[] = {1, 0};
  Say(
      e, [&](S& s) { return s.Reverse(s.Pad(x, padding, 9), 0); },
      [&](S& s) { return s.Pad(s.Reverse(x, 0), padding, 9); });
}
void ArgmaxOfReversed(Equation& e) {
  const T x = e.Operand({DType::kFp32, e.DrawShape(1)}, ValueRange::Between(-8, 8), {90});
  const auto argmax = [](S& s, T value) {
    return s.Apply(kArgmax, {value},
                   {{AttributeId::kAxis, int32_t{0}},
                    {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}},
                   DType::kInt32);
  };
  Say(
      e, [&](S& s) { return argmax(s, s.Reverse(x, 0)); }, [&](S& s) { return argmax(s, x); });
}
void TileOfThePartner(Equation& e) {
  const Shape shape = e.DrawShape(1);
  const Shape twice = {2 * shape[0]};
  const T x = e.Operand({DType::kInt32, shape}, ValueRange::Between(-99, 99));
  const T y = e.Operand({DType::kInt32, twice}, ValueRange::Between(1, 1), {7});
  const int64_t multiples[] = {2};
  Say(
      e, [&](S& s) { return s.Binary(kSub, s.Tile(x, multiples), y); },
      [&](S& s) { return s.Tile(s.Binary(kSub, x, s.Slice(y, {0}, shape)), multiples); });
}

// --- Floats

void TimesZero(Equation& e) {
  const T x = Float(e, {kNan, -1});
  Say(
      e, [&](S& s) { return s.Binary(kMul, x, s.Number(x, 0)); },
      [&](S& s) { return s.Splat(x, 0); });
}
void MinusItself(Equation& e) {
  const T x = Float(e, {kInf});
  Say(
      e, [&](S& s) { return s.Binary(kSub, x, x); }, [&](S& s) { return s.Splat(x, 0); });
}
void PlusZero(Equation& e) {
  const T x = Float(e, {-0.0});
  SayUnchanged(e, x, [&](S& s) { return s.Binary(kAdd, x, s.Number(x, 0)); });
}
void ZeroMinus(Equation& e) {
  const T x = Float(e, {0});
  Say(
      e, [&](S& s) { return s.Binary(kSub, s.Number(x, 0), x); },
      [&](S& s) { return s.Unary(kNegate, x); });
}
template <Op kOp>
void Regrouped(Equation& e) {
  constexpr bool kSum = kOp == kAdd;
  const T a = Fp32(e, {kSum ? 1e8 : 1e-30});
  const T b = Another(e, a, ValueRange::All(DType::kFp32), {kSum ? -1e8 : 1e-30});
  const T c = Another(e, a, ValueRange::All(DType::kFp32), {kSum ? 1.25 : 1e30});
  Say(
      e, [&](S& s) { return s.Binary(kOp, s.Binary(kOp, a, b), c); },
      [&](S& s) { return s.Binary(kOp, a, s.Binary(kOp, b, c)); });
}
void FloatDistributive(Equation& e) {
  const T a = Fp32(e, {kFp32Max}), b = Another(e, a, ValueRange::All(DType::kFp32), {-kFp32Max});
  SayProductsOfASum(e, a, b);
}
void AddedAndTakenAway(Equation& e) {
  const T a = Fp32(e, {1}), b = Another(e, a, ValueRange::All(DType::kFp32), {1e10});
  SayUnchanged(e, a, [&](S& s) { return s.Binary(kSub, s.Binary(kAdd, a, b), b); });
}
void NegatedDifference(Equation& e) {
  const T a = Float(e, {1}), b = Another(e, a, ValueRange::All(e.before.TypeOf(a).type), {1});
  Say(
      e, [&](S& s) { return s.Unary(kNegate, s.Binary(kSub, a, b)); },
      [&](S& s) { return s.Binary(kSub, b, a); });
}
void ClampsOfTwoModes(Equation& e) {
  const T x = Float(e, {kNan});
  Say(
      e,
      [&](S& s) {
        return s.Clamp(s.Clamp(x, -2, 4, NanMode::kIgnore), -1, 8, NanMode::kPropagate);
      },
      [&](S& s) { return s.Clamp(x, -1, 4, NanMode::kPropagate); });
}
void MaximumIgnoresNan(Equation& e) {
  const T x = Float(e, {kNan});
  SayUnchanged(e, x,
               [&](S& s) { return s.Extreme(kMaximum, x, s.Number(x, -kInf), NanMode::kIgnore); });
}
void FloatNarrowAndBack(Equation& e) {
  const T x = Fp32(e, {1.0009765625 + 1.0 / 8192});
  SayUnchanged(e, x, [&](S& s) { return s.Cast(s.Cast(x, DType::kFp16), DType::kFp32); });
}
void ThroughInteger(Equation& e) {
  const T x = e.Operand({DType::kFp32, e.DrawShape()}, ValueRange::Between(-99, 99), {1.5});
  SayUnchanged(e, x, [&](S& s) { return s.Cast(s.Cast(x, DType::kInt32), DType::kFp32); });
}
void WholeThroughFloat(Equation& e) {
  const T x = e.Operand({DType::kInt32, e.DrawShape()}, ValueRange::Between(-99, 99), {16777217});
  SayUnchanged(e, x, [&](S& s) { return s.Cast(s.Cast(x, DType::kFp32), DType::kInt32); });
}
void FloorThroughInteger(Equation& e) {
  const T x = e.Operand({DType::kFp32, e.DrawShape()}, ValueRange::Between(-99, 99), {2.75});
  Say(
      e, [&](S& s) { return s.Cast(x, DType::kInt32); },
      [&](S& s) { return s.Cast(s.Unary(kFloor, x), DType::kInt32); });
}
void EqualToItself(Equation& e) {
  const T x = Float(e, {kNan});
  Say(
      e,
      [&](S& s) {
        return s.Apply(kEqual, {x, x});
      },
      [&](S& s) { return s.Constant(Tensor::Splat(DType::kBool, s.ShapeOf(x), 1)); });
}
void NotGreater(Equation& e) {
  const T a = Float(e, {kNan}), b = Another(e, a, ValueRange::All(e.before.TypeOf(a).type), {1});
  Say(
      e,
      [&](S& s) {
        return s.Unary(kLogicalNot, s.Apply(kGreater, {a, b}));
      },
      [&](S& s) {
        return s.Apply(kGreaterEqual, {b, a});
      });
}
void TwoReciprocals(Equation& e) {
  const T x = Fp32(e, {49});
  SayUnchanged(e, x, [&](S& s) { return s.Unary(kReciprocal, s.Unary(kReciprocal, x)); });
}
void SquareOfRsqrt(Equation& e) {
  const T x = e.Operand({DType::kFp32, e.DrawShape()}, ValueRange::Between(1, 100), {3, 5, 7});
  Say(
      e,
      [&](S& s) {
        const T left = s.Unary(kRsqrt, x);
        return s.Binary(kMul, left, s.Unary(kRsqrt, x));
      },
      [&](S& s) { return s.Unary(kReciprocal, x); });
}
void ExpOfLog(Equation& e) {
  const T x = e.Operand({DType::kFp32, e.DrawShape()}, ValueRange::Between(1, 1000), {-1});
  SayUnchanged(e, x, [&](S& s) { return s.Unary(kExp, s.Unary(kLog, x)); });
}
void ProductOfExps(Equation& e) {
  const T a = Fp32(e, {80}), b = Another(e, a, ValueRange::All(DType::kFp32), {-80});
  Say(
      e, [&](S& s) { return s.Unary(kExp, s.Binary(kAdd, a, b)); },
      [&](S& s) {
        const T left = s.Unary(kExp, a);
        return s.Binary(kMul, left, s.Unary(kExp, b));
      });
}
void FloatSquare(Equation& e) {
  const T a = Fp32(e, {1e25});
  Say(
      e,
      [&](S& s) {
        const T square = s.Binary(kMul, a, a);
        return s.Binary(kSub, square, square);
      },
      [&](S& s) {
        const T left = s.Binary(kSub, a, a);
        return s.Binary(kMul, left, s.Binary(kAdd, a, a));
      });
}
void BilinearThenExp(Equation& e) {
  const T x = e.Operand({DType::kFp32, {1, 3, 3, 2}}, ValueRange::Between(-4, 4), {0, 0, 3});
  const auto resize = [](S& s, T value) {
    const int64_t scale[] = {4, 2, 4, 2}, offset[] = {0, 0}, border[] = {0, 0};
    const T by = s.Shape(scale), from = s.Shape(offset);
    return s.Apply(kResize, {value, by, from, s.Shape(border)},
                   {{AttributeId::kMode, static_cast<int32_t>(ResizeMode::kBilinear)}},
                   DType::kFp32);
  };
  Say(
      e, [&](S& s) { return s.Unary(kExp, resize(s, x)); },
      [&](S& s) { return resize(s, s.Unary(kExp, x)); });
}

constexpr Law kNearLaws[] = {
    {"(a + b) + c = (a + c) + b", "the other order overflows", kInteger, false, AdditionsRegrouped},
    {"x + (a + b) = (x + a) + b", "x + a overflows", kInteger, false, SplitAddition},
    {"x << 1 = x + x", "the sum overflows, the shift does not", kInteger, false, ShiftIsNoSum},
    {"x >> 1 = x / 2", "-1 >> 1 is -1, -1 / 2 is 0", kInteger, false, ShiftIsNoDivision},
    {"(x >> 1) >> 1 = x >> 2", "5 is rounded to 3 and that to 2; 5 / 4 to 1", kInteger, false,
     ShiftsThatRound},
    {"(x / 2) * 2 = x", "7 / 2 is 3", kInteger, false, DivideAndMultiply},
    {"(x * c) / c = x", "products of 32 bits wrap around", kInteger, false, MultiplyAndDivide},
    {"a * 2 + b * 2 = (a + b) * 2", "the products wrap around, the sum of a and b overflows",
     kInteger, false, ProductsOfASum},
    {"-(-x) = x in 8 bits", "-(-128) is 127, and minus that -127", kInteger, false,
     NegatedTwiceInEightBits},
    {"i32(i8(x)) = x", "300 is no number of 8 bits", kInteger, false, NarrowAndBack},
    {"i32(bool(x)) = x", "2 is true, and true is 1", kInteger, false, NarrowThroughBool},
    {"clamps commute", "ranges that do not overlap: the last one decides", kInteger, false,
     ClampsExchanged},
    {"a - b = b - a", "5 - 3 is 2", kInteger, false, DifferenceTurned},
    {"(x * 1 >> 1) * 1 >> 1 = x * 1 >> 2", "5 is rounded to 3 and that to 2; 5 / 4 to 1", kInteger,
     false, ProductsRounded},
    {"rescale(rescale(x)) = rescale(x)", "half of 5 is 3, half of that 2; a quarter of 5 is 1",
     kInteger, false, RescaleTwice},

    {"transposes composed in the other order", "(1, 2, 0), then (0, 2, 1), is (1, 0, 2)",
     kDataMovement, false, TransposesComposedWrongly},
    {"transpose(x) = reshape(x)", "the elements change their order", kDataMovement, false,
     TransposeIsNoReshape},
    {"transpose(reshape(x)) = reshape(transpose(x))", "the joint axis is counted the other way",
     kDataMovement, false, ReshapeTransposeExchanged},
    {"tile(x) = reshape(tile(x))", "rows are repeated, not their elements", kDataMovement, false,
     TileThenReshape},
    {"reverse(reverse(x)) = x", "different axes", kDataMovement, false, ReversesOfOneAxis},
    {"reverse(concat(x, y)) = concat(reverse(x), reverse(y))", "the parts change places as well",
     kDataMovement, false, ReverseOfConcat},
    {"pad(pad(x)) = pad(x)", "different values", kDataMovement, false, PadsOfTwoValues},
    {"exp(pad(x, 0)) = pad(exp(x), 0)", "exp(0) is 1", kDataMovement, false, ExpOfPad},
    {"slice(tile(x)) = x", "begins in the middle of a copy", kDataMovement, false, SliceBesideTile},
    {"reverse(pad(x)) = pad(reverse(x))", "what was before comes after", kDataMovement, false,
     PadPastReverse},
    {"argmax(reverse(x)) = argmax(x)", "the index counts from the other end", kDataMovement, false,
     ArgmaxOfReversed},
    {"f(tile(x), y) = tile(f(x, y))", "y is not the same for every copy", kDataMovement, false,
     TileOfThePartner},

    {"x * 0 = 0", "NaN, and -1 * 0 is -0", kFloat, false, TimesZero},
    {"x - x = 0", "infinity - infinity is NaN", kFloat, false, MinusItself},
    {"x + 0 = x", "-0 + 0 is 0", kFloat, false, PlusZero},
    {"0 - x = -x", "0 - 0 is 0, not -0", kFloat, false, ZeroMinus},
    {"(a + b) + c = a + (b + c)", "1e8 - 1e8 + 1.25", kFloat, false, Regrouped<kAdd>},
    {"(a * b) * c = a * (b * c)", "1e-30 * 1e-30 underflows", kFloat, false, Regrouped<kMul>},
    {"a * c + b * c = (a + b) * c", "a * c overflows", kFloat, false, FloatDistributive},
    {"(a + b) - b = a", "1 is lost beside 1e10", kFloat, false, AddedAndTakenAway},
    {"-(a - b) = b - a", "-(1 - 1) is -0, 1 - 1 is 0", kFloat, false, NegatedDifference},
    {"clamp(clamp(x)) = clamp(x)", "the inner one ignores NaN, the outer one would propagate it",
     kFloat, false, ClampsOfTwoModes},
    {"max(x, -infinity) = x", "NaN is ignored", kFloat, false, MaximumIgnoresNan},
    {"fp32(fp16(x)) = x", "x has more digits", kFloat, false, FloatNarrowAndBack},
    {"fp32(i32(x)) = x", "1.5 is no whole number", kFloat, false, ThroughInteger},
    {"i32(fp32(x)) = x", "2^24 + 1 is no fp32", kFloat, false, WholeThroughFloat},
    {"i32(x) = i32(floor(x))", "2.75 is rounded to 3", kFloat, false, FloorThroughInteger},
    {"x == x is true", "NaN is not equal to itself", kFloat, false, EqualToItself},
    {"not (a > b) = b >= a", "neither holds for NaN", kFloat, false, NotGreater},
    {"1 / (1 / x) = x", "rounded twice: 49", kFloat, false, TwoReciprocals},
    {"rsqrt(x) * rsqrt(x) = 1 / x", "rounded twice", kFloat, false, SquareOfRsqrt},
    {"exp(log(x)) = x", "log(-1) is NaN", kFloat, false, ExpOfLog},
    {"exp(a + b) = exp(a) * exp(b)", "each is rounded", kFloat, false, ProductOfExps},
    {"a * a - a * a = (a - a) * (a + a)", "a * a overflows", kFloat, false, FloatSquare},
    {"exp(resize(x)) = resize(exp(x))", "what lies between is interpolated", kFloat, false,
     BilinearThenExp},
};

}  // namespace

std::span<const Law> NearLaws() { return kNearLaws; }

}  // namespace assay
