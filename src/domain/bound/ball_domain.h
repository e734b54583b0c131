// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "ball_panels.h"
#include "bound_domain.h"

namespace assay {

// The bound domain of float dot products, sums and averages. Each operand is a ball: its value, and
// how large it may be. BoundDomain computes its sums here as well.
//
// If the operands are balls, the result is one. Its center is the result of the value domain. For
// values x, y that are passed on instead of a, b, |xy - ab| is at most outer(a) outer(b) - |ab|.
// The sum of these, and the rule's error for operands of these magnitudes, is the radius.
class BallDomain {
 public:
  using Element = Ball;
  using Result = Bounded;
  // `in_type` is the type of the data. `bound` computes the results and records the rule.
  BallDomain(BoundDomain& bound, DType in_type)
      : bound_(bound), normal_min_(FormatOf(in_type).normal_min) {}

  Ball Real(double value) const { return Number(value, 0); }
  // Sets `balls` to the elements of an operand.
  void Read(DType type, std::span<const Bounded> elements, std::vector<Ball>& balls) const;
  // Does the same for given numbers: for_each(visit) calls visit(x) for each of them.
  template <class ForEach>
  void Read(DType type, size_t count, ForEach for_each, std::vector<Ball>& balls) const {
    const FloatFormat format = FormatOf(type);
    const double least = format.must_keep_subnormals ? 0 : format.normal_min;
    balls.resize(count);
    auto next = balls.begin();
    for_each([&](double x) { *next++ = Number(x, least); });
  }

  Bounded Store(DType type, const Bounded& x) const { return bound_.Store(type, x); }
  Bounded Dot(const DotRule& rule, std::span<const Ball> a, std::span<const Ball> b,
              std::span<const Ball> padding, const Ball* bias);
  // Does the same, and stores the results, for each row of `a` with each column of `b`: results are
  // row-major. The rule has no weight_error. Padding in `a` counts as zeros, so all elements of `b`
  // must be finite then. `bias` has one element for each column, one for all, or none. This is
  // faster than one call for each result.
  void Dots(const DotRule& rule, const BallRows& a, const BallColumns& b,
            std::span<const Ball> bias, std::span<Bounded> results);
  // The bound of every element of the first operand that is no padding; negative: its own.
  double BoundOfAll(const DotRule& rule) const;
  Bounded Sum(const DotRule& rule, std::span<const Ball> a);
  Bounded Average(const DotRule& rule, std::span<const Ball> a, int64_t count);
  // These are those of BoundDomain.
  double MaximumMagnitude(DType type, std::span<const Ball> elements) const;
  double Quantum(DType type, std::span<const Ball> elements) const;

 private:
  // Returns the ball of a number. It may be flushed if it is less than `least` in magnitude.
  Ball Number(double value, double least) const {
    const double magnitude = std::fabs(value);
    const double outer = magnitude < least ? 2 * magnitude : magnitude;
    return {value, magnitude < normal_min_ ? normal_min_ : magnitude, magnitude, outer};
  }
  Ball BallOf(DType type, const Bounded& x) const;
  // Returns the dot product that has these sums.
  Bounded ResultOf(const DotRule& rule, const Ball& sums, std::span<const Ball> a,
                   std::span<const Ball> b, std::span<const Ball> padding, const Ball* bias);

  BoundDomain& bound_;
  double normal_min_;
};

// True if D computes with integers as well. Meanings leave out their integer code for other
// domains.
template <class D>
inline constexpr bool kHasIntegers = !std::is_same_v<D, BallDomain>;

}  // namespace assay
