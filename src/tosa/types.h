// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace assay {

// The element types of TOSA 1.0. Enumerators have the values and names of the `.tosa` wire format.
// TypeName() returns the specification's names (`i8_t` without `_t`: "i8").
enum class DType : uint32_t {
  kUnknown = 0,
  kBool = 1,
  kInt4 = 2,  // -7..7; -8 is not a value of the type
  kInt8 = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt48 = 6,
  kFp32 = 7,
  kFp16 = 8,
  kBf16 = 9,
  kShape = 10,  // shape_t: a list of tensor_size_t
  kFp8e4m3 = 11,
  kFp8e5m2 = 12,
};

inline constexpr DType kAllTypes[] = {
    DType::kBool, DType::kInt4, DType::kInt8, DType::kInt16, DType::kInt32,   DType::kInt48,
    DType::kFp32, DType::kFp16, DType::kBf16, DType::kShape, DType::kFp8e4m3, DType::kFp8e5m2};

// Returns "bool", "i4", "i8", "i16", "i32", "i48", "fp32", "fp16", "bf16", "shape", "fp8e4m3" or
// "fp8e5m2".
std::string_view TypeName(DType type);
std::optional<DType> TypeByName(std::string_view name);

constexpr bool IsFloat(DType type) {
  return type == DType::kFp32 || type == DType::kFp16 || type == DType::kBf16 ||
         type == DType::kFp8e4m3 || type == DType::kFp8e5m2;
}

// Returns true for i4, i8, i16, i32 and i48 (not for bool and shape).
constexpr bool IsInteger(DType type) {
  return type == DType::kInt4 || type == DType::kInt8 || type == DType::kInt16 ||
         type == DType::kInt32 || type == DType::kInt48;
}

// Returns the bytes of one element in memory (Tensor): 1 for bool, i4, i8 and fp8; 2 for i16, fp16
// and bf16; 4 for i32 and fp32; 8 for i48 and shape. (The `.tosa` format packs i4 and i48 more
// densely.)
constexpr int ElementBytes(DType type) {
  constexpr int kBytes[] = {0, 1, 1, 1, 2, 4, 8, 4, 2, 2, 8, 1, 1};  // in the order of DType
  const auto number = static_cast<size_t>(type);
  return number < std::size(kBytes) ? kBytes[number] : 0;
}

// Returns the bits of an integer type as the specification counts them; 1 for bool, 64 for shape.
constexpr int IntegerBits(DType type) {
  constexpr int kBits[] = {0, 1, 4, 8, 16, 32, 48, 0, 0, 0, 64};  // in the order of DType
  const auto number = static_cast<size_t>(type);
  return number < std::size(kBits) ? kBits[number] : 0;
}

// Return maximum_s<T>() and minimum_s<T>() of an integer type (7 and -7 for i4, 1 and 0 for bool).
constexpr int64_t MaximumInteger(DType type) {
  if (type == DType::kBool) return 1;
  return static_cast<int64_t>((uint64_t{1} << (IntegerBits(type) - 1)) - 1);
}
constexpr int64_t MinimumInteger(DType type) {
  if (type == DType::kBool) return 0;
  if (type == DType::kInt4) return -7;
  return -MaximumInteger(type) - 1;
}

// The enumerations of the specification (section "Enumerations"), with their wire values.
enum class NanMode : uint32_t { kUnknown = 0, kPropagate = 1, kIgnore = 2 };
enum class RoundingMode : uint32_t {
  kUnknown = 0,
  kSingleRound = 1,
  kInexactRound = 2,
  kDoubleRound = 3
};
enum class ResizeMode : uint32_t { kUnknown = 0, kNearest = 1, kBilinear = 2 };

// A version of the specification; `assay` speaks 1.0 (the text is that of 1.0.2).
struct SpecVersion {
  int major = 1;
  int minor = 0;
  int patch = 0;
  bool draft = false;
  friend bool operator==(const SpecVersion&, const SpecVersion&) = default;
};

}  // namespace assay
