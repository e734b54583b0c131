// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

// The order in which a sum or a dot product of floats adds its terms.
enum class SumOrder : uint8_t {
  kForward,   // the pseudocode's
  kReverse,   // from the last term to the first
  kPairwise,  // neighbors first, then their sums
  kLanes8,    // eight partial sums, term i in sum i mod 8; then their sum
  kLanes16,   // sixteen of them
};

// The precision in which a sum or a dot product of floats is formed.
enum class SumPrecision : uint8_t {
  kAccumulator,  // every product and every sum is rounded to the accumulator's type
  kFused,        // every sum is; products are exact
  kDouble,       // fp64
};

// The precision of the floats that an executor passes on from one operator to the next.
enum class Keeps : uint8_t {
  kNothing,    // every result is rounded to its type
  kCasts,      // the result of a CAST to a float type is passed on as it was before
  kInFp32,     // every result is rounded to fp32 only
  kUnrounded,  // every result is passed on in fp64
};

// An executor that keeps the rules of the specification. It is described by its differences from
// the reference executor. Everything else is as there.
struct Member {
  std::string_view name;
  SumOrder order;
  SumPrecision precision;
  Keeps keeps = Keeps::kNothing;
  bool flushes = false;  // every operator reads subnormals as zeros, and never writes one
  // Dot products multiply the zeros of padding as well (tosa_extra_multiplies), which shows where
  // they meet an infinity or a NaN.
  bool multiplies_padding = false;
  // Each result lies somewhere within the accuracy rule of its operator, at random. Sums and dot
  // products move by at most half a unit in the last place of the sum of magnitudes.
  bool moves = false;
};

// Returns all members of the ensemble.
std::span<const Member> Ensemble();

}  // namespace assay
