// MATMUL.
#include "native_sums.h"

namespace assay {
namespace {

struct MatmulFamily {
  template <class Work, class Out>
  static bool Run(const NativeCall& call) {
    constexpr int64_t kWidth = kLanes<Work>;
    const Shape& left = call.signature.shape(0);
    const int64_t N = left[0], H = left[1], C = left[2], W = call.signature.shape(1)[2];
    const DType type = call.signature.out();
    const auto A = LoadOperand<Work>(call, 0, 2);
    const auto B = LoadOperand<Work>(call, 1, 3);
    if (!IsFloat(type) && !StaysInRange(type, type, A.maximum * B.maximum, C, 0)) return false;
    std::vector<Work> panel(static_cast<size_t>(C * kWidth));
    std::vector<ProductRun> runs(static_cast<size_t>(H));
    std::vector<const ProductRun*> rows_of(runs.size());
    for (size_t h = 0; h < runs.size(); ++h) {
      runs[h] = {static_cast<int64_t>(h) * C, 0, C};
      rows_of[h] = &runs[h];
    }
    for (int64_t n = 0; n < N; ++n) {
      for (int64_t w = 0; w < W; w += kWidth) {
        const int64_t lanes = std::min(kWidth, W - w);
        for (int64_t c = 0; c < C; ++c) {
          std::copy_n(B.elements.get() + (n * C + c) * W + w, lanes, panel.data() + c * kWidth);
        }
        for (size_t h = 0; h < rows_of.size();) {
          Work sums[kRowsTogether * kWidth];
          const SumInputs<Work> in = {A.elements.get() + n * H * C, rows_of.data() + h, 1,
                                      panel.data()};
          const size_t rows = SumSomeRows(in, rows_of.size() - h, static_cast<Work*>(sums));
          for (size_t row = 0; row < rows; ++row) {
            Out* const to = call.out<Out>() + (n * H + static_cast<int64_t>(h + row)) * W + w;
            const Work* const from = sums + row * kWidth;
            for (int64_t j = 0; j < lanes; ++j) to[j] = Finish<Work, Out>(type, from[j]);
          }
          h += rows;
        }
      }
    }
    return true;
  }
};

}  // namespace

NativeKernel NativeMatmul(const Signature& s) { return SumKernelOf<MatmulFamily>(s.out()); }

}  // namespace assay
