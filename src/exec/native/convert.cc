// SPDX-License-Identifier: Apache-2.0
// CAST of all but fp8, and RESCALE.
#include <atomic>

#include "native_elements.h"
#include "parallel.h"
#include "rescale.h"

namespace assay {
namespace {

// Returns the nearest integer, ties to even, of a float that is no NaN. A value that does not fit
// is clipped.
template <class To>
[[gnu::always_inline]] inline To NearestInteger(double x) {
  constexpr double kLow = std::numeric_limits<To>::min(), kHigh = std::numeric_limits<To>::max();
  const double above = x >= kLow ? x : kLow;
  const double inside = above <= kHigh ? above : kHigh;
  // Neighbouring fp64 numbers of this size differ by 1, so that the addition rounds to an integer.
  constexpr double kRoundToInteger = 0x1.8p52;
  return static_cast<To>((inside + kRoundToInteger) - kRoundToInteger);
}

// Converts one element. To = uint8_t means bool. Sets a bit of `bad` if a NaN would become an
// integer.
template <class From, class To>
[[gnu::always_inline]] inline To Converted(From x, uint32_t& bad) {
  if constexpr (std::is_same_v<To, uint8_t>) {
    return Loaded<double>(x) != 0;
  } else if constexpr (kIsReal<To>) {
    return Stored<To>(Loaded<double>(x));
  } else if constexpr (kIsReal<From>) {
    bad |= static_cast<uint32_t>(Real(x) != Real(x));
    return NearestInteger<To>(Real(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
struct ConvertAll {
  const From* x;
  To* out;
  int64_t count;
  uint32_t* bad;

  [[gnu::always_inline]] void operator()() const {
    const From* const from = x;
    To* const to = out;
    uint32_t any = 0;
    for (int64_t i = 0, size = count; i < size; ++i) to[i] = Converted<From, To>(from[i], any);
    *bad = any;
  }
};

template <class From, class To>
bool Cast(const NativeCall& call) {
  const From* const x = call.raw<From>(0);
  To* const out = call.out<To>();
  std::atomic<uint32_t> bad = 0;
  ForEachPart(call.out_shape().Elements(), kNanosecondsOfElement, [&](int64_t begin, int64_t end) {
    uint32_t part = 0;
    RunWide(ConvertAll<From, To>{x + begin, out + begin, end - begin, &part});
    if (part != 0) bad = part;
  });
  return bad == 0;
}

template <class From>
struct CastsFrom {
  template <class To>
  static NativeKernel Of() {
    return Cast<From, To>;
  }
};

struct Casts {
  DType to;
  template <class From>
  NativeKernel Of() const {
    return ElementKernel(to, CastsFrom<From>());
  }
};

// Computes RESCALE of one element with one scale. Sets `bad` if a REQUIRE is broken.
class Rescaler {
 public:
  explicit Rescaler(const ops::Rescaling& r)
      : scale32_(r.scale32),
        double_round_(r.rounding == RoundingMode::kDoubleRound),
        mask_(r.input_unsigned ? (int64_t{1} << IntegerBits(r.signature.in(0))) - 1 : -1),
        input_zp_(r.input_zp),
        output_zp_(r.output_zp),
        low_(r.low()),
        high_(r.high()) {}

  int64_t operator()(int64_t x, const ops::Scale& scale, bool& bad) const {
    const int64_t value = (x & mask_) - input_zp_;
    const int64_t half = int64_t{1} << (scale.shift - 1);
    int64_t round = half;
    if (scale32_) {
      bad |= value < -half || value >= half;
      if (double_round_ && scale.shift > 31) round += value >= 0 ? 1 << 30 : -(1 << 30);
    }
    // The sum wraps, like in the template.
    const uint64_t sum = static_cast<uint64_t>(value) * static_cast<uint64_t>(scale.multiplier) +
                         static_cast<uint64_t>(round);
    const int64_t scaled = static_cast<int64_t>(sum) >> scale.shift;
    if (!scale32_) bad |= !IsInt32(scaled);
    const int64_t result = scaled + output_zp_;
    bad |= !IsInt32(result);
    return std::clamp(result, low_, high_);
  }

 private:
  static bool IsInt32(int64_t x) { return x == static_cast<int32_t>(x); }

  bool scale32_, double_round_;
  int64_t mask_, input_zp_, output_zp_, low_, high_;
};

constexpr double kNanosecondsOfRescale = 2;

template <class In, class Out>
bool Rescale(const NativeCall& call) {
  const ops::Rescaling rescaling(call.signature);
  const Rescaler rescale(rescaling);
  std::vector<ops::Scale> scales;
  for (int64_t c = 0; c < rescaling.channels(); ++c) scales.push_back(rescaling.scale(c));
  const In* const in = call.raw<In>(0);
  Out* const out = call.out<Out>();
  const int64_t count = call.out_shape().Elements();
  const bool per_channel = scales.size() > 1;
  const int64_t row = per_channel ? std::ssize(scales) : 1;
  std::atomic<bool> bad = false;
  ForEachPart(count / row, kNanosecondsOfRescale * static_cast<double>(row),
              [&](int64_t begin, int64_t end) {
                bool part = false;
                const int64_t first = begin * row, last = end * row;
                for (int64_t i = first; !per_channel && i < last; ++i) {
                  out[i] = static_cast<Out>(rescale(in[i], scales[0], part));
                }
                for (int64_t i = first; per_channel && i < last; i += row) {
                  for (int64_t c = 0; c < row; ++c) {
                    const ops::Scale& scale = scales[static_cast<size_t>(c)];
                    out[i + c] = static_cast<Out>(rescale(in[i + c], scale, part));
                  }
                }
                if (part) bad = true;
              });
  return !bad;
}

template <class In>
struct RescalesFrom {
  template <class Out>
  static NativeKernel Of() {
    if constexpr (kIsReal<Out>) {
      return nullptr;
    } else {
      return Rescale<In, Out>;
    }
  }
};

struct Rescales {
  DType to;
  template <class In>
  NativeKernel Of() const {
    if constexpr (kIsReal<In>) {
      return nullptr;
    } else {
      return NumberKernel(to, RescalesFrom<In>());
    }
  }
};

}  // namespace

NativeKernel NativeCast(const Signature& s) { return ElementKernel(s.in(0), Casts{s.out()}); }

NativeKernel NativeRescale(const Signature& s) {
  const Rescales kernels{s.out()};
  return s.in(0) == DType::kInt48 ? kernels.Of<int64_t>() : NumberKernel(s.in(0), kernels);
}

}  // namespace assay
