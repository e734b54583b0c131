#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "float_format.h"
#include "native_kernels.h"
#include "wide_vectors.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {

// Sums of products on Work, which is double or int32_t. In double every product of two floats is
// exact (fp32 has 24 bits), and so are sums of integers below 2^47. int32_t is for sums of integers
// that fit.

// An operand less its zero point, as Work.
template <class Work>
struct WorkOperand {
  std::unique_ptr<Work[]> elements;
  double maximum = 0;  // largest magnitude, of integers
};

// Returns operand `input` of the call, less its zero point, which is operand `zero_point`. Only i8
// has a zero point; for other operands, such as the bias, `zero_point` is ignored.
template <class Work>
WorkOperand<Work> LoadOperand(const NativeCall& call, int input, int zero_point) {
  const DType type = call.signature.in(input);
  const auto count = static_cast<size_t>(call.signature.shape(input).Elements());
  WorkOperand<Work> operand{std::make_unique_for_overwrite<Work[]>(count)};
  Work* const to = operand.elements.get();
  const auto integers = [&](const auto* from, Work zero) {
    Work low = 0, high = 0;
    for (size_t i = 0; i < count; ++i) {
      to[i] = static_cast<Work>(from[i]) - zero;
      low = std::min(low, to[i]);
      high = std::max(high, to[i]);
    }
    operand.maximum = std::max(-static_cast<double>(low), static_cast<double>(high));
  };
  const auto reals = [&](const auto* from) {
    for (size_t i = 0; i < count; ++i) {
      to[i] = static_cast<Work>(DecodeFloat(type, static_cast<uint32_t>(from[i])));
    }
  };
  if (type == DType::kInt8) {
    integers(call.in<int8_t>(input), static_cast<Work>(call.in<int8_t>(zero_point)[0]));
  } else if (type == DType::kInt4) {
    integers(call.in<int8_t>(input), 0);
  } else if (type == DType::kInt16) {
    integers(call.in<int16_t>(input), 0);
  } else if (type == DType::kInt32) {
    integers(call.in<int32_t>(input), 0);
  } else if (type == DType::kInt48) {
    integers(call.in<int64_t>(input), 0);
  } else if (type == DType::kFp32) {
    const float* const from = call.raw<float>(input);
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<Work>(from[i]);
  } else if (ElementBytes(type) == 2) {
    reals(call.raw<uint16_t>(input));
  } else {
    reals(call.raw<uint8_t>(input));
  }
  return operand;
}

// Rounds or narrows a finished sum to an element of the output.
template <class Work, class Out>
Out Finish(DType type, Work sum) {
  if constexpr (std::is_same_v<Out, float>) {
    return Canonical(static_cast<float>(sum));
  } else if constexpr (std::is_same_v<Out, uint16_t>) {
    return static_cast<uint16_t>(EncodeFloat(type, static_cast<double>(sum)));
  } else {
    return static_cast<Out>(sum);
  }
}

// Returns the instance of a kernel `Family::Run<Work, Out>` for an output type, or null.
template <class Family>
NativeKernel SumKernelOf(DType out) {
  switch (out) {
    case DType::kInt32:
      return Family::template Run<int32_t, int32_t>;
    case DType::kInt48:
      return Family::template Run<double, int64_t>;
    case DType::kFp32:
      return Family::template Run<double, float>;
    case DType::kFp16:
    case DType::kBf16:
      return Family::template Run<double, uint16_t>;
    default:
      return nullptr;
  }
}

// The lanes of a panel, 64 bytes: the output channels that are summed at a time.
template <class Work>
constexpr int64_t kLanes = 64 / sizeof(Work);

// A run of products: `count` elements from `row` on, multiplied by as many columns of the panel
// from `column` on.
struct ProductRun {
  int64_t row, column, count;
};

// The inputs of rows of sums. Rows that are summed together have the same runs except for
// ProductRun::row.
template <class Work>
struct SumInputs {
  const Work* elements;           // indexed by ProductRun::row
  const ProductRun* const* runs;  // of each row
  size_t run_count;
  const Work* panel;  // [columns][kLanes]
};

// The number of rows summed together. It is so large that loading the panel takes little of the
// time.
constexpr size_t kRowsTogether = 16;

// Computes sums[r][lane] = sum of elements[runs[r].row + i] * panel[runs[r].column + i][lane] over
// the runs, in order, in registers of kBytes.
template <class Work, size_t kRows, size_t kBytes>
struct SumRows {
  using Register [[gnu::vector_size(kBytes)]] = Work;
  static constexpr size_t kRegisters = 64 / kBytes;       // of a row
  static constexpr size_t kEach = kBytes / sizeof(Work);  // lanes
  SumInputs<Work> in;
  Work* sums;  // [kRows][kLanes]

  [[gnu::always_inline]] void operator()() const {
    Register acc[kRows][kRegisters];  // set and stored one by one, so that they stay in registers
    for (auto& row : acc) {
      for (Register& sum : row) sum = Register{};
    }
    for (size_t run = 0; run < in.run_count; ++run) {
      const Work* row[kRows];
      for (size_t r = 0; r < kRows; ++r) row[r] = in.elements + in.runs[r][run].row;
      const Work* column = in.panel + in.runs[0][run].column * kLanes<Work>;
      const int64_t count = in.runs[0][run].count;
      for (int64_t i = 0; i < count; ++i, column += kLanes<Work>) {
        Register factors[kRegisters];
        for (size_t k = 0; k < kRegisters; ++k) {
          std::memcpy(&factors[k], column + k * kEach, sizeof(Register));
        }
        for (size_t r = 0; r < kRows; ++r) {
          for (size_t k = 0; k < kRegisters; ++k) acc[r][k] += row[r][i] * factors[k];
        }
      }
    }
    Work* to = sums;
    for (const auto& row : acc) {
      for (const Register& sum : row) {
        std::memcpy(to, &sum, sizeof(sum));
        to += kEach;
      }
    }
  }
};

// Computes the same as SumRows, kTogether rows at a time.
template <class Work, size_t kRows, size_t kTogether, size_t kBytes>
struct SumRowsInTurn {
  SumInputs<Work> in;
  Work* sums;  // [kRows][kLanes]

  [[gnu::always_inline]] void operator()() const {
    for (size_t row = 0; row < kRows; row += kTogether) {
      const SumInputs<Work> rest = {in.elements, in.runs + row, in.run_count, in.panel};
      SumRows<Work, kTogether, kBytes>{rest, sums + row * kLanes<Work>}();
    }
  }
};

#if defined(__x86_64__)

// Computes the same as SumRows for doubles, with products fused with the sums. The products are
// exact, so the result has the same bits as the two operations. (SumRows is inlined everywhere, and
// so cannot contain a function for another target.)
template <size_t kRows>
struct FusedSumRows {
  SumInputs<double> in;
  double* sums;  // [kRows][kLanes]

  static bool IsForThisMachine() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  }

  void operator()() const { SumFrom<0>(); }

 private:
  static constexpr size_t kEach = 4;  // lanes of a register
  static constexpr size_t kRegisters = kLanes<double> / kEach;
  // The most rows that are summed together. Of sixteen registers two hold the panel, and one holds
  // the factor. A sum waits four cycles for the one before, and two are added in each cycle. So it
  // takes more than four rows, eight sums, to keep the adders busy.
  static constexpr size_t kMostTogether = 6;

  // Sums the rows from kFirst on, in as few parts as possible, which are nearly equal.
  template <size_t kFirst>
  void SumFrom() const {
    if constexpr (kFirst < kRows) {
      constexpr size_t kParts = (kRows - kFirst + kMostTogether - 1) / kMostTogether;
      constexpr size_t kTogether = (kRows - kFirst + kParts - 1) / kParts;
      Sum<kTogether>(kFirst);
      SumFrom<kFirst + kTogether>();
    }
  }

  template <size_t kTogether>
  [[gnu::target("avx2,fma")]] void Sum(size_t first) const {
    const ProductRun* const* const runs = in.runs + first;
    __m256d acc[kTogether][kRegisters];
    for (auto& row : acc) {
      for (__m256d& sum : row) sum = _mm256_setzero_pd();
    }
    for (size_t run = 0; run < in.run_count; ++run) {
      const double* row[kTogether];
      for (size_t r = 0; r < kTogether; ++r) row[r] = in.elements + runs[r][run].row;
      const double* column = in.panel + runs[0][run].column * kLanes<double>;
      const int64_t count = runs[0][run].count;
      for (int64_t i = 0; i < count; ++i, column += kLanes<double>) {
        __m256d factors[kRegisters];
        for (size_t k = 0; k < kRegisters; ++k) factors[k] = _mm256_loadu_pd(column + k * kEach);
        for (size_t r = 0; r < kTogether; ++r) {
          const __m256d x = _mm256_set1_pd(row[r][i]);
          for (size_t k = 0; k < kRegisters; ++k) {
            acc[r][k] = _mm256_fmadd_pd(x, factors[k], acc[r][k]);
          }
        }
      }
    }
    double* to = sums + first * kLanes<double>;
    for (const auto& row : acc) {
      for (const __m256d& sum : row) {
        _mm256_storeu_pd(to, sum);
        to += kEach;
      }
    }
  }
};

#endif

// Runs SumRows on kRows rows if there are as many, else on fewer. Returns the number of rows.
template <class Work, size_t kRows = kRowsTogether>
size_t SumSomeRows(const SumInputs<Work>& in, size_t rows, Work* sums) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return SumSomeRows<Work, kRows / 2>(in, rows, sums);
  }
  // There are half as many registers of 32 bytes, and a row takes twice as many.
  constexpr size_t kFewer = std::min<size_t>(kRows, 4);
#if defined(__x86_64__)
  if constexpr (std::is_same_v<Work, double>) {
    if (FusedSumRows<kRows>::IsForThisMachine() && !__builtin_cpu_supports("avx512f")) {
      FusedSumRows<kRows>{in, sums}();
      return kRows;
    }
  }
#endif
  RunWidest(SumRows<Work, kRows, 64>{in, sums}, SumRowsInTurn<Work, kRows, kFewer, 32>{in, sums});
  return kRows;
}

// Returns true if no sum of `count` products and a bias can leave the accumulator or the output, in
// any order.
inline bool StaysInRange(DType acc_type, DType out_type, double largest_product, int64_t count,
                         double bias) {
  const double largest = largest_product * static_cast<double>(count) + bias;
  return largest <=
         static_cast<double>(std::min(MaximumInteger(acc_type), MaximumInteger(out_type)));
}

}  // namespace assay
