// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV2D.
#include <algorithm>
#include <array>

#include "convolution.h"
#include "depthwise_3x3.h"
#include "dot_tiles.h"
#include "native_sums.h"
#include "window_runs.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

using ops::Convolution;

// The positions that are summed together, so that each weight is loaded once for all of them.
constexpr int64_t kPositions = 4;

// Neighbouring positions whose windows have the same kernel positions.
struct Positions {
  std::vector<WindowRun> window;               // of the first position
  std::array<int64_t, kPositions> shift = {};  // from the pixels of the first position
  int64_t count = 0;

  // Adds a position. Returns false, and does nothing, if it is not like the others or if there are
  // enough.
  bool Add(std::span<const WindowRun> next) {
    if (count == 0) {
      window.assign(next.begin(), next.end());
    } else if (count == kPositions || !std::ranges::equal(window, next, SameKernel)) {
      return false;
    }
    const bool empty = window.empty();
    shift[static_cast<size_t>(count++)] = empty ? 0 : next[0].pixel - window[0].pixel;
    return true;
  }

  // Returns true if each position starts one pixel behind the one before it.
  bool AreNeighbours() const {
    for (int64_t i = 0; i < count; ++i) {
      if (shift[static_cast<size_t>(i)] != i) return false;
    }
    return true;
  }

 private:
  static bool SameKernel(const WindowRun& a, const WindowRun& b) {
    return a.kernel == b.kernel && a.count == b.count;
  }
};

// Computes the sums of all channels at some positions, in registers. Image is a type that holds the
// elements of the image and is narrower than Work.
template <class Image, class Work>
struct SumChannels {
  const Positions& at;
  const Image* image;  // [pixels][channels]
  const Work* weight;  // [kernel positions][channels][multiplier]
  int64_t channels, multiplier;
  Work* sums;  // [positions][channels][multiplier]

  [[gnu::always_inline]] void operator()() const {
    const int64_t count = channels * multiplier;
    for (int64_t position = 0; position < at.count; ++position) {
      const Image* const from = image + at.shift[static_cast<size_t>(position)] * channels;
      Work* const to = sums + position * count;
      int64_t first = 0;
      if (multiplier == 1) {
        for (; first + kMost <= count; first += kMost) Sum<kMost>(from, first, to);
        for (; first + kLeast <= count; first += kLeast) Sum<kLeast>(from, first, to);
      }
      for (int64_t i = first; i < count; ++i) {
        Work sum = 0;
        ForEachTap([&](int64_t kernel, int64_t pixel) __attribute__((always_inline)) {
          sum += static_cast<Work>(from[pixel * channels + i / multiplier]) *
                 weight[kernel * count + i];
        });
        to[i] = sum;
      }
    }
  }

 private:
  static constexpr int64_t kLeast = 64 / sizeof(Work);
  static constexpr int64_t kMost = 4 * kLeast;
  using Register [[gnu::vector_size(64)]] = Work;
  using Loaded [[gnu::vector_size(kLeast * sizeof(Image))]] = Image;

  template <class F>
  [[gnu::always_inline]] void ForEachTap(F f) const {
    for (const WindowRun& run : at.window) {
      for (int64_t i = 0; i < run.count; ++i) f(run.kernel + i, run.pixel + i);
    }
  }

  template <int64_t kCount>
  [[gnu::always_inline]] void Sum(const Image* pixels, int64_t first, Work* to) const {
    constexpr int64_t kRegisters = kCount / kLeast;
    Register acc[kRegisters];
    for (Register& sum : acc) sum = Register{};
    for (const WindowRun& run : at.window) {
      const Image* from = pixels + run.pixel * channels + first;
      const Work* factors = weight + run.kernel * channels + first;
      for (int64_t i = 0; i < run.count; ++i, from += channels, factors += channels) {
        for (int64_t k = 0; k < kRegisters; ++k) {
          Loaded x;
          Register w;
          std::memcpy(&x, from + k * kLeast, sizeof(x));
          std::memcpy(&w, factors + k * kLeast, sizeof(w));
          acc[k] += __builtin_convertvector(x, Register) * w;
        }
      }
    }
    to += first;
    for (const Register& sum : acc) {
      std::memcpy(to, &sum, sizeof(sum));
      to += kLeast;
    }
  }
};

#if defined(__x86_64__)

// Does what SumChannels does for reals, in registers of 64 bytes. (GCC would convert each half of
// such a register by itself.)
class SumRealChannels {
 public:
  static void Run(const SumChannels<float, double>& of) {
    WithCount<kPositions>(static_cast<size_t>(of.at.count),
                          [&]<size_t kCount>() { RunPositions<kCount>(of); });
  }

 private:
  template <int64_t kCount>
  [[gnu::target("avx512f,avx512vl")]] static void RunPositions(
      const SumChannels<float, double>& of) {
    constexpr int64_t kRegisters = kCount == 1 ? 4 : 2;
    int64_t first = 0;
    for (; first + 8 * kRegisters <= of.channels; first += 8 * kRegisters) {
      Sum<kCount, kRegisters>(of, first, 0xff);
    }
    for (; first + 8 <= of.channels; first += 8) Sum<kCount, 1>(of, first, 0xff);
    const int64_t rest = of.channels - first;
    if (rest > 0) Sum<kCount, 1>(of, first, static_cast<__mmask8>((1u << rest) - 1));
  }

  [[gnu::target("avx512f,avx512vl"), gnu::always_inline]] static __m512d Load(const float* x,
                                                                              __mmask8 which) {
    return _mm512_maskz_cvtps_pd(which, _mm256_maskz_loadu_ps(which, x));
  }

  // Adds three products side by side for positions side by side, which share pixels. So a pixel is
  // loaded and converted once.
  template <int64_t kCount, int64_t kRegisters>
  [[gnu::target("avx512f,avx512vl"), gnu::always_inline]] static void AddThree(
      const float* pixels, const double* w, int64_t channels, __mmask8 which,
      __m512d (&sums)[kCount][kRegisters]) {
    __m512d factors[3][kRegisters];
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t k = 0; k < kRegisters; ++k) {
        factors[i][k] = _mm512_maskz_loadu_pd(which, w + i * channels + 8 * k);
      }
    }
    for (int64_t pixel = 0; pixel < kCount + 2; ++pixel) {
      for (int64_t k = 0; k < kRegisters; ++k) {
        const __m512d x = Load(pixels + pixel * channels + 8 * k, which);
        for (int64_t i = 0; i < 3; ++i) {
          const int64_t p = pixel - i;  // the position whose product i it is
          if (p < 0 || p >= kCount) continue;
          sums[p][k] = _mm512_fmadd_pd(x, factors[i][k], sums[p][k]);
        }
      }
    }
  }

  // Sums the channels from `first` on. Of the last eight, `which` are there.
  template <int64_t kCount, int64_t kRegisters>
  [[gnu::target("avx512f,avx512vl"), gnu::always_inline]] static void Sum(
      const SumChannels<float, double>& of, int64_t first, __mmask8 which) {
    const auto& shift = of.at.shift;
    __m512d sums[kCount][kRegisters];
    for (auto& row : sums) {
      for (__m512d& sum : row) sum = _mm512_setzero_pd();
    }
    const bool neighbours = kCount > 1 && of.at.AreNeighbours();
    for (const WindowRun& run : of.at.window) {
      const float* const pixels = of.image + run.pixel * of.channels + first;
      const double* const w = of.weight + run.kernel * of.channels + first;
      if (neighbours && run.count == 3) {
        AddThree(pixels, w, of.channels, which, sums);
        continue;
      }
      const int64_t end = run.count * of.channels;
      for (int64_t i = 0; i < end; i += of.channels) {
        for (int64_t k = 0; k < kRegisters; ++k) {
          const __m512d factor = _mm512_maskz_loadu_pd(which, w + i + 8 * k);
          for (int64_t p = 0; p < kCount; ++p) {
            const __m512d x =
                Load(pixels + shift[static_cast<size_t>(p)] * of.channels + i + 8 * k, which);
            sums[p][k] = _mm512_fmadd_pd(x, factor, sums[p][k]);
          }
        }
      }
    }
    for (int64_t p = 0; p < kCount; ++p) {
      double* const to = of.sums + p * of.channels + first;
      for (int64_t k = 0; k < kRegisters; ++k) {
        _mm512_mask_storeu_pd(to + 8 * k, which, sums[p][k]);
      }
    }
  }
};

// Does what SumChannels does for integers, with two products in each instruction. The elements of
// two pixels are interleaved while they are loaded, 32 channels at a time.
class SumIntegerChannels {
 public:
  static constexpr int64_t kChannels = 32;

  // Returns the pairs of weights of each two neighbouring kernel positions, in the order in which
  // _mm512_unpacklo_epi16 and _mm512_unpackhi_epi16 give the pairs of elements:
  // [kernel positions][blocks of channels][low, high][16][2].
  static std::vector<int16_t> Pairs(const int32_t* weight, int64_t positions, int64_t channels) {
    const int64_t blocks = (channels + kChannels - 1) / kChannels;
    std::vector<int16_t> pairs(static_cast<size_t>(positions * blocks * 2 * kChannels));
    for (int64_t kernel = 0; kernel < positions; ++kernel) {
      for (int64_t channel = 0; channel < channels; ++channel) {
        // Both instructions take four of the eight channels of each 16 bytes.
        const int64_t eight = channel % kChannels / 8, high = channel % 8 / 4;
        const int64_t block = kernel * blocks + channel / kChannels;
        int16_t* const to =
            pairs.data() + 2 * (block * kChannels + high * 16 + eight * 4 + channel % 4);
        for (int64_t i = 0; i < 2 && kernel + i < positions; ++i) {
          to[i] = static_cast<int16_t>(weight[(kernel + i) * channels + channel]);
        }
      }
    }
    return pairs;
  }

  [[gnu::target("avx512f,avx512bw,avx512vnni")]] static void Run(
      const SumChannels<int16_t, int32_t>& of, const int16_t* pairs) {
    for (int64_t first = 0; first < of.channels; first += kChannels) {
      const int64_t rest = of.channels - first;
      const auto which = static_cast<__mmask32>(rest < kChannels ? (1u << rest) - 1 : ~0u);
      if (of.at.count == kPositions) {
        Sum<kPositions>(of, pairs, 0, first, which);
      } else {
        for (int64_t i = 0; i < of.at.count; ++i) Sum<1>(of, pairs, i, first, which);
      }
    }
  }

 private:
  using Sums [[gnu::vector_size(64)]] = int32_t;

  [[gnu::target("avx512f,avx512bw,avx512vnni"), gnu::always_inline]] static void AddPairs(
      __m512i x, __m512i factors, Sums& sums) {
    sums = reinterpret_cast<Sums>(_mm512_dpwssd_epi32(reinterpret_cast<__m512i>(sums), x, factors));
  }

  // Does what SumRealChannels::AddThree() does. Each two pixels side by side are interleaved once:
  // their products 0 and 1 belong to one position, and product 2 of the second to the one before.
  template <int64_t kCount>
  [[gnu::target("avx512f,avx512bw,avx512vnni"), gnu::always_inline]] static void AddThree(
      const int16_t* pixels, const int16_t* w, int64_t pitch, int64_t channels, __mmask32 which,
      Sums (&low)[kCount], Sums (&high)[kCount]) {
    constexpr __mmask32 kSeconds = 0xaaaaaaaa;
    const __m512i low_factors = _mm512_loadu_si512(w);
    const __m512i high_factors = _mm512_loadu_si512(w + kChannels);
    const __m512i low_third = _mm512_maskz_loadu_epi16(kSeconds, w + pitch);
    const __m512i high_third = _mm512_maskz_loadu_epi16(kSeconds, w + pitch + kChannels);
    __m512i x = _mm512_maskz_loadu_epi16(which, pixels);
    for (int64_t p = 0; p <= kCount; ++p) {
      const __m512i next = _mm512_maskz_loadu_epi16(which, pixels + (p + 1) * channels);
      const __m512i low_pairs = _mm512_unpacklo_epi16(x, next);
      const __m512i high_pairs = _mm512_unpackhi_epi16(x, next);
      if (p < kCount) {
        AddPairs(low_pairs, low_factors, low[p]);
        AddPairs(high_pairs, high_factors, high[p]);
      }
      if (p > 0) {
        AddPairs(low_pairs, low_third, low[p - 1]);
        AddPairs(high_pairs, high_third, high[p - 1]);
      }
      x = next;
    }
  }

  // Sums 32 channels at kCount positions from one on. `which` of the channels are there.
  template <int64_t kCount>
  [[gnu::target("avx512f,avx512bw,avx512vnni"), gnu::always_inline]] static void Sum(
      const SumChannels<int16_t, int32_t>& of, const int16_t* pairs, int64_t position,
      int64_t first, __mmask32 which) {
    const int64_t* const shift = of.at.shift.data() + position;
    const int64_t pitch = (of.channels + kChannels - 1) / kChannels * 2 * kChannels;
    Sums low[kCount], high[kCount];
    for (int64_t p = 0; p < kCount; ++p) low[p] = high[p] = Sums{};
    const bool neighbours = kCount > 1 && of.at.AreNeighbours();
    for (const WindowRun& run : of.at.window) {
      const int16_t* w = pairs + run.kernel * pitch + 2 * first;
      if (neighbours && run.count == 3) {
        AddThree(of.image + run.pixel * of.channels + first, w, pitch, of.channels, which, low,
                 high);
        continue;
      }
      const int16_t* x[kCount];
      for (int64_t p = 0; p < kCount; ++p) {
        x[p] = of.image + (run.pixel + shift[p]) * of.channels + first;
      }
      // A last pixel alone is paired with zero.
      const int64_t last = run.count * of.channels;
      for (int64_t i = 0; i < last; i += 2 * of.channels, w += 2 * pitch) {
        const int64_t next = i + of.channels;
        const __mmask32 second = next < last ? which : 0;
        const __m512i low_factors = _mm512_loadu_si512(w);
        const __m512i high_factors = _mm512_loadu_si512(w + kChannels);
        for (int64_t p = 0; p < kCount; ++p) {
          const __m512i x0 = _mm512_maskz_loadu_epi16(which, x[p] + i);
          const __m512i x1 = _mm512_maskz_loadu_epi16(second, x[p] + next);
          AddPairs(_mm512_unpacklo_epi16(x0, x1), low_factors, low[p]);
          AddPairs(_mm512_unpackhi_epi16(x0, x1), high_factors, high[p]);
        }
      }
    }
    for (int64_t p = 0; p < kCount; ++p) {
      Store(low[p], high[p], which, of.sums + (position + p) * of.channels + first);
    }
  }

  // Stores sums in the order of the channels.
  [[gnu::target("avx512f,avx512bw,avx512vnni"), gnu::always_inline]] static void Store(
      Sums low, Sums high, __mmask32 which, int32_t* to) {
    const __m512i index = _mm512_set_epi32(23, 22, 21, 20, 7, 6, 5, 4, 19, 18, 17, 16, 3, 2, 1, 0);
    const __m512i eight = _mm512_set1_epi32(8);
    const auto a = reinterpret_cast<__m512i>(low), b = reinterpret_cast<__m512i>(high);
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(which),
                             _mm512_permutex2var_epi32(a, index, b));
    _mm512_mask_storeu_epi32(
        to + 16, static_cast<__mmask16>(which >> 16),
        _mm512_permutex2var_epi32(a, _mm512_maskz_add_epi32(0xffff, index, eight), b));
  }
};

#endif

template <class Arithmetic, class Out>
class DepthwiseRows {
 public:
  using Work = typename Arithmetic::Sum;
  using Image = std::conditional_t<std::is_same_v<Work, double>, float, int16_t>;

  DepthwiseRows(const NativeCall& call, const Convolution& g)
      : call_(call), g_(g), windows_(g, call.out_shape()) {
    const OperandReader input(call, 0, 3), weight(call, 1, 4), bias(call, 2, 2);
    if (call.signature.in(0) == DType::kFp32) {
      image_ = call.raw<Image>(0);
    } else {
      room_ = input.ReadAll<Image>(input.count() / g.groups, g.groups);
      image_ = room_.get();
    }
    weight_ = weight.ReadAll<Work>(g.KernelPositions(), g.OC);
    bias_.resize(static_cast<size_t>(g.OC));
    bias.Read(ElementRows{0, 0, 1, bias.count()}, bias_.data(), 0);
    if (bias.count() == 1) std::fill(bias_.begin(), bias_.end(), bias_[0]);
#if defined(__x86_64__)
    if constexpr (std::is_same_v<Work, int32_t>) {
      if (InAvx512()) pairs_ = SumIntegerChannels::Pairs(weight_.get(), g.KernelPositions(), g.OC);
    }
#endif
  }

  int64_t count() const { return windows_.rows(); }
  double Nanoseconds() const {
    constexpr double kNanosecondsOfProduct = 0.1;
    return kNanosecondsOfProduct *
           static_cast<double>(windows_.columns() * g_.OC * g_.KernelPositions());
  }

  // Computes rows of output positions.
  void Run(int64_t begin, int64_t end) const {
    std::vector<Work> sums(static_cast<size_t>(kPositions * g_.OC));
    Out* out = call_.out<Out>() + begin * windows_.columns() * g_.OC;
    Positions positions;
    const auto sum_and_finish = [&] {
      Sum({positions, image_, weight_.get(), g_.groups, g_.OC / g_.groups, sums.data()});
      std::array<Out*, kPositions> to;
      for (int64_t i = 0; i < positions.count; ++i, out += g_.OC) to[static_cast<size_t>(i)] = out;
      Finish(call_.signature.out(), FinishedRows<Work, Out>{sums.data(), positions.count, g_.OC,
                                                            bias_.data(), g_.OC, to.data()});
      positions.count = 0;
    };
    windows_.ForEach(begin, end, [&](std::span<const WindowRun> window, int64_t) {
      if (positions.Add(window)) return;
      sum_and_finish();
      positions.Add(window);
    });
    if (positions.count > 0) sum_and_finish();
  }

 private:
  bool InAvx512() const {
    return g_.OC == g_.groups && BestDotInstructions() == DotInstructions::kAvx512;
  }

  void Sum(const SumChannels<Image, Work>& of) const {
#if defined(__x86_64__)
    if constexpr (std::is_same_v<Work, double>) {
      if (InAvx512()) return SumRealChannels::Run(of);
    } else if (!pairs_.empty()) {
      return SumIntegerChannels::Run(of, pairs_.data());
    }
#endif
    RunAnyWidth(of);
  }

  const NativeCall& call_;
  const Convolution& g_;
  const WindowRuns windows_;
  std::unique_ptr<Image[]> room_;
  const Image* image_;              // [pixels][channels]
  std::unique_ptr<Work[]> weight_;  // [kernel positions][OC]
  std::vector<int16_t> pairs_;      // of the weights, for SumIntegerChannels, or empty
  std::vector<Work> bias_;          // [OC]
};

struct DepthwiseFamily {
  template <class Arithmetic, class Out>
  static bool Run(const NativeCall& call) {
    const Convolution g(call.signature);
    if (!ConvolutionStaysInRange(call, g)) return false;
    if (Depthwise3x3::IsFor(call, g)) {
      const Depthwise3x3 rows(call, g);
      constexpr double kNanosecondsOfProduct = 0.02;
      ForEachPart(rows.rows(),
                  kNanosecondsOfProduct * static_cast<double>(9 * g.OC * call.out_shape()[2]),
                  [&](int64_t begin, int64_t end) { rows.Run(begin, end); });
      return true;
    }
    const DepthwiseRows<Arithmetic, Out> rows(call, g);
    ForEachPart(rows.count(), rows.Nanoseconds(),
                [&](int64_t begin, int64_t end) { rows.Run(begin, end); });
    return true;
  }
};

}  // namespace

NativeKernel NativeDepthwise(const Signature& s) { return SumKernelOf<DepthwiseFamily>(s.out()); }

}  // namespace assay
