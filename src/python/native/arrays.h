// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tensor.h"

namespace assay::python {

// Tensors as numpy arrays. Elements have the same bytes in both (src/python/assay/dtypes.py): i4 is
// int8, i48 and shape are int64, bf16 is uint16, fp8 is uint8.

// Returns the elements as a read-only array, which shares them with the tensor.
pybind11::array ToArray(const Tensor& tensor);

// Decides whether a tensor keeps the memory of an array, or has a copy. Memory that is shared must
// not change as long as the tensor exists.
enum class Elements : uint8_t { kShared, kCopied };

// Returns the tensor with the elements of an array. ml_dtypes' bfloat16 and FP8 types are taken for
// those of TOSA. An array that is not contiguous is copied. Raises BadInput, whose text begins with
// `what`, if the array has another element type, or a value that the type does not have.
Tensor ToTensor(pybind11::handle array, DType type, const std::string& what, Elements elements);

// Returns a copy of the bytes.
inline pybind11::bytes ToBytes(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace assay::python
