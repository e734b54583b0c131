// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "packing.h"
#include "test_vector_generated.h"
#include "wire_views.h"

namespace assay {

// Tensors in Assay's own FlatBuffers: in `.tvec` files, and in messages to workers.

// Writes bytes that can be read in place as the elements of any type.
inline flatbuffers::Offset<flatbuffers::Vector<uint8_t>> PutBytes(
    flatbuffers::FlatBufferBuilder& builder, std::span<const uint8_t> bytes) {
  builder.ForceVectorAlignment(bytes.size(), 1, 16);
  return builder.CreateVector(bytes.data(), bytes.size());
}

inline flatbuffers::Offset<wire::Tensor> PutTensor(flatbuffers::FlatBufferBuilder& builder,
                                                   const Tensor& tensor) {
  const auto dims = tensor.shape().dims();
  const auto shape = builder.CreateVector(dims.data(), dims.size());
  const auto type = static_cast<tosa::DType>(tensor.type());
  return wire::CreateTensor(builder, type, shape, PutBytes(builder, tensor.bytes()));
}

// Returns a type of TOSA 1.0. Error kUnsupported for any other number.
inline Result<DType> GetType(tosa::DType from) {
  const auto number = static_cast<uint32_t>(from);
  if (number > 0 && number <= static_cast<uint32_t>(DType::kFp8e5m2)) {
    return static_cast<DType>(number);
  }
  return Unsupported("type " + std::to_string(number) + " is not known");
}

// Returns the tensor of a verified table, which may be null. Errors are those of GetType() and
// TensorOfElements().
inline Result<Tensor> GetTensor(const wire::Tensor* from) {
  if (from == nullptr) return BadInput("no tensor");
  const Result<DType> type = GetType(from->type());
  if (!type) return type.error();
  if (SizeOf(from->shape()) > Shape::kMaxRank) return BadInput("rank above 32");
  Shape shape;
  for (const int32_t dim : ElementsOf(from->shape())) shape.PushBack(dim);
  return TensorOfElements(*type, shape, View(from->data()));
}

}  // namespace assay
