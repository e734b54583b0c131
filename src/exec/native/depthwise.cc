// DEPTHWISE_CONV2D.
#include "convolution.h"
#include "native_sums.h"
#include "window_runs.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

using ops::Convolution;

// Computes the sums of all channels at one position, in registers. Image is a type that holds the
// elements of the image and is narrower than Work.
template <class Image, class Work>
struct SumChannels {
  std::span<const WindowRun> window;
  const Image* image;  // [pixels][channels]
  const Work* weight;  // [kernel positions][channels][multiplier]
  int64_t channels, multiplier;
  Work* sums;  // [channels][multiplier]

  [[gnu::always_inline]] void operator()() const {
    const int64_t count = channels * multiplier;
    int64_t first = 0;
    if (multiplier == 1) {
      for (; first + kMost <= count; first += kMost) Sum<kMost>(first);
      for (; first + kLeast <= count; first += kLeast) Sum<kLeast>(first);
    }
    for (int64_t i = first; i < count; ++i) {
      Work sum = 0;
      ForEachTap([&](int64_t kernel, int64_t pixel) __attribute__((always_inline)) {
        sum += static_cast<Work>(image[pixel * channels + i / multiplier]) *
               weight[kernel * count + i];
      });
      sums[i] = sum;
    }
  }

 private:
  static constexpr int64_t kLeast = 64 / sizeof(Work);
  static constexpr int64_t kMost = 4 * kLeast;
  using Register [[gnu::vector_size(64)]] = Work;
  using Loaded [[gnu::vector_size(kLeast * sizeof(Image))]] = Image;

  template <class F>
  [[gnu::always_inline]] void ForEachTap(F f) const {
    for (const WindowRun& run : window) {
      for (int64_t i = 0; i < run.count; ++i) f(run.kernel + i, run.pixel + i);
    }
  }

  template <int64_t kCount>
  [[gnu::always_inline]] void Sum(int64_t first) const {
    constexpr int64_t kRegisters = kCount / kLeast;
    Register acc[kRegisters];
    for (Register& sum : acc) sum = Register{};
    for (const WindowRun& run : window) {
      const Image* from = image + run.pixel * channels + first;
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
    Work* to = sums + first;
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
  static bool IsFor(int64_t multiplier) {
    return multiplier == 1 && BestDotInstructions() == DotInstructions::kAvx512;
  }

  [[gnu::target("avx512f,avx512vl")]] static void Run(const SumChannels<float, double>& of) {
    int64_t first = 0;
    for (; first + 32 <= of.channels; first += 32) Sum<4>(of, first, 0xff);
    for (; first + 8 <= of.channels; first += 8) Sum<1>(of, first, 0xff);
    const int64_t rest = of.channels - first;
    if (rest > 0) Sum<1>(of, first, static_cast<__mmask8>((1u << rest) - 1));
  }

 private:
  // Sums the channels from `first` on. Of the last eight, `which` are there.
  template <int64_t kRegisters>
  [[gnu::target("avx512f,avx512vl"), gnu::always_inline]] static void Sum(
      const SumChannels<float, double>& of, int64_t first, __mmask8 which) {
    __m512d sums[kRegisters];
    for (__m512d& sum : sums) sum = _mm512_setzero_pd();
    for (const WindowRun& run : of.window) {
      const float* x = of.image + run.pixel * of.channels + first;
      const double* w = of.weight + run.kernel * of.channels + first;
      for (int64_t i = 0; i < run.count; ++i, x += of.channels, w += of.channels) {
        for (int64_t k = 0; k < kRegisters; ++k) {
          const __m256 loaded = _mm256_maskz_loadu_ps(which, x + 8 * k);
          const __m512d wide = _mm512_maskz_cvtps_pd(which, loaded);
          sums[k] = _mm512_fmadd_pd(wide, _mm512_maskz_loadu_pd(which, w + 8 * k), sums[k]);
        }
      }
    }
    for (int64_t k = 0; k < kRegisters; ++k) {
      _mm512_mask_storeu_pd(of.sums + first + 8 * k, which, sums[k]);
    }
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
  }

  int64_t count() const { return windows_.rows(); }
  double Nanoseconds() const {
    constexpr double kNanosecondsOfProduct = 0.1;
    return kNanosecondsOfProduct *
           static_cast<double>(windows_.columns() * g_.OC * g_.KernelPositions());
  }

  // Computes rows of output positions.
  void Run(int64_t begin, int64_t end) const {
    std::vector<Work> sums(static_cast<size_t>(g_.OC));
    Out* out = call_.out<Out>() + begin * windows_.columns() * g_.OC;
    windows_.ForEach(begin, end, [&](std::span<const WindowRun> window, int64_t) {
      Sum({window, image_, weight_.get(), g_.groups, g_.OC / g_.groups, sums.data()});
      Finish(call_.signature.out(),
             FinishedRows<Work, Out>{sums.data(), 1, g_.OC, bias_.data(), g_.OC, &out});
      out += g_.OC;
    });
  }

 private:
  static void Sum(const SumChannels<Image, Work>& of) {
#if defined(__x86_64__)
    if constexpr (std::is_same_v<Work, double>) {
      if (SumRealChannels::IsFor(of.multiplier)) return SumRealChannels::Run(of);
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
  std::vector<Work> bias_;          // [OC]
};

struct DepthwiseFamily {
  template <class Arithmetic, class Out>
  static bool Run(const NativeCall& call) {
    const Convolution g(call.signature);
    if (!ConvolutionStaysInRange(call, g)) return false;
    const DepthwiseRows<Arithmetic, Out> rows(call, g);
    ForEachPart(rows.count(), rows.Nanoseconds(),
                [&](int64_t begin, int64_t end) { rows.Run(begin, end); });
    return true;
  }
};

}  // namespace

NativeKernel NativeDepthwise(const Signature& s) { return SumKernelOf<DepthwiseFamily>(s.out()); }

}  // namespace assay
