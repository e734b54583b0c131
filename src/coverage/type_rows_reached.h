// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "operator.h"
#include "test_vector.h"

namespace assay {

// Returns the operators that a vector runs without a broken rule, each with the position of its
// type row (OperatorRow::type_rows), sorted and distinct.
std::vector<std::pair<Op, int32_t>> TypeRowsReached(const TestVector& vector);

}  // namespace assay
