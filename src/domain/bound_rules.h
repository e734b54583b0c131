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

// Whether a float operand is known, but for a flush and the sign of a zero.
inline bool Determined(const Bounded& x) {
  return x.certainty == Certainty::kExact || x.certainty == Certainty::kZeroSignOpen ||
         (x.certainty == Certainty::kBounded && x.error == 0);
}

// The float result, in flight.
Bounded FromRuling(const Ruling& ruling);
Bounded UndecidedFloat(double value);

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
