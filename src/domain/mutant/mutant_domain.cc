// SPDX-License-Identifier: Apache-2.0
#include "mutant_domain.h"

#include <algorithm>

#include "lossy_rounding.h"
#include "mutants.h"

namespace assay {
namespace {

using Words = ValueDomain;

double Magnitude(double x) { return std::fabs(x); }
int64_t Magnitude(int64_t x) { return x < 0 ? -x : x; }

Scalar MagnitudeOf(DType type, Scalar x) {
  return IsFloat(type) ? Scalar::OfFloat(Magnitude(x.real()))
                       : Scalar::OfInteger(Magnitude(x.integer()));
}

// Returns x wrapped around into low..high.
int64_t WrapInto(int64_t x, int64_t low, int64_t high) {
  const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  if (width == 0) return x;
  const uint64_t offset = static_cast<uint64_t>(x) - static_cast<uint64_t>(low);
  const uint64_t wrapped = x < low ? width - 1 - (~offset % width) : offset % width;
  return low + static_cast<int64_t>(wrapped);
}

}  // namespace

bool MutantDomain::IsForNan(Twist twist, DType type, Element a, Element b) const {
  return IsFloat(type) && Is(twist) && (std::isnan(a.real()) || std::isnan(b.real()));
}

// --- stored elements

Scalar MutantDomain::Store(DType type, Element x) const {
  if (!IsFloat(type)) return x;
  const double exact = x.real();
  if (Is(Twist::kStoreTruncates)) return Real(TruncateToType(type, exact));
  if (Is(Twist::kStoreHalfAway)) return Real(RoundHalfAwayToType(type, exact));
  if (Is(Twist::kResultNarrow)) return Real(RoundToType(type, NarrowFloat(type, exact)));
  const double rounded = RoundToType(type, exact);
  const FloatFormat& format = FormatOf(type);
  if (Is(Twist::kStoreSaturates) && !std::isnan(exact) && !std::isfinite(rounded)) {
    return Real(std::copysign(format.max, exact));
  }
  if (Is(Twist::kStoreFlushes) && std::fabs(rounded) < format.normal_min) {
    return Real(std::copysign(0.0, rounded));
  }
  return Real(rounded);
}

// --- integers

Scalar MutantDomain::AddInteger(Element a, Element b) const {
  if (Is(Twist::kRoundingTermLost)) return a;
  const Element sum = Words::AddInteger(a, b);
  return Is(Twist::kAddsInt32) ? Integer(WrapInteger(32, sum.integer())) : sum;
}

Scalar MutantDomain::MulInteger(Element a, Element b) const {
  const Element product = Words::MulInteger(a, b);
  return Is(Twist::kMultipliesInt32) ? Integer(WrapInteger(32, product.integer())) : product;
}

Scalar MutantDomain::DivInteger(Element a, Element b) const {
  const Element quotient = Words::DivInteger(a, b);
  if (!Is(Twist::kDividesDown) && !Is(Twist::kDividesAway)) return quotient;
  if (b.integer() == 0 || Words::MulInteger(quotient, b).integer() == a.integer()) return quotient;
  if ((a.integer() < 0) != (b.integer() < 0)) return Integer(quotient.integer() - 1);
  return Is(Twist::kDividesAway) ? Integer(quotient.integer() + 1) : quotient;
}

Scalar MutantDomain::Truncate(DType type, Element x) const {
  if (!Is(Twist::kTruncateSaturates)) return Words::Truncate(type, x);
  return Words::Clip(x, MinimumInteger(type), MaximumInteger(type));
}

Scalar MutantDomain::ZeroExtend(int bits, Element x) const {
  return Is(Twist::kExtendsSign) ? x : Words::ZeroExtend(bits, x);
}

Scalar MutantDomain::Clip(Element x, int64_t low, int64_t high) const {
  if (Is(Twist::kClipLowerLost)) return Integer(std::min(x.integer(), high));
  if (Is(Twist::kClipUpperLost)) return Integer(std::max(x.integer(), low));
  if (Is(Twist::kClipShort)) return Words::Clip(x, low, std::max(low, high - 1));
  if (Is(Twist::kClipSymmetric)) return Words::Clip(x, std::max(low, -high), high);
  if (Is(Twist::kClipWraps)) return Integer(WrapInto(x.integer(), low, high));
  return Words::Clip(x, low, high);
}

Scalar MutantDomain::And(Element a, Element b) const {
  if (Is(Twist::kLowBitLost)) return Integer(a.integer() & b.integer() & ~int64_t{1});
  if (Is(Twist::kFractionLost)) return Integer(0);
  if (Is(Twist::kOrForAnd)) return Words::Or(a, b);
  if (Is(Twist::kEqualForAnd)) return Integer(a.integer() == b.integer());
  return Words::And(a, b);
}

Scalar MutantDomain::Or(Element a, Element b) const {
  return Is(Twist::kXorForOr) ? Words::Xor(a, b) : Words::Or(a, b);
}

Scalar MutantDomain::Xor(Element a, Element b) const {
  return Is(Twist::kOrForXor) ? Words::Or(a, b) : Words::Xor(a, b);
}

Scalar MutantDomain::Not(Element a) const {
  return Is(Twist::kLowBitLost) ? Integer(~a.integer() & ~int64_t{1}) : Words::Not(a);
}

Scalar MutantDomain::ShiftLeft(Element x, Element by) const {
  const int64_t less = Is(Twist::kShiftsOneLess) && by.integer() > 1 ? 1 : 0;
  return Words::ShiftLeft(x, Integer(by.integer() - less));
}

Scalar MutantDomain::ShiftRight(Element x, Element by) const {
  if (Is(Twist::kShiftsOneLess) && by.integer() > 1) {
    return Words::ShiftRight(x, Integer(by.integer() - 1));
  }
  if (Is(Twist::kShiftsLogically)) return Words::ShiftRight(Words::ZeroExtend(32, x), by);
  if (Is(Twist::kRoundsTowardZero) && x.integer() < 0) {
    return SubInteger(Integer(0), Words::ShiftRight(SubInteger(Integer(0), x), by));
  }
  return Words::ShiftRight(x, by);
}

Scalar MutantDomain::CountLeadingZeros(int bits, Element x) const {
  return Words::CountLeadingZeros(bits + (Is(Twist::kCountsWide) ? 1 : 0),
                                  Words::ZeroExtend(bits, x));
}

// --- logic and selection

Scalar MutantDomain::LogicalNot(Element a) const {
  return Integer((a.integer() == 0) != Is(Twist::kConditionInverted));
}

Scalar MutantDomain::Select(DType, Element condition, Element a, Element b) const {
  return (condition.integer() != 0) != Is(Twist::kConditionInverted) ? a : b;
}

Scalar MutantDomain::Lookup(DType type, std::span<const Element> table, Element index) const {
  const auto last = static_cast<int64_t>(table.size()) - 1;
  if (Is(Twist::kLookupNext)) index = Integer(std::min(index.integer() + 1, last));
  return Words::Lookup(type, table, index);
}

void MutantDomain::Update(DType type, std::span<Element> table, Element index, Element x) const {
  const auto size = static_cast<int64_t>(table.size());
  if (Is(Twist::kUpdateNext)) index = Integer((index.integer() + 1) % size);
  Words::Update(type, table, index, x);
}

// --- numbers of either class

Scalar MutantDomain::Equal(DType type, Element a, Element b) const {
  if (IsForNan(Twist::kNanCompares, type, a, b)) return Integer(1);
  if (IsFloat(type) && Is(Twist::kZerosDiffer) && std::signbit(a.real()) != std::signbit(b.real()))
    return Integer(0);
  if (IsFloat(type) && Is(Twist::kOnlyOneIsTrue)) a = Real(std::trunc(a.real()));
  if (Is(Twist::kComparesMagnitude)) {
    return Words::Equal(type, MagnitudeOf(type, a), MagnitudeOf(type, b));
  }
  return Words::Equal(type, a, b);
}

Scalar MutantDomain::Greater(DType type, Element a, Element b) const {
  if (IsForNan(Twist::kNanCompares, type, a, b)) return Integer(1);
  if (Is(Twist::kEqualMeansGreater)) return Words::GreaterEqual(type, a, b);
  if (Is(Twist::kComparesMagnitude)) {
    return Words::Greater(type, MagnitudeOf(type, a), MagnitudeOf(type, b));
  }
  return Words::Greater(type, a, b);
}

Scalar MutantDomain::GreaterEqual(DType type, Element a, Element b) const {
  if (IsForNan(Twist::kNanCompares, type, a, b)) return Integer(1);
  return Is(Twist::kEqualMeansGreater) ? Words::Greater(type, a, b)
                                       : Words::GreaterEqual(type, a, b);
}

Scalar MutantDomain::Max(DType type, NanMode mode, Element a, Element b) const {
  if (Is(Twist::kClipLowerLost)) return a;
  if (Is(Twist::kMaxForMin)) return Words::Min(type, mode, a, b);
  if (IsForNan(Twist::kNanSecondLost, type, a, b)) return b;
  if (IsForNan(Twist::kNanFirstLost, type, a, b)) return a;
  if (Is(Twist::kComparesMagnitude) && !IsForNan(Twist::kComparesMagnitude, type, a, b)) {
    return Words::Greater(type, MagnitudeOf(type, b), MagnitudeOf(type, a)).integer() != 0 ? b : a;
  }
  return Words::Max(type, mode, a, b);
}

Scalar MutantDomain::Min(DType type, NanMode mode, Element a, Element b) const {
  if (Is(Twist::kClipUpperLost)) return a;
  if (Is(Twist::kMaxForMin)) return Words::Max(type, mode, a, b);
  if (IsForNan(Twist::kNanSecondLost, type, a, b)) return b;
  if (IsForNan(Twist::kNanFirstLost, type, a, b)) return a;
  return Words::Min(type, mode, a, b);
}

Scalar MutantDomain::ArgMax(DType type, NanMode mode, std::span<const Element> elements) const {
  const auto first = static_cast<size_t>(Is(Twist::kArgMaxSkipsFirst) && elements.size() > 1);
  std::vector<Element> seen(elements.begin() + static_cast<ptrdiff_t>(first), elements.end());
  for (Element& x : seen) {
    if (Is(Twist::kComparesMagnitude)) x = MagnitudeOf(type, x);
    if (Is(Twist::kArgMin)) x = IsFloat(type) ? Real(-x.real()) : Integer(-x.integer());
  }
  if (Is(Twist::kArgMaxLast)) std::ranges::reverse(seen);
  const int64_t best = Words::ArgMax(type, mode, seen).integer();
  return Integer(Is(Twist::kArgMaxLast) ? std::ssize(seen) - 1 - best
                                        : best + static_cast<int64_t>(first));
}

// --- floats

Scalar MutantDomain::Ceil(DType type, Element a) const {
  if (Is(Twist::kTowardNext)) return Real(std::floor(a.real()) + 1);
  return Is(Twist::kRoundsTowardZero) ? Real(std::trunc(a.real())) : Words::Ceil(type, a);
}

Scalar MutantDomain::Floor(DType type, Element a) const {
  if (Is(Twist::kTowardNext)) return Real(std::ceil(a.real()) - 1);
  return Is(Twist::kRoundsTowardZero) ? Real(std::trunc(a.real())) : Words::Floor(type, a);
}

Scalar MutantDomain::Bilinear(DType type, double maximum, std::span<const Element, 4> corners,
                              double dy, double dx) const {
  std::array<Element, 4> seen = {corners[0], corners[1], corners[2], corners[3]};
  if (Is(Twist::kCornersExchanged)) std::swap(seen[1], seen[2]);
  if (Is(Twist::kFractionLost)) dy = dx = 0;
  if (Is(Twist::kFractionOfOneAxis)) dx = dy;
  return Words::Bilinear(type, maximum, seen, dy, dx);
}

Scalar MutantDomain::FloatToInteger(DType from, DType to, Element a, const char* nan_rule) {
  const double x = a.real();
  if (Is(Twist::kRoundsTowardZero)) a = Real(std::trunc(x));
  if (Is(Twist::kRoundsDown)) a = Real(std::floor(x));
  if (Is(Twist::kRoundsHalfUp)) a = Real(std::floor(x) + (x - std::floor(x) >= 0.5 ? 1 : 0));
  if (Is(Twist::kRoundsHalfAway)) a = Real(std::round(x));
  if (Is(Twist::kClipWraps) && !std::isnan(x)) {
    const double inside = std::clamp(std::nearbyint(x), -9.0e18, 9.0e18);
    return Words::Truncate(to, Integer(static_cast<int64_t>(inside)));
  }
  return Words::FloatToInteger(from, to, a, nan_rule);
}

Scalar MutantDomain::IntegerToFloat(DType from, DType to, Element a) const {
  const Element exact = Words::IntegerToFloat(from, to, a);
  const bool is_wide = IntegerBits(from) > 24;
  return is_wide && Is(Twist::kThroughFp32) ? Real(RoundToType(DType::kFp32, exact.real())) : exact;
}

// --- sums

std::vector<Scalar> MutantDomain::Terms(std::vector<Element> terms) const {
  if (terms.size() > 1 && Is(Twist::kFirstTermLost)) terms.erase(terms.begin());
  if (terms.size() > 1 && Is(Twist::kLastTermLost)) terms.pop_back();
  if (!terms.empty() && Is(Twist::kLastTermTwice)) terms.push_back(terms.back());
  return terms;
}

double MutantDomain::HeldFloat(DType type, double value) const {
  if (Is(Twist::kAccumulatesNarrow)) return NarrowFloat(type, value);
  if (Is(Twist::kAccumulatesUp)) return RoundUpToType(type, value);
  if (Is(Twist::kAccumulatesShort)) return RoundToBits(FormatOf(type).fraction_bits + 1 - 3, value);
  // A sum in fp16 is no fault if the accumulator is fp16.
  const bool is_fp16 = twist_ == Twist::kAccumulatesFp16 && type == DType::kFp16;
  return is_fp16 || Is(Twist::kAccumulatesFp16) ? RoundToType(DType::kFp16, value) : value;
}

int64_t MutantDomain::HeldInteger(DType type, int64_t value) const {
  if (Is(Twist::kAccumulatesNarrow)) return WrapInteger(16, value);
  if (type != DType::kInt32 && Is(Twist::kAccumulatesInt32)) return WrapInteger(32, value);
  if (!Is(Twist::kAccumulatesFp32)) return value;
  return static_cast<int64_t>(RoundToType(DType::kFp32, static_cast<double>(value)));
}

Scalar MutantDomain::Total(const DotRule& rule, std::vector<Element> all) {
  const std::vector<Element> terms = Terms(std::move(all));
  if (IsFloat(rule.acc_type)) {
    double sum = 0;
    for (const Element x : terms) sum = HeldFloat(rule.acc_type, sum + x.real());
    return Real(sum);
  }
  Element sum = Integer(0);
  for (const Element x : terms) {
    sum = Integer(HeldInteger(rule.acc_type, Words::AddInteger(sum, x).integer()));
    RequireRange(*this, rule.acc_type, sum, rule.overflow);
  }
  return sum;
}

Scalar MutantDomain::Dot(const DotRule& rule, std::span<const Element> a,
                         std::span<const Element> b, std::span<const Element>,
                         const Element* bias) {
  const bool floats = IsFloat(rule.acc_type);
  std::vector<Element> products;
  for (size_t i = 0; i < a.size(); ++i) {
    const Element factor =
        Is(Twist::kProductsMagnitude) ? MagnitudeOf(rule.weight_type, b[i]) : b[i];
    products.push_back(floats ? Real(a[i].real() * factor.real())
                              : Words::MulInteger(a[i], factor));
    if (floats && rule.in_type != rule.acc_type && Is(Twist::kProductsNarrow)) {
      products.back() = Real(RoundToType(rule.in_type, products.back().real()));
    }
  }
  const Element sum = Total(rule, std::move(products));
  if (bias == nullptr || Is(Twist::kBiasLost)) return sum;
  const int times = Is(Twist::kBiasTwice) ? 2 : Is(Twist::kBiasSubtracted) ? -1 : 1;
  if (floats) return Real(sum.real() + times * bias->real());
  const Element result = Words::AddInteger(sum, Integer(times * bias->integer()));
  return RequireRange(*this, rule.out_type, result, rule.overflow);
}

Scalar MutantDomain::Sum(const DotRule& rule, std::span<const Element> a) {
  const auto count = static_cast<int64_t>(a.size());
  const Element sum = Total(rule, {a.begin(), a.end()});
  // The integer sum of a pool is divided later, by the number of elements in the window.
  if (IsFloat(rule.in_type)) return sum;
  if (count != rule.kernel_size && Is(Twist::kCountsPadding))
    return Integer(sum.integer() * count / rule.kernel_size);
  return Is(Twist::kSumsInsteadOfAverage) ? Integer(sum.integer() * count) : sum;
}

Scalar MutantDomain::Average(const DotRule& rule, std::span<const Element> a, int64_t count) {
  if (count != rule.kernel_size && Is(Twist::kCountsPadding)) count = rule.kernel_size;
  if (Is(Twist::kSumsInsteadOfAverage)) count = 1;
  return Real(Sum(rule, a).real() / static_cast<double>(count));
}

Scalar MutantDomain::Product(DType type, std::span<const Element> a) const {
  double product = Is(Twist::kProductStartsAtZero) ? 0 : 1;
  for (const Element x : Terms({a.begin(), a.end()})) {
    product = HeldFloat(type, product * x.real());
  }
  return Real(product);
}

}  // namespace assay
