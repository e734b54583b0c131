// SPDX-License-Identifier: Apache-2.0
#include "value_tensor.h"

#include <cstring>
#include <limits>

#include "convert_tensor.h"
#include "float_format.h"
#include "wide_vectors.h"

namespace assay {
namespace {

// Checks whether some float is NaN. Bits is a signed integer as wide as the float type. `infinity`
// is the bits of the largest magnitude that is not NaN.
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

// Calls visit(infinity) with the bits of the largest magnitude that is not NaN. The argument is as
// wide as a float of the type. For types that are not floats, it does not call visit.
template <class Visit>
void WithInfinity(DType type, Visit visit) {
  switch (type) {
    case DType::kFp32:
      return visit(int32_t{0x7f800000});
    case DType::kFp16:
      return visit(int16_t{0x7c00});
    case DType::kBf16:
      return visit(int16_t{0x7f80});
    case DType::kFp8e4m3:
      return visit(int8_t{0x7e});
    case DType::kFp8e5m2:
      return visit(int8_t{0x7c});
    default:
      return;
  }
}

}  // namespace

bool HasNan(DType type, std::span<const uint8_t> bytes) {
  bool found = false;
  WithInfinity(type, [&]<class Bits>(Bits infinity) {
    RunWide(NanSearch<Bits>{bytes.data(), bytes.size() / sizeof(Bits), infinity, &found});
  });
  return found;
}

void MakeNansCanonical(DType type, std::span<uint8_t> bytes) {
  WithInfinity(type, [&]<class Bits>(Bits infinity) {
    constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();
    const auto nan = static_cast<Bits>(EncodeFloat(type, std::numeric_limits<double>::quiet_NaN()));
    for (size_t i = 0; i < bytes.size(); i += sizeof(Bits)) {
      Bits bits;
      std::memcpy(&bits, &bytes[i], sizeof(Bits));
      if (static_cast<Bits>(bits & kMagnitude) > infinity) bits = nan;
      std::memcpy(&bytes[i], &bits, sizeof(Bits));
    }
  });
}

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
  if (!is_canonical_ && HasNan(tensor_.type(), tensor_.bytes())) {
    tensor_ = ToTensor(elements());
  }
  is_canonical_ = true;
  return raw_tensor();
}

const Tensor& ValueTensor::raw_tensor() const {
  if (!tensor_.has_value()) tensor_ = ToTensor(scalars_);
  return tensor_;
}

const DomainTensor<Scalar>& ValueTensor::elements() const {
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
