// SPDX-License-Identifier: Apache-2.0
#include "member_domain.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "accuracy.h"
#include "member.h"

namespace assay {
namespace {

using Words = ValueDomain;

// The roundings of a partial sum.
struct ToFp32 {
  double operator()(double x) const { return static_cast<float>(x); }
};
struct ToNarrow {
  DType type;
  double operator()(double x) const { return RoundToType(type, x); }
};
struct Unrounded {
  template <class Number>
  Number operator()(Number x) const {
    return x;
  }
};

template <class Number, size_t kCount, class Term, class Round>
double SumOfLanes(size_t count, Term term, Round round) {
  std::array<Number, kCount> lanes{};
  size_t done = 0;
  for (; done + kCount <= count; done += kCount) {
    for (size_t i = 0; i < kCount; ++i) lanes[i] = round(lanes[i] + term(done + i));
  }
  for (size_t i = 0; done + i < count; ++i) lanes[i] = round(lanes[i] + term(done + i));
  for (size_t width = kCount / 2; width > 0; width /= 2) {
    for (size_t i = 0; i < width; ++i) lanes[i] = round(lanes[i] + lanes[i + width]);
  }
  return lanes[0];
}

template <class Term, class Round>
double PairwiseSum(std::vector<double>& terms, size_t count, Term term, Round round) {
  terms.resize(count);
  for (size_t i = 0; i < count; ++i) terms[i] = term(i);
  for (; count > 1; count = (count + 1) / 2) {
    for (size_t i = 0; i < count / 2; ++i) terms[i] = round(terms[2 * i] + terms[2 * i + 1]);
    if (count % 2 != 0) terms[count / 2] = terms[count - 1];
  }
  return terms.empty() ? 0 : terms[0] + 0.0;  // a sum of -0 alone is 0
}

// Adds in numbers of type Number.
template <class Number, class Term, class Round>
double SumBy(SumOrder order, std::vector<double>& terms, size_t count, Term term, Round round) {
  Number sum = 0;
  switch (order) {
    case SumOrder::kForward:
      for (size_t i = 0; i < count; ++i) sum = round(sum + term(i));
      return sum;
    case SumOrder::kReverse:
      for (size_t i = count; i-- > 0;) sum = round(sum + term(i));
      return sum;
    case SumOrder::kPairwise:
      return PairwiseSum(terms, count, term, round);
    case SumOrder::kLanes8:
      return SumOfLanes<Number, 8>(count, term, round);
    case SumOrder::kLanes16:
      return SumOfLanes<Number, 16>(count, term, round);
  }
  return sum;
}

// Rounds a number as a member does that forms sums in the accumulator's type.
double Rounded(SumPrecision precision, DType type, double x) {
  return precision == SumPrecision::kDouble ? x : RoundToType(type, x);
}

}  // namespace

MemberDomain::MemberDomain(const Member& member, bool is_cast, uint64_t seed)
    : member_(member),
      keeps_(member.keeps == Keeps::kCasts && is_cast ? Keeps::kUnrounded : member.keeps),
      random_(seed) {}

// --- stored elements

Scalar MemberDomain::Store(DType type, Element x) const {
  if (!IsFloat(type) || keeps_ == Keeps::kUnrounded) return x;
  const double stored = RoundToType(type, x.real());
  if (keeps_ == Keeps::kInFp32) {
    // A number that is rounded twice may round to another value than the result. Then it is not
    // kept.
    const double kept = RoundToType(DType::kFp32, x.real());
    return Real(RoundToType(type, kept) == stored ? kept : stored);
  }
  const FloatFormat& format = FormatOf(type);
  const bool flushes = member_.flushes && !format.must_keep_subnormals;
  return Real(flushes && std::fabs(stored) < format.normal_min ? std::copysign(0.0, stored)
                                                               : stored);
}

Scalar MemberDomain::Moved(DType type, double reference, double distance, double error) const {
  if (!member_.moves || !(distance > 0) || !std::isfinite(error) ||
      !std::isfinite(RoundToType(type, reference))) {
    return Real(reference);
  }
  const double from_zero = static_cast<double>(random_.Next() >> 11) * 0x1p-53;
  const double moved = RoundToType(type, reference + (2 * from_zero - 1) * distance);
  const bool admitted = std::isfinite(moved) && WithinBound(type, moved, reference, error);
  return Real(admitted ? moved : reference);
}

// --- elementary functions

Scalar MemberDomain::Elementary(Op op, DType type, Element a) const {
  const double right = Words::Elementary(op, type, a).real();
  return Moved(type, right, ElementaryFunctionOf(op).error(type, a.real(), right));
}

Scalar MemberDomain::Pow(DType type, Element a, Element b) const {
  const double right = Words::Pow(type, a, b).real();
  return Moved(type, right, PowError(type, a.real(), b.real(), right));
}

Scalar MemberDomain::Bilinear(DType type, double maximum, std::span<const Element, 4> corners,
                              double dy, double dx) const {
  const double right = Words::Bilinear(type, maximum, corners, dy, dx).real();
  return Moved(type, right, ResizeBilinearError(type, maximum, right));
}

// CAST may round toward zero (reading `cast-rounding`).
Scalar MemberDomain::FloatToFloat(DType, DType to, Element a) const {
  const double x = a.real();
  const double nearest = RoundToType(to, x);
  const bool grew = std::isfinite(nearest) && std::fabs(nearest) > std::fabs(x);
  if (!member_.moves || keeps_ == Keeps::kUnrounded || !grew || random_.OneIn(2)) return a;
  return Real(x > 0 ? NextDown(to, x) : NextUp(to, x));
}

// --- sums

template <class Term>
double MemberDomain::Total(DType acc_type, size_t count, bool products, Term term) {
  const bool rounds_terms = products && member_.precision == SumPrecision::kAccumulator;
  if (rounds_terms && acc_type == DType::kFp32 && member_.order != SumOrder::kPairwise) {
    // The same as ToFp32, in fewer steps: fp64 has more than twice the digits of fp32, and two, so
    // a sum of two fp32 numbers may be rounded to fp64 before.
    const auto rounded = [&](size_t i) { return static_cast<float>(term(i)); };
    return SumBy<float>(member_.order, terms_, count, rounded, Unrounded());
  }
  const auto sum = [&](auto round) {
    if (!rounds_terms) return SumBy<double>(member_.order, terms_, count, term, round);
    const auto rounded = [&](size_t i) { return round(term(i)); };
    return SumBy<double>(member_.order, terms_, count, rounded, round);
  };
  if (member_.precision == SumPrecision::kDouble) return sum(Unrounded());
  return acc_type == DType::kFp32 ? sum(ToFp32()) : sum(ToNarrow{acc_type});
}

Scalar MemberDomain::MovedSum(const DotRule& rule, double sum, double magnitudes) const {
  const double error = DotProductError(
      rule.out_type, DotProductAbsBound(rule.acc_type, rule.out_type, rule.kernel_size),
      magnitudes);
  // About as far as the roundings of a sum in the pseudocode's order move it on random data. The
  // rule allows many times as much, and would hide faults.
  return Moved(rule.out_type, sum, std::min(error, DotProductUnit(rule.acc_type, magnitudes)),
               error);
}

Scalar MemberDomain::Dot(const DotRule& rule, std::span<const Element> a,
                         std::span<const Element> b, std::span<const Element> padding,
                         const Element* bias) {
  if (!IsFloat(rule.acc_type)) return Words::Dot(rule, a, b, padding, bias);
  if (!member_.moves) {
    double sum =
        Total(rule.acc_type, a.size(), true, [&](size_t i) { return a[i].real() * b[i].real(); });
    if (member_.multiplies_padding) {
      for (const Element x : padding) sum += 0.0 * x.real();
    }
    if (bias != nullptr) sum = Rounded(member_.precision, rule.acc_type, sum + bias->real());
    return Real(sum);
  }
  const double least = FormatOf(rule.in_type).normal_min;
  double magnitudes = bias != nullptr ? std::max(std::fabs(bias->real()), least) : 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = rule.input_maximum.value_or(std::fabs(a[i].real()));
    magnitudes += std::max(x, least) * std::max(std::fabs(b[i].real()), least);
  }
  return MovedSum(rule, Words::Dot(rule, a, b, padding, bias).real(), magnitudes);
}

Scalar MemberDomain::Sum(const DotRule& rule, std::span<const Element> a) {
  if (!IsFloat(rule.in_type)) return Words::Sum(rule, a);
  if (!member_.moves) {
    return Real(Total(rule.acc_type, a.size(), false, [&](size_t i) { return a[i].real(); }));
  }
  double magnitudes = 0;
  for (const Element x : a) {
    magnitudes += std::max(std::fabs(x.real()), FormatOf(rule.in_type).normal_min);
  }
  return MovedSum(rule, Words::Sum(rule, a).real(), magnitudes);
}

Scalar MemberDomain::Average(const DotRule& rule, std::span<const Element> a, int64_t count) {
  const double sum = Total(rule.acc_type, a.size(), false, [&](size_t i) { return a[i].real(); });
  return Real(Rounded(member_.precision, rule.acc_type, sum / static_cast<double>(count)));
}

Scalar MemberDomain::Product(DType type, std::span<const Element> a) const {
  double product = 1;
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t at = member_.order == SumOrder::kReverse ? a.size() - 1 - i : i;
    product = Rounded(member_.precision, type, product * a[at].real());
  }
  if (!member_.moves) return Real(product);
  const double right = Words::Product(type, a).real();
  return Moved(type, right, ReduceProductError(type, right, std::ssize(a)));
}

std::optional<double> MemberDomain::MaximumMagnitude(DType, std::span<const Element> elements) {
  double maximum = 0;
  for (const Element x : elements) maximum = std::fmax(maximum, std::fabs(x.real()));
  return maximum;
}

}  // namespace assay
