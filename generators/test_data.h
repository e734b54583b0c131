#pragma once

#include <cstdint>

#include "types.h"

namespace assay {

// The test data of the specification's Appendix A.

// Test sets are numbered 0 to 5.
inline constexpr int kTestSets = 6;

// The `index`-th state of the recurrence behind set_data(), modulo 2^32; `set` is below 18.
uint32_t TestDataState(uint32_t set, uint32_t index);

// set_data(): from -1 to 1, both included.
float SetData(uint32_t set, uint32_t index);

// B, the largest value of `in` whose square does not overflow `out`. Zero for types that the table
// does not have.
double TestDataBound(DType in, DType out);

// tosa_pro_fp_data(S, KS, p, k, i) for a bound of B, in fp64: who writes it to a tensor rounds it
// once (reading `test-set-order`).
double TestData(int set, int64_t kernel_size, int parameter, int64_t k, int64_t i, double bound);

}  // namespace assay
