#pragma once

#include <cstdint>
#include <span>

#include "result.h"
#include "tensor.h"

namespace assay {

// The dense element encoding of `.tosa` files: little-endian; i4 two a byte, element 2i in the low
// half; i48 six bytes; everything else as in a Tensor.

int64_t PackedBytes(DType type, int64_t elements);

// Writes PackedBytes() of the tensor's elements to `to`.
void Pack(const Tensor& tensor, uint8_t* to);

// The tensor whose encoding `bytes` starts with; what follows it is ignored (writers pad). Any
// non-zero bool is true. An Error, without a culprit, if `bytes` are too few or hold an i4 of -8.
Result<Tensor> Unpack(DType type, const Shape& shape, std::span<const uint8_t> bytes);

// The tensor whose elements are as in a Tensor. An Error, without a culprit, if there are not
// exactly as many bytes as the shape asks for, or an element is none of the type's values.
Result<Tensor> TensorOfElements(DType type, const Shape& shape, std::span<const uint8_t> bytes);

}  // namespace assay
