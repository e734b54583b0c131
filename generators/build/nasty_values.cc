// SPDX-License-Identifier: Apache-2.0
#include "nasty_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "check.h"
#include "float_format.h"

namespace assay {
namespace {

constexpr int64_t kBools[] = {0, 1};
// Bounds (-8 is not a value of the type), sign changes, powers of two.
constexpr int64_t kInt4s[] = {-7, -6, -4, -2, -1, 0, 1, 2, 3, 4, 6, 7};
// Bounds and their neighbours; numbers whose product of two fills 7, 14 or 15 bits.
constexpr int64_t kInt8s[] = {-128, -127, -126, -91, -65, -64, -33, -16, -8, -3, -2, -1,  0,
                              1,    2,    3,    7,   8,   15,  16,  31,  63, 64, 91, 126, 127};
// The same, and the bounds of 8-bit types of either signedness.
constexpr int64_t kInt16s[] = {-32768, -32767, -16385, -16384, -257,  -256, -255, -181,
                               -129,   -128,   -127,   -3,     -2,    -1,   0,    1,
                               2,      3,      127,    128,    129,   181,  255,  256,
                               257,    4095,   16383,  16384,  32766, 32767};
// The same, and in addition: the square root of the type's range (46341); the numbers where fp32,
// fp16 and bf16 stop holding every integer (2^24, 2^11, 2^8) and, one further, the first ties; the
// number one beyond a tie of bf16 that fp32 does not hold (2^24 + 2^16 + 1), and of fp16 (2^15 +
// 2^4 + 1). These come out wrong if they are rounded twice.
constexpr int64_t kInt32s[] = {
    -2147483648, -2147483647, -1073741824, -16842753, -46341, -32769, -32768,   -129,
    -128,        -2,          -1,          0,         1,      2,      3,        127,
    128,         255,         256,         257,       2048,   2049,   32767,    32768,
    32785,       46340,       46341,       65535,     65536,  65537,  16777216, 16777217,
    16842753,    1073741824,  2147483646,  2147483647};
// Bounds of 48, 32 and 16 bits: RESCALE narrows to these widths.
constexpr int64_t kInt48s[] = {-140737488355328,
                               -140737488355327,
                               -4294967296,
                               -2147483649,
                               -2147483648,
                               -65536,
                               -32769,
                               -1,
                               0,
                               1,
                               2,
                               32767,
                               32768,
                               65535,
                               2147483647,
                               2147483648,
                               4294967295,
                               4294967296,
                               140737488355326,
                               140737488355327};

std::vector<double> MakeNastyFloats(DType type) {
  const FloatFormat& format = FormatOf(type);
  const double ulp = std::ldexp(1.0, -format.fraction_bits);  // of 1
  std::vector<double> positive = {
      format.normal_min * ulp,          // the least subnormal
      format.normal_min * (1.0 - ulp),  // the greatest subnormal
      format.normal_min,
      format.normal_min * (1.0 + ulp),
      ulp,            // 1 + x is a tie for its half, exact for x
      ulp / 2,        //
      0.5 - ulp / 4,  // rounds to 0; adding a half first rounds it to 1
      0.5,            // a tie between 0 and 1
      0.5 + ulp / 2,
      1.0 - ulp / 2,
      1.0,
      1.0 + ulp,  // odd last bit
      1.5,
      2.0,
      2.5,
      3.0,  // ties to either side
      7.0,
      127.0,
      127.5,
      128.0,  // around the bounds of i8: 127.5 saturates after rounding
      32767.0,
      32768.0,  // i16
      2147483520.0,
      2147483648.0,  // i32: the last fp32 below, and beyond
      1.0 / ulp,     // from here on all values are integers
      1.0 / ulp + 1.0,
      std::sqrt(format.max),  // squares just fit
      format.max / 2,
      format.max,
  };
  for (double& value : positive) value = RoundToType(type, value);
  std::erase_if(positive, [&](double value) { return !(value > 0 && value <= format.max); });
  std::sort(positive.begin(), positive.end());
  positive.erase(std::unique(positive.begin(), positive.end()), positive.end());
  std::vector<double> all;
  for (auto value = positive.rbegin(); value != positive.rend(); ++value) all.push_back(-*value);
  all.push_back(-0.0);
  all.push_back(0.0);
  all.insert(all.end(), positive.begin(), positive.end());
  return all;
}

}  // namespace

std::span<const int64_t> NastyIntegers(DType type) {
  constexpr std::pair<DType, std::span<const int64_t>> kTables[] = {
      {DType::kBool, kBools},   {DType::kInt4, kInt4s},   {DType::kInt8, kInt8s},
      {DType::kInt16, kInt16s}, {DType::kInt32, kInt32s}, {DType::kInt48, kInt48s}};
  for (const auto& [known, numbers] : kTables) {
    if (known == type) return numbers;
  }
  return {};
}

std::span<const double> NastyFloats(DType type) {
  static const std::vector<double> fp32 = MakeNastyFloats(DType::kFp32);
  static const std::vector<double> fp16 = MakeNastyFloats(DType::kFp16);
  static const std::vector<double> bf16 = MakeNastyFloats(DType::kBf16);
  static const std::vector<double> fp8e4m3 = MakeNastyFloats(DType::kFp8e4m3);
  static const std::vector<double> fp8e5m2 = MakeNastyFloats(DType::kFp8e5m2);
  Check(IsFloat(type), "a floating-point type");
  if (type == DType::kFp32) return fp32;
  if (type == DType::kFp16) return fp16;
  if (type == DType::kBf16) return bf16;
  return type == DType::kFp8e4m3 ? fp8e4m3 : fp8e5m2;
}

std::span<const double> SpecialFloats(DType type) {
  static constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity,
                                        -kInfinity};
  const std::span<const double> all = kSpecial;
  return FormatOf(type).has_infinity ? all : all.first(1);
}

std::span<const double> NumbersOfEveryClass(DType type) {
  static const std::map<DType, std::vector<double>> classes = [] {
    std::map<DType, std::vector<double>> all;
    for (const DType known : kAllTypes) {
      std::vector<double>& numbers = all[known];
      if (!IsFloat(known)) {
        const auto low = static_cast<double>(MinimumInteger(known));
        const auto high = static_cast<double>(MaximumInteger(known));
        numbers = {0, 1};
        if (known != DType::kBool) numbers.insert(numbers.end(), {-1, low, high});
        continue;
      }
      const FloatFormat& format = FormatOf(known);
      numbers = {1, -1, 0.0, -0.0, format.normal_min, NextUp(known, 0), format.max, -format.max};
      const std::span<const double> special = SpecialFloats(known);
      numbers.insert(numbers.end(), special.begin(), special.end());
    }
    return all;
  }();
  return classes.at(type);
}

ValueRange ValueRange::All(DType type) {
  if (IsFloat(type)) return Between(-FormatOf(type).max, FormatOf(type).max);
  return Between(static_cast<double>(MinimumInteger(type)),
                 static_cast<double>(MaximumInteger(type)));
}

}  // namespace assay
