// EXP of fp32, a block at a time.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "elementary.h"
#include "native_kernels.h"
#include "parallel.h"
#include "wide_vectors.h"

namespace assay {
namespace {

constexpr int64_t kBlock = 128;

// Returns exp(x) for |x| <= 87 with a relative error below 2^-44. Here x = steps * ln2 + rest,
// |rest| <= ln2/2. Taylor's series of the rest goes up to rest^11 (the next term is 2^-47). The
// arithmetic is plain double, with some 20 roundings of 2^-53 each.
[[gnu::always_inline]] inline double ApproximateExp(double x) {
  constexpr double kStepsPerUnit = 0x1.71547652b82fep0;  // 1/ln2
  constexpr double kRoundToInteger = 0x1.8p52;
  // ln2 in two parts, the first of 40 bits, so that its product with up to 2^7 steps is exact.
  constexpr double kLn2High = 0x1.62e42fefa2p-1;
  constexpr double kLn2Low = 0x1.9ef35793c7673p-41;
  const double shifted = x * kStepsPerUnit + kRoundToInteger;
  const double steps = shifted - kRoundToInteger;
  const double rest = (x - steps * kLn2High) - steps * kLn2Low;
  constexpr std::array<double, 12> kInverseFactorials = {
      1,         1,          1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,
      1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};
  double sum = kInverseFactorials[11];
  for (size_t n = 11; n > 0; --n) sum = sum * rest + kInverseFactorials[n - 1];
  // The low bits of `shifted` are those of the number of steps.
  const uint64_t exponent = std::bit_cast<uint64_t>(shifted) + 1023;
  return sum * std::bit_cast<double>(exponent << 52);
}

// Computes out[i] = exp(x[i]) rounded to fp32, if both ends of the interval that contains exp(x[i])
// round to the same number. Otherwise sets open[i]; `any_open` tells whether any is set. The fp64
// result that the template rounds lies in the interval as well.
struct ExpBlock {
  const float* x;
  float* out;
  uint32_t* open;
  bool* any_open;

  [[gnu::always_inline]] void operator()() const {
    uint32_t any = 0;
    for (int64_t i = 0; i < kBlock; ++i) {
      const double near = ApproximateExp(x[i]);
      const auto below = static_cast<float>(near - near * 0x1p-44);
      const auto above = static_cast<float>(near + near * 0x1p-44);
      out[i] = below;
      const bool settled = (below == above) & (std::fabs(x[i]) <= 87.0f);
      open[i] = settled ? 0 : 1;
      any |= open[i];
    }
    *any_open = any != 0;
  }
};

// Computes `count` elements.
void ExpElements(const float* x, float* out, int64_t count) {
  std::array<float, kBlock> from{};
  std::array<float, kBlock> to;
  std::array<uint32_t, kBlock> open;
  bool any_open = false;
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t length = std::min(kBlock, count - first);
    std::copy_n(x + first, length, from.begin());
    RunWide(ExpBlock{from.data(), to.data(), open.data(), &any_open});
    for (int64_t i = 0; any_open && i < length; ++i) {
      const auto k = static_cast<size_t>(i);
      if (open[k] != 0) to[k] = Canonical(static_cast<float>(Exp(from[k])));
    }
    std::copy_n(to.begin(), length, out + first);
  }
}

bool Exp32(const NativeCall& call) {
  constexpr double kNanosecondsOfExp = 2;
  const float* const x = call.raw<float>(0);
  float* const out = call.out<float>();
  ForEachPart(call.out_shape().Elements(), kNanosecondsOfExp, [&](int64_t begin, int64_t end) {
    ExpElements(x + begin, out + begin, end - begin);
  });
  return true;
}

}  // namespace

NativeKernel NativeExp(const Signature& s) { return s.in(0) == DType::kFp32 ? Exp32 : nullptr; }

}  // namespace assay
