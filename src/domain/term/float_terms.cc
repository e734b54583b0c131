// SPDX-License-Identifier: Apache-2.0
// The laws of floats. Each law holds bit by bit for all doubles of the classes for which it is
// used, except for NaN payloads.
#include <algorithm>
#include <cmath>

#include "operator.h"
#include "term_arena.h"
#include "value_domain.h"

namespace assay {
namespace {

constexpr size_t kFloatOperandsMax = 64;
constexpr FloatClasses kNoZeros = 0;

// Returns true if every value of `from` is a value of `to`. A type without infinities does not
// contain the values of a type with infinities.
bool Widens(DType from, DType to) {
  if (from == DType::kUnknown) return false;
  const FloatFormat &a = FormatOf(from), &b = FormatOf(to);
  return b.fraction_bits >= a.fraction_bits && b.exponent_bits >= a.exponent_bits &&
         (b.has_infinity || !a.has_infinity);
}

// Returns true if all integers of a range are values of a type.
bool HoldsIntegers(DType type, int64_t low, int64_t high) {
  const FloatFormat& format = FormatOf(type);
  const int64_t limit = int64_t{1} << (format.fraction_bits + 1);
  return low >= -limit && high <= limit && static_cast<double>(limit) <= format.max;
}

bool IsPowerOfTwo(double x) {
  int exponent = 0;
  return std::isfinite(x) && std::frexp(std::fabs(x), &exponent) == 0.5;
}

// Returns x + 0 for an x that selects one of several terms: the same selection of their sums with
// 0.
std::optional<TermId> SumsOfSelected(TermArena& arena, TermId x) {
  const std::vector<TermId> operands(arena.Operands(x).begin(), arena.Operands(x).end());
  const auto sum = [&](size_t i) { return arena.FloatAdd(operands[i], arena.Real(0)); };
  const TermKind kind = arena[x].kind;
  if (kind == TermKind::kSelect) return arena.Select(operands[0], sum(1), sum(2));
  if (kind != TermKind::kFloatMaximum && kind != TermKind::kFloatMinimum) return std::nullopt;
  const auto mode = static_cast<NanMode>(arena.Number(x));
  TermId all = sum(0);
  for (size_t i = 1; i < operands.size(); ++i) {
    all = kind == TermKind::kFloatMaximum ? arena.FloatMaximum(mode, all, sum(i))
                                          : arena.FloatMinimum(mode, all, sum(i));
  }
  return all;
}

}  // namespace

// Selections, changes of sign and sums with zero stay within a type. FLOOR does so as well: a
// number with a fraction is less than 2^(fraction_bits + 1), and up to there all integers are
// values of the type.
bool TermArena::IsOfType(TermId x, DType type) {
  if (Widens(nodes_[x].type, type)) return true;
  const auto operands = Operands(x);
  bool holds = false;
  switch (nodes_[x].kind) {
    case TermKind::kConstant: {
      const double value = Value(x).real();
      return Real(RoundToType(type, value)) == x;
    }
    case TermKind::kIntegerToFloat:
      return HoldsIntegers(type, nodes_[operands[0]].low, nodes_[operands[0]].high);
    case TermKind::kNegate:
    case TermKind::kAbs:
    case TermKind::kFloor:
      holds = IsOfType(operands[0], type);
      break;
    case TermKind::kFloatAdd: {
      const TermId x0 = operands[0], x1 = operands[1], zero = Real(0);
      holds = (x0 == zero && IsOfType(x1, type)) || (x1 == zero && IsOfType(x0, type));
      break;
    }
    case TermKind::kSelect:
    case TermKind::kLookup:
    case TermKind::kFloatMaximum:
    case TermKind::kFloatMinimum: {
      const bool skips = nodes_[x].kind == TermKind::kSelect || nodes_[x].kind == TermKind::kLookup;
      const std::vector<TermId> all(operands.begin() + (skips ? 1 : 0), operands.end());
      holds = std::ranges::all_of(all, [&](TermId y) { return IsOfType(y, type); });
      break;
    }
    default:
      return false;
  }
  if (holds && nodes_[x].type == DType::kUnknown) nodes_[x].type = type;
  return holds;
}

// fp64 addition commutes. x + -0 = x for every x. x + 0 = x except for x = -0, where the sum is 0.
// x + x is 2 * x: both are exact, or overflow. x + -x is 0 for every finite x, and NaN otherwise. x
// + 0 turns -0 into 0 and changes nothing else, so it may be moved into a selection.
TermId TermArena::FloatAdd(TermId a, TermId b) {
  if (a > b) std::swap(a, b);
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    if (!IsConstant(y)) continue;
    const double value = Value(y).real();
    if (std::isnan(value)) return y;
    if (value == 0 && (std::signbit(value) || !MayBe(x, kClassMinusZero))) return x;
    if (value == 0) {
      if (const auto sum = SumsOfSelected(*this, x)) return *sum;
    }
  }
  if (a == b) return FloatMultiply(a, Real(2));
  const bool opposites = (IsKind(a, TermKind::kNegate) && Operands(a)[0] == b) ||
                         (IsKind(b, TermKind::kNegate) && Operands(b)[0] == a);
  if (opposites && !MayBe(a, kClassNan | kClassesOfInfinity)) return Real(0);
  return Make(TermKind::kFloatAdd, {a, b});
}

// fp64 multiplication commutes, and its sign is the product of the signs: -x * y = -(x * y), also
// for zeros and infinities. x * 1 = x. x * 0 is a zero with the sign of x, but only for finite x.
TermId TermArena::FloatMultiply(TermId a, TermId b) {
  bool negative = false;
  for (TermId* x : {&a, &b}) {
    if (IsKind(*x, TermKind::kNegate)) {
      *x = Operands(*x)[0];
      negative = !negative;
    } else if (IsConstant(*x) && std::signbit(Value(*x).real()) && !std::isnan(Value(*x).real())) {
      *x = Real(-Value(*x).real());
      negative = !negative;
    }
  }
  if (a > b) std::swap(a, b);
  const auto with_sign = [&](TermId product) { return negative ? Negate(product) : product; };
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    if (!IsConstant(y)) continue;
    const double value = Value(y).real();
    if (std::isnan(value)) return y;
    if (value == 1) return with_sign(x);
    if (value == 0 && !MayBe(x, kAllClasses & ~(kClassPlusZero | kClassPositive))) {
      return with_sign(Real(0));
    }
    if (value == 0 && !MayBe(x, kAllClasses & ~(kClassMinusZero | kClassNegative))) {
      return with_sign(Real(-0.0));
    }
  }
  return with_sign(Make(TermKind::kFloatMultiply, {a, b}));
}

TermId TermArena::Negate(TermId x) {
  if (IsKind(x, TermKind::kNegate)) return Operands(x)[0];
  return Make(TermKind::kNegate, {x});
}

TermId TermArena::Abs(TermId x) {
  if (IsKind(x, TermKind::kNegate)) return Abs(Operands(x)[0]);
  if (!MayBe(x, kClassMinusInfinity | kClassNegative | kClassMinusZero)) return x;
  return Make(TermKind::kAbs, {x});
}

// CEIL is expressed by FLOOR: ceil(x) = -floor(-x), also for zeros (ceil(-0.5) = -floor(0.5) = -0).
TermId TermArena::Floor(TermId x) {
  const auto is_integral = [&](TermId y) {
    return IsKind(y, TermKind::kFloor) || IsKind(y, TermKind::kIntegerToFloat);
  };
  if (is_integral(x)) return x;
  if (IsKind(x, TermKind::kNegate) && is_integral(Operands(x)[0])) return x;
  return Make(TermKind::kFloor, {x});
}

// Rounding to nearest, ties to even, is symmetric in the sign. So is overflow.
TermId TermArena::Round(DType type, TermId x) {
  if (IsOfType(x, type)) return x;
  if (IsKind(x, TermKind::kNegate)) return Negate(Round(type, Operands(x)[0]));
  if (IsInnocuous(type, x)) return Round(type, Operands(x)[0]);
  x = ScaledTwice(type, x);
  return IsOfType(x, type) ? x : Make(TermKind::kRound, {x}, {static_cast<int64_t>(type)});
}

// Returns true if rounding to fp32 first, as `rounded` does, changes nothing for `type`. This holds
// for a sum of two fp16 or bf16, because the 24 bits of fp32 are at least 2 * 11 + 2 (Figueroa,
// "When is double rounding innocuous?", 1995; sums that are subnormal are exact). It also holds for
// a product of two fp16, which is exact in fp32.
bool TermArena::IsInnocuous(DType type, TermId rounded) {
  const bool narrow = type == DType::kFp16 || type == DType::kBf16;
  if (!narrow || !IsKind(rounded, TermKind::kRound)) return false;
  if (Number(rounded) != static_cast<int64_t>(DType::kFp32)) return false;
  const TermId exact = Operands(rounded)[0];
  const bool sum = IsKind(exact, TermKind::kFloatAdd);
  const bool product = IsKind(exact, TermKind::kFloatMultiply) && type == DType::kFp16;
  if (!sum && !product) return false;
  const TermId a = Operands(exact)[0], b = Operands(exact)[1];
  return IsOfType(a, type) && IsOfType(b, type);
}

// round(round(y * 2^a) * 2^b) = round(y * 2^(a + b)) for a, b >= 0 and y of the type. Scaling up is
// exact unless it overflows, and then both sides overflow. (Scaling down may round a subnormal.)
TermId TermArena::ScaledTwice(DType type, TermId x) {
  const auto scale = [&](TermId product) -> std::optional<std::pair<TermId, double>> {
    if (!IsKind(product, TermKind::kFloatMultiply)) return std::nullopt;
    const TermId a = Operands(product)[0], b = Operands(product)[1];
    const TermId y = IsConstant(a) ? b : a, factor = IsConstant(a) ? a : b;
    if (!IsConstant(factor)) return std::nullopt;
    const double value = Value(factor).real();
    if (!IsPowerOfTwo(value) || value < 1) return std::nullopt;
    return std::pair(y, value);
  };
  const auto outer = scale(x);
  if (!outer || !IsKind(outer->first, TermKind::kRound) ||
      Number(outer->first) != static_cast<int64_t>(type)) {
    return x;
  }
  const auto inner = scale(Operands(outer->first)[0]);
  if (!inner || !IsOfType(inner->first, type)) return x;
  const double factor = inner->second * outer->second;
  return std::isfinite(factor) ? FloatMultiply(inner->first, Real(factor)) : x;
}

// Returns true if a zero of one sign may be compared with a zero of the other sign.
bool TermArena::ZerosMeet(std::span<const TermId> operands) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!MayBe(operands[i], kClassPlusZero)) continue;
    for (size_t j = 0; j < operands.size(); ++j) {
      if (i != j && MayBe(operands[j], kClassMinusZero)) return true;
    }
  }
  return false;
}

TermId TermArena::FloatMaximum(NanMode mode, TermId a, TermId b) {
  return FloatExtreme(TermKind::kFloatMaximum, mode, a, b);
}

TermId TermArena::FloatMinimum(NanMode mode, TermId a, TermId b) {
  const TermId least = FloatExtreme(TermKind::kFloatMinimum, mode, a, b);
  if (const auto outer = OneBound(least, TermKind::kFloatMinimum)) {
    if (const auto merged = MergedClamps(*outer)) return *merged;
  }
  return least;
}

// apply_max_s returns its first operand if both are equal, so the maximum of a list is the first of
// the greatest, however the list is grouped. apply_min_s returns its second operand, so the minimum
// is the last of the least. This matters only for zeros of different signs; if none meet, the order
// does not count. If an operand occurs twice, one occurrence is enough: the first or the last. The
// mode matters only if there may be a NaN. All NaNs are equal.
TermId TermArena::FloatExtreme(TermKind kind, NanMode mode, TermId a, TermId b) {
  const bool greatest = kind == TermKind::kFloatMaximum;
  const auto may_be_nan = [&](TermId x) { return MayBe(x, kClassNan); };
  std::vector<TermId> all;
  for (const TermId x : {a, b}) {
    const bool same_mode = static_cast<int64_t>(mode) == (IsKind(x, kind) ? Number(x) : -1) ||
                           (IsKind(x, kind) && std::ranges::none_of(Operands(x), may_be_nan));
    if (same_mode && Operands(x).size() < kFloatOperandsMax) {
      all.insert(all.end(), Operands(x).begin(), Operands(x).end());
    } else {
      all.push_back(x);
    }
  }
  std::vector<TermId> once;
  if (!greatest) std::ranges::reverse(all);
  for (const TermId x : all) {
    if (std::ranges::find(once, x) == once.end()) once.push_back(x);
  }
  if (!greatest) std::ranges::reverse(once);
  if (!ZerosMeet(once)) std::ranges::sort(once);
  if (std::ranges::none_of(once, may_be_nan)) mode = NanMode::kPropagate;
  const auto numbers = {static_cast<int64_t>(mode)};
  // Adjacent constants are merged.
  std::vector<TermId> operands;
  for (const TermId x : once) {
    if (!operands.empty() && IsConstant(operands.back()) && IsConstant(x)) {
      operands.back() = Make(kind, {operands.back(), x}, {static_cast<int64_t>(mode)});
    } else {
      operands.push_back(x);
    }
  }
  return operands.size() == 1 ? operands[0] : Make(kind, operands, numbers);
}

// Matches a maximum or minimum of a term and a constant.
std::optional<TermArena::Bounded> TermArena::OneBound(TermId term, TermKind kind) const {
  if (!IsKind(term, kind) || Operands(term).size() != 2) return std::nullopt;
  const TermId a = Operands(term)[0], b = Operands(term)[1];
  if (!IsConstant(a) && !IsConstant(b)) return std::nullopt;
  const TermId bound = IsConstant(b) ? b : a;
  if (std::isnan(Value(bound).real())) return std::nullopt;
  return Bounded{IsConstant(b) ? a : b, bound, static_cast<NanMode>(Number(term))};
}

// min(max(min(max(x, a), b), c), d) = min(max(x, a'), b'), where a' and b' are a and b clamped to c
// and d, for a <= b and c <= d. It does not hold if zeros of both signs are among them: -0 and 0 as
// the lower and upper bound would give 0 for every x < 0. A NaN of x is either replaced by a, which
// is then treated as every other number, or it reaches the end; then the outer modes must propagate
// it.
std::optional<TermId> TermArena::MergedClamps(const Bounded& outer_high) {
  const auto outer_low = OneBound(outer_high.x, TermKind::kFloatMaximum);
  if (!outer_low) return std::nullopt;
  const auto inner_high = OneBound(outer_low->x, TermKind::kFloatMinimum);
  if (!inner_high) return std::nullopt;
  const auto inner_low = OneBound(inner_high->x, TermKind::kFloatMaximum);
  if (!inner_low) return std::nullopt;
  const auto value = [&](const Bounded& b) { return Value(b.bound).real(); };
  const double a = value(*inner_low), b = value(*inner_high), c = value(*outer_low),
               d = value(outer_high);
  if (a > b || c > d) return std::nullopt;
  const bool propagates = outer_high.mode == NanMode::kPropagate &&
                          outer_low->mode == NanMode::kPropagate &&
                          inner_high->mode == NanMode::kPropagate;
  FloatClasses zeros = kNoZeros;
  for (const double bound : {a, b, c, d})
    zeros |= static_cast<FloatClasses>(ClassOf(bound) & kClassesOfZero);
  if (!propagates || zeros == kClassesOfZero) return std::nullopt;
  const TermId low = Real(std::fmin(std::fmax(a, c), d));
  const TermId high = Real(std::fmin(std::fmax(b, c), d));
  return FloatMinimum(NanMode::kPropagate, FloatMaximum(inner_low->mode, inner_low->x, low), high);
}

TermId TermArena::IsNan(TermId x) {
  if (!MayBe(x, kClassNan)) return Integer(0);
  if (IsKind(x, TermKind::kNegate) || IsKind(x, TermKind::kAbs) || IsKind(x, TermKind::kFloor)) {
    return IsNan(Operands(x)[0]);
  }
  if (IsKind(x, TermKind::kRound) && FormatOf(static_cast<DType>(Number(x))).has_infinity) {
    return IsNan(Operands(x)[0]);
  }
  return Make(TermKind::kIsNan, {x});
}

// x = x holds except for NaN.
TermId TermArena::FloatEqual(TermId a, TermId b) {
  if (a == b) return Complement(IsNan(a));
  if (a > b) std::swap(a, b);
  return Make(TermKind::kFloatEqual, {a, b});
}

TermId TermArena::FloatGreater(TermId a, TermId b) {
  if (a == b) return Integer(0);
  return Make(TermKind::kFloatGreater, {a, b});
}

// a >= b is "not b > a", unless there is a NaN.
TermId TermArena::FloatGreaterEqual(TermId a, TermId b) {
  if (a == b) return Complement(IsNan(a));
  if (!MayBe(a, kClassNan) && !MayBe(b, kClassNan)) return Complement(FloatGreater(b, a));
  return Make(TermKind::kFloatGreaterEqual, {a, b});
}

TermId TermArena::Elementary(int64_t op, DType type, std::span<const TermId> operands) {
  return Make(TermKind::kElementary, operands,
              std::initializer_list<int64_t>{op, static_cast<int64_t>(type)});
}

TermId TermArena::Bilinear(std::span<const TermId, 4> corners, double dy, double dx) {
  return Make(
      TermKind::kBilinear, corners,
      std::initializer_list<int64_t>{std::bit_cast<int64_t>(dy), std::bit_cast<int64_t>(dx)});
}

// An integer of up to 53 bits that was converted to a float is only saturated.
TermId TermArena::FloatToInteger(DType to, TermId x) {
  if (IsKind(x, TermKind::kIntegerToFloat)) {
    const TermId integer = Operands(x)[0];
    constexpr int64_t kExact = int64_t{1} << 53;
    if (Fits(integer, -kExact, kExact)) {
      return Clip(integer, MinimumInteger(to), MaximumInteger(to));
    }
  }
  return Make(TermKind::kFloatToInteger, {x}, {static_cast<int64_t>(to)});
}

TermId TermArena::IntegerToFloat(TermId x) { return Make(TermKind::kIntegerToFloat, {x}); }

// The sum starts at 0, so the sum of one number is 0 + x. The order of several numbers is part of
// the term.
TermId TermArena::FloatSum(DType accumulator, std::span<const TermId> terms) {
  if (terms.size() == 1) return FloatAdd(terms[0], Real(0));
  return Make(TermKind::kFloatSum, terms,
              std::initializer_list<int64_t>{static_cast<int64_t>(accumulator)});
}

// The product starts at 1, and 1 * x = x.
TermId TermArena::FloatProduct(DType type, std::span<const TermId> factors) {
  if (factors.size() == 1) return factors[0];
  return Make(TermKind::kFloatProduct, factors,
              std::initializer_list<int64_t>{static_cast<int64_t>(type)});
}

TermId TermArena::FloatQuotient(TermId x, int64_t divisor) {
  return divisor == 1 ? x : Make(TermKind::kFloatQuotient, {x}, {divisor});
}

}  // namespace assay
