// SPDX-License-Identifier: Apache-2.0
#include "depthwise_3x3.h"

#include <algorithm>
#include <cmath>

#include "narrow_floats.h"
#include "native_sums.h"
#include "time_limit.h"

namespace assay {

using ops::Convolution;

#if defined(__x86_64__)

namespace {

// Three lines of an image, and the row of output positions that they make.
struct Lines {
  const uint8_t* line[3];
  int64_t width, channels;  // of the image
  int64_t before;           // columns of padding
  int64_t positions;

  // Returns true if column `i` of the padded image is in the image.
  bool Has(int64_t i) const { return i >= before && i - before < width; }
};

// Sums eight channels, of which `some` are there, or with kAll all of them. Rounds the sums after
// all of them are known: the processor overlaps short chains of instructions better.
template <DType kType, bool kAll>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c")]] void SumEight(
    const Lines& of, const double* weight, const double* bias, int64_t first, __mmask8 some,
    double* sums, uint8_t* to) {
  constexpr int64_t kBytes = ElementBytes(kType);
  const Lines lines = of;
  const __mmask8 which = kAll ? 0xff : some;
  __m512d w[3][3], x[3][3];
  for (int64_t y = 0; y < 3; ++y) {
    for (int64_t i = 0; i < 3; ++i) {
      w[y][i] = _mm512_maskz_loadu_pd(which, weight + (3 * y + i) * lines.channels + first);
      x[y][i] = _mm512_setzero_pd();
    }
  }
  // Column i of the padded image comes to the other two. Then there are three, but at the start.
  for (int64_t i = 0; i < lines.positions + 2; ++i) {
    const int64_t at = ((i - lines.before) * lines.channels + first) * kBytes;
    __m512d sum = _mm512_setzero_pd();
    const bool inside = lines.Has(i);
    for (int64_t y = 0; y < 3; ++y) {
      x[y][2] = inside ? LoadEight<kType>(lines.line[y] + at, which) : _mm512_setzero_pd();
      for (int64_t k = 0; k < 3; ++k) sum = _mm512_fmadd_pd(x[y][k], w[y][k], sum);
      x[y][0] = x[y][1];
      x[y][1] = x[y][2];
    }
    if (i >= 2) _mm512_storeu_pd(sums + 8 * (i - 2), sum);
  }
  const __m512d bias_of = _mm512_maskz_loadu_pd(which, bias + first);
  to += first * kBytes;
  for (int64_t i = 0; i < lines.positions; ++i, to += lines.channels * kBytes) {
    StoreEight<kType>(_mm512_add_pd(_mm512_loadu_pd(sums + 8 * i), bias_of), which, to);
  }
}

template <DType kType>
void SumReals(const Lines& lines, const double* weight, const double* bias, uint8_t* out) {
  std::vector<double> sums(static_cast<size_t>(8 * lines.positions));
  int64_t first = 0;
  for (; first + 8 <= lines.channels; first += 8) {
    SumEight<kType, true>(lines, weight, bias, first, 0, sums.data(), out);
  }
  if (first == lines.channels) return;
  const auto which = static_cast<__mmask8>((1u << (lines.channels - first)) - 1);
  SumEight<kType, false>(lines, weight, bias, first, which, sums.data(), out);
}

// (GCC keeps arrays of __m512i, which may alias anything, in memory.)
using Words [[gnu::vector_size(64)]] = int16_t;
using Sums [[gnu::vector_size(64)]] = int32_t;

constexpr __mmask32 kAll32 = 0xffffffff;

// Pairs of 32 elements of two registers: those of the first four of each eight channels, and those
// of the last four.
struct Pairs {
  Words low, high;
};
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline Pairs
PairsOf(__m512i a, __m512i b) {
  return {reinterpret_cast<Words>(_mm512_maskz_unpacklo_epi16(kAll32, a, b)),
          reinterpret_cast<Words>(_mm512_maskz_unpackhi_epi16(kAll32, a, b))};
}
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline Sums Add(
    Sums sums, Words x, Words w) {
  return reinterpret_cast<Sums>(_mm512_dpwssd_epi32(
      reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(w)));
}

// Stores sums in the order of the channels, with the bias added.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c"), gnu::always_inline]] inline void Store(
    Sums low, Sums high, const int32_t* bias, __mmask32 which, int32_t* to) {
  const __m512i first = _mm512_set_epi32(23, 22, 21, 20, 7, 6, 5, 4, 19, 18, 17, 16, 3, 2, 1, 0);
  const __m512i last =
      _mm512_set_epi32(31, 30, 29, 28, 15, 14, 13, 12, 27, 26, 25, 24, 11, 10, 9, 8);
  const auto a = reinterpret_cast<__m512i>(low), b = reinterpret_cast<__m512i>(high);
  const auto rest = static_cast<__mmask16>(which >> 16), some = static_cast<__mmask16>(which);
  _mm512_mask_storeu_epi32(to, some,
                           _mm512_add_epi32(_mm512_permutex2var_epi32(a, first, b),
                                            _mm512_maskz_loadu_epi32(some, bias)));
  _mm512_mask_storeu_epi32(to + 16, rest,
                           _mm512_add_epi32(_mm512_permutex2var_epi32(a, last, b),
                                            _mm512_maskz_loadu_epi32(rest, bias + 16)));
}

// Sums the elements as they are: the bias makes up for their zero point, which is also the padding.
// Two pixels side by side are paired once. Their pair has products 0 and 1 of one position, and
// product 2 of the position before.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni,f16c")]] void SumIntegers(const Lines& lines,
                                                                              int16_t zero_point,
                                                                              const int16_t* weight,
                                                                              const int32_t* bias,
                                                                              int32_t* out) {
  const int64_t channels = lines.channels;
  const __m512i zero = _mm512_set1_epi16(zero_point);
  for (int64_t first = 0; first < channels; first += 32) {
    const int64_t count = channels - first;
    const auto which = static_cast<__mmask32>(count < 32 ? (1u << count) - 1 : ~0u);
    Pairs two[3], third[3];
    for (int64_t y = 0; y < 3; ++y) {
      const int16_t* const w = weight + 3 * y * channels + first;
      two[y] = PairsOf(_mm512_maskz_loadu_epi16(which, w),
                       _mm512_maskz_loadu_epi16(which, w + channels));
      third[y] = PairsOf(_mm512_setzero_si512(), _mm512_maskz_loadu_epi16(which, w + 2 * channels));
    }
    Words x[3] = {};
    Sums low = {}, high = {};  // of the position before
    int32_t* to = out + first;
    // The pair of columns i - 1 and i of the padded image.
    for (int64_t i = 0; i < lines.positions + 2; ++i) {
      const bool inside = lines.Has(i);
      const int64_t at = (i - lines.before) * channels + first;
      Sums next_low = {}, next_high = {};
      for (int64_t y = 0; y < 3; ++y) {
        const __m512i next = inside
                                 ? _mm512_maskz_cvtepi8_epi16(
                                       kAll32, _mm256_maskz_loadu_epi8(which, lines.line[y] + at))
                                 : zero;
        const Pairs pairs = PairsOf(reinterpret_cast<__m512i>(x[y]), next);
        x[y] = reinterpret_cast<Words>(next);
        low = Add(low, pairs.low, third[y].low);
        high = Add(high, pairs.high, third[y].high);
        next_low = Add(next_low, pairs.low, two[y].low);
        next_high = Add(next_high, pairs.high, two[y].high);
      }
      if (i >= 2) {
        Store(low, high, bias + first, which, to);
        to += channels;
      }
      low = next_low;
      high = next_high;
    }
  }
}

template <const FloatFormat& format>
bool AllFinite(const NativeCall& call) {
  const auto* const bits = call.raw<FloatBits<format>>(1);
  return std::all_of(bits, bits + call.signature.shape(1).Elements(),
                     [](auto x) { return std::isfinite(Widened<format>(x)); });
}

}  // namespace

bool Depthwise3x3::IsFor(const NativeCall& call, const Convolution& g) {
  const Signature& s = call.signature;
  const DType in = s.in(0), weight = s.in(1);
  if (BestDotInstructions() != DotInstructions::kAvx512 || g.OC != g.groups) return false;
  for (const ops::ConvolutionAxis& axis : g.spatial()) {
    if (axis.K != 3 || axis.stride != 1 || axis.dilation != 1) return false;
  }
  switch (s.out()) {
    case DType::kInt32:
      return in == DType::kInt8;
    case DType::kFp32:
      return in == s.out() && weight == in && AllFinite<kFp32Format>(call);
    case DType::kFp16:
      return in == s.out() && weight == in && AllFinite<kFp16Format>(call);
    case DType::kBf16:
      return in == s.out() && weight == in && AllFinite<kBf16Format>(call);
    default:
      return false;
  }
}

Depthwise3x3::Depthwise3x3(const NativeCall& call, const Convolution& g)
    : call_(call), g_(g), out_height_(call.out_shape()[1]), out_width_(call.out_shape()[2]) {
  const OperandReader image(call, 0, 3), weight(call, 1, 4), bias(call, 2, 2);
  const auto read = [&](const OperandReader& from, auto& to, int64_t count) {
    to.resize(static_cast<size_t>(count));
    from.Read(ElementRows{0, 0, 1, from.count()}, to.data(), 0);
    if (from.count() == 1) std::fill(to.begin(), to.end(), to[0]);
  };
  const bool real = IsFloat(image.type());
  real ? read(weight, reals_, 9 * g.OC) : read(weight, integers_, 9 * g.OC);
  real ? read(bias, real_bias_, g.OC) : read(bias, bias_, g.OC);
  // The sums may leave int32 on the way, but not in the end.
  for (size_t i = 0; i < integers_.size(); ++i) {
    int32_t& sum = bias_[i % bias_.size()];
    const int64_t product = image.zero_point() * integers_[i];
    sum = static_cast<int32_t>(static_cast<uint32_t>(sum) - static_cast<uint32_t>(product));
  }
  // An integer that is the zero point stands for zero. A float has no zero point here.
  padding_.assign(static_cast<size_t>(g.axes[2].I * g.OC * ElementBytes(image.type())),
                  static_cast<uint8_t>(image.zero_point()));
}

int64_t Depthwise3x3::rows() const { return g_.N * out_height_; }

void Depthwise3x3::Run(int64_t begin, int64_t end) const {
  const auto& [depth, height, width] = g_.axes;
  const OperandReader image(call_, 0, 3);
  const int64_t line_bytes = std::ssize(padding_);
  const int64_t row_elements = out_width_ * g_.OC;
  for (int64_t row = begin; row < end; ++row) {
    Spend(9 * row_elements);
    Lines lines = {{}, width.I, g_.OC, width.pad_before, out_width_};
    for (int64_t y = 0; y < 3; ++y) {
      const int64_t line = row % out_height_ + y - height.pad_before;
      const bool inside = line >= 0 && line < height.I;
      lines.line[y] = inside ? image.bytes() + (row / out_height_ * height.I + line) * line_bytes
                             : padding_.data();
    }
    uint8_t* const out = call_.output + row * row_elements * ElementBytes(call_.signature.out());
    switch (call_.signature.out()) {
      case DType::kInt32:
        SumIntegers(lines, static_cast<int16_t>(image.zero_point()), integers_.data(), bias_.data(),
                    reinterpret_cast<int32_t*>(out));
        break;
      case DType::kFp32:
        SumReals<DType::kFp32>(lines, reals_.data(), real_bias_.data(), out);
        break;
      case DType::kFp16:
        SumReals<DType::kFp16>(lines, reals_.data(), real_bias_.data(), out);
        break;
      default:
        SumReals<DType::kBf16>(lines, reals_.data(), real_bias_.data(), out);
        break;
    }
  }
}

#else

bool Depthwise3x3::IsFor(const NativeCall&, const Convolution&) { return false; }
Depthwise3x3::Depthwise3x3(const NativeCall& call, const Convolution& g)
    : call_(call), g_(g), out_height_(0), out_width_(0) {}
int64_t Depthwise3x3::rows() const { return 0; }
void Depthwise3x3::Run(int64_t, int64_t) const {}

#endif

}  // namespace assay
