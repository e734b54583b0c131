// SPDX-License-Identifier: Apache-2.0
#include "packing.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace assay {
namespace {

constexpr size_t kInt48Bytes = 6;
constexpr size_t kSharedBytesMin = 4096;  // a small tensor would keep a whole file in memory

constexpr uint8_t SignExtendNibble(unsigned nibble) {
  return static_cast<uint8_t>((nibble ^ 8u) - 8u);
}

bool HasAllElements(DType type, const Shape& shape, std::span<const uint8_t> bytes) {
  const int64_t elements = shape.Elements();
  const auto size = static_cast<int64_t>(bytes.size());
  // An element takes at least half a byte; the first test keeps the product from overflowing.
  return elements <= 2 * size && PackedBytes(type, elements) <= size;
}

}  // namespace

int64_t PackedBytes(DType type, int64_t elements) {
  if (type == DType::kInt4) return elements / 2 + elements % 2;
  if (type == DType::kInt48) return elements * static_cast<int64_t>(kInt48Bytes);
  return elements * ElementBytes(type);
}

void Pack(const Tensor& tensor, uint8_t* to) {
  const std::span<const uint8_t> from = tensor.bytes();
  if (tensor.type() == DType::kInt4) {
    for (size_t i = 0; i < from.size(); i += 2) {
      const unsigned high = i + 1 < from.size() ? from[i + 1] & 15u : 0u;
      *to++ = static_cast<uint8_t>((from[i] & 15u) | high << 4);
    }
  } else if (tensor.type() == DType::kInt48) {
    for (size_t i = 0; i < from.size(); i += 8) {
      to = std::copy_n(from.begin() + static_cast<int64_t>(i), kInt48Bytes, to);
    }
  } else {
    std::copy(from.begin(), from.end(), to);
  }
}

bool IsShared(DType type, std::span<const uint8_t> bytes) {
  const bool is_same = type != DType::kInt4 && type != DType::kInt48 && type != DType::kBool;
  const auto address = reinterpret_cast<uintptr_t>(bytes.data());
  return is_same && bytes.size() >= kSharedBytesMin &&
         address % static_cast<uintptr_t>(ElementBytes(type)) == 0;
}

Result<Tensor> Unpack(DType type, const Shape& shape, std::span<const uint8_t> bytes,
                      const std::shared_ptr<const uint8_t[]>& owner) {
  const bool is_shared = owner != nullptr && IsShared(type, bytes);
  if (!is_shared || !HasAllElements(type, shape, bytes)) return Unpack(type, shape, bytes);
  return Tensor::FromShared(type, shape, {owner, bytes.data()});
}

Result<Tensor> Unpack(DType type, const Shape& shape, std::span<const uint8_t> bytes) {
  const int64_t elements = shape.Elements();
  if (!HasAllElements(type, shape, bytes)) {
    return BadInput("data has " + std::to_string(bytes.size()) + " bytes, too few for " +
                    TensorType{type, shape}.ToString());
  }
  const auto count = static_cast<size_t>(elements);
  std::vector<uint8_t> unpacked(count * static_cast<size_t>(ElementBytes(type)));
  if (type == DType::kInt4) {
    for (size_t i = 0; i < count; ++i) {
      const unsigned nibble = (bytes[i / 2] >> (i % 2 * 4)) & 15u;
      if (nibble == 8) return BadInput("element " + std::to_string(i) + " is -8, no value of i4");
      unpacked[i] = SignExtendNibble(nibble);
    }
  } else if (type == DType::kInt48) {
    for (size_t i = 0; i < count; ++i) {
      const uint8_t* from = bytes.data() + kInt48Bytes * i;
      std::copy_n(from, kInt48Bytes, &unpacked[8 * i]);
      std::fill_n(&unpacked[8 * i + kInt48Bytes], 2, from[5] >= 0x80 ? 0xff : 0x00);
    }
  } else {
    std::copy_n(bytes.begin(), unpacked.size(), unpacked.begin());
    if (type == DType::kBool) {
      for (uint8_t& element : unpacked) element = element != 0;
    }
  }
  return Tensor::FromBytes(type, shape, std::move(unpacked));
}

Result<Tensor> TensorOfElements(DType type, const Shape& shape, std::span<const uint8_t> bytes) {
  const int64_t elements = shape.Elements();
  const auto size = static_cast<int64_t>(bytes.size());
  // The first test keeps the product from overflowing.
  if (elements > size || elements * ElementBytes(type) != size) {
    return BadInput(std::to_string(size) + " bytes are not those of " +
                    TensorType{type, shape}.ToString());
  }
  Tensor tensor = Tensor::FromBytes(type, shape, {bytes.begin(), bytes.end()});
  if (type != DType::kBool && type != DType::kInt4 && type != DType::kInt48) return tensor;
  for (int64_t i = 0; i < elements; ++i) {
    const int64_t value = tensor.Integer(i);
    if (value < MinimumInteger(type) || value > MaximumInteger(type)) {
      return BadInput("element " + std::to_string(i) + " is " + std::to_string(value) +
                      ", no value of " + std::string(TypeName(type)));
    }
  }
  return tensor;
}

}  // namespace assay
