#pragma once

#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "bound_domain.h"

namespace assay {

// A float that is one number, but for the sign of a zero, and its magnitude as output_bnd counts
// it. (What may be flushed is two.)
struct Known {
  double value, magnitude;
};

// The bound domain of float dot products, sums and averages whose operands are all known: what
// BoundDomain gives, bit for bit, without asking every element what may become of it.
class KnownDomain {
 public:
  using Element = Known;
  using Result = Bounded;
  // `in_type`: of the data. `bound` gives the results, and notes the rule.
  KnownDomain(BoundDomain& bound, DType in_type)
      : bound_(bound), normal_min_(FormatOf(in_type).normal_min) {}

  Known Real(double value) const;
  // Makes `known` the elements of an operand; false if some of them are not known.
  bool Read(DType type, std::span<const Bounded> elements, std::vector<Known>& known) const;
  // The same of numbers that are given: for_each(visit) calls visit(x) for each.
  template <class ForEach>
  bool Read(DType type, size_t count, ForEach for_each, std::vector<Known>& known) const {
    const FloatFormat format = FormatOf(type);
    const double least = format.must_keep_subnormals ? 0 : format.normal_min;
    known.resize(count);
    auto next = known.begin();
    bool any_flushed = false;
    for_each([&](double x) {
      const double magnitude = std::fabs(x);
      any_flushed |= (magnitude < least) & (magnitude > 0);
      *next++ = {x, magnitude < normal_min_ ? normal_min_ : magnitude};
    });
    return !any_flushed;
  }

  Bounded Store(DType type, const Bounded& x) const { return bound_.Store(type, x); }
  Bounded Dot(const DotRule& rule, std::span<const Known> a, std::span<const Known> b,
              std::span<const Known> padding, const Known* bias);
  Bounded Sum(const DotRule& rule, std::span<const Known> a);
  Bounded Average(const DotRule& rule, std::span<const Known> a, int64_t count);
  // NaN if an element is NaN.
  static double MaximumMagnitude(std::span<const Known> elements);

 private:
  BoundDomain& bound_;
  double normal_min_;
};

// Whether D computes with integers too; meanings leave out what they have for these where not.
template <class D>
inline constexpr bool kHasIntegers = !std::is_same_v<D, KnownDomain>;

}  // namespace assay
