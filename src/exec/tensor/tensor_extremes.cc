// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>

#include "float_codec.h"
#include "value_tensor.h"
#include "wide_vectors.h"

namespace assay {
namespace {

template <class T>
struct IntegerExtremes {
  const uint8_t* bytes;
  size_t count;
  T* low;
  T* high;

  [[gnu::always_inline]] void operator()() const {
    T least = std::numeric_limits<T>::max();
    T greatest = std::numeric_limits<T>::min();
    for (size_t i = 0; i < count; ++i) {
      T x;
      std::memcpy(&x, bytes + i * sizeof(T), sizeof(T));
      least = x < least ? x : least;
      greatest = x > greatest ? x : greatest;
    }
    *low = least;
    *high = greatest;
  }
};

// The bits of floats, without the sign, have the order of their magnitudes. `Bits` is as wide as
// the type.
template <class Bits>
struct FloatExtremes {
  const uint8_t* bytes;
  size_t count;
  Bits subnormals;  // the greatest of their bits
  Bits* low;        // of magnitudes, negated where the sign is set
  Bits* high;
  bool* subnormal;  // set if there is one
  bool* zero;       // set if there is one

  [[gnu::always_inline]] void operator()() const {
    constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();
    Bits least = kMagnitude;
    Bits greatest = static_cast<Bits>(-kMagnitude);
    Bits any_subnormal = 0;
    Bits any_zero = 0;
    for (size_t i = 0; i < count; ++i) {
      Bits bits;
      std::memcpy(&bits, bytes + i * sizeof(Bits), sizeof(Bits));
      const auto magnitude = static_cast<Bits>(bits & kMagnitude);
      const auto ordered = static_cast<Bits>(bits < 0 ? -magnitude : magnitude);
      least = ordered < least ? ordered : least;
      greatest = ordered > greatest ? ordered : greatest;
      const auto is_zero = static_cast<Bits>(magnitude == 0);
      any_zero = static_cast<Bits>(any_zero | is_zero);
      any_subnormal = static_cast<Bits>(any_subnormal | ((magnitude <= subnormals) ^ is_zero));
    }
    *low = least;
    *high = greatest;
    *subnormal = any_subnormal != 0;
    *zero = any_zero != 0;
  }
};

template <class T>
Extremes OfIntegers(const Tensor& tensor) {
  T low, high;
  RunWide(IntegerExtremes<T>{tensor.bytes().data(), static_cast<size_t>(tensor.elements()), &low,
                             &high});
  return {static_cast<double>(low), static_cast<double>(high)};
}

template <const FloatFormat& format>
Extremes OfFloats(const Tensor& tensor) {
  using Bits = std::make_signed_t<FloatBits<format>>;
  constexpr auto kSubnormals = static_cast<Bits>((1 << format.fraction_bits) - 1);
  constexpr auto kGreatest = static_cast<Bits>(kMaxCode<format>);
  Bits low, high;
  bool subnormal, zero;
  RunWide(FloatExtremes<Bits>{tensor.bytes().data(), static_cast<size_t>(tensor.elements()),
                              kSubnormals, &low, &high, &subnormal, &zero});
  const auto number = [](Bits ordered) {
    const double magnitude =
        DecodeAs<format>(static_cast<uint32_t>(ordered < 0 ? -ordered : ordered));
    return ordered < 0 ? -magnitude : magnitude;
  };
  Extremes extremes = {number(low), number(high), high > kGreatest || low < -kGreatest, false};
  extremes.flushable = subnormal && !format.must_keep_subnormals;
  extremes.zero = zero;
  return extremes;
}

Extremes OfScalars(const DomainTensor<Scalar>& tensor) {
  const DType type = tensor.type.type;
  const bool real = IsFloat(type);
  const double flushed_below =
      real && !FormatOf(type).must_keep_subnormals ? FormatOf(type).normal_min : 0;
  Extremes extremes = {kInfinity, -kInfinity};
  for (const Scalar scalar : *tensor.elements) {
    const double x = real ? scalar.real() : static_cast<double>(scalar.integer());
    extremes.low = x < extremes.low ? x : extremes.low;
    extremes.high = x > extremes.high ? x : extremes.high;
    extremes.special |= !std::isfinite(x);
    extremes.flushable |= x != 0 && std::fabs(x) < flushed_below;
    extremes.zero |= real && x == 0;
  }
  return extremes;
}

Extremes OfBytes(const Tensor& tensor) {
  if (IsFloat(tensor.type())) {
    return WithFormat(tensor.type(),
                      [&]<const FloatFormat & format>() { return OfFloats<format>(tensor); });
  }
  switch (ElementBytes(tensor.type())) {
    case 1:
      return OfIntegers<int8_t>(tensor);
    case 2:
      return OfIntegers<int16_t>(tensor);
    case 4:
      return OfIntegers<int32_t>(tensor);
    default:
      return OfIntegers<int64_t>(tensor);
  }
}

}  // namespace

Extremes ValueTensor::extremes() const {
  if (!tensor_.has_value()) return OfScalars(scalars_);
  const Extremes extremes = OfBytes(tensor_);
  // If there is a NaN, OfBytes() has used its bits as an extreme.
  return extremes.special ? OfScalars(elements()) : extremes;
}

}  // namespace assay
