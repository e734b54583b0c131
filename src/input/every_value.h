// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "test_vector.h"

namespace assay {

// Operands that decide about element-wise graphs of one step, or come close. An element of a result
// depends on one element of each operand, and on constants. So shapes do not matter, and what shows
// nowhere with all values of the operands, at all elements of the constants, shows with no
// operands.
struct WideOperands {
  // The graph with operands of another shape: dimension 0 counts the values of the operands, and
  // the others are those of the constants. All operands and results have that shape. There is no
  // expectation.
  TestVector vector;
  bool has_all_values;
  int64_t executions = 0;  // of such a graph, by which the values were found
};

// Returns such operands. If all operands have 16 bits together, they have all values. Otherwise the
// first operand has the values at which the result takes a step, as many as kStepsMost at each
// element of the constants, and the others are zero. That is for integers only. Returns nothing if
// the graph has an operator that is not element-wise, or if it takes more than kWideElementsMost
// elements.
inline constexpr int kAllValuesBits = 16;
inline constexpr int kStepsMost = 512;
inline constexpr int64_t kWideElementsMost = int64_t{1} << 18;
std::optional<WideOperands> WidenOperands(const TestVector& alone);

}  // namespace assay
