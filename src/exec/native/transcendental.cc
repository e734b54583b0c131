// SPDX-License-Identifier: Apache-2.0
// EXP, SIGMOID, TANH and ERF of fp16, bf16 and fp32, a block at a time.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "elementary.h"
#include "float_codec.h"
#include "native_kernels.h"
#include "parallel.h"
#include "wide_vectors.h"

namespace assay {
namespace {

// An approximation of a function consists of `Near`, for an argument of at most 24 bits, and
// `kError`, a bound on its relative error. The arithmetic is plain double. Beyond kLowest and
// kHighest the function of fp32 is flat, so that its value there is the value at the end.

// 2^exponent times (1 + growth) is exp(x).
struct ExpParts {
  double power;   // 2^exponent
  double growth;  // in -0.3 to 0.42
};

// Returns the parts of exp(x) for |x| <= 128. Here x = steps * ln2 + rest, |rest| <= ln2/2.
// Taylor's series of exp(rest) - 1 goes up to rest^11, and the next terms are 2^-45 of the result.
// If x is below ln2/2, the rest is x itself.
[[gnu::always_inline]] inline ExpParts PartsOfExp(double x) {
  constexpr double kStepsPerUnit = 0x1.71547652b82fep0;  // 1/ln2
  constexpr double kRoundToInteger = 0x1.8p52;
  // ln2 in two parts, the first of 40 bits, so that its product with up to 2^13 steps is exact.
  constexpr double kLn2High = 0x1.62e42fefa2p-1;
  constexpr double kLn2Low = 0x1.9ef35793c7673p-41;
  const double shifted = x * kStepsPerUnit + kRoundToInteger;
  const double steps = shifted - kRoundToInteger;
  const double rest = (x - steps * kLn2High) - steps * kLn2Low;
  constexpr std::array<double, 11> kInverseFactorials = {
      1,          1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,     1.0 / 720,
      1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};
  double sum = kInverseFactorials[10];
  for (size_t n = 10; n > 0; --n) sum = sum * rest + kInverseFactorials[n - 1];
  // The low bits of `shifted` are those of the number of steps.
  const uint64_t exponent = std::bit_cast<uint64_t>(shifted) + 1023;
  return {std::bit_cast<double>(exponent << 52), sum * rest};
}

// Returns `a` if `is_so`, else `b`, without a branch.
[[gnu::always_inline]] inline double ChooseReal(bool is_so, double a, double b) {
  return std::bit_cast<double>(
      Choose(is_so, std::bit_cast<uint64_t>(a), std::bit_cast<uint64_t>(b)));
}

// Returns x, or the end of the range if x is outside. NaN stays NaN.
[[gnu::always_inline]] inline double Inside(double x, double low, double high) {
  return ChooseReal(x > high, high, ChooseReal(x < low, low, x));
}

struct ExpFunction {
  // Half the smallest subnormal is exp(-103.97), and the largest number is exp(88.7).
  static constexpr double kLowest = -128, kHighest = 128;
  static constexpr double kError = 0x1p-44;
  [[gnu::always_inline]] static double Near(double x) {
    const ExpParts parts = PartsOfExp(x);
    return parts.power * (1 + parts.growth);
  }
  static double Exact(double x) { return Exp(x); }
};

struct SigmoidFunction {
  static constexpr double kLowest = -128, kHighest = 128;
  static constexpr double kError = 0x1p-43;  // a sum and a quotient add 2^-52
  [[gnu::always_inline]] static double Near(double x) { return 1 / (1 + ExpFunction::Near(-x)); }
  static double Exact(double x) { return Sigmoid(x); }
};

// tanh(x) = growth / (growth + 2), with growth = exp(2 |x|) - 1. If 2 |x| is above ln2/2, `growth`
// is at least 0.41. So subtracting 1 from the power at most doubles the error of its part.
struct TanhFunction {
  static constexpr double kLowest = -16, kHighest = 16;  // 1 - tanh(16) < 2^-44
  static constexpr double kError = 0x1p-43;
  [[gnu::always_inline]] static double Near(double x) {
    const ExpParts parts = PartsOfExp(2 * std::fabs(x));
    const double growth = (parts.power - 1) + parts.power * parts.growth;
    return std::copysign(growth / (growth + 2), x);
  }
  static double Exact(double x) { return Tanh(x); }
};

// Below 2 this is Taylor's series around 0, erf(x) = 2/sqrt(pi) * sum of (-1)^n x^(2n+1) / (n!
// (2n+1)). The terms are at most 16 times the sum, and the first one left out is 2^-49 of it. From
// 2 on it is Taylor's series around 3, as in elementary_erf.cc: with g[n] = (-1)^n H_n(3) / n!, the
// coefficients are scale * g[n] / (n+1). By Cramer's inequality those left out add up to less than
// 2^-45. Both are evaluated in one loop.
class ErfFunction {
 public:
  static constexpr double kLowest = -4, kHighest = 4;  // 1 - erf(4) < 2^-25.9
  static constexpr double kError = 0x1p-42;
  [[gnu::always_inline]] static double Near(double x) {
    const double magnitude = std::fabs(x);
    const bool far = magnitude >= 2;
    const double variable = ChooseReal(far, magnitude - 3, x * x);  // both are exact
    const double sum = Sum(far, variable, std::make_index_sequence<kDegree + 1>());
    return ChooseReal(far, std::copysign(sum, x), sum * x);
  }
  static double Exact(double x) { return Erf(x); }

 private:
  static constexpr size_t kDegree = 28;
  using Coefficients = std::array<double, kDegree + 1>;

  static constexpr Coefficients kAroundZero = [] {
    Coefficients result;
    double factor = 0x1.20dd750429b6dp+0;  // 2/sqrt(pi)
    for (size_t n = 0; n <= kDegree; ++n) {
      result[n] = factor / static_cast<double>(2 * n + 1);
      factor /= -static_cast<double>(n + 1);
    }
    return result;
  }();
  static constexpr Coefficients kAroundThree = [] {
    constexpr double kScale = 0x1.2408e9ba3327fp-13;  // 2/sqrt(pi) * exp(-9)
    Coefficients result;
    result[0] = 0x1.fffd1ac4135f9p-1;  // erf(3)
    double previous = 0, g = 1;
    for (size_t n = 0; n < kDegree; ++n) {
      const auto divisor = static_cast<double>(n + 1);
      result[n + 1] = kScale * g / divisor;
      const double next = -2 * (3 * g + previous) / divisor;
      previous = g;
      g = next;
    }
    return result;
  }();

  template <size_t... n>
  [[gnu::always_inline]] static double Sum(bool far, double x, std::index_sequence<n...>) {
    double sum = 0;
    ((sum = sum * x + ChooseReal(far, kAroundThree[kDegree - n], kAroundZero[kDegree - n])), ...);
    return sum;
  }
};

constexpr int64_t kBlock = 128;

// Computes out[i] = Function(x[i]) rounded once, if both ends of the interval that contains the
// function's value round to the same number. Otherwise sets open[i]; `any_open` tells whether any
// is set. The fp64 result that the template rounds lies in the interval as well.
template <class Function, const FloatFormat& format>
struct FunctionBlock {
  using Bits = FloatBits<format>;
  const Bits* x;
  Bits* out;
  Bits* open;
  bool* any_open;

  [[gnu::always_inline]] void operator()() const {
    Bits any = 0;
    for (int64_t i = 0; i < kBlock; ++i) {
      const double near =
          Function::Near(Inside(DecodeAs<format>(x[i]), Function::kLowest, Function::kHighest));
      const auto below = static_cast<Bits>(EncodeAs<format>(near * (1 - Function::kError)));
      const auto above = static_cast<Bits>(EncodeAs<format>(near * (1 + Function::kError)));
      out[i] = below;
      open[i] = static_cast<Bits>(below ^ above);
      any = static_cast<Bits>(any | open[i]);
    }
    *any_open = any != 0;
  }
};

// Computes `count` elements.
template <class Function, const FloatFormat& format>
void ComputeElements(const FloatBits<format>* x, FloatBits<format>* out, int64_t count) {
  using Bits = FloatBits<format>;
  std::array<Bits, kBlock> from{};
  std::array<Bits, kBlock> to;
  std::array<Bits, kBlock> open;
  bool any_open = false;
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t length = std::min(kBlock, count - first);
    std::copy_n(x + first, length, from.begin());
    RunAnyWidth(FunctionBlock<Function, format>{from.data(), to.data(), open.data(), &any_open});
    for (int64_t i = 0; any_open && i < length; ++i) {
      const auto k = static_cast<size_t>(i);
      if (open[k] == 0) continue;
      to[k] = static_cast<Bits>(EncodeAs<format>(Function::Exact(DecodeAs<format>(from[k]))));
    }
    std::copy_n(to.begin(), length, out + first);
  }
}

template <class Function, const FloatFormat& format>
bool Compute(const NativeCall& call) {
  constexpr double kNanosecondsOfFunction = 2;
  const auto* const x = call.raw<FloatBits<format>>(0);
  auto* const out = call.out<FloatBits<format>>();
  ForEachPart(call.out_shape().Elements(), kNanosecondsOfFunction, [&](int64_t begin, int64_t end) {
    ComputeElements<Function, format>(x + begin, out + begin, end - begin);
  });
  return true;
}

template <class Function>
NativeKernel KernelOf(DType type) {
  switch (type) {
    case DType::kFp32:
      return Compute<Function, kFp32Format>;
    case DType::kFp16:
      return Compute<Function, kFp16Format>;
    case DType::kBf16:
      return Compute<Function, kBf16Format>;
    default:
      return nullptr;
  }
}

}  // namespace

NativeKernel NativeTranscendental(const Signature& s) {
  switch (s.op) {
    case Op::kErf:
      return KernelOf<ErfFunction>(s.in(0));
    case Op::kExp:
      return KernelOf<ExpFunction>(s.in(0));
    case Op::kSigmoid:
      return KernelOf<SigmoidFunction>(s.in(0));
    case Op::kTanh:
      return KernelOf<TanhFunction>(s.in(0));
    default:
      return nullptr;
  }
}

}  // namespace assay
