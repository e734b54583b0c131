// SPDX-License-Identifier: Apache-2.0
#include "term_arena.h"

#include <algorithm>
#include <array>
#include <limits>

#include "check.h"
#include "operator.h"
#include "value_domain.h"

namespace assay {
namespace {

constexpr TermId kEmpty = std::numeric_limits<TermId>::max();

bool IsFloatKind(TermKind kind) {
  const bool is_truth = kind >= TermKind::kIsNan && kind <= TermKind::kFloatGreaterEqual;
  return kind >= TermKind::kFloatAdd && !is_truth && kind != TermKind::kFloatToInteger;
}

Scalar EvaluateInteger(TermKind kind, std::span<const Scalar> x, std::span<const int64_t> n) {
  ValueDomain d;
  const auto fold = [&](auto word) {
    Scalar all = x[0];
    for (const Scalar next : x.subspan(1)) all = word(all, next);
    return all;
  };
  switch (kind) {
    case TermKind::kSum: {
      Scalar sum = d.Integer(n[0]);
      for (size_t i = 0; i < x.size(); ++i) {
        sum = d.AddInteger(sum, d.MulInteger(d.Integer(n[i + 1]), x[i]));
      }
      return sum;
    }
    case TermKind::kProduct:
      return fold([&](Scalar a, Scalar b) { return d.MulInteger(a, b); });
    case TermKind::kAnd:
      return fold([&](Scalar a, Scalar b) { return d.And(a, b); });
    case TermKind::kOr:
      return fold([&](Scalar a, Scalar b) { return d.Or(a, b); });
    case TermKind::kXor:
      return fold([&](Scalar a, Scalar b) { return d.Xor(a, b); });
    case TermKind::kMaximum:
      return fold([&](Scalar a, Scalar b) { return a.integer() >= b.integer() ? a : b; });
    case TermKind::kMinimum:
      return fold([&](Scalar a, Scalar b) { return a.integer() < b.integer() ? a : b; });
    case TermKind::kTruncate: {
      const auto unused = static_cast<int>(64 - n[0]);
      return d.ShiftRight(d.ShiftLeft(x[0], d.Integer(unused)), d.Integer(unused));
    }
    case TermKind::kZeroExtend:
      return d.ZeroExtend(static_cast<int>(n[0]), x[0]);
    case TermKind::kClip:
      return d.Clip(x[0], n[0], n[1]);
    case TermKind::kShiftLeft:
      return d.ShiftLeft(x[0], x[1]);
    case TermKind::kShiftRight:
      return d.ShiftRight(x[0], x[1]);
    case TermKind::kDivide:
      return d.DivInteger(x[0], x[1]);
    case TermKind::kCountLeadingZeros:
      return d.CountLeadingZeros(static_cast<int>(n[0]), x[0]);
    case TermKind::kEqual:
      return d.Equal(DType::kShape, x[0], x[1]);
    case TermKind::kGreater:
      return d.Greater(DType::kShape, x[0], x[1]);
    case TermKind::kSumsWithin: {
      Scalar sum = d.Integer(0);
      for (const Scalar term : x) {
        sum = d.AddInteger(sum, term);
        if (sum.integer() < n[0] || sum.integer() > n[1]) return d.Integer(0);
      }
      return d.Integer(1);
    }
    default:
      break;
  }
  Check(false, "a term of integers");
  return {};
}

Scalar EvaluateFloat(TermKind kind, std::span<const Scalar> x, std::span<const int64_t> n) {
  ValueDomain d;
  constexpr DType kAny = DType::kFp32;  // words of fp64 do not depend on the type
  const auto fold = [&](auto word) {
    Scalar all = x[0];
    for (const Scalar next : x.subspan(1)) all = word(all, next);
    return all;
  };
  switch (kind) {
    case TermKind::kFloatAdd:
      return d.Real(x[0].real() + x[1].real());
    case TermKind::kFloatMultiply:
      return d.Mul(kAny, x[0], x[1]);
    case TermKind::kNegate:
      return d.Negate(kAny, x[0]);
    case TermKind::kAbs:
      return d.Abs(kAny, x[0]);
    case TermKind::kFloor:
      return d.Floor(kAny, x[0]);
    case TermKind::kRound:
      return d.Store(static_cast<DType>(n[0]), x[0]);
    case TermKind::kFloatMaximum:
      return fold(
          [&](Scalar a, Scalar b) { return d.Max(kAny, static_cast<NanMode>(n[0]), a, b); });
    case TermKind::kFloatMinimum:
      return fold(
          [&](Scalar a, Scalar b) { return d.Min(kAny, static_cast<NanMode>(n[0]), a, b); });
    case TermKind::kIsNan:
      return d.IsNan(kAny, x[0]);
    case TermKind::kFloatEqual:
      return d.Equal(kAny, x[0], x[1]);
    case TermKind::kFloatGreater:
      return d.Greater(kAny, x[0], x[1]);
    case TermKind::kFloatGreaterEqual:
      return d.GreaterEqual(kAny, x[0], x[1]);
    case TermKind::kElementary:
      return static_cast<Op>(n[0]) == Op::kPow ? d.Pow(kAny, x[0], x[1])
                                               : d.Elementary(static_cast<Op>(n[0]), kAny, x[0]);
    case TermKind::kBilinear:
      return d.Bilinear(kAny, 0, x.first<4>(), std::bit_cast<double>(n[0]),
                        std::bit_cast<double>(n[1]));
    case TermKind::kFloatToInteger:
      return d.FloatToInteger(kAny, static_cast<DType>(n[0]), x[0], "");
    case TermKind::kIntegerToFloat:
      return d.IntegerToFloat(kAny, kAny, x[0]);
    case TermKind::kFloatSum: {
      DotRule rule;
      rule.in_type = rule.acc_type = static_cast<DType>(n[0]);
      return d.Sum(rule, x);
    }
    case TermKind::kFloatProduct:
      return d.Product(kAny, x);
    case TermKind::kFloatQuotient:
      return d.Real(x[0].real() / static_cast<double>(n[0]));
    default:
      break;
  }
  return EvaluateInteger(kind, x, n);
}

}  // namespace

Scalar EvaluateTerm(TermKind kind, std::span<const Scalar> x, std::span<const int64_t> n) {
  const ValueDomain d;
  switch (kind) {
    case TermKind::kSelect:
      return d.Select(DType::kUnknown, x[0], x[1], x[2]);
    case TermKind::kLookup:
      return d.Lookup(DType::kUnknown, x.subspan(1), x[0]);
    case TermKind::kArgMax:
      return d.ArgMax(n[1] != 0 ? DType::kFp32 : DType::kInt32, static_cast<NanMode>(n[0]), x);
    default:
      return EvaluateFloat(kind, x, n);
  }
}

TermArena::TermArena(size_t terms_max) : terms_max_(terms_max), table_(1024, kEmpty) {
  Integer(0);  // term 0: the value of an element that was never set
}

Scalar TermArena::Value(TermId term) const {
  const int64_t word = Number(term);
  return nodes_[term].is_float ? Scalar::OfFloat(std::bit_cast<double>(word))
                               : Scalar::OfInteger(word);
}

TermId TermArena::Integer(int64_t value) {
  const int64_t numbers[] = {value};
  return Intern(TermKind::kConstant, false, {}, numbers);
}

TermId TermArena::Real(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();  // all NaNs are equal
  const int64_t numbers[] = {std::bit_cast<int64_t>(value)};
  return Intern(TermKind::kConstant, true, {}, numbers);
}

TermId TermArena::Constant(bool is_float, Scalar value) {
  return is_float ? Real(value.real()) : Integer(value.integer());
}

TermId TermArena::Input(uint32_t input, int64_t element, DType type) {
  const int64_t numbers[] = {input, element};
  const size_t known = size();
  const TermId term = Intern(TermKind::kInput, IsFloat(type), {}, numbers);
  if (size() == known) return term;  // more may be known of the term by now
  TermNode& node = nodes_[term];
  node.type = type;
  if (node.is_float) {
    node.classes = ClassesOfType(type);
  } else {
    node.low = MinimumInteger(type);
    node.high = MaximumInteger(type);
  }
  return term;
}

TermId TermArena::Make(TermKind kind, std::initializer_list<TermId> operands,
                       std::initializer_list<int64_t> numbers) {
  return Make(kind, std::span(operands.begin(), operands.size()),
              std::span(numbers.begin(), numbers.size()));
}

TermId TermArena::Make(TermKind kind, std::span<const TermId> operands,
                       std::span<const int64_t> numbers) {
  bool is_float = IsFloatKind(kind);
  if (kind == TermKind::kSelect || kind == TermKind::kLookup)
    is_float = nodes_[operands[1]].is_float;
  if (std::ranges::all_of(operands, [this](TermId x) { return IsConstant(x); })) {
    std::vector<Scalar> values;
    for (const TermId operand : operands) values.push_back(Value(operand));
    return Constant(is_float, EvaluateTerm(kind, values, numbers));
  }
  const TermId term = Intern(kind, is_float, operands, numbers);
  const TermNode& node = nodes_[term];
  return !node.is_float && node.low == node.high ? Integer(node.low) : term;
}

uint64_t TermArena::HashOf(TermKind kind, bool is_float, std::span<const TermId> operands,
                           std::span<const int64_t> numbers) const {
  uint64_t hash = static_cast<uint64_t>(kind) * 2 + (is_float ? 1 : 0);
  const auto mix = [&hash](uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  for (const TermId operand : operands) mix(operand);
  for (const int64_t number : numbers) mix(static_cast<uint64_t>(number));
  mix(operands.size());
  return hash;
}

bool TermArena::Is(TermId term, TermKind kind, bool is_float, std::span<const TermId> operands,
                   std::span<const int64_t> numbers) const {
  const TermNode& node = nodes_[term];
  return node.kind == kind && node.is_float == is_float &&
         std::ranges::equal(Operands(term), operands) && std::ranges::equal(Numbers(term), numbers);
}

TermId TermArena::Intern(TermKind kind, bool is_float, std::span<const TermId> operands,
                         std::span<const int64_t> numbers) {
  uint64_t at = HashOf(kind, is_float, operands, numbers) & (table_.size() - 1);
  for (; table_[at] != kEmpty; at = (at + 1) & (table_.size() - 1)) {
    if (Is(table_[at], kind, is_float, operands, numbers)) return table_[at];
  }
  if (nodes_.size() >= terms_max_) {
    exhausted_ = true;
    return 0;
  }
  const auto term = static_cast<TermId>(nodes_.size());
  table_[at] = term;
  TermNode node;
  node.kind = kind;
  node.is_float = is_float;
  node.first_operand = static_cast<uint32_t>(operands_.size());
  node.operands = static_cast<uint32_t>(operands.size());
  node.first_number = static_cast<uint32_t>(numbers_.size());
  node.numbers = static_cast<uint32_t>(numbers.size());
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  nodes_.push_back(node);
  Describe(term);
  if (nodes_.size() * 2 > table_.size()) Grow();
  return term;
}

void TermArena::Grow() {
  std::vector<TermId> bigger(table_.size() * 4, kEmpty);
  for (TermId term = 0; term < nodes_.size(); ++term) {
    const TermNode& node = nodes_[term];
    uint64_t at = HashOf(node.kind, node.is_float, Operands(term), Numbers(term));
    for (at &= bigger.size() - 1; bigger[at] != kEmpty;) at = (at + 1) & (bigger.size() - 1);
    bigger[at] = term;
  }
  table_ = std::move(bigger);
}

void TermArena::Describe(TermId term) {
  TermNode& node = nodes_[term];
  if (node.is_float) {
    node.classes = ClassesOf(term);
    if (node.kind == TermKind::kRound) node.type = static_cast<DType>(Number(term));
    return;
  }
  const Range range = RangeOf(term);
  node.low = range.low;
  node.high = range.high;
}

TermArena::Range TermArena::Union(std::span<const TermId> terms) const {
  Range all = {kIntegerMost, kIntegerLeast};
  for (const TermId x : terms) {
    all.low = std::min(all.low, nodes_[x].low);
    all.high = std::max(all.high, nodes_[x].high);
  }
  return all;
}

TermArena::Range TermArena::RangeOf(TermId term) const {
  const auto operands = Operands(term);
  const auto numbers = Numbers(term);
  const auto operand = [&](size_t i) -> const TermNode& { return nodes_[operands[i]]; };
  switch (nodes_[term].kind) {
    case TermKind::kConstant:
      return {numbers[0], numbers[0]};
    case TermKind::kTruncate:
      return {-(int64_t{1} << (numbers[0] - 1)), (int64_t{1} << (numbers[0] - 1)) - 1};
    case TermKind::kZeroExtend:
      return {0, (int64_t{1} << numbers[0]) - 1};
    case TermKind::kClip:
      return {std::clamp(operand(0).low, numbers[0], numbers[1]),
              std::clamp(operand(0).high, numbers[0], numbers[1])};
    case TermKind::kProduct:
      return RangeOfProduct(term);
    case TermKind::kShiftRight:
      return RangeOfShift(term);
    case TermKind::kAnd:  // at most any operand that is not negative
      for (const TermId x : operands) {
        if (nodes_[x].low >= 0) return {0, nodes_[x].high};
      }
      break;
    case TermKind::kOr:
    case TermKind::kXor: {
      const Range all = Union(operands);
      if (all.low < 0) break;
      const auto bits = static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(all.high)));
      return {0, static_cast<int64_t>((uint64_t{1} << bits) - 1)};
    }
    case TermKind::kMaximum:
    case TermKind::kMinimum: {
      Range all = {operand(0).low, operand(0).high};
      const bool greatest = nodes_[term].kind == TermKind::kMaximum;
      for (const TermId x : operands) {
        const auto& [low, high] = Range{nodes_[x].low, nodes_[x].high};
        all = greatest ? Range{std::max(all.low, low), std::max(all.high, high)}
                       : Range{std::min(all.low, low), std::min(all.high, high)};
      }
      return all;
    }
    case TermKind::kDivide:
      if (operand(0).low == kIntegerLeast) break;
      return {-std::max(std::abs(operand(0).low), std::abs(operand(0).high)),
              std::max(std::abs(operand(0).low), std::abs(operand(0).high))};
    case TermKind::kCountLeadingZeros:
      return {0, numbers[0]};
    case TermKind::kEqual:
    case TermKind::kGreater:
    case TermKind::kSumsWithin:
    case TermKind::kIsNan:
    case TermKind::kFloatEqual:
    case TermKind::kFloatGreater:
    case TermKind::kFloatGreaterEqual:
      return {0, 1};
    case TermKind::kSelect:
      return RangeOfSelect(term);
    case TermKind::kLookup: {
      const Range all = Union(operands.subspan(1));
      const bool inside = operand(0).low >= 0 && operand(0).high < std::ssize(operands) - 1;
      return inside ? all : Range{std::min<int64_t>(all.low, 0), std::max<int64_t>(all.high, 0)};
    }
    case TermKind::kArgMax:
      return {0, std::ssize(operands) - 1};
    case TermKind::kFloatToInteger:
      return {MinimumInteger(static_cast<DType>(numbers[0])),
              MaximumInteger(static_cast<DType>(numbers[0]))};
    default:
      break;
  }
  return {kIntegerLeast, kIntegerMost};
}

FloatClasses TermArena::ClassesOf(TermId term) const {
  const auto operands = Operands(term);
  const auto classes = [&](size_t i) { return nodes_[operands[i]].classes; };
  const auto fold = [&](auto combine) {
    FloatClasses all = classes(0);
    for (size_t i = 1; i < operands.size(); ++i) all = combine(all, classes(i));
    return all;
  };
  switch (nodes_[term].kind) {
    case TermKind::kConstant:
      return ClassOf(Value(term).real());
    case TermKind::kFloatAdd:
      return SumClasses(classes(0), classes(1));
    case TermKind::kFloatMultiply:
      return ProductClasses(classes(0), classes(1));
    case TermKind::kNegate:
      return NegatedClasses(classes(0));
    case TermKind::kAbs:
      return AbsoluteClasses(classes(0));
    case TermKind::kFloor:
      return FloorClasses(classes(0));
    case TermKind::kRound:
      return RoundedClasses(static_cast<DType>(Number(term)), classes(0));
    case TermKind::kFloatMaximum:
      return fold([&](FloatClasses a, FloatClasses b) {
        return MaximumClasses(static_cast<NanMode>(Number(term)), a, b);
      });
    case TermKind::kFloatMinimum:
      return fold([&](FloatClasses a, FloatClasses b) {
        return MinimumClasses(static_cast<NanMode>(Number(term)), a, b);
      });
    case TermKind::kIntegerToFloat: {
      const TermNode& x = nodes_[operands[0]];
      return static_cast<FloatClasses>((x.low < 0 ? kClassNegative : 0) |
                                       (x.low <= 0 && x.high >= 0 ? kClassPlusZero : 0) |
                                       (x.high > 0 ? kClassPositive : 0));
    }
    case TermKind::kSelect:
      return classes(1) | classes(2);
    case TermKind::kLookup: {
      FloatClasses all = kClassPlusZero;  // the result for an index beyond the table
      for (size_t i = 1; i < operands.size(); ++i) all |= classes(i);
      return all;
    }
    case TermKind::kElementary: {
      const auto op = static_cast<Op>(Number(term));
      const FloatClasses nan = classes(0) & kClassNan;
      if (op == Op::kExp) return nan | kClassPlusZero | kClassPositive | kClassPlusInfinity;
      if (op == Op::kSigmoid) return nan | kClassPlusZero | kClassPositive;
      return kAllClasses;
    }
    case TermKind::kFloatSum:
      // The sum starts at 0. 0 + -0 is 0, and the sum of opposites is 0 as well.
      return kAllClasses & ~kClassMinusZero;
    default:
      return kAllClasses;
  }
}

}  // namespace assay
