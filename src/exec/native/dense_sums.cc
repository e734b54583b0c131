// SPDX-License-Identifier: Apache-2.0
#include "dense_sums.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "dot_tiles.h"
#include "narrow_floats.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {

#if defined(__x86_64__)

namespace {

// (GCC keeps arrays of __m512i, which may alias anything, in memory.)
using Words [[gnu::vector_size(64)]] = int16_t;
using Sums [[gnu::vector_size(64)]] = int32_t;

// The forms of instructions with a mask are used where GCC's others draw warnings.
constexpr __mmask8 kAll = 0xff;
constexpr __mmask16 kAll16 = 0xffff;
constexpr __mmask32 kAll32 = 0xffffffff;

// Returns the mask of the first `count` of at most N elements.
template <class Mask>
Mask First(int64_t count) {
  constexpr int64_t kBits = 8 * sizeof(Mask);
  return static_cast<Mask>(count < kBits ? (uint64_t{1} << count) - 1 : ~uint64_t{0});
}

[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline Words Of(
    __m512i x) {
  return reinterpret_cast<Words>(x);
}
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline __m512i
Bits(Words x) {
  return reinterpret_cast<__m512i>(x);
}

// Eight rows of 64 bytes, transposed.
using Square = Words[8];

[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline Words
Unpack16(bool high, Words a, Words b) {
  return Of(high ? _mm512_maskz_unpackhi_epi16(kAll32, Bits(a), Bits(b))
                 : _mm512_maskz_unpacklo_epi16(kAll32, Bits(a), Bits(b)));
}
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline Words
Unpack32(bool high, Words a, Words b) {
  return Of(high ? _mm512_maskz_unpackhi_epi32(kAll16, Bits(a), Bits(b))
                 : _mm512_maskz_unpacklo_epi32(kAll16, Bits(a), Bits(b)));
}
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline Words
Unpack64(bool high, Words a, Words b) {
  return Of(high ? _mm512_maskz_unpackhi_epi64(kAll, Bits(a), Bits(b))
                 : _mm512_maskz_unpacklo_epi64(kAll, Bits(a), Bits(b)));
}

// The types of elements. Transpose() transposes rows so
// that eight elements of column j are at Column(j) of the result.
struct Elements16 {
  static constexpr int64_t kBytes = 2;
  static constexpr int64_t Column(int64_t j) { return j % 8 * 64 + j / 8 * 16; }

  // Transposes squares of eight by eight.
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] static void
  Transpose(Square& x) {
    Square y;
    for (int k = 0; k < 8; ++k) y[k] = Unpack16(k % 2 == 1, x[k / 2 * 2], x[k / 2 * 2 + 1]);
    for (int k = 0; k < 8; ++k) {
      const int from = k / 4 * 4 + k % 4 / 2;
      x[k] = Unpack32(k % 2 == 1, y[from], y[from + 2]);
    }
    for (int k = 0; k < 8; ++k) y[k] = Unpack64(k % 2 == 1, x[k / 2], x[k / 2 + 4]);
    for (int k = 0; k < 8; ++k) x[k] = y[k];
  }
};
struct Fp16Elements : Elements16 {
  static constexpr DType kType = DType::kFp16;
};
struct Bf16Elements : Elements16 {
  static constexpr DType kType = DType::kBf16;
};
struct Fp32Elements {
  static constexpr DType kType = DType::kFp32;
  static constexpr int64_t kBytes = 4;
  static constexpr int64_t Column(int64_t j) { return j / 8 * 256 + j % 4 * 64 + j % 8 / 4 * 32; }

  // Transposes squares of four by four, and joins two of them.
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] static void
  Transpose(Square& x) {
    Square y;
    for (int k = 0; k < 8; ++k) y[k] = Unpack32(k % 2 == 1, x[k / 2 * 2], x[k / 2 * 2 + 1]);
    for (int k = 0; k < 8; ++k) {
      const int from = k / 4 * 4 + k % 4 / 2;
      x[k] = Unpack64(k % 2 == 1, y[from], y[from + 2]);
    }
    const __m512i low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
    const __m512i high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    for (int k = 0; k < 8; ++k) {
      y[k] = Of(_mm512_permutex2var_epi64(Bits(x[k % 4]), k < 4 ? low : high, Bits(x[k % 4 + 4])));
    }
    for (int k = 0; k < 8; ++k) x[k] = y[k];
  }
};

// Transposes eight rows, which are loaded from memory. Of each, the first `bytes` are there.
template <class Elements, bool kWhole>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline void
TransposeRows(const uint8_t* rows, int64_t pitch, int64_t bytes, Square& to) {
  constexpr int64_t kAhead = 512;  // bytes
  Square x;
  for (int64_t k = 0; k < 8; ++k) {
    const uint8_t* const row = rows + k * pitch;
    __builtin_prefetch(row + kAhead);
    x[k] = Of(kWhole ? _mm512_loadu_si512(row)
                     : _mm512_maskz_loadu_epi8(First<__mmask64>(bytes), row));
  }
  Elements::Transpose(x);
  std::memcpy(to, x, sizeof(x));
}

// Transposes 64 bytes of all rows at a time, which stay in the nearest cache, and adds the products
// of their columns. Each addition waits for the one before it, so in the meantime the next 64 bytes
// are transposed, a quarter of the rows before each quarter of the columns.
template <class Elements>
class RowSums {
 public:
  static constexpr int64_t kColumns = 64 / Elements::kBytes;
  static constexpr int64_t kSquares = DenseSums::kTogether / 8;

  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c")]] static void Run(
      const uint8_t* matrix, int64_t pitch, const double* vector, int64_t size, double* to) {
    Square blocks[2][kSquares];
    __m512d sums[kSquares];
    for (__m512d& sum : sums) sum = _mm512_setzero_pd();
    for (int64_t k = 0; k < kSquares; ++k) Transpose(matrix, pitch, 0, size, k, blocks[0]);
    for (int64_t i = 0; i < size; i += kColumns) {
      const Square* const block = blocks[i / kColumns % 2];
      Square* const next = blocks[1 - i / kColumns % 2];
      const int64_t columns = std::min(kColumns, size - i);
      for (int64_t k = 0; k < kSquares; ++k) {
        Transpose(matrix, pitch, i + kColumns, size, k, next);
        AddColumns(block, vector + i, k * kColumns / kSquares,
                   std::min((k + 1) * kColumns / kSquares, columns), sums);
      }
    }
    for (int64_t k = 0; k < kSquares; ++k) _mm512_storeu_pd(to + 8 * k, sums[k]);
  }

 private:
  // Transposes eight rows from column i on, if it exists.
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] static void
  Transpose(const uint8_t* matrix, int64_t pitch, int64_t i, int64_t size, int64_t k, Square* to) {
    const uint8_t* const rows = matrix + 8 * k * pitch + i * Elements::kBytes;
    if (i + kColumns <= size) {
      TransposeRows<Elements, true>(rows, pitch, 0, to[k]);
    } else if (i < size) {
      TransposeRows<Elements, false>(rows, pitch, (size - i) * Elements::kBytes, to[k]);
    }
  }

  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] static void
  AddColumns(const Square* block, const double* vector, int64_t begin, int64_t end,
             __m512d (&sums)[kSquares]) {
    const auto* const from = reinterpret_cast<const uint8_t*>(block);
#pragma GCC unroll 8
    for (int64_t j = begin; j < end; ++j) {
      const __m512d x = _mm512_set1_pd(vector[j]);
      for (int64_t k = 0; k < kSquares; ++k) {
        const __m512d elements =
            LoadEight<Elements::kType>(from + Elements::Column(j) + k * int64_t{sizeof(Square)});
        sums[k] = _mm512_fmadd_pd(x, elements, sums[k]);
      }
    }
  }
};

// Returns 32 integers.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline __m512i
Widen(__m256i x) {
  return _mm512_maskz_cvtepi8_epi16(kAll32, x);
}

// Subtracts zero_point * vector[i] from each sum. What the sums were before may have left int32.
void SubtractZeroPoint(int16_t zero_point, std::span<const int16_t> vector,
                       std::span<int32_t> sums) {
  uint32_t of_vector = 0;
  for (const int16_t x : vector) of_vector += static_cast<uint32_t>(x);
  const uint32_t less = of_vector * static_cast<uint32_t>(zero_point);
  for (int32_t& sum : sums) sum = static_cast<int32_t>(static_cast<uint32_t>(sum) - less);
}

// Returns 32 bytes, or with kWhole = false `which` of them.
template <bool kWhole>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline __m256i
Load(const int8_t* from, __mmask32 which) {
  if constexpr (kWhole) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  return _mm256_maskz_loadu_epi8(which, from);
}

// Adds the products of the pairs of 32 integers.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline Sums
AddPairs(Sums sums, __m512i a, __m512i b) {
  return reinterpret_cast<Sums>(_mm512_dpwssd_epi32(reinterpret_cast<__m512i>(sums), a, b));
}

template <int64_t kRows, bool kWhole>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline void
AddIntegers(const int8_t* row, int64_t pitch, const int16_t* vector, __mmask32 which,
            Sums (&sums)[kRows]) {
  constexpr int64_t kAhead = 512;
  const __m512i x = _mm512_loadu_si512(vector);
  for (int64_t k = 0; k < kRows; ++k, row += pitch) {
    __builtin_prefetch(row + kAhead);
    sums[k] = AddPairs(sums[k], Widen(Load<kWhole>(row, which)), x);
  }
}

template <int64_t kRows>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c")]] void SumRowsOfIntegers(
    const int8_t* matrix, int64_t pitch, const int16_t* vector, int64_t size, int32_t* to) {
  constexpr int64_t kEach = 32;
  Sums sums[kRows] = {};
  int64_t i = 0;
  for (; i + kEach <= size; i += kEach) {
    AddIntegers<kRows, true>(matrix + i, pitch, vector + i, 0, sums);
  }
  if (i < size) {
    AddIntegers<kRows, false>(matrix + i, pitch, vector + i, First<__mmask32>(size - i), sums);
  }
  for (int64_t row = 0; row < kRows; ++row) {
    int32_t lanes[16], sum = 0;
    std::memcpy(lanes, &sums[row], sizeof(lanes));
    for (const int32_t lane : lanes) sum += lane;
    to[row] = sum;
  }
}

// Sums kRegisters times eight columns, of which the last eight may be fewer.
template <class Elements, int64_t kRegisters>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c")]] void SumColumns(
    const uint8_t* matrix, int64_t pitch, const double* vector, int64_t size, int64_t columns,
    double* to) {
  constexpr int64_t kRowsAhead = 4;
  __m512d sums[kRegisters];
  for (__m512d& sum : sums) sum = _mm512_setzero_pd();
  const auto last = First<__mmask8>(columns - 8 * (kRegisters - 1));
  for (int64_t i = 0; i < size; ++i) {
    const uint8_t* const row = matrix + i * pitch;
    const __m512d x = _mm512_set1_pd(vector[i]);
    for (int64_t k = 0; k < kRegisters; ++k) {
      const uint8_t* const from = row + 8 * k * Elements::kBytes;
      if (k % (8 / Elements::kBytes) == 0) __builtin_prefetch(from + kRowsAhead * pitch);
      const __m512d elements = LoadEight<Elements::kType>(from, k + 1 < kRegisters ? kAll : last);
      sums[k] = _mm512_fmadd_pd(x, elements, sums[k]);
    }
  }
  for (int64_t k = 0; k < kRegisters; ++k) {
    _mm512_mask_storeu_pd(to + 8 * k, k + 1 < kRegisters ? kAll : last, sums[k]);
  }
}

template <class Elements>
void SumColumns(const uint8_t* matrix, int64_t pitch, const double* vector, int64_t size,
                int64_t columns, double* to) {
  constexpr int64_t kMost = 16, kSome = 4;  // registers
  for (int64_t first = 0; first < columns;) {
    const uint8_t* const from = matrix + first * Elements::kBytes;
    const int64_t rest = columns - first;
    if (rest >= 8 * kMost) {
      SumColumns<Elements, kMost>(from, pitch, vector, size, 8 * kMost, to + first);
      first += 8 * kMost;
    } else if (rest >= 8 * kSome) {
      SumColumns<Elements, kSome>(from, pitch, vector, size, 8 * kSome, to + first);
      first += 8 * kSome;
    } else {
      SumColumns<Elements, 1>(from, pitch, vector, size, std::min<int64_t>(rest, 8), to + first);
      first += 8;
    }
  }
}

// Sums 32 columns. Two rows are interleaved as bytes. So of each 16 columns, one register has the
// sums of the first eight and the other has those of the last eight.
struct ColumnsOfIntegers {
  const int8_t* matrix;
  int64_t pitch;
  const int16_t* vector;
  int64_t size;

  template <int64_t kRegisters, bool kWhole>
  [[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c")]] void Sum(int64_t first,
                                                                        __mmask32 which,
                                                                        int32_t* to) const {
    constexpr int64_t kEach = 32;
    constexpr int64_t kRowsAhead = 8;
    Sums low[kRegisters] = {}, high[kRegisters] = {};
    for (int64_t i = 0; i < size; i += 2) {
      int32_t pair;
      std::memcpy(&pair, vector + i, sizeof(pair));
      const __m512i x = _mm512_set1_epi32(pair);
      const int8_t* const row = matrix + i * pitch + first;
      const int8_t* const next = i + 1 < size ? row + pitch : row;  // times zero
      for (int64_t k = 0; k < kRegisters; ++k) {
        if (k % 2 == 0) {
          __builtin_prefetch(row + kEach * k + kRowsAhead * pitch);
          __builtin_prefetch(next + kEach * k + kRowsAhead * pitch);
        }
        const __m256i a = Load<kWhole>(row + kEach * k, which);
        const __m256i b = Load<kWhole>(next + kEach * k, which);
        low[k] = AddPairs(low[k], Widen(_mm256_unpacklo_epi8(a, b)), x);
        high[k] = AddPairs(high[k], Widen(_mm256_unpackhi_epi8(a, b)), x);
      }
    }
    for (int64_t k = 0; k < kRegisters; ++k) {
      const auto a = reinterpret_cast<__m512i>(low[k]), b = reinterpret_cast<__m512i>(high[k]);
      _mm512_mask_storeu_epi32(to + first + kEach * k, static_cast<__mmask16>(which),
                               _mm512_maskz_shuffle_i64x2(kAll, a, b, 0x44));
      _mm512_mask_storeu_epi32(to + first + kEach * k + 16, static_cast<__mmask16>(which >> 16),
                               _mm512_maskz_shuffle_i64x2(kAll, a, b, 0xee));
    }
  }
};

}  // namespace

bool DenseSums::IsFor(DType type) {
  if (BestDotInstructions() != DotInstructions::kAvx512) return false;
  return type == DType::kFp16 || type == DType::kBf16 || type == DType::kFp32 ||
         type == DType::kInt8 || type == DType::kInt4;
}

void DenseSums::OfRows(DType type, const uint8_t* matrix, int64_t pitch, const double* vector,
                       int64_t size, double* sums) {
  switch (type) {
    case DType::kFp16:
      return RowSums<Fp16Elements>::Run(matrix, 2 * pitch, vector, size, sums);
    case DType::kBf16:
      return RowSums<Bf16Elements>::Run(matrix, 2 * pitch, vector, size, sums);
    default:
      return RowSums<Fp32Elements>::Run(matrix, 4 * pitch, vector, size, sums);
  }
}

void DenseSums::OfRows(const int8_t* matrix, int64_t pitch, int16_t zero_point,
                       const int16_t* vector, int64_t size, int32_t* sums) {
  constexpr int64_t kRows = 8;
  for (int64_t row = 0; row < kTogether; row += kRows) {
    SumRowsOfIntegers<kRows>(matrix + row * pitch, pitch, vector, size, sums + row);
  }
  SubtractZeroPoint(zero_point, {vector, static_cast<size_t>(size)}, {sums, kTogether});
}

void DenseSums::OfColumns(DType type, const uint8_t* matrix, int64_t pitch, const double* vector,
                          int64_t size, int64_t columns, double* sums) {
  switch (type) {
    case DType::kFp16:
      return SumColumns<Fp16Elements>(matrix, 2 * pitch, vector, size, columns, sums);
    case DType::kBf16:
      return SumColumns<Bf16Elements>(matrix, 2 * pitch, vector, size, columns, sums);
    default:
      return SumColumns<Fp32Elements>(matrix, 4 * pitch, vector, size, columns, sums);
  }
}

void DenseSums::OfColumns(const int8_t* matrix, int64_t pitch, int16_t zero_point,
                          const int16_t* vector, int64_t size, int64_t columns, int32_t* sums) {
  constexpr int64_t kEach = 32;
  const ColumnsOfIntegers sum = {matrix, pitch, vector, size};
  int64_t first = 0;
  for (; first + 8 * kEach <= columns; first += 8 * kEach) sum.Sum<8, true>(first, kAll32, sums);
  for (; first + 2 * kEach <= columns; first += 2 * kEach) sum.Sum<2, true>(first, kAll32, sums);
  for (; first < columns; first += kEach) {
    sum.Sum<1, false>(first, First<__mmask32>(columns - first), sums);
  }
  SubtractZeroPoint(zero_point, {vector, static_cast<size_t>(size)},
                    {sums, static_cast<size_t>(columns)});
}

#else

bool DenseSums::IsFor(DType) { return false; }
void DenseSums::OfRows(DType, const uint8_t*, int64_t, const double*, int64_t, double*) {}
void DenseSums::OfRows(const int8_t*, int64_t, int16_t, const int16_t*, int64_t, int32_t*) {}
void DenseSums::OfColumns(DType, const uint8_t*, int64_t, const double*, int64_t, int64_t,
                          double*) {}
void DenseSums::OfColumns(const int8_t*, int64_t, int16_t, const int16_t*, int64_t, int64_t,
                          int32_t*) {}

#endif

}  // namespace assay
