// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "float_format.h"
#include "native_kernels.h"
#include "wide_vectors.h"

namespace assay {

// The elements in memory: bool is uint8_t, integers and fp32 have their C++ type, and 16-bit floats
// have this type.
template <DType kType>
struct Float16 {
  uint16_t bits;
};
using Fp16 = Float16<DType::kFp16>;
using Bf16 = Float16<DType::kBf16>;

// An estimate of the time for one element of an operator that is easy to compute.
constexpr double kNanosecondsOfElement = 0.5;

template <class T>
constexpr bool kIsReal = !std::is_integral_v<T>;

// Returns the value of a float.
[[gnu::always_inline]] inline double Real(float x) { return x; }
[[gnu::always_inline]] inline double Real(Bf16 x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16);
}
inline double Real(Fp16 x) { return DecodeFloat(DType::kFp16, x.bits); }

// Returns the element nearest to a real, with NaNs canonical, or an integer that T can hold.
template <class T, class Work>
[[gnu::always_inline]] inline T Stored(Work x) {
  if constexpr (std::is_same_v<T, float>) {
    return Canonical(static_cast<float>(x));
  } else if constexpr (std::is_same_v<T, Fp16>) {
    return {static_cast<uint16_t>(EncodeFloat(DType::kFp16, x))};
  } else if constexpr (std::is_same_v<T, Bf16>) {
    return {static_cast<uint16_t>(EncodeFloat(DType::kBf16, x))};
  } else {
    return static_cast<T>(x);
  }
}

// Returns an element to calculate with; Work is double for floats.
template <class Work, class T>
[[gnu::always_inline]] inline Work Loaded(T x) {
  if constexpr (kIsReal<T>) {
    return Real(x);
  } else {
    return static_cast<Work>(x);
  }
}

// Returns the one of two integers or two doubles that apply_max_s or apply_min_s picks.
template <bool kMaximum>
struct Extreme {
  bool ignore_nan;
  template <class T>
  [[gnu::always_inline]] T operator()(T a, T b) const {
    const T decides = ignore_nan ? b : a;  // first, if it is NaN
    const bool wins = kMaximum ? a >= b : a < b;
    return (wins | (decides != decides)) ? a : b;
  }
};

// Return kernels.Of<T>() for the element type T of `type`, or null if there is none. FloatKernel()
// knows floats, NumberKernel() also integers, ElementKernel() also bool.
template <class Kernels>
NativeKernel FloatKernel(DType type, const Kernels& kernels) {
  switch (type) {
    case DType::kFp32:
      return kernels.template Of<float>();
    case DType::kFp16:
      return kernels.template Of<Fp16>();
    case DType::kBf16:
      return kernels.template Of<Bf16>();
    default:
      return nullptr;
  }
}
template <class Kernels>
NativeKernel NumberKernel(DType type, const Kernels& kernels) {
  switch (type) {
    case DType::kInt8:
      return kernels.template Of<int8_t>();
    case DType::kInt16:
      return kernels.template Of<int16_t>();
    case DType::kInt32:
      return kernels.template Of<int32_t>();
    default:
      return FloatKernel(type, kernels);
  }
}
template <class Kernels>
NativeKernel ElementKernel(DType type, const Kernels& kernels) {
  return type == DType::kBool ? kernels.template Of<uint8_t>() : NumberKernel(type, kernels);
}

}  // namespace assay
