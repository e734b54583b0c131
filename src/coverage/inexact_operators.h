// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph.h"

namespace assay {

// An operator is inexact if it calculates floats that its type may have to round. Data movement,
// selections, changes of sign, CEIL, FLOOR, comparisons and casts that keep every value are exact.

// Returns true if an operator of a block is inexact.
bool IsInexact(const Block& block, const Operator& op);

// Returns the pairs of inexact operators of which the first may give the second a tensor of some
// type, with that type: "MATMUL -> TANH fp16". Pairs of operators whose ranks never agree are left
// out.
std::vector<std::string> AllInexactPairs();
std::string InexactPair(Op producer, Op consumer, DType type);

}  // namespace assay
