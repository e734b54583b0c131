// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "signature.h"
#include "types.h"

namespace assay::ops {

// The helpers of the specification's scale_helpers.tosac, over a domain.

struct Scale {
  int64_t multiplier;
  int64_t shift;
};

// Returns the scale that divides by a value > 0 (reciprocal_scale).
inline Scale ReciprocalScale(int64_t value) {
  const int k = 64 - std::countl_zero(static_cast<uint64_t>(value - 1));
  return {(((int64_t{1} << 30) + 1) << k) / value, 30 + k};
}

// Checks REQUIRE(multiplier >= 0) and REQUIRE(2 <= shift && shift <= 62) of apply_scale_32 and
// apply_scale_16.
inline void RequireScale(const Scale& scale, Judgement& judgement, const char* rule) {
  judgement.Require(scale.multiplier >= 0, rule);
  judgement.Require(2 <= scale.shift && scale.shift <= 62, rule);
}

// round = 1 << (shift - 1)
inline int64_t RoundOf(const Scale& scale) { return int64_t{1} << (scale.shift - 1); }

// Returns (value * multiplier + round) >> shift.
template <class D>
typename D::Element MultiplyAndShift(const D& d, const typename D::Element& value,
                                     const Scale& scale, const typename D::Element& round) {
  const auto product = d.MulInteger(value, d.Integer(scale.multiplier));
  return d.ShiftRight(d.AddInteger(product, round), d.Integer(scale.shift));
}

// Returns apply_scale_32(value, multiplier, shift, double_round) for a scale that RequireScale()
// admits. A value beyond the shift breaks the REQUIRE `rule`.
template <class D>
typename D::Element ApplyScale32(D& d, const typename D::Element& value, const Scale& scale,
                                 const char* rule, bool double_round = false) {
  const int64_t limit = int64_t{1} << (scale.shift - 1);
  const auto in_range = d.RequireBetween(value, -limit, limit - 1, rule);
  const int64_t round = RoundOf(scale);
  if (!double_round || scale.shift <= 31) {
    return MultiplyAndShift(d, in_range, scale, d.Integer(round));
  }
  const auto not_negative = d.GreaterEqual(DType::kInt32, in_range, d.Integer(0));
  const auto rounds = d.Select(DType::kInt32, not_negative, d.Integer(round + (int64_t{1} << 30)),
                               d.Integer(round - (int64_t{1} << 30)));
  return MultiplyAndShift(d, in_range, scale, rounds);
}

// Returns apply_scale_16(value, multiplier, shift) for a 48-bit value and a 16-bit multiplier. A
// result beyond 32 bits breaks the REQUIRE `rule`.
template <class D>
typename D::Element ApplyScale16(D& d, const typename D::Element& value, const Scale& scale,
                                 const char* rule) {
  const auto result = MultiplyAndShift(d, value, scale, d.Integer(RoundOf(scale)));
  return RequireRange(d, DType::kInt32, result, rule);
}

}  // namespace assay::ops
