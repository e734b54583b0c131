// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace assay {

// Returns the largest border <= 0 of a RESIZE axis of `in` elements with which the denominator `d`
// divides. `n` is the numerator of the scale; d >= 1.
inline int64_t ExactBorder(int64_t in, int64_t n, int64_t d, int64_t offset) {
  const int64_t span = (in - 1) * n - offset;
  return -((span % d + d) % d);
}

}  // namespace assay
