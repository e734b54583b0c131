// SPDX-License-Identifier: Apache-2.0
#include "cached_buffer.h"

#include <algorithm>
#include <new>

namespace assay {
namespace {

constexpr std::align_val_t kAlignment{kCachedBufferAlignment};

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (size_t axis = strides.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[static_cast<int>(axis)];
  }
  return strides;
}

}  // namespace

CachedBuffer NewCachedBuffer(const TensorType& type) {
  const auto size = static_cast<size_t>(type.shape.Elements() * ElementBytes(type.type));
  auto* const memory = static_cast<uint8_t*>(operator new[](size, kAlignment));
  std::fill_n(memory, size, uint8_t{0});
  const auto free = [size](uint8_t* freed) {
    std::fill_n(static_cast<volatile uint8_t*>(freed), size, kFreedByte);
    operator delete[](freed, kAlignment);
  };
  return {std::shared_ptr<uint8_t[]>(memory, free), type, RowMajorStrides(type.shape),
          static_cast<int64_t>(size)};
}

CachedBuffer Misaligned(const TensorType& type) {
  CachedBuffer buffer = NewCachedBuffer(type);
  const auto bytes = static_cast<int32_t>(buffer.size_bytes);
  const CachedBuffer longer = NewCachedBuffer({DType::kInt8, {bytes + 1}});
  buffer.memory = std::shared_ptr<uint8_t[]>(longer.memory, longer.memory.get() + 1);
  return buffer;
}

bool IsAligned(const CachedBuffer& buffer) {
  return reinterpret_cast<uintptr_t>(buffer.memory.get()) % kCachedBufferAlignment == 0;
}

Tensor TensorIn(const CachedBuffer& buffer) {
  if (IsAligned(buffer)) {
    return Tensor::FromShared(buffer.type.type, buffer.type.shape, buffer.memory);
  }
  // Kernels read whole elements, so they get a copy of a buffer that a fault has misaligned.
  const CachedBuffer copy = NewCachedBuffer(buffer.type);
  std::copy_n(buffer.memory.get(), buffer.size_bytes, copy.memory.get());
  return TensorIn(copy);
}

}  // namespace assay
