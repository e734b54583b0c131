// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "types.h"

namespace assay {

// A set of classes of floats, one bit each.
using FloatClasses = uint8_t;

inline constexpr FloatClasses kClassNan = 1;
inline constexpr FloatClasses kClassMinusInfinity = 2;
inline constexpr FloatClasses kClassNegative = 4;  // finite, not zero
inline constexpr FloatClasses kClassMinusZero = 8;
inline constexpr FloatClasses kClassPlusZero = 16;
inline constexpr FloatClasses kClassPositive = 32;
inline constexpr FloatClasses kClassPlusInfinity = 64;
inline constexpr FloatClasses kAllClasses = 127;
inline constexpr FloatClasses kClassesOfZero = kClassMinusZero | kClassPlusZero;
inline constexpr FloatClasses kClassesOfInfinity = kClassMinusInfinity | kClassPlusInfinity;

FloatClasses ClassOf(double x);
FloatClasses ClassesOfType(DType type);

// Return the classes of the results, for all operands of the given classes.
FloatClasses NegatedClasses(FloatClasses x);
FloatClasses AbsoluteClasses(FloatClasses x);
FloatClasses SumClasses(FloatClasses a, FloatClasses b);
FloatClasses ProductClasses(FloatClasses a, FloatClasses b);
FloatClasses FloorClasses(FloatClasses x);
FloatClasses RoundedClasses(DType type, FloatClasses x);
FloatClasses MaximumClasses(NanMode mode, FloatClasses a, FloatClasses b);
FloatClasses MinimumClasses(NanMode mode, FloatClasses a, FloatClasses b);

}  // namespace assay
