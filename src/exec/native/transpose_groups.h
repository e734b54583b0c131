// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace assay {

// Computes to[i * to_pitch + j] = from[j * from_pitch + i] for i < count and j < 8 * squares, in
// squares of eight. Rows of `from` have room up to a multiple of eight.
template <class T>
struct TransposeSquares {
  const T* from;
  int64_t from_pitch, count, squares;
  T* to;
  int64_t to_pitch;

  [[gnu::always_inline]] void operator()() const {
    for (int64_t i = 0; i < count; i += 8) {
      const int64_t rows = std::min<int64_t>(count - i, 8);
      for (int64_t j = 0; j < 8 * squares; j += 8) {
        Square(from + j * from_pitch + i, to + i * to_pitch + j, rows);
      }
    }
  }

 private:
  using Row [[gnu::vector_size(8 * sizeof(T))]] = T;

  // Transposes one square, and stores the first `rows` rows of the result.
  [[gnu::always_inline]] void Square(const T* a, T* b, int64_t rows) const {
    Row x[8], y[8];
    for (int64_t k = 0; k < 8; ++k) std::memcpy(&x[k], a + k * from_pitch, sizeof(Row));
    // Pairs of rows exchange single elements, then pairs of elements, then fours.
    for (int64_t k = 0; k < 8; k += 2) {
      y[k] = __builtin_shufflevector(x[k], x[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
      y[k + 1] = __builtin_shufflevector(x[k], x[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int64_t k = 0; k < 8; k += 4) {
      for (int64_t i = k; i < k + 2; ++i) {
        x[i] = __builtin_shufflevector(y[i], y[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        x[i + 2] = __builtin_shufflevector(y[i], y[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
      }
    }
    for (int64_t i = 0; i < 4; ++i) {
      y[i] = __builtin_shufflevector(x[i], x[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
      y[i + 4] = __builtin_shufflevector(x[i], x[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int64_t k = 0; k < rows; ++k) std::memcpy(b + k * to_pitch, &y[k], sizeof(Row));
  }
};

}  // namespace assay
