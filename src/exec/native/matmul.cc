// MATMUL.
#include "native_sums.h"
#include "time_limit.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

// The dimensions, named like in the pseudocode.
struct MatmulDimensions {
  explicit MatmulDimensions(const Signature& s)
      : N(s.shape(0)[0]), H(s.shape(0)[1]), C(s.shape(0)[2]), W(s.shape(1)[2]) {}
  int64_t N, H, C, W;
};

#if defined(__x86_64__)

// Multiplies matrices of fp32 in registers of eight doubles, on machines that have them. Every
// product of two fp32 is exact in double. So a product fused with the sum gives the same bits as
// the two operations.
class FusedMatmul {
 public:
  static bool IsFor(const Signature& s) {
    return s.in(0) == DType::kFp32 && __builtin_cpu_supports("avx512f");
  }

  static void Run(const NativeCall& call) {
    const MatmulDimensions size(call.signature);
    std::vector<double> panel(static_cast<size_t>(size.C * kWidest * kEach));
    for (int64_t n = 0; n < size.N; ++n) {
      const float* const left = call.raw<float>(0) + n * size.H * size.C;
      const float* const right = call.raw<float>(1) + n * size.C * size.W;
      float* const out = call.out<float>() + n * size.H * size.W;
      for (int64_t w = 0; w < size.W; w += kWidest * kEach) {
        const Columns columns = {std::min(kWidest * kEach, size.W - w), panel.data()};
        switch ((columns.count + kEach - 1) / kEach) {
          case 1:
            Multiply<1>(size, left, right + w, columns, out + w);
            break;
          case 2:
            Multiply<2>(size, left, right + w, columns, out + w);
            break;
          case 3:
            Multiply<3>(size, left, right + w, columns, out + w);
            break;
          default:
            Multiply<kWidest>(size, left, right + w, columns, out + w);
            break;
        }
      }
    }
  }

 private:
  static constexpr int64_t kEach = 8;
  static constexpr int64_t kWidest = 4;  // registers across
  static constexpr int64_t kRows = 4;

  // Some of the columns, and memory for them as doubles, row after row.
  struct Columns {
    int64_t count;
    double* panel;
  };

  template <int64_t kRegisters>
  [[gnu::target("avx512f")]] static void Multiply(const MatmulDimensions& size, const float* left,
                                                  const float* right, const Columns& columns,
                                                  float* out) {
    double* to = columns.panel;
    for (int64_t c = 0; c < size.C; ++c, to += kRegisters * kEach) {
      for (int64_t j = 0; j < columns.count; ++j) to[j] = right[c * size.W + j];
    }
    int64_t h = 0;
    for (; h + kRows <= size.H; h += kRows) {
      Spend(kRows * size.C * columns.count);
      MultiplyRows<kRows, kRegisters>(size, left + h * size.C, columns, out + h * size.W);
    }
    for (; h < size.H; ++h) {
      Spend(size.C * columns.count);
      MultiplyRows<1, kRegisters>(size, left + h * size.C, columns, out + h * size.W);
    }
  }

  template <int64_t kTogether, int64_t kRegisters>
  [[gnu::target("avx512f")]] static void MultiplyRows(const MatmulDimensions& size,
                                                      const float* left, const Columns& columns,
                                                      float* out) {
    __m512d sums[kTogether][kRegisters];
    for (auto& row : sums) {
      for (__m512d& sum : row) sum = _mm512_setzero_pd();
    }
    const double* panel = columns.panel;
    for (int64_t c = 0; c < size.C; ++c, panel += kRegisters * kEach) {
      for (int64_t r = 0; r < kTogether; ++r) {
        const __m512d x = _mm512_set1_pd(left[r * size.C + c]);
        for (int64_t k = 0; k < kRegisters; ++k) {
          sums[r][k] = _mm512_fmadd_pd(x, _mm512_loadu_pd(panel + k * kEach), sums[r][k]);
        }
      }
    }
    for (const auto& row : sums) {
      for (int64_t k = 0; k < kRegisters; ++k) {
        double finished[kEach];
        _mm512_storeu_pd(finished, row[k]);
        const int64_t first = k * kEach;
        const int64_t count = std::min(kEach, columns.count - first);
        for (int64_t j = 0; j < count; ++j) {
          out[first + j] = Finish<double, float>(DType::kFp32, finished[j]);
        }
      }
      out += size.W;
    }
  }
};

#endif

// Copies `lanes` elements, at most kAll: to[i] = from[i]. Mostly there are kAll of them, which
// needs no call and no loop.
template <int64_t kAll, class From, class To>
[[gnu::always_inline]] inline void CopyLanes(const From* from, int64_t lanes, To* to) {
  if (lanes == kAll) {
    using FromAll [[gnu::vector_size(kAll * sizeof(From))]] = From;
    using ToAll [[gnu::vector_size(kAll * sizeof(To))]] = To;
    FromAll all;
    std::memcpy(&all, from, sizeof(all));
    const ToAll converted = __builtin_convertvector(all, ToAll);
    std::memcpy(to, &converted, sizeof(converted));
  } else {
    for (int64_t i = 0; i < lanes; ++i) to[i] = static_cast<To>(from[i]);
  }
}

// Computes panel[c][lane] = from[c][lane] for `lanes` columns of a matrix, with zeros behind them.
template <class From, class Work>
struct FillPanel {
  const From* from;
  int64_t rows, stride, lanes;
  Work* panel;

  [[gnu::always_inline]] void operator()() const {
    for (int64_t c = 0; c < rows; ++c) {
      Work* const to = panel + c * kLanes<Work>;
      CopyLanes<kLanes<Work>>(from + c * stride, lanes, to);
      std::fill(to + lanes, to + kLanes<Work>, Work{0});
    }
  }
};

// Computes out[row][lane] = the finished sums[row][lane].
template <class Work, class Out>
struct FinishRows {
  DType type;
  const Work* sums;
  int64_t rows, stride, lanes;
  Out* out;

  [[gnu::always_inline]] void operator()() const {
    Out finished[kRowsTogether * kLanes<Work>];
    for (int64_t i = 0; i < rows * kLanes<Work>; ++i) {
      finished[i] = Finish<Work, Out>(type, sums[i]);
    }
    for (int64_t row = 0; row < rows; ++row) {
      CopyLanes<kLanes<Work>>(finished + row * kLanes<Work>, lanes, out + row * stride);
    }
  }
};

struct MatmulFamily {
  template <class Work, class Out>
  static bool Run(const NativeCall& call) {
#if defined(__x86_64__)
    if constexpr (std::is_same_v<Out, float>) {
      if (FusedMatmul::IsFor(call.signature)) {
        FusedMatmul::Run(call);
        return true;
      }
    }
#endif
    constexpr int64_t kWidth = kLanes<Work>;
    const auto [N, H, C, W] = MatmulDimensions(call.signature);
    const DType type = call.signature.out();
    const bool as_it_is = call.signature.in(1) == DType::kFp32;  // it goes into the panels itself
    const auto A = LoadOperand<Work>(call, 0, 2);
    const auto B = as_it_is ? WorkOperand<Work>() : LoadOperand<Work>(call, 1, 3);
    if (!IsFloat(type) && !StaysInRange(type, type, A.maximum * B.maximum, C, 0)) return false;
    // There is room for all panels of a matrix, because the rows that are summed together stay in
    // the first cache.
    const auto panels = std::make_unique_for_overwrite<Work[]>(
        static_cast<size_t>((W + kWidth - 1) / kWidth * kWidth * C));
    std::vector<ProductRun> runs(static_cast<size_t>(H));
    std::vector<const ProductRun*> rows_of(runs.size());
    for (size_t h = 0; h < runs.size(); ++h) {
      runs[h] = {static_cast<int64_t>(h) * C, 0, C};
      rows_of[h] = &runs[h];
    }
    for (int64_t n = 0; n < N; ++n) {
      for (int64_t w = 0; w < W; w += kWidth) {
        const int64_t lanes = std::min(kWidth, W - w);
        const int64_t first = n * C * W + w;
        Work* const panel = panels.get() + w * C;
        if (as_it_is) {
          RunWide(FillPanel<float, Work>{call.raw<float>(1) + first, C, W, lanes, panel});
        } else {
          RunWide(FillPanel<Work, Work>{B.elements.get() + first, C, W, lanes, panel});
        }
      }
      Out* to = call.out<Out>() + n * H * W;
      for (size_t h = 0; h < rows_of.size();) {
        size_t rows = 0;
        for (int64_t w = 0; w < W; w += kWidth) {
          Work sums[kRowsTogether * kWidth];
          const SumInputs<Work> in = {A.elements.get() + n * H * C, rows_of.data() + h, 1,
                                      panels.get() + w * C};
          rows = SumSomeRows(in, rows_of.size() - h, static_cast<Work*>(sums));
          RunWide(FinishRows<Work, Out>{type, static_cast<Work*>(sums), static_cast<int64_t>(rows),
                                        W, std::min(kWidth, W - w), to + w});
        }
        Spend(static_cast<int64_t>(rows) * C * W);
        to += static_cast<int64_t>(rows) * W;
        h += rows;
      }
    }
    return true;
  }
};

}  // namespace

NativeKernel NativeMatmul(const Signature& s) { return SumKernelOf<MatmulFamily>(s.out()); }

}  // namespace assay
