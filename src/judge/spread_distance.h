// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "test_vector.h"

namespace assay {

// The distance of one output from the outputs of an ensemble, in units of the ensemble's spread.
struct SpreadDistance {
  double distance = 0;
  int64_t element = 0;    // the one furthest away
  int64_t compared = 0;   // elements; 0 if nothing can be compared
  int64_t undecided = 0;  // of these, elements that no rule reaches
};

// An output that is further away is suspect. README.md says how the number was chosen.
inline constexpr double kSpreadThreshold = 4;

// Compares an output of a backend with those of the members of an ensemble, all of one type and
// shape. If `expected` is not null, only elements about which it says little are compared
// (VagueError()).
// - Floats: the root mean square of the difference from the ensemble's mean, divided by that of the
//   ensemble's range. One unit in the last place of the tensor's largest element is added to each
//   range, because rounding alone may move a result as far. Elements are left out if a member has
//   an infinity or a NaN there, or if the members have no digit in common. Nothing is compared if
//   all members have zeros only.
// - Integers and booleans, which come from floats and have no such measure: the number of elements
//   outside the ensemble's range, divided by four more than the largest number that one member has
//   outside the range of the others.
SpreadDistance DistanceFrom(std::span<const Tensor> members, const Tensor& got,
                            const Expectation* expected);

}  // namespace assay
