#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "float_format.h"
#include "value_tensor.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Calls see(element) for each element, stored as T.
template <class T, class See>
void ForEach(const Tensor& tensor, See see) {
  const uint8_t* bytes = tensor.bytes().data();
  const int64_t count = tensor.elements();
  for (int64_t i = 0; i < count; ++i) {
    T x;
    std::memcpy(&x, bytes + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    see(x);
  }
}

template <class T>
Extremes OfIntegers(const Tensor& tensor) {
  T low = std::numeric_limits<T>::max();
  T high = std::numeric_limits<T>::min();
  ForEach<T>(tensor, [&](T x) {
    low = std::min(low, x);
    high = std::max(high, x);
  });
  return {static_cast<double>(low), static_cast<double>(high)};
}

// The bits of floats, sign apart, are ordered as their magnitudes are. Bits: as wide as the type.
template <class Bits>
Extremes OfFloats(const Tensor& tensor) {
  const DType type = tensor.type();
  const FloatFormat& format = FormatOf(type);
  constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();
  const auto subnormals = static_cast<Bits>((1 << format.fraction_bits) - 1);
  const auto greatest = static_cast<Bits>(EncodeFloat(type, format.max));
  Bits low = kMagnitude;
  Bits high = static_cast<Bits>(-kMagnitude);
  bool subnormal = false;
  ForEach<Bits>(tensor, [&](Bits bits) {
    const auto magnitude = static_cast<Bits>(bits & kMagnitude);
    const auto ordered = static_cast<Bits>(bits < 0 ? -magnitude : magnitude);
    low = std::min(low, ordered);
    high = std::max(high, ordered);
    subnormal |= (magnitude != 0) & (magnitude <= subnormals);
  });
  const auto number = [&](Bits ordered) {
    const double magnitude =
        DecodeFloat(type, static_cast<uint32_t>(ordered < 0 ? -ordered : ordered));
    return ordered < 0 ? -magnitude : magnitude;
  };
  Extremes extremes = {number(low), number(high), high > greatest || low < -greatest, false};
  extremes.flushable = subnormal && !format.must_keep_subnormals;
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
  }
  return extremes;
}

Extremes OfBytes(const Tensor& tensor) {
  switch (tensor.type()) {
    case DType::kInt16:
      return OfIntegers<int16_t>(tensor);
    case DType::kInt32:
      return OfIntegers<int32_t>(tensor);
    case DType::kInt48:
    case DType::kShape:
      return OfIntegers<int64_t>(tensor);
    case DType::kFp32:
      return OfFloats<int32_t>(tensor);
    case DType::kFp16:
    case DType::kBf16:
      return OfFloats<int16_t>(tensor);
    case DType::kFp8e4m3:
    case DType::kFp8e5m2:
      return OfFloats<int8_t>(tensor);
    default:
      return OfIntegers<int8_t>(tensor);
  }
}

}  // namespace

Extremes ValueTensor::extremes() const {
  if (!tensor_.has_value()) return OfScalars(scalars_);
  const Extremes extremes = OfBytes(tensor_);
  // Where there is a NaN, its bits are taken for the extreme.
  return extremes.special ? OfScalars(scalars()) : extremes;
}

}  // namespace assay
