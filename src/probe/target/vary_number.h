// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "target_range.h"
#include "test_vector.h"

namespace assay {

// Functions that change one number of the one operator of a vector (OnlyOperator()), so that what a
// backend refuses has a single cause. The number is an attribute that has names for its values, or
// the only element of a constant operand of integers.

// Returns the quantities of an operator that may be such numbers, in a fixed order.
std::vector<Quantity> VariedQuantities(Op op);

// Returns the number of a quantity in the vector; nothing if it is no such number.
std::optional<int64_t> NumberIn(const TestVector& vector, const Quantity& quantity);

// Returns the least and the greatest value that the number's type has.
std::pair<int64_t, int64_t> BoundsOf(const TestVector& vector, const Quantity& quantity);

// Returns the vector with another number, and inputs of zeros if it is valid only with these.
// Returns nothing if it is valid with neither. Expectations stay as they are.
std::optional<TestVector> WithNumber(const TestVector& vector, const Quantity& quantity,
                                     int64_t number);

// Returns the vector with the numbers of `base`, a vector of the same operator, where that is
// valid. Its operands are inputs and constants as they are there. The quantity `but` stays.
TestVector LikeBase(TestVector vector, const TestVector& base,
                    const std::optional<Quantity>& but = {});
// Returns the vector with 0 in all constants of one integer, where that is valid.
TestVector WithZeros(TestVector vector);

}  // namespace assay
