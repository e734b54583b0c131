#pragma once

#include <bit>

#include "fault.h"
#include "types.h"

namespace assay::ops {

// The helpers of the specification's scale_helpers.tosac, over a domain.

struct Scale {
  int64_t multiplier;
  int64_t shift;
};

// reciprocal_scale(value): the scale that divides by a value > 0.
inline Scale ReciprocalScale(int64_t value) {
  const int k = 64 - std::countl_zero(static_cast<uint64_t>(value - 1));
  return {(((int64_t{1} << 30) + 1) << k) / value, 30 + k};
}

// apply_scale_32(value, multiplier, shift, false) for a scale that is known: 0 <= multiplier and
// 2 <= shift <= 62. `rule` is the REQUIRE that a value beyond the shift breaks.
template <class D>
typename D::Element ApplyScale32(D& d, const typename D::Element& value, const Scale& scale,
                                 const char* rule) {
  const int64_t limit = int64_t{1} << (scale.shift - 1);
  const int64_t round = d.Has(Fault::kRoundingOffByOne) ? 0 : limit;
  const auto in_range = d.RequireBetween(value, -limit, limit - 1, rule);
  const auto product = d.MulInteger(in_range, d.Integer(scale.multiplier));
  return d.ShiftRight(d.AddInteger(product, d.Integer(round)), d.Integer(scale.shift));
}

}  // namespace assay::ops
