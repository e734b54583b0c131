// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstdint>
#include <limits>

#include "float_codec.h"
#include "types.h"

namespace assay {

// Rounds eight numbers in double to elements of a tensor, with instructions of
// DotInstructions::kAvx512. The forms of instructions with a mask are used because GCC's others
// draw warnings.
class EightFloats {
 public:
  // Rounds to fp32 toward zero, and sets the last bit if that is inexact. So a second rounding
  // gives what one rounding would.
  [[gnu::target("avx512f,avx512bw,avx512vl,f16c"),
    gnu::always_inline]] explicit EightFloats(__m512d x)
      : nans_(_mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q)) {
    const __m256 down =
        _mm512_maskz_cvt_roundpd_ps(kAll, x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __mmask8 inexact = _mm512_cmp_pd_mask(_mm512_maskz_cvtps_pd(kAll, down), x, _CMP_NEQ_UQ);
    const __m256i bits = _mm256_castps_si256(down);
    odd_ = _mm256_mask_or_epi32(bits, inexact, bits, _mm256_set1_epi32(1));
  }

  // Store `which` of the elements. (Instructions that store some words take long.)
  [[gnu::target("avx512f,avx512bw,avx512vl,f16c"), gnu::always_inline]] void StoreFp16(
      __mmask8 which, uint16_t* to) const {
    const __m128i codes =
        _mm256_cvtps_ph(_mm256_castsi256_ps(odd_), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    Store(codes, kNanCode<kFp16Format>, which, to);
  }
  // (bf16 is the upper half of fp32.)
  [[gnu::target("avx512f,avx512bw,avx512vl,f16c"), gnu::always_inline]] void StoreBf16(
      __mmask8 which, uint16_t* to) const {
    const __m256i tie = _mm256_and_si256(_mm256_srli_epi32(odd_, 16), _mm256_set1_epi32(1));
    const __m256i half = _mm256_add_epi32(tie, _mm256_set1_epi32(0x7fff));
    const __m256i sum = _mm256_add_epi32(odd_, half);
    const __m256i upper = _mm256_set_epi16(15, 13, 11, 9, 7, 5, 3, 1, 15, 13, 11, 9, 7, 5, 3, 1);
    Store(_mm256_castsi256_si128(_mm256_maskz_permutexvar_epi16(0xffff, upper, sum)),
          kNanCode<kBf16Format>, which, to);
  }

 private:
  static constexpr __mmask8 kAll = 0xff;

  [[gnu::target("avx512f,avx512bw,avx512vl,f16c"), gnu::always_inline]] void Store(
      __m128i codes, uint16_t nan, __mmask8 which, uint16_t* to) const {
    const __m128i nans = _mm_set1_epi16(static_cast<int16_t>(nan));
    const __m128i all = _mm_mask_mov_epi16(codes, nans_, nans);
    if (which == kAll) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), all);
    } else {
      _mm_mask_storeu_epi16(to, which, all);
    }
  }

  __m256i odd_;
  __mmask8 nans_;
};

// Returns bf16 as fp32, of which it is the upper half.
[[gnu::target("avx512f,avx512bw,avx512vl,f16c"), gnu::always_inline]] inline __m256 WidenBf16(
    __m128i x) {
  const __m256i to_upper = _mm256_set_epi16(7, 0, 6, 0, 5, 0, 4, 0, 3, 0, 2, 0, 1, 0, 0, 0);
  return _mm256_castsi256_ps(
      _mm256_maskz_permutexvar_epi16(0xaaaa, to_upper, _mm256_castsi128_si256(x)));
}

// Loads eight elements of fp16, bf16 or fp32, or `which` of them, as double.
template <DType kType>
[[gnu::target("avx512f,avx512bw,avx512vl,f16c"), gnu::always_inline]] inline __m512d LoadEight(
    const uint8_t* from) {
  constexpr __mmask8 kAll = 0xff;
  if constexpr (kType == DType::kFp32) {
    return _mm512_maskz_cvtps_pd(kAll, _mm256_loadu_ps(reinterpret_cast<const float*>(from)));
  } else {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const __m256 wide = kType == DType::kFp16 ? _mm256_cvtph_ps(bits) : WidenBf16(bits);
    return _mm512_maskz_cvtps_pd(kAll, wide);
  }
}
template <DType kType>
[[gnu::target("avx512f,avx512bw,avx512vl,f16c"), gnu::always_inline]] inline __m512d LoadEight(
    const uint8_t* from, __mmask8 which) {
  constexpr __mmask8 kAll = 0xff;
  if (which == kAll) return LoadEight<kType>(from);
  if constexpr (kType == DType::kFp32) {
    return _mm512_maskz_cvtps_pd(kAll, _mm256_maskz_loadu_ps(which, from));
  } else if constexpr (kType == DType::kFp16) {
    return _mm512_maskz_cvtps_pd(kAll, _mm256_cvtph_ps(_mm_maskz_loadu_epi16(which, from)));
  } else {
    return _mm512_maskz_cvtps_pd(kAll, WidenBf16(_mm_maskz_loadu_epi16(which, from)));
  }
}

// Rounds to fp16, bf16 or fp32 and stores `which` of the elements, with NaNs canonical.
template <DType kType>
[[gnu::target("avx512f,avx512bw,avx512vl,f16c"), gnu::always_inline]] inline void StoreEight(
    __m512d x, __mmask8 which, uint8_t* to) {
  if constexpr (kType == DType::kFp32) {
    constexpr __mmask8 kAll = 0xff;
    const __mmask8 nans = _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q);
    const __m256 nan = _mm256_set1_ps(std::numeric_limits<float>::quiet_NaN());
    _mm256_mask_storeu_ps(to, which, _mm256_mask_mov_ps(_mm512_maskz_cvtpd_ps(kAll, x), nans, nan));
  } else if constexpr (kType == DType::kFp16) {
    EightFloats(x).StoreFp16(which, reinterpret_cast<uint16_t*>(to));
  } else {
    EightFloats(x).StoreBf16(which, reinterpret_cast<uint16_t*>(to));
  }
}

}  // namespace assay

#endif
