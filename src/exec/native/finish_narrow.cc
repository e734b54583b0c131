// SPDX-License-Identifier: Apache-2.0
#include "narrow_floats.h"
#include "native_sums.h"

namespace assay {

#if defined(__x86_64__)

namespace {

template <bool kIsFp16>
[[gnu::target("avx512f,avx512bw,avx512vl,f16c")]] void FinishRowsAs(
    const FinishedRows<double, uint16_t>& of) {
  for (int64_t row = 0; row < of.rows; ++row) {
    for (int64_t i = 0; i < of.columns; i += 8) {
      const auto which = static_cast<__mmask8>((1u << std::min<int64_t>(of.columns - i, 8)) - 1);
      const double* const x = of.sums + row * of.lanes + i;
      const EightFloats eight(_mm512_add_pd(_mm512_maskz_loadu_pd(which, x),
                                            _mm512_maskz_loadu_pd(which, of.bias + i)));
      kIsFp16 ? eight.StoreFp16(which, of.out[row] + i) : eight.StoreBf16(which, of.out[row] + i);
    }
  }
}

}  // namespace

void FinishNarrow::Run(DType type, const FinishedRows<double, uint16_t>& of) {
  type == DType::kFp16 ? FinishRowsAs<true>(of) : FinishRowsAs<false>(of);
}

#else

void FinishNarrow::Run(DType, const FinishedRows<double, uint16_t>&) {}

#endif

}  // namespace assay
