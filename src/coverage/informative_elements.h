// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "levels.h"
#include "trace.h"

namespace assay {

// The number of informative elements of results, and of all elements.
struct InformativeCount {
  int64_t informative = 0;
  int64_t all = 0;
};

// Counts the informative elements of the float results of an operator. The operator runs again with
// each element of every varying float operand moved up or down by a 64th of itself, or by one unit
// in the last place of its type, if that is more. An element of the result is informative if it
// changes. It does not change if it is clamped, lies on a flat part of TANH, SIGMOID or ERF, has
// overflowed, is a NaN, was chosen from a constant, or is a sum of zeros. Zero does not move: what
// is dead stays dead. Results of CEIL, FLOOR and casts, which are flat between their
// steps, are counted by their operands: an element is informative if it is finite and not zero.
//
// Counts nothing for data movement, for control flow and variables, and for operators whose float
// operands do not vary. `varying` says which operands vary.
InformativeCount CountInformative(const ExecutedOperator& executed,
                                  const std::vector<bool>& varying, const Level& level);

}  // namespace assay
