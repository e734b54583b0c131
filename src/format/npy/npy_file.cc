// SPDX-License-Identifier: Apache-2.0
#include "npy_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "float_format.h"
#include "npy_header.h"
#include "quoted.h"

namespace assay {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kVersionEnd = 8;

bool IsUnderstood(std::string_view descr) {
  if (descr.size() != 3 || std::string_view("<>|").find(descr[0]) == descr.npos) return false;
  if (std::string_view("1248").find(descr[2]) == std::string_view::npos) return false;
  if (descr[1] == 'b') return descr[2] == '1';
  if (descr[1] == 'f') return descr[2] != '1';
  return descr[1] == 'i' || descr[1] == 'u' || descr[1] == 'V';
}

// Returns the little-endian bits of an element.
uint64_t BitsAt(const NpyArray& array, int64_t index) {
  uint64_t bits = 0;
  const auto width = static_cast<size_t>(array.width);
  std::memcpy(&bits, array.data.data() + static_cast<size_t>(index) * width, width);
  return bits;
}

double FloatAt(const NpyArray& array, int64_t index) {
  const uint64_t bits = BitsAt(array, index);
  if (array.width == 2) return DecodeFloat(DType::kFp16, static_cast<uint32_t>(bits));
  if (array.width == 4) return DecodeFloat(DType::kFp32, static_cast<uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

// Returns the element in the form that Tensor::FromIntegers() takes, an integer or a float's bits.
// Returns nothing if it is not a value of the type.
std::optional<int64_t> ElementAs(DType type, const NpyArray& array, int64_t index) {
  const uint64_t bits = BitsAt(array, index);
  const bool same_width = array.width == ElementBytes(type);
  if (array.kind == 'f') {
    if (!IsFloat(type)) return std::nullopt;
    if (same_width) return static_cast<int64_t>(bits);
    const double value = FloatAt(array, index);
    const uint32_t encoded = EncodeFloat(type, value);
    if (!std::isnan(value) && DecodeFloat(type, encoded) != value) return std::nullopt;
    return static_cast<int64_t>(encoded);
  }
  if (IsFloat(type)) {
    if (!same_width || array.kind == 'i' || array.kind == 'b') return std::nullopt;
    return static_cast<int64_t>(bits);
  }
  const int unused = 64 - 8 * array.width;
  const auto value = array.kind == 'i' || (same_width && type != DType::kBool)
                         ? static_cast<int64_t>(bits << unused) >> unused
                         : static_cast<int64_t>(bits);
  if (value < MinimumInteger(type) || value > MaximumInteger(type)) return std::nullopt;
  return value;
}

// Returns true if all bits of the array's elements are values of the type, with the same encoding
// as in a Tensor.
bool HoldsAnyBits(DType type, const NpyArray& array) {
  const std::string_view descr = NpyDescr(type);
  if (descr[1] != array.kind || array.width != ElementBytes(type)) return false;
  if (IsFloat(type)) return true;
  const int64_t high = static_cast<int64_t>(~uint64_t{0} >> (65 - 8 * array.width));
  return array.kind == 'i' && MinimumInteger(type) == -high - 1 && MaximumInteger(type) == high;
}

// Reorders the elements of an array from Fortran order to C order.
void Reorder(NpyArray& array) {
  const auto width = static_cast<size_t>(array.width);
  std::vector<uint8_t> ordered(array.data.size());
  std::vector<int64_t> position(array.dims.size(), 0);
  for (int64_t to = 0; to < array.elements; ++to) {
    int64_t from = 0;
    for (size_t axis = array.dims.size(); axis-- > 0;) {
      from = from * array.dims[axis] + position[axis];
    }
    std::memcpy(&ordered[static_cast<size_t>(to) * width],
                &array.data[static_cast<size_t>(from) * width], width);
    for (size_t axis = array.dims.size(); axis-- > 0;) {
      if (++position[axis] < array.dims[axis]) break;
      position[axis] = 0;
    }
  }
  array.data = std::move(ordered);
}

// Makes the elements of a big-endian file little-endian.
void SwapBytes(NpyArray& array) {
  for (auto at = array.data.begin(); at != array.data.end(); at += array.width) {
    std::reverse(at, at + array.width);
  }
}

// Returns numpy's name of elements: "int8".
std::string NumpyName(char kind, int width) {
  if (kind == 'b') return "bool";
  const std::string_view name = kind == 'i'   ? "int"
                                : kind == 'u' ? "uint"
                                : kind == 'f' ? "float"
                                              : "void";
  return std::string(name) + std::to_string(8 * width);
}

// Returns true for the types that numpy does not have. Their elements are bits.
bool IsForeignToNumpy(DType type) {
  return type == DType::kBf16 || type == DType::kFp8e4m3 || type == DType::kFp8e5m2;
}

std::vector<uint8_t> File(std::string_view descr, const Shape& shape,
                          std::span<const uint8_t> elements) {
  NpyHeader header{std::string(descr), false, {}};
  for (int32_t dim : shape.dims()) header.shape.push_back(dim);
  const std::string text = NpyHeaderText(header);
  size_t size = 128;
  while (kVersionEnd + 2 + text.size() + 1 > size) size += 64;
  std::vector<uint8_t> bytes;
  bytes.reserve(size + elements.size());
  bytes.assign(size, ' ');
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  const size_t length = size - kVersionEnd - 2;
  bytes[6] = 1;
  bytes[7] = 0;
  bytes[8] = static_cast<uint8_t>(length);
  bytes[9] = static_cast<uint8_t>(length >> 8);
  std::memcpy(bytes.data() + kVersionEnd + 2, text.data(), text.size());
  bytes.back() = '\n';
  bytes.insert(bytes.end(), elements.begin(), elements.end());
  return bytes;
}

Error WrongNumber(const NpyArray& array, std::string_view name, const TensorType& type) {
  return BadArray(
      name, "has " + std::to_string(array.elements) + " elements, not those of " + type.ToString());
}

// Returns the tensor of `type` with the elements of an array.
Result<Tensor> TensorFrom(NpyArray array, std::string_view name, const TensorType& type) {
  if (array.elements != type.shape.Elements()) return WrongNumber(array, name, type);
  if (HoldsAnyBits(type.type, array)) {
    return Tensor::FromBytes(type.type, type.shape, std::move(array.data));
  }
  std::vector<int64_t> elements(static_cast<size_t>(array.elements));
  for (int64_t i = 0; i < array.elements; ++i) {
    const std::optional<int64_t> element = ElementAs(type.type, array, i);
    if (!element) {
      return BadArray(name, "element " + std::to_string(i) + " ('" + array.kind +
                                std::to_string(array.width) + "') is no value of " +
                                std::string(TypeName(type.type)));
    }
    elements[static_cast<size_t>(i)] = *element;
  }
  return Tensor::FromIntegers(type.type, type.shape, elements);
}

// The head of a file, and where its data begin.
struct Head {
  NpyArray array;  // without its data
  size_t data_offset = 0;
  bool is_fortran = false, is_big_endian = false;
};

// Reads the head of a file of `size` bytes, which begins with `start`.
Result<Head> ReadHead(std::span<const uint8_t> start, size_t size, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (!text.starts_with(kMagic) || start.size() < kVersionEnd + 4) {
    return BadArray(name, "offset 0: not a .npy file");
  }
  const int version = start[6];
  if (version < 1 || version > 3) {
    return BadArray(name, "offset 6: .npy version " + std::to_string(version) + " is not known");
  }
  const size_t begin = kVersionEnd + (version == 1 ? 2 : 4);
  size_t length = 0;
  for (size_t i = begin; i-- > kVersionEnd;) length = length << 8 | start[i];
  if (length > size - begin) {
    return BadArray(name, "offset 8: the header is longer than the file");
  }
  if (length > start.size() - begin) {
    return BadArray(name, "offset 8: the header has more than " +
                              std::to_string(start.size() - begin) + " bytes");
  }
  const std::optional<NpyHeader> header = ParseNpyHeader(text.substr(begin, length));
  if (!header) return BadArray(name, "offset " + std::to_string(begin) + ": the header is damaged");
  Head head;
  NpyArray& array = head.array;
  const std::string& descr = header->descr;
  if (descr.find('O') != std::string::npos) {
    return BadArray(name, "holds pickled Python objects, which are never read");
  }
  if (!IsUnderstood(descr)) {
    return BadArray(name, "elements of type " + Quoted(descr) + " are not understood");
  }
  array.kind = descr[1];
  array.width = descr[2] - '0';
  array.dims = header->shape;
  head.data_offset = begin + length;
  const size_t data_bytes = size - head.data_offset;
  const auto count = static_cast<int64_t>(data_bytes) / array.width;
  array.elements = 1;
  bool is_empty = false;
  for (int64_t dim : array.dims) is_empty = is_empty || dim == 0;
  for (int64_t dim : array.dims) {
    // If the product exceeds the file's size, it need not be exact, only too large.
    array.elements = is_empty ? 0 : array.elements > count / dim ? count + 1 : array.elements * dim;
  }
  if (array.elements != count || data_bytes % static_cast<size_t>(array.width) != 0) {
    return BadArray(name, "has " + std::to_string(data_bytes) + " bytes of data, not those of " +
                              Quoted(NpyHeaderText(*header)));
  }
  head.is_fortran = header->fortran_order && array.dims.size() > 1;
  head.is_big_endian = descr[0] == '>' && array.width > 1 && array.kind != 'V';
  return head;
}

// Returns true if an array has the dimensions of `type` behind one more.
bool HasSamples(const NpyArray& array, const TensorType& type) {
  return array.dims.size() == static_cast<size_t>(type.shape.rank()) + 1 &&
         std::equal(type.shape.begin(), type.shape.end(), array.dims.begin() + 1);
}

}  // namespace

std::string_view NpyDescr(DType type) {
  constexpr std::string_view kDescr[] = {
      "",    "|b1", "|i1", "|i1", "<i2", "<i4", "<i8",
      "<f4", "<f2", "<V2", "<i8", "<V1", "|u1"};  // in the order of DType
  const auto number = static_cast<size_t>(type);
  return number < std::size(kDescr) ? kDescr[number] : "";
}

Result<NpyArray> ReadNpy(std::span<const uint8_t> bytes, std::string_view name) {
  Result<Head> head = ReadHead(bytes, bytes.size(), name);
  if (!head) return head.error();
  const std::span<const uint8_t> data = bytes.subspan(head->data_offset);
  head->array.data.assign(data.begin(), data.end());
  if (head->is_big_endian) SwapBytes(head->array);
  if (head->is_fortran) Reorder(head->array);
  return std::move(head->array);
}

Result<NpyArray> ReadNpyHead(std::span<const uint8_t> start, size_t size, std::string_view name) {
  const size_t length = std::min({start.size(), size, kNpyHeadBytesMax});
  Result<Head> head = ReadHead(start.first(length), size, name);
  if (!head) return head.error();
  return std::move(head->array);
}

Result<Done> CheckNpyElements(const NpyArray& head, std::string_view name, DType type) {
  const std::string_view descr = NpyDescr(type);
  const int width = descr[2] - '0';
  const bool is_bits = IsForeignToNumpy(type);
  const bool is_kind = is_bits ? head.kind == 'V' || head.kind == 'u' : head.kind == descr[1];
  if (is_kind && head.width == width) return Done{};
  return BadArray(name, "has " + NumpyName(head.kind, head.width) + " elements; " +
                            std::string(TypeName(type)) + " needs " +
                            (is_bits ? NumpyName('V', width) + " or " + NumpyName('u', width)
                                     : NumpyName(descr[1], width)) +
                            ", and other types no longer pass");
}

Result<Done> CheckNpySamples(const NpyArray& head, std::string_view name, const TensorType& type) {
  if (HasSamples(head, type) || head.elements == type.shape.Elements()) return Done{};
  return WrongNumber(head, name, type);
}

Result<Shape> ShapeOfNpy(const NpyArray& head, std::string_view name) {
  Shape shape;
  for (int64_t dim : head.dims) {
    if (dim > INT32_MAX || shape.rank() == Shape::kMaxRank) {
      return BadArray(name, "its shape is none of a tensor");
    }
    shape.PushBack(static_cast<int32_t>(dim));
  }
  return shape;
}

Result<Tensor> ReadNpyTensor(std::span<const uint8_t> bytes, std::string_view name,
                             const TensorType& type) {
  Result<NpyArray> array = ReadNpy(bytes, name);
  if (!array) return array.error();
  return TensorFrom(std::move(*array), name, type);
}

Result<std::vector<Tensor>> ReadNpySamples(std::span<const uint8_t> bytes, std::string_view name,
                                           const TensorType& type) {
  Result<NpyArray> array = ReadNpy(bytes, name);
  if (!array) return array.error();
  if (!HasSamples(*array, type)) {
    Result<Tensor> tensor = TensorFrom(std::move(*array), name, type);
    if (!tensor) return tensor.error();
    return std::vector<Tensor>{std::move(*tensor)};
  }
  if (array->elements == 0) return BadArray(name, "holds no sample of " + type.ToString());
  NpyArray part = {array->kind, array->width, {}, type.shape.Elements(), {}};
  const auto size = static_cast<std::ptrdiff_t>(part.elements) * part.width;
  std::vector<Tensor> samples;
  for (auto at = array->data.begin(); at != array->data.end(); at += size) {
    part.data.assign(at, at + size);
    Result<Tensor> tensor = TensorFrom(part, name, type);
    if (!tensor) return tensor.error();
    samples.push_back(std::move(*tensor));
  }
  return samples;
}

Result<std::vector<Tensor>> ReadNpySamples(const SharedBytes& file, std::string_view name,
                                           const TensorType& type) {
  const Result<Head> head = ReadHead(file.bytes, file.bytes.size(), name);
  if (!head) return head.error();
  const NpyArray& array = head->array;
  const uint8_t* const data = file.bytes.data() + head->data_offset;
  const int64_t of_sample = type.shape.Elements();
  const int64_t count = HasSamples(array, type) ? array.dims[0] : 1;
  const bool is_aligned =
      reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(array.width) == 0;
  // Everything else, and every error, is left to the other function.
  if (head->is_fortran || head->is_big_endian || !is_aligned || !HoldsAnyBits(type.type, array) ||
      of_sample == 0 || count == 0 || array.elements != of_sample * count) {
    return ReadNpySamples(file.bytes, name, type);
  }
  std::vector<Tensor> samples;
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t* const first = data + i * of_sample * array.width;
    samples.push_back(Tensor::FromShared(type.type, type.shape, {file.owner, first}));
  }
  return samples;
}

Result<Tensor> ReadNpyTensor(std::span<const uint8_t> bytes, std::string_view name) {
  const Result<NpyArray> array = ReadNpy(bytes, name);
  if (!array) return array.error();
  // i4 and shape share their encoding with i8 and i48, which are chosen here.
  constexpr DType kByDescr[] = {DType::kBool,    DType::kInt8,   DType::kInt16, DType::kInt32,
                                DType::kInt48,   DType::kFp32,   DType::kFp16,  DType::kBf16,
                                DType::kFp8e4m3, DType::kFp8e5m2};
  const Result<Shape> shape = ShapeOfNpy(*array, name);
  if (!shape) return shape.error();
  for (DType type : kByDescr) {
    const std::string_view descr = NpyDescr(type);
    if (descr[1] == array->kind && descr[2] - '0' == array->width) {
      return ReadNpyTensor(bytes, name, {type, *shape});
    }
  }
  return Unsupported(std::string(name) + ": no TOSA type has elements like '" + array->kind +
                     std::to_string(array->width) + "'");
}

Result<std::vector<double>> ReadNpyDoubles(std::span<const uint8_t> bytes, std::string_view name,
                                           int64_t elements) {
  const Result<NpyArray> array = ReadNpy(bytes, name);
  if (!array) return array.error();
  if (array->kind != 'f' || array->elements != elements) {
    return BadArray(name, "is not an array of " + std::to_string(elements) + " floats");
  }
  std::vector<double> values(static_cast<size_t>(elements));
  for (int64_t i = 0; i < elements; ++i) values[static_cast<size_t>(i)] = FloatAt(*array, i);
  return values;
}

std::vector<uint8_t> WriteNpy(const Tensor& tensor) {
  return File(NpyDescr(tensor.type()), tensor.shape(), tensor.bytes());
}

std::vector<uint8_t> WriteNpyDoubles(std::span<const double> elements, const Shape& shape) {
  return File("<f8", shape,
              {reinterpret_cast<const uint8_t*>(elements.data()), elements.size_bytes()});
}

}  // namespace assay
