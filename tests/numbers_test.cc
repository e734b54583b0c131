// Numbers: the floating-point formats, the elementary functions and the accuracy rules of src/tosa.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "float_format.h"
#include "random.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr DType kNarrowTypes[] = {DType::kFp16, DType::kBf16, DType::kFp8e4m3, DType::kFp8e5m2};
constexpr DType kFloatTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16, DType::kFp8e4m3,
                                 DType::kFp8e5m2};

uint32_t PatternCount(DType type) { return 1u << (8 * ElementBytes(type)); }
uint64_t Bits(double value) { return std::bit_cast<uint64_t>(value); }

// Slow and obvious: the value of a pattern by the definition of a binary format, all in integers
// and powers of two. Infinity and NaN are left to the caller.
double DefinedValue(const FloatFormat& format, uint32_t bits) {
  const uint32_t fraction = bits & ((1u << format.fraction_bits) - 1);
  const int exponent =
      static_cast<int>((bits >> format.fraction_bits) & ((1u << format.exponent_bits) - 1));
  const bool negative = (bits >> (format.fraction_bits + format.exponent_bits)) != 0;
  const double unit = std::ldexp(1.0, -format.fraction_bits);
  const double magnitude = exponent == 0
                               ? std::ldexp(fraction * unit, 1 - format.bias)
                               : std::ldexp(1.0 + fraction * unit, exponent - format.bias);
  return negative ? -magnitude : magnitude;
}

// Slow and obvious: the nearest of all finite patterns, ties to the even one. The first magnitude
// that does not fit any more counts as one more pattern, which is how IEEE 754 rounds to infinity.
uint32_t NearestPattern(DType type, double value) {
  const FloatFormat& format = FormatOf(type);
  const uint32_t sign = PatternCount(type) / 2;
  uint32_t best = 0;
  double best_distance = kInfinity;
  for (uint32_t code = 0; code < sign; ++code) {
    const double candidate = DefinedValue(format, code);
    const double distance = std::fabs(std::fabs(value) - candidate);
    if (distance < best_distance || (distance == best_distance && code % 2 == 0)) {
      best = code;
      best_distance = distance;
    }
    if (candidate > format.max) break;
  }
  if (!format.has_infinity && DefinedValue(format, best) > format.max) return sign - 1;
  return std::signbit(value) ? best | sign : best;
}

TEST(FloatFormat, DecodesEveryPatternToItsDefinition) {
  for (DType type : kNarrowTypes) {
    const FloatFormat& format = FormatOf(type);
    for (uint32_t bits = 0; bits < PatternCount(type); ++bits) {
      const double value = DecodeFloat(type, bits);
      const double defined = DefinedValue(format, bits);
      if (std::fabs(defined) <= format.max) {
        ASSERT_EQ(Bits(value), Bits(defined)) << TypeName(type) << " " << bits;
      } else if (format.has_infinity && (bits & ((1u << format.fraction_bits) - 1)) == 0) {
        ASSERT_EQ(value, defined < 0 ? -kInfinity : kInfinity) << TypeName(type) << " " << bits;
      } else {
        ASSERT_EQ(Bits(value), Bits(kNan)) << TypeName(type) << " " << bits;
      }
    }
  }
}

TEST(FloatFormat, RoundTripsEveryPatternAndMakesEveryNanCanonical) {
  // Sign 0, all exponent bits, only the top fraction bit; fp8e4m3 has a single NaN.
  const uint32_t canonical[] = {0x7e00, 0x7fc0, 0x7f, 0x7e};
  for (size_t i = 0; i < std::size(kNarrowTypes); ++i) {
    const DType type = kNarrowTypes[i];
    for (uint32_t bits = 0; bits < PatternCount(type); ++bits) {
      const double value = DecodeFloat(type, bits);
      ASSERT_EQ(EncodeFloat(type, value), std::isnan(value) ? canonical[i] : bits)
          << TypeName(type) << " " << bits;
    }
  }
  EXPECT_EQ(EncodeFloat(DType::kFp32, -kNan), 0x7fc00000u);
  EXPECT_EQ(Bits(DecodeFloat(DType::kFp32, 0xff800001)), Bits(kNan));
  EXPECT_EQ(DecodeFloat(DType::kFp32, 0x80000001), -0x1p-149);
  EXPECT_EQ(EncodeFloat(DType::kFp32, -0x1p-149), 0x80000001u);
}

TEST(FloatFormat, HasTheParametersOfTheSpecification) {
  EXPECT_EQ(FormatOf(DType::kFp32).max, std::ldexp(1, 128) - std::ldexp(1, 127 - 23));
  EXPECT_EQ(FormatOf(DType::kBf16).max, std::ldexp(1, 128) - std::ldexp(1, 127 - 7));
  EXPECT_EQ(FormatOf(DType::kFp16).max, std::ldexp(1, 16) - std::ldexp(1, 15 - 10));
  EXPECT_EQ(FormatOf(DType::kFp8e4m3).max, std::ldexp(1, 9) - std::ldexp(1, 8 - 2));
  EXPECT_EQ(FormatOf(DType::kFp8e5m2).max, std::ldexp(1, 16) - std::ldexp(1, 15 - 2));
  for (DType type : kFloatTypes) {
    const FloatFormat& format = FormatOf(type);
    EXPECT_EQ(format.normal_min, std::ldexp(1, 1 - format.bias)) << TypeName(type);
    EXPECT_EQ(1 + format.exponent_bits + format.fraction_bits, 8 * ElementBytes(type));
  }
}

TEST(FloatFormat, RoundsToNearestTiesToEven) {
  const struct {
    DType type;
    double value;
    uint32_t bits;
  } cases[] = {
      // fp16: 1 + 2^-10 is 0x3c01. Half way up from 1 stays at the even 0x3c00, half way up from
      // 0x3c01 goes to the even 0x3c02, and a hair above a tie is no tie.
      {DType::kFp16, 1 + 0x1p-11, 0x3c00},
      {DType::kFp16, 1 + 0x1p-10 + 0x1p-11, 0x3c02},
      {DType::kFp16, 1 + 0x1p-11 + 0x1p-52, 0x3c01},
      // 1 + 2^-11 + 2^-25 would be a tie after a first rounding to the 24 bits of fp32.
      {DType::kFp16, 1 + 0x1p-11 + 0x1p-25, 0x3c01},
      {DType::kFp16, -(1 + 0x1p-11), 0xbc00},
      // Largest 65504, quantum 32: the tie 65520 goes to the even neighbour, which is infinity.
      {DType::kFp16, 65519.999, 0x7bff},
      {DType::kFp16, 65520, 0x7c00},
      {DType::kFp16, -65520, 0xfc00},
      // Quantum of the subnormals 2^-24: 2^-25 is a tie with 0, 3*2^-25 a tie with 2*2^-24.
      {DType::kFp16, 0x1p-24, 0x0001},
      {DType::kFp16, 0x1p-25, 0x0000},
      {DType::kFp16, -0x1p-25, 0x8000},
      {DType::kFp16, 0x1.0000000000001p-25, 0x0001},
      {DType::kFp16, 0x1.8p-24, 0x0002},
      // Between the largest subnormal 0x03ff and the smallest normal 0x0400: up to the even one.
      {DType::kFp16, 0x1p-14 - 0x1p-25, 0x0400},
      {DType::kFp16, 0x1p-14 - 0x1.8p-25, 0x03ff},
      // bf16: quantum of [1, 2) 2^-7; max 0x7f7f, tie to infinity at 2^128 - 2^119.
      {DType::kBf16, 1 + 0x1p-8, 0x3f80},
      {DType::kBf16, 1 + 0x1.8p-7, 0x3f82},
      {DType::kBf16, 0x1.fep127, 0x7f7f},
      {DType::kBf16, 0x1.fefffffffffffp127, 0x7f7f},
      {DType::kBf16, 0x1.ffp127, 0x7f80},
      {DType::kBf16, 0x1p-133, 0x0001},
      {DType::kBf16, 0x1p-134, 0x0000},
      {DType::kBf16, 0x1.8p-133, 0x0002},
      // fp8e4m3: max 448 = 0x7e, quantum 32: the tie 464 stays at the even 0x7e, more is NaN, and
      // so is an infinity of either sign.
      {DType::kFp8e4m3, 464, 0x7e},
      {DType::kFp8e4m3, -464, 0xfe},
      {DType::kFp8e4m3, 464.00001, 0x7f},
      {DType::kFp8e4m3, -1e300, 0x7f},
      {DType::kFp8e4m3, -kInfinity, 0x7f},
      {DType::kFp8e4m3, 0x1p-9, 0x01},
      {DType::kFp8e4m3, 0x1p-10, 0x00},
      {DType::kFp8e4m3, 0x1.8p-9, 0x02},
      // fp8e5m2: max 57344 = 0x7b, quantum 8192: the tie 61440 goes to infinity.
      {DType::kFp8e5m2, 61439.99, 0x7b},
      {DType::kFp8e5m2, 61440, 0x7c},
      {DType::kFp8e5m2, -kInfinity, 0xfc},
      {DType::kFp8e5m2, 0x1p-16, 0x01},
      {DType::kFp8e5m2, 0x1p-17, 0x00},
      // fp32: tie to infinity at 2^128 - 2^103; smallest subnormal 2^-149.
      {DType::kFp32, 1 + 0x1p-24, 0x3f800000},
      {DType::kFp32, 1 + 0x1.8p-23, 0x3f800002},
      {DType::kFp32, 0x1.fffffefffffffp127, 0x7f7fffff},
      {DType::kFp32, 0x1.ffffffp127, 0x7f800000},
      {DType::kFp32, -1e300, 0xff800000},
      {DType::kFp32, 0x1p-150, 0x00000000},
      {DType::kFp32, 0x1.8p-149, 0x00000002},
      {DType::kFp32, -1e-320, 0x80000000},
  };
  for (const auto& [type, value, bits] : cases) {
    EXPECT_EQ(EncodeFloat(type, value), bits) << TypeName(type) << " " << value;
  }
}

TEST(FloatFormat, RoundsLikeASearchThroughAllPatterns) {
  Random random(1);
  for (DType type : {DType::kFp16, DType::kFp8e4m3, DType::kFp8e5m2}) {
    const uint32_t patterns = PatternCount(type) / 2;
    for (int i = 0; i < (type == DType::kFp16 ? 300 : 5000); ++i) {
      // Near a pattern, near the middle of two, or anywhere between.
      const uint32_t code = static_cast<uint32_t>(random.Below(patterns));
      const double low = DefinedValue(FormatOf(type), code);
      const double high = code + 1 < patterns ? DefinedValue(FormatOf(type), code + 1) : 2 * low;
      double value = random.OneIn(2) ? low : (low + high) / 2;
      if (random.OneIn(4)) value += (high - low) * static_cast<double>(random.Below(1000)) / 999;
      if (random.OneIn(2)) value = std::nextafter(value, random.OneIn(2) ? low : high);
      if (random.OneIn(2)) value = -value;
      ASSERT_EQ(EncodeFloat(type, value), NearestPattern(type, value))
          << TypeName(type) << " " << value;
    }
  }
}

TEST(FloatFormat, RoundsBf16ToTheCloserNeighbour) {
  Random random(2);
  for (int i = 0; i < 200000; ++i) {
    const uint32_t code = static_cast<uint32_t>(random.Below(0x7f7f));
    const double low = DecodeFloat(DType::kBf16, code);
    const double high = DecodeFloat(DType::kBf16, code + 1);
    const double value = low + (high - low) * static_cast<double>(random.Below(1025)) / 1024;
    const double up = high - value;
    const double down = value - low;
    const bool to_high = up < down || (up == down && code % 2 == 1);
    ASSERT_EQ(EncodeFloat(DType::kBf16, value), to_high ? code + 1 : code) << value;
    ASSERT_EQ(RoundToType(DType::kBf16, -value), to_high ? -high : -low) << value;
  }
}

TEST(FloatFormat, KnowsTheNeighboursOfAValue) {
  for (DType type : kNarrowTypes) {
    const FloatFormat& format = FormatOf(type);
    for (uint32_t code = 0; DecodeFloat(type, code) < format.max; ++code) {
      const double value = DecodeFloat(type, code);
      const double next = DecodeFloat(type, code + 1);
      ASSERT_EQ(NextUp(type, value), next) << TypeName(type) << " " << code;
      ASSERT_EQ(NextDown(type, next), value) << TypeName(type) << " " << code;
      ASSERT_EQ(NextDown(type, -value), -next) << TypeName(type) << " " << code;
      ASSERT_EQ(NextUp(type, -next), -value) << TypeName(type) << " " << code;
      // Between two values it is those two.
      ASSERT_EQ(NextUp(type, (value + next) / 2), next) << TypeName(type) << " " << code;
      ASSERT_EQ(NextDown(type, (value + next) / 2), value) << TypeName(type) << " " << code;
    }
    const double beyond = NextUp(type, format.max);
    EXPECT_TRUE(format.has_infinity ? beyond == kInfinity : std::isnan(beyond)) << TypeName(type);
    EXPECT_EQ(NextDown(type, kInfinity), format.max) << TypeName(type);
    EXPECT_EQ(NextUp(type, -kInfinity), -format.max) << TypeName(type);
    EXPECT_EQ(NextDown(type, 1e300), format.max) << TypeName(type);
    EXPECT_EQ(Bits(NextDown(type, kNan)), Bits(kNan)) << TypeName(type);
  }
  EXPECT_EQ(NextUp(DType::kFp32, 1), 1 + 0x1p-23);
  EXPECT_EQ(NextDown(DType::kFp32, 1), 1 - 0x1p-24);
  EXPECT_EQ(NextUp(DType::kFp32, kInfinity), kInfinity);
  EXPECT_EQ(NextDown(DType::kFp32, 0), -0x1p-149);
}

}  // namespace
}  // namespace assay
