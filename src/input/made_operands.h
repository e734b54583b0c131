// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "test_vector.h"

namespace assay {

// Returns a vector of one graph and one step with other operands, and with the expectation that
// they get. Types, shapes, attributes and constants stay. `number` says which operands: values at
// which implementations go wrong, NaN and infinities, the tails and the middle of functions,
// indices over the whole table, all bits of integers. Floats and integers become smaller until no
// REQUIRE is broken. The operands are a pure function of vector, seed and number. Returns nothing
// if the graph has no operands that may change, or if nothing sound can be expected of it.
std::optional<TestVector> WithMadeOperands(const TestVector& alone, uint64_t seed, int64_t number);

}  // namespace assay
