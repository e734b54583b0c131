// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "accuracy.h"
#include "interval.h"

namespace assay {

// Code that the words of the bound domain share. The layers above do not use it.

// The ruling of an accuracy rule on one result: the fp64 reference and the allowed error around it.
// An error of NaN means that nothing sound is known.
struct Ruling {
  double reference;
  double error;
};

inline bool MayFlush(DType type) { return !FormatOf(type).must_keep_subnormals; }

inline bool IsSubnormal(DType type, double x) {
  return x != 0 && std::fabs(x) < FormatOf(type).normal_min;
}

// Returns true if a backend may read x as zero.
inline bool Flushable(DType type, const Bounded& x) {
  return MayFlush(type) && IsSubnormal(type, x.value.real());
}

// Returns x, or zero if a backend may read x as zero.
inline double Flushed(DType type, const Bounded& x) {
  return Flushable(type, x) ? std::copysign(0.0, x.value.real()) : x.value.real();
}

// Returns x as arithmetic of a backend with these declarations reads it, if the backend does not
// choose: a backend that declares nothing keeps it.
inline double ReadValue(DType type, const Bounded& x, const Declarations& declarations) {
  return declarations.flushes_subnormals ? Flushed(type, x) : x.value.real();
}

// Returns true if a backend with these declarations may keep or flush.
inline bool ChoosesToFlush(const Declarations& declarations) {
  return !declarations.flushes_subnormals && !declarations.keeps_subnormals;
}

// Returns true if a float operand has one possible value, except for the sign of a zero. (A value
// that may be flushed has two.)
inline bool IsKnown(const Bounded& x) { return x.certainty <= Certainty::kZeroSignOpen; }

// Returns |x| as output_bnd uses it: raised to the smallest normal number of the input's type
// (1.0.2 uses in_t for every operand). NaN stays NaN.
inline double Magnitude(double x, double normal_min) {
  const double magnitude = std::fabs(x);
  return magnitude < normal_min ? normal_min : magnitude;
}

// Returns true if a float operand is known, except for a flush and the sign of a zero.
inline bool Determined(const Bounded& x) {
  return x.certainty == Certainty::kExact || x.certainty == Certainty::kZeroSignOpen ||
         (x.certainty == Certainty::kBounded && x.error == 0);
}

inline Bounded UndecidedFloat(double value) {
  return {Scalar::OfFloat(value), value, std::numeric_limits<double>::quiet_NaN(),
          Certainty::kUndecided};
}

// Returns the unrounded float result of a ruling.
inline Bounded FromRuling(const Ruling& ruling) {
  const auto& [reference, error] = ruling;
  if (std::isnan(error)) return UndecidedFloat(reference);
  // The bound does not cover these cases; the tables and reading `infinite-bound` do.
  if (!std::isfinite(reference)) return {Scalar::OfFloat(reference)};
  if (!std::isfinite(error)) return UndecidedFloat(reference);
  return {Scalar::OfFloat(reference), reference, error, Certainty::kBounded};
}

// Returns a ruling that admits everything that either of two rulings about a result of `type`
// admits.
Ruling Either(DType type, const Ruling& as_is, const Ruling& flushed);

// Returns true for a NaN that every backend has there.
inline bool IsNanForSure(const Bounded& x) {
  return x.certainty == Certainty::kExact && std::isnan(x.value.real());
}

// Returns a float result of type `out` from operands of type `in`. If all operands are determined,
// rule(values...) returns the ruling. Otherwise, set(intervals...) returns all numbers that the
// rule admits for any numbers of the intervals. The intervals are finite. A NaN among the operands
// makes the result a NaN.
template <class Rule, class Set, class... Operand>
Bounded ByRule(const Declarations& declarations, DType in, DType out, Rule rule, Set set,
               const Operand&... operands) {
  const Ruling as_is = rule(ReadValue(in, operands, declarations)...);
  if (!(... && Determined(operands))) {
    if ((... || IsNanForSure(operands))) return {Scalar::OfFloat(as_is.reference)};
    const auto result = [&](const auto&... intervals) {
      return (... && intervals.finite()) ? set(intervals...) : kAnything;
    };
    return Within(out, as_is.reference, result(ReadByArithmetic(in, operands, declarations)...));
  }
  if (!ChoosesToFlush(declarations) || !(... || Flushable(in, operands))) return FromRuling(as_is);
  return FromRuling(Either(out, as_is, rule(Flushed(in, operands)...)));
}

}  // namespace assay
