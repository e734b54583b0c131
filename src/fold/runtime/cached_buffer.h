#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tensor.h"

namespace assay {

// The memory of one folded tensor: elements as Tensor keeps them, aligned to 64 bytes. Once nobody
// holds it any more it is overwritten, so that a late reader cannot take what is there for good.
struct CachedBuffer {
  std::shared_ptr<uint8_t[]> memory;
  TensorType type;
  std::vector<int64_t> strides;  // in elements, row-major
  int64_t size_bytes = 0;

  std::span<uint8_t> bytes() const { return {memory.get(), static_cast<size_t>(size_bytes)}; }
};

inline constexpr size_t kCachedBufferAlignment = 64;
inline constexpr uint8_t kFreedByte = 0xAA;

// A buffer of zeros for a tensor.
CachedBuffer NewCachedBuffer(const TensorType& type);

// The same, a byte beyond the alignment.
CachedBuffer Misaligned(const TensorType& type);

// The tensor that a buffer holds: the same bytes, not a copy.
Tensor TensorIn(const CachedBuffer& buffer);

}  // namespace assay
