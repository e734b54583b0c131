#include "value_tensor.h"

#include <cstring>
#include <limits>

#include "executor.h"
#include "native_vectors.h"

namespace assay {
namespace {

// Whether some float of the type that Bits, a signed integer, is as wide as is NaN. `infinity`: the
// bits of the largest magnitude that is none.
template <class Bits>
struct NanSearch {
  const uint8_t* bytes;
  size_t count;
  Bits infinity;
  bool* found;

  [[gnu::always_inline]] void operator()() const {
    constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();
    const Bits limit = infinity;
    Bits any = 0;
    for (size_t i = 0; i < count; ++i) {
      Bits bits;
      std::memcpy(&bits, bytes + i * sizeof(Bits), sizeof(Bits));
      any = static_cast<Bits>(any | (static_cast<Bits>(bits & kMagnitude) > limit));
    }
    *found = any != 0;
  }
};

template <class Bits>
bool HasNan(const Tensor& tensor, Bits infinity) {
  bool found = false;
  const auto bytes = tensor.bytes();
  RunWide(NanSearch<Bits>{bytes.data(), bytes.size() / sizeof(Bits), infinity, &found});
  return found;
}

bool HasNan(const Tensor& tensor) {
  switch (tensor.type()) {
    case DType::kFp32:
      return HasNan<int32_t>(tensor, 0x7f800000);
    case DType::kFp16:
      return HasNan<int16_t>(tensor, 0x7c00);
    case DType::kBf16:
      return HasNan<int16_t>(tensor, 0x7f80);
    case DType::kFp8e4m3:
      return HasNan<int8_t>(tensor, 0x7e);
    case DType::kFp8e5m2:
      return HasNan<int8_t>(tensor, 0x7c);
    default:
      return false;
  }
}

}  // namespace

ValueTensor::ValueTensor(const ValueTensor& other) = default;
ValueTensor& ValueTensor::operator=(const ValueTensor& other) = default;
ValueTensor::ValueTensor(ValueTensor&& other) noexcept = default;
ValueTensor& ValueTensor::operator=(ValueTensor&& other) noexcept = default;
ValueTensor::~ValueTensor() = default;

ValueTensor::ValueTensor(Tensor tensor) : tensor_(std::move(tensor)), is_canonical_(false) {
  scalars_.type = tensor_.tensor_type();
}

ValueTensor ValueTensor::OfCanonical(Tensor tensor) {
  ValueTensor value;
  value.scalars_.type = tensor.tensor_type();
  value.tensor_ = std::move(tensor);
  return value;
}

const Tensor& ValueTensor::tensor() const {
  if (!is_canonical_ && HasNan(tensor_)) tensor_ = ToTensor(scalars());
  is_canonical_ = true;
  return raw_tensor();
}

const Tensor& ValueTensor::raw_tensor() const {
  if (!tensor_.has_value()) tensor_ = ToTensor(scalars_);
  return tensor_;
}

const DomainTensor<Scalar>& ValueTensor::scalars() const {
  if (scalars_.elements == nullptr) scalars_ = ToScalars(tensor_);
  return scalars_;
}

void ValueTensor::CopyScalars(std::span<Scalar> to) const {
  auto next = to.begin();
  if (IsFloat(type().type)) {
    ForEachFloat([&](double x) { *next++ = Scalar::OfFloat(x); });
  } else {
    ForEachInteger([&](int64_t x) { *next++ = Scalar::OfInteger(x); });
  }
}

ValueTensor ValueTensor::Reshaped(const TensorType& type) const {
  ValueTensor value;
  value.scalars_ = {type, scalars_.elements};
  if (tensor_.has_value()) value.tensor_ = tensor_.Reshaped(type.shape);
  value.is_canonical_ = is_canonical_;
  return value;
}

}  // namespace assay
