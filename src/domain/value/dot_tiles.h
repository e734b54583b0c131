// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay {

// The innermost loops of MATMUL and convolutions: sums of products of a few rows of one operand
// with a panel, which is some columns of the other operand side by side.

// The instructions that the loops are compiled for. The results do not depend on it.
enum class DotInstructions : uint8_t {
  kBaseline,
  kAvx2,    // with FMA
  kAvx512,  // with BW, VL and VNNI
};

// Returns the best instructions of this machine.
DotInstructions BestDotInstructions();

// The columns of a full panel; other panels have fewer, a multiple of kLaneUnit. A panel is small
// enough for the sums of a few rows to stay in registers.
int64_t RealLanes(DotInstructions instructions);
int64_t IntegerLanes(DotInstructions instructions);
inline constexpr int64_t kRealLaneUnit = 8;
inline constexpr int64_t kIntegerLaneUnit = 16;
inline constexpr int64_t kLanesMost = 64;

// A run of products: `count` elements from `row` on, multiplied by as many columns of the panel
// from `column` on.
struct ProductRun {
  int64_t row, column, count;
};

// Rows of sums in double. If every product is exact in double, as that of two floats of at most 24
// bits is, it makes no difference whether a product is fused with the sum.
struct RealTile {
  const double* elements;         // indexed by ProductRun::row
  const ProductRun* const* runs;  // of each row; the rows differ only in ProductRun::row
  size_t run_count;
  const double* panel;  // [columns][lanes]
  int64_t lanes;
  double* sums;       // [rows][lanes]
  bool fuses = true;  // the products are exact
};

// Computes the sums of `rows` rows, each in the order of its runs, from zero.
void SumReals(DotInstructions instructions, const RealTile& tile, size_t rows);

// Rows of sums in int32, of products of pairs of int16. No sum, in any order, may leave int32.
struct IntegerTile {
  const int16_t* elements;
  int64_t row_pitch;     // elements from one row to the next
  int64_t pairs;         // of elements in a row
  const int16_t* panel;  // [pairs][lanes][2]
  int64_t lanes;
  int32_t* sums;  // [rows][lanes]
};

void SumIntegers(DotInstructions instructions, const IntegerTile& tile, size_t rows);

// Calls use.operator()<kCount>() with kCount = count, which is 1 to kMost.
template <size_t kMost, class Use>
void WithCount(size_t count, Use use) {
  if constexpr (kMost > 1) {
    if (count < kMost) return WithCount<kMost - 1>(count, use);
  }
  use.template operator()<kMost>();
}

}  // namespace assay
