// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensor.h"

namespace assay {

// The memory of one folded tensor: its elements as Tensor stores them, aligned to 64 bytes. When
// nobody holds the memory any more, it is overwritten, so that a late reader does not find valid
// values.
struct CachedBuffer {
  std::shared_ptr<uint8_t[]> memory;
  TensorType type;
  std::vector<int64_t> strides;  // in elements, row-major
  int64_t size_bytes = 0;

  std::span<uint8_t> bytes() const { return {memory.get(), static_cast<size_t>(size_bytes)}; }
};

inline constexpr size_t kCachedBufferAlignment = 64;
inline constexpr uint8_t kFreedByte = 0xAA;

// Returns a buffer of zeros for a tensor.
CachedBuffer NewCachedBuffer(const TensorType& type);

// Returns a buffer that begins one byte after an aligned address.
CachedBuffer Misaligned(const TensorType& type);

// Returns true for a buffer that begins at a multiple of kCachedBufferAlignment.
bool IsAligned(const CachedBuffer& buffer);

// Returns the tensor that a buffer holds. It shares the bytes of an aligned buffer.
Tensor TensorIn(const CachedBuffer& buffer);

}  // namespace assay
