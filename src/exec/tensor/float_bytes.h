// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "types.h"

namespace assay {

// Stores numbers as the elements of a tensor of floats, each rounded to the type. Returns false if
// one of them was not a value of the type before.
bool EncodeFloats(DType type, std::span<const double> numbers, uint8_t* bytes);

// Reads the elements of a tensor of floats, as many as there are numbers. Every NaN becomes the
// quiet one.
void DecodeFloats(DType type, const uint8_t* bytes, std::span<double> numbers);

}  // namespace assay
