// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "graph.h"

namespace assay {

// Memory that an operator needs while it runs, beside its operands and results.
struct Scratch {
  std::string_view name;
  int64_t size_bytes = 0;
};

// Returns the scratch that the kernel of an operator needs:
// - `padded_input` of convolutions that pad: the input with its padding around it;
// - `accumulator`: one element of the accumulator's type for each output channel of convolutions
//   and AVG_POOL2D, for each column of MATMUL, for each position of the innermost dimension of
//   reductions that add or multiply.
std::vector<Scratch> ScratchOf(const Block& block, const Operator& op);

}  // namespace assay
