// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "npy_file.h"
#include "python_error.h"

namespace assay::python {
namespace {

namespace py = pybind11;

// Returns the name of numpy's element type: "<i4"; "" for kUnknown. Floats that numpy lacks are
// bits.
std::string NumpyName(DType type) {
  if (type == DType::kBf16) return "<u2";
  return std::string(type == DType::kFp8e4m3 ? "|u1" : NpyDescr(type));
}

// Returns the name of the type of ml_dtypes that has the values of a TOSA type; "" if none.
std::string MlDtypesName(DType type) {
  switch (type) {
    case DType::kBf16:
      return "bfloat16";
    case DType::kFp8e4m3:
      return "float8_e4m3fn";
    case DType::kFp8e5m2:
      return "float8_e5m2";
    case DType::kInt4:
      return "int4";
    default:
      return "";
  }
}

// Returns true if the elements are values of the type.
bool AreValues(DType type, std::span<const uint8_t> bytes) {
  const auto all = [&](auto number, int64_t low, int64_t high) {
    for (size_t at = 0; at + sizeof(number) <= bytes.size(); at += sizeof(number)) {
      std::memcpy(&number, &bytes[at], sizeof(number));
      if (number < low || number > high) return false;
    }
    return true;
  };
  switch (type) {
    case DType::kBool:
      return std::ranges::all_of(bytes, [](uint8_t byte) { return byte < 2; });
    case DType::kInt4:
      return all(int8_t{}, MinimumInteger(type), MaximumInteger(type));
    case DType::kInt48:
      return all(int64_t{}, MinimumInteger(type), MaximumInteger(type));
    default:
      return true;
  }
}

[[noreturn]] void Refuse(const std::string& what, const std::string& why) {
  Raise(BadInput(what + ": " + why));
}

}  // namespace

py::array ToArray(const Tensor& tensor) {
  const std::vector<py::ssize_t> shape(tensor.shape().begin(), tensor.shape().end());
  auto owner = std::make_unique<Tensor>(tensor);
  const void* data = owner->bytes().data();
  const py::capsule keeper(owner.release(), [](void* kept) { delete static_cast<Tensor*>(kept); });
  py::array array(py::dtype(NumpyName(tensor.type())), shape, data, keeper);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

Tensor ToTensor(py::handle given, DType type, const std::string& what, Elements elements) {
  if (NumpyName(type).empty()) Refuse(what, "has no element type");
  py::array array = py::array::ensure(given, py::array::c_style);
  if (!array) {
    PyErr_Clear();
    Refuse(what, "is no array");
  }
  const py::dtype expected(NumpyName(type));
  if (!array.dtype().equal(expected)) {
    const std::string name = py::str(py::object(array.dtype()));
    const bool is_the_same = name == MlDtypesName(type) &&
                             array.itemsize() == static_cast<py::ssize_t>(ElementBytes(type));
    if (!is_the_same) {
      Refuse(what, "has elements of " + name + ", which are no " + std::string(TypeName(type)) +
                       "; it takes " + std::string(py::str(py::object(expected))));
    }
  }
  if (array.ndim() > Shape::kMaxRank) Refuse(what, "has rank " + std::to_string(array.ndim()));
  std::vector<int32_t> dims;
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) {
    if (array.shape(axis) > INT32_MAX) Refuse(what, "has a dimension beyond 31 bits");
    dims.push_back(static_cast<int32_t>(array.shape(axis)));
  }
  const auto* data = static_cast<const uint8_t*>(array.data());
  const std::span<const uint8_t> bytes(data, static_cast<size_t>(array.nbytes()));
  if (!AreValues(type, bytes))
    Refuse(what, "has a value that " + std::string(TypeName(type)) + " does not have");
  Shape shape{std::span<const int32_t>(dims)};
  if (elements == Elements::kCopied) {
    return Tensor::FromBytes(type, std::move(shape), {bytes.begin(), bytes.end()});
  }
  // The array may be released by a thread that does not have the interpreter's lock.
  auto* keeper = new py::array(std::move(array));
  const std::shared_ptr<const uint8_t[]> shared(data, [keeper](const uint8_t*) {
    const py::gil_scoped_acquire lock;
    delete keeper;
  });
  return Tensor::FromShared(type, std::move(shape), shared);
}

}  // namespace assay::python
