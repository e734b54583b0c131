// SPDX-License-Identifier: Apache-2.0
#include "native_sums.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {

#if defined(__x86_64__)

namespace {

// The forms of instructions with a mask, because GCC's others draw warnings.
constexpr __mmask8 kAll = 0xff;

// The sums of some neighbours.
struct Eight {
  __m256i odd;    // the bits of fp32, rounded as FinishNarrow says
  __mmask8 nans;  // which are NaN
};

[[gnu::target("avx512f,avx512bw,avx512vl,f16c"), gnu::always_inline]] inline Eight RoundToOdd(
    const double* sums, const double* bias, __mmask8 which) {
  const __m512d x =
      _mm512_add_pd(_mm512_maskz_loadu_pd(which, sums), _mm512_maskz_loadu_pd(which, bias));
  const __m256 down = _mm512_maskz_cvt_roundpd_ps(kAll, x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __mmask8 inexact = _mm512_cmp_pd_mask(_mm512_maskz_cvtps_pd(kAll, down), x, _CMP_NEQ_UQ);
  const __m256i bits = _mm256_castps_si256(down);
  return {_mm256_mask_or_epi32(bits, inexact, bits, _mm256_set1_epi32(1)),
          _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q)};
}

[[gnu::target("avx512f,avx512bw,avx512vl,f16c"), gnu::always_inline]] inline __m128i ToFp16(
    __m256i odd) {
  return _mm256_cvtps_ph(_mm256_castsi256_ps(odd), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// bf16 is the upper half of fp32.
[[gnu::target("avx512f,avx512bw,avx512vl,f16c"), gnu::always_inline]] inline __m128i ToBf16(
    __m256i odd) {
  const __m256i tie = _mm256_and_si256(_mm256_srli_epi32(odd, 16), _mm256_set1_epi32(1));
  const __m256i half = _mm256_add_epi32(tie, _mm256_set1_epi32(0x7fff));
  return _mm256_cvtepi32_epi16(_mm256_srli_epi32(_mm256_add_epi32(odd, half), 16));
}

template <bool kIsFp16>
[[gnu::target("avx512f,avx512bw,avx512vl,f16c")]] void FinishRowsAs(
    const FinishedRows<double, uint16_t>& of) {
  const __m128i nan = _mm_set1_epi16(kIsFp16 ? kNanCode<kFp16Format> : kNanCode<kBf16Format>);
  for (int64_t row = 0; row < of.rows; ++row) {
    for (int64_t i = 0; i < of.columns; i += 8) {
      const auto which = static_cast<__mmask8>((1u << std::min<int64_t>(of.columns - i, 8)) - 1);
      const Eight eight = RoundToOdd(of.sums + row * of.lanes + i, of.bias + i, which);
      const __m128i codes = kIsFp16 ? ToFp16(eight.odd) : ToBf16(eight.odd);
      _mm_mask_storeu_epi16(of.out[row] + i, which, _mm_mask_mov_epi16(codes, eight.nans, nan));
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
