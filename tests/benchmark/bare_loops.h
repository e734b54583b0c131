#pragma once

#include <cstdint>

namespace assay {

// Loops of multiplications and additions in registers alone, with the instructions of the kernels'
// loops (dot_tiles.h). Nothing that computes the same sums is faster on this core.

// Run about `count` multiply-accumulates and return the exact number of them.
int64_t RunBareReals(int64_t count);
int64_t RunBareIntegers(int64_t count);

}  // namespace assay
