// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "allowed_operators.h"
#include "generator_options.h"
#include "target.h"
#include "test_vector.h"

namespace assay {

// Returns the options for vectors that are inside a target, as far as generators can be told.
GeneratorOptions OptionsWithin(const Target& target);

// Makes a vector of one graph of at most 16 operators. Each choice of the generator takes bytes, so
// a small change of the bytes is a small change of the graph or its numbers, and any bytes give a
// valid vector. Returns nothing if the options allow no graph.
std::optional<TestVector> VectorFromBytes(std::span<const uint8_t> bytes,
                                          const GeneratorOptions& options, const Menu& menu);

}  // namespace assay
