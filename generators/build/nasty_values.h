// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "choices.h"
#include "tensor.h"

namespace assay {

// The values at which implementations go wrong: bounds of the types, ties, signed zeros,
// subnormals, powers of two and their neighbours. Half of all values that generators draw come from
// here.
std::span<const int64_t> NastyIntegers(DType type);  // ascending, without repetition
// Returns finite values of the type, ascending (-0 before +0); subnormals included.
std::span<const double> NastyFloats(DType type);
// Returns the values that only the special mode plants: NaN, and the infinities of types that have
// them.
std::span<const double> SpecialFloats(DType type);

// The kinds of floating-point values that a vector may contain.
enum class ValueMode : uint8_t {
  kFinite,   // no NaN, no infinity; results that overflow are dropped
  kCalm,     // the same; floats like those of a network, up to 1, 2 or 4, of any fraction
  kSpecial,  // NaN, infinities and overflow are the subject of the vector
  kSweep,    // the same; tensors begin with a number of every class that their range admits
};

// Returns true if NaN, infinities and overflow may occur.
constexpr bool MayBeSpecial(ValueMode mode) {
  return mode == ValueMode::kSpecial || mode == ValueMode::kSweep;
}

// Bounds of the elements of a tensor; doubles hold every integer type exactly (shape_t aside).
struct ValueRange {
  double low = 0;  // inclusive, low <= high
  double high = 0;
  bool nonzero = false;
  bool may_be_special = true;  // NaN and infinities, in the special mode

  // Returns the range of all values of the type.
  static ValueRange All(DType type);
  static ValueRange Between(double low, double high) { return {low, high}; }
};

// Returns a tensor of drawn values within `range` (intersected with the type's). Floats are mostly
// of modest size, so that chains of operators stay finite. Subnormals appear in one tensor out of
// sixteen, except for the types that must keep them.
Tensor DrawTensor(Choices& choices, const TensorType& type, const ValueRange& range,
                  ValueMode mode);
// Returns numbers of every class that accounting distinguishes: the ends of the type, both signs,
// zeros of both signs, a subnormal, the least normal number, NaN and the infinities that the type
// has.
std::span<const double> NumbersOfEveryClass(DType type);
// Returns a tensor with the same number everywhere. Floats are rounded to the type.
Tensor Filled(const TensorType& type, double value);
// Returns a tensor with the same drawn value everywhere.
Tensor DrawSplat(Choices& choices, const TensorType& type, const ValueRange& range, ValueMode mode);

}  // namespace assay
