// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace assay {

// Returns the value of the lowest bit that is set in the significand of a number: the greatest
// power of two that divides it. The number must be finite, and normal in fp64 (as are the nonzero
// values of all types).
inline double LowestSetBit(double x) {
  constexpr uint64_t kHidden = uint64_t{1} << 52;
  const uint64_t fraction = std::bit_cast<uint64_t>(x) & (kHidden - 1);
  return std::ldexp(1.0, std::ilogb(x) - 52 + std::countr_zero(fraction | kHidden));
}

}  // namespace assay
