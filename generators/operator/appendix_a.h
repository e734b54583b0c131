// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "types.h"

namespace assay {

// The test data of the specification's Appendix A.

// Test sets are numbered 0 to 5.
inline constexpr int kTestSets = 6;

// Returns state `index` of the recurrence behind set_data(), modulo 2^32.
uint32_t TestDataState(uint32_t set, uint32_t index);

// Returns set_data(), a number from -1 to 1, both included.
float SetData(uint32_t set, uint32_t index);

// Returns B, the largest value of `in` whose square does not overflow `out`. Returns 0 for types
// that the table does not have.
double TestDataBound(DType in, DType out);

// A stream of set_data() of one set, fast if the index mostly grows in small steps.
class SetDataStream {
 public:
  explicit SetDataStream(uint32_t set);
  float At(uint32_t index);

 private:
  uint32_t set_;
  uint32_t index_ = 0;
  uint32_t state_;  // at that index
};

// The values of tosa_pro_fp_data(S, KS, p, k, i) for one parameter p and a bound of B, in fp64. The
// code that writes a value to a tensor rounds it once (reading `test-set-order`).
class TestData {
 public:
  TestData(int set, int64_t kernel_size, int parameter, double bound);
  // Returns the value for k and i. Any order of i is allowed; the order of the elements is fastest.
  double At(int64_t k, int64_t i);

 private:
  // Returns the stream of set_data(3*S + row, .).
  SetDataStream& Row(int row) { return rows_[static_cast<size_t>(row)]; }
  bool IsKept(uint32_t i);
  // Returns `amount` with the sign of the data.
  double Signed(double amount, uint32_t i);
  // Returns a number with a large exponent: between half and all of the scale, of either sign.
  double LargeExponent(uint32_t i);
  // Returns a value whose magnitude varies by powers of e.
  double VariedMagnitude(uint32_t i);

  int set_, parameter_;
  int64_t middle_;  // of the kernel
  double root_;     // of its size
  double scale_;
  std::vector<SetDataStream> rows_;
};

}  // namespace assay
