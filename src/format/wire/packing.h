// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "mapped_file.h"
#include "result.h"
#include "tensor.h"

namespace assay {

// The dense element encoding of `.tosa` files, little-endian. i4 has two elements a byte, element
// 2i in the low half. i48 has six bytes. Everything else is as in a Tensor.

int64_t PackedBytes(DType type, int64_t elements);

// Writes PackedBytes() of the tensor's elements to `to`.
void Pack(const Tensor& tensor, uint8_t* to);

// Returns the tensor whose encoding is at the start of `bytes`. The rest is ignored, because
// writers pad. Any non-zero bool is true. An Error, without a culprit, if `bytes` are too few or
// have an i4 of -8.
Result<Tensor> Unpack(DType type, const Shape& shape, std::span<const uint8_t> bytes);

// Returns true if Unpack() of such bytes, with an owner, returns a tensor that shares them: they
// are many, aligned, and encoded as in a Tensor.
bool IsShared(DType type, std::span<const uint8_t> bytes);
// Does what Unpack() does. The tensor shares `bytes`, which `owner` keeps, if IsShared() and if
// there is an owner.
Result<Tensor> Unpack(DType type, const Shape& shape, std::span<const uint8_t> bytes,
                      const std::shared_ptr<const uint8_t[]>& owner);

// Returns the tensor whose elements are encoded as in a Tensor. An Error, without a culprit, if the
// number of bytes is not that of the shape, or an element is not a value of the type.
Result<Tensor> TensorOfElements(DType type, const Shape& shape, std::span<const uint8_t> bytes);

}  // namespace assay
