#pragma once

#include <cmath>

#include "accuracy.h"
#include "bound_domain.h"

namespace assay {

// What the words of the bound domain share. Not for the layers above.

// What an accuracy rule says about one result: the fp64 reference and the error allowed around it.
// An error of NaN: nothing sound can be said.
struct Ruling {
  double reference;
  double error;
};

inline bool MayFlush(DType type) { return !FormatOf(type).must_keep_subnormals; }

inline bool IsSubnormal(DType type, double x) {
  return x != 0 && std::fabs(x) < FormatOf(type).normal_min;
}

// Whether a backend may read x as zero.
inline bool Flushable(DType type, const Bounded& x) {
  return MayFlush(type) && IsSubnormal(type, x.value.real());
}

inline double Flushed(DType type, const Bounded& x) {
  return Flushable(type, x) ? std::copysign(0.0, x.value.real()) : x.value.real();
}

// Whether a float operand is one number, but for the sign of a zero. (What may be flushed is not.)
inline bool IsKnown(const Bounded& x) { return x.certainty <= Certainty::kZeroSignOpen; }

// |x| as output_bnd takes it: raised to the smallest normal number of the input's type (1.0.2 uses
// in_t for every operand). NaN stays.
inline double Magnitude(double x, double normal_min) {
  const double magnitude = std::fabs(x);
  return magnitude < normal_min ? normal_min : magnitude;
}

// Whether a float operand is known, but for a flush and the sign of a zero.
inline bool Determined(const Bounded& x) {
  return x.certainty == Certainty::kExact || x.certainty == Certainty::kZeroSignOpen ||
         (x.certainty == Certainty::kBounded && x.error == 0);
}

inline Bounded UndecidedFloat(double value) {
  return {Scalar::OfFloat(value), value, std::numeric_limits<double>::quiet_NaN(),
          Certainty::kUndecided};
}

// The float result, in flight.
inline Bounded FromRuling(const Ruling& ruling) {
  const auto& [reference, error] = ruling;
  if (std::isnan(error)) return UndecidedFloat(reference);
  // The bound says nothing of these, the tables and reading `infinite-bound` do.
  if (!std::isfinite(reference)) return {Scalar::OfFloat(reference)};
  if (!std::isfinite(error)) return UndecidedFloat(reference);
  return {Scalar::OfFloat(reference), reference, error, Certainty::kBounded};
}

// Whether the sum of value(i) * weight(i), which is NaN, is so whatever the weights are that may be
// zero or of the other sign: it is without the infinities that meet them.
template <class Value, class Weight>
bool IsNanAnyway(const DotRule& rule, size_t count, Value value, Weight weight) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool open = std::isinf(value(i)) && std::fabs(weight(i)) <= rule.weight_error;
    if (!open) sum += value(i) * weight(i);
  }
  return std::isnan(sum);
}

// What is admitted by either of two rulings about a result of `type`.
Ruling Either(DType type, const Ruling& as_is, const Ruling& flushed);

// A float result of `out` by a rule on the values of its operands, which are of type `in`.
template <class Rule, class... Operand>
Bounded ByRule(DType in, DType out, Rule rule, const Operand&... operands) {
  const Ruling as_is = rule(operands.value.real()...);
  if (!(... && Determined(operands))) return UndecidedFloat(as_is.reference);
  if (!(... || Flushable(in, operands))) return FromRuling(as_is);
  return FromRuling(Either(out, as_is, rule(Flushed(in, operands)...)));
}

}  // namespace assay
