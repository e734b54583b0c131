// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mapped_file.h"
#include "result.h"
#include "tensor.h"

namespace assay {

// NumPy's `.npy` files, the way Arm's reference model writes and reads them:
//   bool '|b1'; i4, i8 '|i1'; i16 '<i2'; i32 '<i4'; i48, shape '<i8'; fp16 '<f2'; bf16 '<V2';
//   fp32 '<f4'; fp8e4m3 '<V1'; fp8e5m2 '|u1'; outputs in fp64 '<f8'.
// An Error is one line, `NAME: what is wrong`.

// Returns the name of a type's elements, as above; "" for kUnknown.
std::string_view NpyDescr(DType type);

inline Error BadArray(std::string_view name, const std::string& what) {
  return BadInput(std::string(name) + ": " + what);
}

// An array as stored in a file of format 1.0, 2.0 or 3.0. Elements are in C order and
// little-endian; those of a file in Fortran order are reordered, and those of a big-endian file are
// swapped. An element is one number of 1, 2, 4 or 8 bytes.
struct NpyArray {
  char kind = 'V';  // b, i, u, f; V: bits
  int width = 1;    // bytes of an element
  std::vector<int64_t> dims;
  int64_t elements = 0;
  std::vector<uint8_t> data;
};
Result<NpyArray> ReadNpy(std::span<const uint8_t> bytes, std::string_view name);

// Reads the head of a file of `size` bytes, which begins with `start`: an array without its data.
// No more than kNpyHeadBytesMax bytes of `start` are read; a longer head is an Error.
inline constexpr size_t kNpyHeadBytesMax = size_t{1} << 16;
Result<NpyArray> ReadNpyHead(std::span<const uint8_t> start, size_t size, std::string_view name);

// Checks that elements are stored as NpyDescr() says. The byte order is not checked. numpy lacks
// bf16 and fp8, so elements of V and u of their width are bits of these. An Error names both types:
// "NAME: has int16 elements; i8 needs int8, ...".
Result<Done> CheckNpyElements(const NpyArray& head, std::string_view name, DType type);

// Checks that ReadNpySamples() finds as many elements as `type` has, or samples of it.
Result<Done> CheckNpySamples(const NpyArray& head, std::string_view name, const TensorType& type);

// Returns the shape of an array. Error if no tensor has such a shape.
Result<Shape> ShapeOfNpy(const NpyArray& head, std::string_view name);

// Reads the tensor of `type` in a file. The number of elements must agree; dimensions may differ.
// Numbers of another width or kind are accepted if every one is a value of the type. V and u of the
// type's width are bits.
Result<Tensor> ReadNpyTensor(std::span<const uint8_t> bytes, std::string_view name,
                             const TensorType& type);

// Reads samples of `type`. An array with the dimensions of `type` behind one more, leading axis has
// as many samples as this axis is long. Any other array is one sample, as for ReadNpyTensor().
Result<std::vector<Tensor>> ReadNpySamples(std::span<const uint8_t> bytes, std::string_view name,
                                           const TensorType& type);

// Does the same, and the tensors point into the file, if they are stored there as in a tensor.
Result<std::vector<Tensor>> ReadNpySamples(const SharedBytes& file, std::string_view name,
                                           const TensorType& type);

// Does the same as ReadNpyTensor() with the type and shape of the file: b1 is bool, i1 i8, i2 i16,
// i4 i32, i8 i48, f2 fp16, V2 bf16, f4 fp32, V1 fp8e4m3, u1 fp8e5m2. Error kUnsupported for others.
Result<Tensor> ReadNpyTensor(std::span<const uint8_t> bytes, std::string_view name);

// Reads the `elements` numbers of a file of any float type.
Result<std::vector<double>> ReadNpyDoubles(std::span<const uint8_t> bytes, std::string_view name,
                                           int64_t elements);

// Write format 1.0 with a header of 128 bytes (a larger multiple of 64 if the shape is very long).
std::vector<uint8_t> WriteNpy(const Tensor& tensor);
std::vector<uint8_t> WriteNpyDoubles(std::span<const double> elements, const Shape& shape);

}  // namespace assay
