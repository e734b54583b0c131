#pragma once

#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "bound_domain.h"

namespace assay {

// A float with one possible value, except for the sign of a zero, and its magnitude as output_bnd
// counts it. (A value that may be flushed has two possible values.)
struct Known {
  double value, magnitude;
};

// The bound domain of float dot products, sums and averages whose operands are all known. Its
// results are those of BoundDomain, bit for bit. It is faster because it does not check every
// element.
class KnownDomain {
 public:
  using Element = Known;
  using Result = Bounded;
  // `in_type` is the type of the data. `bound` computes the results and records the rule.
  KnownDomain(BoundDomain& bound, DType in_type)
      : bound_(bound), normal_min_(FormatOf(in_type).normal_min) {}

  Known Real(double value) const;
  // Sets `known` to the elements of an operand. Returns false if some of them are not known.
  bool Read(DType type, std::span<const Bounded> elements, std::vector<Known>& known) const;
  // Does the same for given numbers: for_each(visit) calls visit(x) for each of them.
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
  // Returns the largest magnitude. Returns NaN if an element is NaN.
  static double MaximumMagnitude(std::span<const Known> elements);

 private:
  BoundDomain& bound_;
  double normal_min_;
};

// True if D computes with integers as well. Meanings leave out their integer code for other
// domains.
template <class D>
inline constexpr bool kHasIntegers = !std::is_same_v<D, KnownDomain>;

}  // namespace assay
