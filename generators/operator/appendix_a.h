#pragma once

#include <cstdint>
#include <vector>

#include "types.h"

namespace assay {

// The test data of the specification's Appendix A.

// Test sets are numbered 0 to 5.
inline constexpr int kTestSets = 6;

// The `index`-th state of the recurrence behind set_data(), modulo 2^32.
uint32_t TestDataState(uint32_t set, uint32_t index);

// set_data(): from -1 to 1, both included.
float SetData(uint32_t set, uint32_t index);

// B, the largest value of `in` whose square does not overflow `out`. Zero for types that the table
// does not have.
double TestDataBound(DType in, DType out);

// set_data() of one set for an index that mostly grows in small steps.
class SetDataStream {
 public:
  explicit SetDataStream(uint32_t set);
  float At(uint32_t index);

 private:
  uint32_t set_;
  uint32_t index_ = 0;
  uint32_t state_;  // at that index
};

// tosa_pro_fp_data(S, KS, p, k, i) of one parameter p for a bound of B, in fp64: who writes it to a
// tensor rounds it once (reading `test-set-order`).
class TestData {
 public:
  TestData(int set, int64_t kernel_size, int parameter, double bound);
  // The order of i is free; that of the elements is fastest.
  double At(int64_t k, int64_t i);

 private:
  // set_data(3*S + row, .)
  SetDataStream& Row(int row) { return rows_[static_cast<size_t>(row)]; }
  bool IsKept(uint32_t i);
  // `amount` of the sign of the data.
  double Signed(double amount, uint32_t i);
  // Large exponents: between half and all of the scale, of either sign.
  double LargeExponent(uint32_t i);
  // A value whose magnitude varies by powers of e.
  double VariedMagnitude(uint32_t i);

  int set_, parameter_;
  int64_t middle_;  // of the kernel
  double root_;     // of its size
  double scale_;
  std::vector<SetDataStream> rows_;
};

}  // namespace assay
