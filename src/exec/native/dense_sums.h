// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "types.h"

namespace assay {

// Sums of products of one vector with a matrix. Each element of the matrix is used once, so it goes
// from memory through registers into its sum, and is never stored in another form. The matrix has
// the elements of the tensor; the vector is already converted.
//
// All functions need the instructions of DotInstructions::kAvx512.
class DenseSums {
 public:
  // The sums that are computed together. There must be at least kTogether in all.
  static constexpr int64_t kTogether = 32;

  // Returns true if this machine has the instructions, and the functions know the type of the
  // matrix: fp16, bf16, fp32, or i4 and i8 with one element in each byte.
  static bool IsFor(DType type);

  // Compute kTogether sums: sums[r] is the sum of matrix[r][i] * vector[i] for i < size, from zero, in the
  // order of i. `matrix` points to the first of the rows, which are `pitch` elements apart.
  static void OfRows(DType type, const uint8_t* matrix, int64_t pitch, const double* vector,
                     int64_t size, double* sums);
  // The same in any order, with elements of the matrix less their zero point. The vector has zeros
  // up to a multiple of 32 elements.
  static void OfRows(const int8_t* matrix, int64_t pitch, int16_t zero_point, const int16_t* vector,
                     int64_t size, int32_t* sums);

  // Compute sums[j], the sum of matrix[i][j] * vector[i] for i < size in the order of i, for
  // j < columns, which is at most kColumns.
  static constexpr int64_t kColumns = 256;
  static void OfColumns(DType type, const uint8_t* matrix, int64_t pitch, const double* vector,
                        int64_t size, int64_t columns, double* sums);
  // The vector has a zero behind an odd number of elements.
  static void OfColumns(const int8_t* matrix, int64_t pitch, int16_t zero_point,
                        const int16_t* vector, int64_t size, int64_t columns, int32_t* sums);
};

}  // namespace assay
