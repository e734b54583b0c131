// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <vector>

#include "dot_tiles.h"
#include "float_codec.h"
#include "native_kernels.h"
#include "parallel.h"
#include "wide_vectors.h"

namespace assay {

// The arithmetic of sums of products. In double every product of two floats is exact (fp32 has 24
// bits), and so are sums of integers below 2^47. Products of i8 and i4 less their zero points are
// summed in int32, if their sums fit, in pairs.
struct RealSums {
  using Work = double;
  using Sum = double;
  static constexpr int64_t kTogether = 1;  // products that one lane adds at a time
  static constexpr int64_t kLaneUnit = kRealLaneUnit;
  static constexpr double kNanosecondsOfProduct = 0.03;
  static int64_t Lanes() { return RealLanes(BestDotInstructions()); }
};
struct IntegerSums {
  using Work = int16_t;
  using Sum = int32_t;
  static constexpr int64_t kTogether = 2;
  static constexpr int64_t kLaneUnit = kIntegerLaneUnit;
  static constexpr double kNanosecondsOfProduct = 0.01;
  static int64_t Lanes() { return IntegerLanes(BestDotInstructions()); }
};

// Rows of elements in memory.
struct ElementRows {
  int64_t first, pitch;  // the first element, and the distance of two rows
  int64_t rows, count;   // the rows, and the elements of each
};

// Rows may be far apart, so that the processor does not foresee which memory comes next.
constexpr int64_t kRowsAhead = 32;

// Converts rows of elements to Work, less the zero point; rows of `to` are `to_pitch` apart.
template <class From, class Work>
struct ReadIntegers {
  const From* from;
  Work zero_point;
  ElementRows which;
  Work* to;
  int64_t to_pitch;

  [[gnu::always_inline]] void operator()() const {
    const Work zero = zero_point;
    const int64_t count = which.count;
    for (int64_t row = 0; row < which.rows; ++row) {
      const From* const x = from + which.first + row * which.pitch;
      Work* const out = to + row * to_pitch;
      __builtin_prefetch(x + kRowsAhead * which.pitch);
      for (int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<Work>(static_cast<Work>(x[i]) - zero);
      }
    }
  }
};
// Returns the value of a float, whose NaNs may have any bits here. The types of 16 bits are
// converted in lanes of 32 bits, twice as many as DecodeAs() has.
template <const FloatFormat& format>
[[gnu::always_inline]] inline float Widened(FloatBits<format> bits) {
  if constexpr (&format == &kFp32Format) {
    return std::bit_cast<float>(bits);
  } else if constexpr (&format == &kBf16Format) {
    return std::bit_cast<float>(uint32_t{bits} << 16);
  } else if constexpr (&format == &kFp16Format) {
    // The exponent becomes right by a multiplication, also that of a subnormal.
    const uint32_t magnitude = bits & 0x7fffu;
    const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    const uint32_t special = magnitude >= 0x7c00 ? 0x7f800000u : 0u;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | special |
                                uint32_t{bits & 0x8000u} << 16);
  } else {
    return static_cast<float>(DecodeAs<format>(bits));
  }
}

template <const FloatFormat& format, class Work>
struct ReadReals {
  const FloatBits<format>* from;
  ElementRows which;
  Work* to;
  int64_t to_pitch;

  [[gnu::always_inline]] void operator()() const {
    const int64_t count = which.count;
    for (int64_t row = 0; row < which.rows; ++row) {
      const FloatBits<format>* const x = from + which.first + row * which.pitch;
      Work* const out = to + row * to_pitch;
      for (int64_t i = 0; i < count; i += 64 / static_cast<int64_t>(sizeof *x)) {
        __builtin_prefetch(x + kRowsAhead * which.pitch + i);
      }
      for (int64_t i = 0; i < count; ++i) out[i] = static_cast<Work>(Widened<format>(x[i]));
    }
  }
};

// Computes the largest magnitude of integers less their zero point.
template <class From>
struct MaximumOf {
  const From* from;
  int64_t count;
  int64_t zero_point;
  int64_t* maximum;

  [[gnu::always_inline]] void operator()() const {
    From low = std::numeric_limits<From>::max(), high = std::numeric_limits<From>::min();
    const From* const x = from;
    for (int64_t i = 0, size = count; i < size; ++i) {
      low = x[i] < low ? x[i] : low;
      high = x[i] > high ? x[i] : high;
    }
    *maximum = std::max(zero_point - int64_t{low}, int64_t{high} - zero_point);
  }
};

// Reads an operand of a call, less its zero point.
class OperandReader {
 public:
  // Only i8 has a zero point, which is operand `zero_point`. For other operands, such as the bias,
  // `zero_point` is ignored.
  OperandReader(const NativeCall& call, int input, int zero_point)
      : type_(call.signature.in(input)),
        count_(call.signature.shape(input).Elements()),
        bytes_(IsFloat(type_) ? call.raw<uint8_t>(input) : call.in<uint8_t>(input)),
        zero_point_(type_ == DType::kInt8 ? call.in<int8_t>(zero_point)[0] : 0) {}

  int64_t count() const { return count_; }
  DType type() const { return type_; }
  int64_t zero_point() const { return zero_point_; }
  // Returns the elements as they are in memory, with NaNs of any bits.
  const uint8_t* bytes() const { return bytes_; }

  // Converts rows of elements; those of `to` are `to_pitch` apart.
  template <class Work>
  void Read(const ElementRows& rows, Work* to, int64_t to_pitch) const {
    if (!IsFloat(type_)) {
      WithIntegers([&](const auto* from) {
        RunAnyWidth(ReadIntegers<std::remove_cvref_t<decltype(*from)>, Work>{
            from, static_cast<Work>(zero_point_), rows, to, to_pitch});
      });
    } else if constexpr (std::is_floating_point_v<Work>) {
      WithFormat(type_, [&]<const FloatFormat & format>() {
        const auto* const from = reinterpret_cast<const FloatBits<format>*>(bytes_);
        RunAnyWidth(ReadReals<format, Work>{from, rows, to, to_pitch});
      });
    }
  }

  // Returns all elements, as `rows` rows that are `to_pitch` apart, with zeros between them.
  template <class Work>
  std::unique_ptr<Work[]> ReadAll(int64_t rows, int64_t to_pitch) const {
    auto all = std::make_unique_for_overwrite<Work[]>(static_cast<size_t>(rows * to_pitch));
    const int64_t row = rows == 0 ? 0 : count_ / rows;
    ForEachPart(rows, 0.5 * static_cast<double>(row), [&](int64_t begin, int64_t end) {
      Work* const to = all.get() + begin * to_pitch;
      Read(ElementRows{begin * row, row, end - begin, row}, to, to_pitch);
      for (int64_t i = 0; i < end - begin && row < to_pitch; ++i) {
        std::fill(to + i * to_pitch + row, to + (i + 1) * to_pitch, Work{0});
      }
    });
    return all;
  }

  // Returns a bound on the magnitudes of an operand of integers, which needs no look at them.
  double Bound() const {
    return static_cast<double>(MaximumInteger(type_) + 1 + std::abs(zero_point_));
  }

  // Returns the largest magnitude of an operand of integers.
  double Maximum() const {
    std::atomic<int64_t> maximum = 0;
    WithIntegers([&](const auto* from) {
      ForEachPart(count_, 0.1, [&](int64_t begin, int64_t end) {
        int64_t part = 0;
        RunAnyWidth(MaximumOf<std::remove_cvref_t<decltype(*from)>>{from + begin, end - begin,
                                                                    zero_point_, &part});
        int64_t known = maximum;
        while (known < part && !maximum.compare_exchange_weak(known, part)) {
        }
      });
    });
    return static_cast<double>(maximum);
  }

 private:
  template <class Use>
  void WithIntegers(Use use) const {
    switch (type_) {
      case DType::kInt16:
        return use(reinterpret_cast<const int16_t*>(bytes_));
      case DType::kInt32:
        return use(reinterpret_cast<const int32_t*>(bytes_));
      case DType::kInt48:
        return use(reinterpret_cast<const int64_t*>(bytes_));
      default:
        return use(reinterpret_cast<const int8_t*>(bytes_));
    }
  }

  DType type_;
  int64_t count_;
  const uint8_t* bytes_;
  int64_t zero_point_;
};

// Returns true if no sum of `count` products and a bias can leave the accumulator or the output, in
// any order.
inline bool StaysInRange(DType acc_type, DType out_type, double largest_product, int64_t count,
                         double bias) {
  const double largest = largest_product * static_cast<double>(count) + bias;
  return largest <=
         static_cast<double>(std::min(MaximumInteger(acc_type), MaximumInteger(out_type)));
}

// The division of the columns of an operand into panels: [panels][size / kTogether][lanes of the
// panel][kTogether], with zeros where there are no columns or products.
template <class Arithmetic>
class PanelLayout {
 public:
  // `size` is the number of products of one sum.
  PanelLayout(int64_t size, int64_t columns)
      : pitch_((size + kTogether - 1) / kTogether * kTogether),
        columns_(columns),
        lanes_(Arithmetic::Lanes()) {}

  static constexpr int64_t kTogether = Arithmetic::kTogether;
  int64_t count() const { return (columns_ + lanes_ - 1) / lanes_; }
  int64_t FirstColumn(int64_t panel) const { return panel * lanes_; }
  int64_t Columns(int64_t panel) const { return std::min(lanes_, columns_ - panel * lanes_); }
  // Returns the lanes of a panel: its columns, and others up to a full unit.
  int64_t Lanes(int64_t panel) const {
    constexpr int64_t kUnit = Arithmetic::kLaneUnit;
    return (Columns(panel) + kUnit - 1) / kUnit * kUnit;
  }
  // Returns the number of products of one sum in a panel, with the zeros behind them.
  int64_t pitch() const { return pitch_; }
  // Returns the place of a panel among all, and the room for a full one.
  int64_t Start(int64_t panel) const { return panel * lanes_ * pitch_; }
  size_t Room() const { return static_cast<size_t>(lanes_ * pitch_); }
  size_t RoomForAll() const {
    return static_cast<size_t>(columns_ == 0 ? 0
                                             : Start(count() - 1) + Lanes(count() - 1) * pitch_);
  }

 private:
  int64_t pitch_, columns_, lanes_;
};

// Some rows of finished sums, and where they go: element [r][lane] + bias[lane] is rounded to
// out[r][lane].
template <class Sum, class Out>
struct FinishedRows {
  const Sum* sums;  // [rows][lanes]
  int64_t rows, lanes;
  const Sum* bias;
  int64_t columns;  // at most `lanes`
  Out* const* out;
};

template <const FloatFormat& format, class Out>
struct FinishReals {
  FinishedRows<double, Out> of;

  [[gnu::always_inline]] void operator()() const {
    const double* const y = of.bias;
    for (int64_t row = 0; row < of.rows; ++row) {
      const double* const x = of.sums + row * of.lanes;
      Out* const to = of.out[row];
      for (int64_t i = 0, count = of.columns; i < count; ++i) {
        if constexpr (std::is_same_v<Out, float>) {
          to[i] = Canonical(static_cast<float>(x[i] + y[i]));
        } else {
          to[i] = static_cast<Out>(EncodeAs<format>(x[i] + y[i]));
        }
      }
    }
  }
};

template <class Sum, class Out>
struct FinishIntegers {
  FinishedRows<Sum, Out> of;

  [[gnu::always_inline]] void operator()() const {
    const Sum* const y = of.bias;
    for (int64_t row = 0; row < of.rows; ++row) {
      const Sum* const x = of.sums + row * of.lanes;
      Out* const to = of.out[row];
      for (int64_t i = 0, count = of.columns; i < count; ++i) to[i] = static_cast<Out>(x[i] + y[i]);
    }
  }
};

// Does what FinishReals does for fp16 and bf16, with instructions that round to fp32 toward zero
// and from fp32 to fp16. The last bit of the fp32 is set if that is inexact. So the second rounding
// gives what one rounding would.
class FinishNarrow {
 public:
  static bool IsForThisMachine() { return BestDotInstructions() == DotInstructions::kAvx512; }
  static void Run(DType type, const FinishedRows<double, uint16_t>& of);
};

// Rounds or narrows finished sums to elements of the output.
template <class Sum, class Out>
void Finish(DType type, const FinishedRows<Sum, Out>& rows) {
  if constexpr (std::is_same_v<Out, float>) {
    RunAnyWidth(FinishReals<kFp32Format, Out>{rows});
  } else if constexpr (std::is_same_v<Out, uint16_t>) {
    if (FinishNarrow::IsForThisMachine()) {
      FinishNarrow::Run(type, rows);
    } else if (type == DType::kFp16) {
      RunAnyWidth(FinishReals<kFp16Format, Out>{rows});
    } else {
      RunAnyWidth(FinishReals<kBf16Format, Out>{rows});
    }
  } else {
    RunAnyWidth(FinishIntegers<Sum, Out>{rows});
  }
}

// The number of rows that are summed before they are finished.
constexpr int64_t kRowsAtOnce = 24;

// Returns the instance of a kernel `Family::Run<Arithmetic, Out>` for an output type, or null.
template <class Family>
NativeKernel SumKernelOf(DType out) {
  switch (out) {
    case DType::kInt32:
      return Family::template Run<IntegerSums, int32_t>;
    case DType::kInt48:
      return Family::template Run<RealSums, int64_t>;
    case DType::kFp32:
      return Family::template Run<RealSums, float>;
    case DType::kFp16:
    case DType::kBf16:
      return Family::template Run<RealSums, uint16_t>;
    default:
      return nullptr;
  }
}

}  // namespace assay
