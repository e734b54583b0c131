// SPDX-License-Identifier: Apache-2.0
#include "dot_tiles.h"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

// The rows that are summed together. With four registers across there are 24 sums. That many keep
// two adders busy, which take four cycles for each, and loading an element for four of them takes
// less time than they do.
constexpr size_t kRowsMost = 6;

// Calls sum.operator()<kRows>(first) for groups of rows that are nearly equal.
template <class Sum>
void ForEachGroupOfRows(size_t rows, Sum sum) {
  const size_t groups = (rows + kRowsMost - 1) / kRowsMost;
  for (size_t group = 0, first = 0; group < groups; ++group) {
    const size_t together = (rows - first + groups - group - 1) / (groups - group);
    WithCount<kRowsMost>(together, [&]<size_t kRows>() { sum.template operator()<kRows>(first); });
    first += together;
  }
}

// A vector of the baseline.
using Reals [[gnu::vector_size(16)]] = double;

template <size_t kRows>
void SumRealsBaseline(const RealTile& tile, size_t first) {
  constexpr size_t kRegisters = kRealLaneUnit / 2;
  Reals sums[kRows][kRegisters] = {};
  for (size_t run = 0; run < tile.run_count; ++run) {
    const ProductRun& columns = tile.runs[first][run];
    const double* column = tile.panel + columns.column * kRealLaneUnit;
    for (int64_t i = 0; i < columns.count; ++i, column += kRealLaneUnit) {
      Reals factors[kRegisters];
      std::memcpy(factors, column, sizeof(factors));
      for (size_t r = 0; r < kRows; ++r) {
        const double x = tile.elements[tile.runs[first + r][run].row + i];
        for (size_t k = 0; k < kRegisters; ++k) sums[r][k] += x * factors[k];
      }
    }
  }
  std::memcpy(tile.sums + first * kRealLaneUnit, sums, sizeof(sums));
}

template <size_t kRows>
void SumIntegersBaseline(const IntegerTile& tile, size_t first) {
  std::array<std::array<int32_t, kIntegerLaneUnit>, kRows> sums = {};
  const int16_t* const rows = tile.elements + static_cast<int64_t>(first) * tile.row_pitch;
  const int16_t* column = tile.panel;
  for (int64_t i = 0; i < tile.pairs; ++i, column += 2 * kIntegerLaneUnit) {
    for (size_t r = 0; r < kRows; ++r) {
      const int16_t* const x = rows + static_cast<int64_t>(r) * tile.row_pitch + 2 * i;
      for (size_t lane = 0; lane < kIntegerLaneUnit; ++lane) {
        sums[r][lane] += x[0] * column[2 * lane] + x[1] * column[2 * lane + 1];
      }
    }
  }
  std::memcpy(tile.sums + first * kIntegerLaneUnit, sums.data(), sizeof(sums));
}

#if defined(__x86_64__)

// The arrays below stay in registers, because all loops over them have constant bounds.

template <size_t kRows, size_t kRegisters, bool kFuses>
[[gnu::target("avx512f")]] void SumRealsAvx512(const RealTile& tile, size_t first) {
  constexpr size_t kEach = 8;
  const ProductRun* const* const runs = tile.runs + first;
  __m512d sums[kRows][kRegisters];
  for (auto& row : sums) {
    for (__m512d& sum : row) sum = _mm512_setzero_pd();
  }
  for (size_t run = 0; run < tile.run_count; ++run) {
    const double* row[kRows];
    for (size_t r = 0; r < kRows; ++r) row[r] = tile.elements + runs[r][run].row;
    const double* column = tile.panel + runs[0][run].column * int64_t{kRegisters * kEach};
    const int64_t count = runs[0][run].count;
    for (int64_t i = 0; i < count; ++i, column += kRegisters * kEach) {
      __m512d factors[kRegisters];
      for (size_t k = 0; k < kRegisters; ++k) factors[k] = _mm512_loadu_pd(column + k * kEach);
      for (size_t r = 0; r < kRows; ++r) {
        const __m512d x = _mm512_set1_pd(row[r][i]);
        for (size_t k = 0; k < kRegisters; ++k) {
          sums[r][k] = kFuses ? _mm512_fmadd_pd(x, factors[k], sums[r][k])
                              : _mm512_add_pd(sums[r][k], _mm512_mul_pd(x, factors[k]));
        }
      }
    }
  }
  double* to = tile.sums + first * kRegisters * kEach;
  for (const auto& row : sums) {
    for (const __m512d& sum : row) {
      _mm512_storeu_pd(to, sum);
      to += kEach;
    }
  }
}

template <size_t kRows, bool kFuses>
[[gnu::target("avx2,fma")]] void SumRealsAvx2(const RealTile& tile, size_t first) {
  constexpr size_t kEach = 4;
  constexpr size_t kRegisters = kRealLaneUnit / kEach;
  const ProductRun* const* const runs = tile.runs + first;
  __m256d sums[kRows][kRegisters];
  for (auto& row : sums) {
    for (__m256d& sum : row) sum = _mm256_setzero_pd();
  }
  for (size_t run = 0; run < tile.run_count; ++run) {
    const double* row[kRows];
    for (size_t r = 0; r < kRows; ++r) row[r] = tile.elements + runs[r][run].row;
    const double* column = tile.panel + runs[0][run].column * kRealLaneUnit;
    const int64_t count = runs[0][run].count;
    for (int64_t i = 0; i < count; ++i, column += kRealLaneUnit) {
      __m256d factors[kRegisters];
      for (size_t k = 0; k < kRegisters; ++k) factors[k] = _mm256_loadu_pd(column + k * kEach);
      for (size_t r = 0; r < kRows; ++r) {
        const __m256d x = _mm256_set1_pd(row[r][i]);
        for (size_t k = 0; k < kRegisters; ++k) {
          sums[r][k] = kFuses ? _mm256_fmadd_pd(x, factors[k], sums[r][k])
                              : _mm256_add_pd(sums[r][k], _mm256_mul_pd(x, factors[k]));
        }
      }
    }
  }
  double* to = tile.sums + first * kRealLaneUnit;
  for (const auto& row : sums) {
    for (const __m256d& sum : row) {
      _mm256_storeu_pd(to, sum);
      to += kEach;
    }
  }
}

template <size_t kRows, size_t kRegisters>
[[gnu::target("avx512f,avx512bw,avx512vnni")]] void SumIntegersAvx512(const IntegerTile& tile,
                                                                      size_t first) {
  constexpr size_t kEach = 16;
  // (GCC keeps arrays of __m512i, which may alias anything, in memory.)
  using Sums [[gnu::vector_size(64)]] = int32_t;
  Sums sums[kRows][kRegisters];
  for (auto& row : sums) {
    for (Sums& sum : row) sum = Sums{};
  }
  const int16_t* row[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    row[r] = tile.elements + static_cast<int64_t>(first + r) * tile.row_pitch;
  }
  const int16_t* column = tile.panel;
  for (int64_t i = 0; i < tile.pairs; ++i, column += 2 * kRegisters * kEach) {
    __m512i factors[kRegisters];
    for (size_t k = 0; k < kRegisters; ++k) {
      factors[k] = _mm512_loadu_si512(column + 2 * k * kEach);
    }
    for (size_t r = 0; r < kRows; ++r) {
      int32_t pair;
      std::memcpy(&pair, row[r] + 2 * i, sizeof(pair));
      const __m512i x = _mm512_set1_epi32(pair);
      for (size_t k = 0; k < kRegisters; ++k) {
        sums[r][k] = reinterpret_cast<Sums>(
            _mm512_dpwssd_epi32(reinterpret_cast<__m512i>(sums[r][k]), factors[k], x));
      }
    }
  }
  int32_t* to = tile.sums + first * kRegisters * kEach;
  for (const auto& sums_of_row : sums) {
    for (const Sums& sum : sums_of_row) {
      std::memcpy(to, &sum, sizeof(sum));
      to += kEach;
    }
  }
}

template <size_t kRows>
[[gnu::target("avx2")]] void SumIntegersAvx2(const IntegerTile& tile, size_t first) {
  constexpr size_t kEach = 8;
  constexpr size_t kRegisters = kIntegerLaneUnit / kEach;
  using Sums [[gnu::vector_size(32)]] = int32_t;
  Sums sums[kRows][kRegisters];
  for (auto& row : sums) {
    for (Sums& sum : row) sum = Sums{};
  }
  const int16_t* row[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    row[r] = tile.elements + static_cast<int64_t>(first + r) * tile.row_pitch;
  }
  const int16_t* column = tile.panel;
  for (int64_t i = 0; i < tile.pairs; ++i, column += 2 * kIntegerLaneUnit) {
    __m256i factors[kRegisters];
    for (size_t k = 0; k < kRegisters; ++k) {
      std::memcpy(&factors[k], column + 2 * k * kEach, sizeof(__m256i));
    }
    for (size_t r = 0; r < kRows; ++r) {
      int32_t pair;
      std::memcpy(&pair, row[r] + 2 * i, sizeof(pair));
      const __m256i x = _mm256_set1_epi32(pair);
      for (size_t k = 0; k < kRegisters; ++k) {
        sums[r][k] += reinterpret_cast<Sums>(_mm256_madd_epi16(factors[k], x));
      }
    }
  }
  int32_t* to = tile.sums + first * kIntegerLaneUnit;
  for (const auto& sums_of_row : sums) {
    for (const Sums& sum : sums_of_row) {
      std::memcpy(to, &sum, sizeof(sum));
      to += kEach;
    }
  }
}

#endif

}  // namespace

DotInstructions BestDotInstructions() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vnni")) {
    return DotInstructions::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return DotInstructions::kAvx2;
  }
#endif
  return DotInstructions::kBaseline;
}

int64_t RealLanes(DotInstructions instructions) {
  return instructions == DotInstructions::kAvx512 ? 4 * kRealLaneUnit : kRealLaneUnit;
}

int64_t IntegerLanes(DotInstructions instructions) {
  return instructions == DotInstructions::kAvx512 ? 4 * kIntegerLaneUnit : kIntegerLaneUnit;
}

namespace {

template <bool kFuses>
void SumRealsBy(DotInstructions instructions, const RealTile& tile, size_t rows) {
  switch (instructions) {
#if defined(__x86_64__)
    case DotInstructions::kAvx512:
      return ForEachGroupOfRows(rows, [&]<size_t kRows>(size_t first) {
        WithCount<4>(static_cast<size_t>(tile.lanes / kRealLaneUnit), [&]<size_t kRegisters>() {
          SumRealsAvx512<kRows, kRegisters, kFuses>(tile, first);
        });
      });
    case DotInstructions::kAvx2:
      return ForEachGroupOfRows(
          rows, [&]<size_t kRows>(size_t first) { SumRealsAvx2<kRows, kFuses>(tile, first); });
#else
    case DotInstructions::kAvx512:
    case DotInstructions::kAvx2:
#endif
    case DotInstructions::kBaseline:
      return ForEachGroupOfRows(
          rows, [&]<size_t kRows>(size_t first) { SumRealsBaseline<kRows>(tile, first); });
  }
}

}  // namespace

void SumReals(DotInstructions instructions, const RealTile& tile, size_t rows) {
  tile.fuses ? SumRealsBy<true>(instructions, tile, rows)
             : SumRealsBy<false>(instructions, tile, rows);
}

void SumIntegers(DotInstructions instructions, const IntegerTile& tile, size_t rows) {
  switch (instructions) {
#if defined(__x86_64__)
    case DotInstructions::kAvx512:
      return ForEachGroupOfRows(rows, [&]<size_t kRows>(size_t first) {
        WithCount<4>(static_cast<size_t>(tile.lanes / kIntegerLaneUnit), [&]<size_t kRegisters>() {
          SumIntegersAvx512<kRows, kRegisters>(tile, first);
        });
      });
    case DotInstructions::kAvx2:
      return ForEachGroupOfRows(
          rows, [&]<size_t kRows>(size_t first) { SumIntegersAvx2<kRows>(tile, first); });
#else
    case DotInstructions::kAvx512:
    case DotInstructions::kAvx2:
#endif
    case DotInstructions::kBaseline:
      return ForEachGroupOfRows(
          rows, [&]<size_t kRows>(size_t first) { SumIntegersBaseline<kRows>(tile, first); });
  }
}

}  // namespace assay
