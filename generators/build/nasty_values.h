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
// Finite, ascending (-0 before +0), each a value of the type; subnormals included.
std::span<const double> NastyFloats(DType type);
// What only the special mode plants: NaN, and the infinities of types that have them.
std::span<const double> SpecialFloats(DType type);

// What kinds of floating-point values a vector may contain.
enum class ValueMode : uint8_t {
  kFinite,   // no NaN, no infinity; results that overflow are dropped
  kSpecial,  // NaN, infinities and overflow are what the vector is about
  kSweep,    // the same; tensors begin with a number of every class that their range admits
};

// Bounds of the elements of a tensor; doubles hold every integer type exactly (shape_t aside).
struct ValueRange {
  double low = 0;  // inclusive, low <= high
  double high = 0;
  bool nonzero = false;
  bool may_be_special = true;  // NaN and infinities, in the special mode

  // Everything the type has.
  static ValueRange All(DType type);
  static ValueRange Between(double low, double high) { return {low, high}; }
};

// A tensor of drawn values within `range` (intersected with the type's). Floats are mostly of
// modest size, so that chains of operators stay finite; subnormals appear in one tensor out of
// sixteen, except for the types that must keep them.
Tensor DrawTensor(Choices& choices, const TensorType& type, const ValueRange& range,
                  ValueMode mode);
// Where numbers are told apart by class, for accounting: the ends of the type, both signs, zeros of
// both signs, a subnormal, the least normal number, NaN and the infinities that the type has.
std::span<const double> NumbersOfEveryClass(DType type);
// The same value everywhere.
Tensor DrawSplat(Choices& choices, const TensorType& type, const ValueRange& range, ValueMode mode);

}  // namespace assay
