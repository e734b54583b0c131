// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "types.h"

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

// Runs one multiply-accumulate for each element of a matrix of fp32, fp16, bf16 or i8, but for a
// few at its end, and returns the number of them. Like a product of the matrix with one vector, the
// loop reads each element once, in the order of the memory, and converts it. (Without AVX-512 the
// loop is that with two operands in memory.)
int64_t RunStreamed(DType type, std::span<const uint8_t> matrix);

}  // namespace assay
