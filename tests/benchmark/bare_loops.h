// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace assay {

// Loops of multiplications and additions in registers alone, with the instructions of the kernels'
// loops (dot_tiles.h). Nothing that computes the same sums is faster on this core.

// Run about `count` multiply-accumulates and return the exact number of them.
int64_t RunBareReals(int64_t count);
int64_t RunBareIntegers(int64_t count);

// Do the same with two operands of each product in memory, like DEPTHWISE_CONV2D, which uses no
// operand for many sums. (Without AVX2 the loops load nothing.)
int64_t RunLoadedReals(int64_t count);
int64_t RunLoadedIntegers(int64_t count);

}  // namespace assay
