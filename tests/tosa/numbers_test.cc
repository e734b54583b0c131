// SPDX-License-Identifier: Apache-2.0
// Tests the floating-point formats and the elementary functions of src/tosa.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "elementary.h"
#include "float_format.h"
#include "mpfr_reference.h"
#include "random.h"

namespace assay::numbers_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr DType kNarrowTypes[] = {DType::kFp16, DType::kBf16, DType::kFp8e4m3, DType::kFp8e5m2};
constexpr DType kFloatTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16, DType::kFp8e4m3,
                                 DType::kFp8e5m2};

uint32_t PatternCount(DType type) { return 1u << (8 * ElementBytes(type)); }
uint64_t Bits(double value) { return std::bit_cast<uint64_t>(value); }

// Returns the value of a pattern by the definition of a binary format, in the simplest way, with
// integers and powers of two. The pattern must not be an infinity or NaN.
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

// Returns the nearest of all finite patterns, ties to the even one, in the simplest way. The first
// magnitude that does not fit counts as one more pattern, because IEEE 754 rounds to infinity in
// this way.
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
      // The value is near a pattern, near the middle of two, or anywhere between.
      const uint32_t code = static_cast<uint32_t>(random.Below(patterns));
      const double low = DefinedValue(FormatOf(type), code);
      const double high = code + 1 < patterns ? DefinedValue(FormatOf(type), code + 1) : 2 * low;
      double value = random.OneIn(2) ? low : (low + high) / 2;
      if (random.OneIn(4)) value += (high - low) * static_cast<double>(random.Below(1000)) / 999;
      if (random.OneIn(2)) value = std::nextafter(value, random.OneIn(2) ? low : high);
      if (random.OneIn(2)) value = -value;
      const uint32_t nearest = NearestPattern(type, value);
      ASSERT_EQ(EncodeFloat(type, value), nearest) << TypeName(type) << " " << value;
      ASSERT_EQ(std::bit_cast<uint64_t>(RoundToType(type, value)),
                std::bit_cast<uint64_t>(DecodeFloat(type, nearest)))
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
      // From between two values, the next ones are these two.
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

struct Function {
  const char* name;
  double (*fast)(double);
  double (*reference)(double);
};
constexpr Function kFunctions[] = {
    {"Exp", Exp, MpfrExp},       {"Expm1", Expm1, MpfrExpm1},
    {"Log", Log, MpfrLog},       {"Sin", Sin, MpfrSin},
    {"Cos", Cos, MpfrCos},       {"Tanh", Tanh, MpfrTanh},
    {"Erf", Erf, MpfrErf},       {"Sigmoid", Sigmoid, MpfrSigmoid},
    {"Rsqrt", Rsqrt, MpfrRsqrt},
};

double Uniform(Random& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random.Next() >> 11) * 0x1p-53);
}

// Returns arguments where an implementation changes its method: limits of exp, of its kernel, of
// the series; multiples of pi/64 and of ln2/64. Adds the special numbers of IEEE 754.
std::vector<double> SpecialArguments() {
  std::vector<double> result = {0,
                                1,
                                0.5,
                                2,
                                4,
                                6,
                                5.93,
                                19.1,
                                19.06,
                                38,
                                37.5,
                                37.43,
                                700,
                                710,
                                746,
                                709.78,
                                709.79,
                                745.13,
                                745.14,
                                708.39,
                                708.4,
                                744,
                                1e22,
                                0x1p17,
                                0x1p20,
                                0x1p27,
                                0x1p127,
                                0x1p-26,
                                0x1p-27,
                                0x1p-53,
                                0x1p-54,
                                0x1p-900,
                                0x1p-1022,
                                0x1p-1074,
                                0x1.fffffffffffffp1023,
                                0x1.fffffffffffffp-1023,
                                1.0 / 32,
                                1.5,
                                0.75,
                                kInfinity};
  for (int i = 1; i < 300; ++i) {
    result.push_back(i * (0x1.921fb54442d18p+1 / 64));
    result.push_back(i * (0x1.62e42fefa39efp-1 / 64));
    result.push_back(i * (1.0 / 64));
  }
  for (size_t i = 0, end = result.size(); i < end; ++i) {
    result.push_back(std::nextafter(result[i], kInfinity));
    result.push_back(std::nextafter(result[i], -kInfinity));
  }
  for (size_t i = 0, end = result.size(); i < end; ++i) result.push_back(-result[i]);
  result.push_back(kNan);
  return result;
}

testing::AssertionResult IsMpfrs(const Function& function, double x) {
  const double fast = function.fast(x);
  const double reference = function.reference(x);
  if (Bits(fast) == Bits(reference)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << function.name << "(" << x << ") " << std::hexfloat << x
                                     << " is " << fast << ", not " << reference;
}

TEST(Elementary, FunctionsAreMpfrsAtSpecialArguments) {
  for (const Function& function : kFunctions) {
    for (double x : SpecialArguments()) ASSERT_TRUE(IsMpfrs(function, x));
  }
}

TEST(Elementary, FunctionsAreMpfrsAtEveryFp16Value) {
  for (const Function& function : kFunctions) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      ASSERT_TRUE(IsMpfrs(function, DecodeFloat(DType::kFp16, bits)));
    }
  }
}

TEST(Elementary, FunctionsAreMpfrsAtRandomArguments) {
  for (const Function& function : kFunctions) {
    Random random(3);
    for (int i = 0; i < 20000; ++i) {
      ASSERT_TRUE(IsMpfrs(function, std::bit_cast<double>(random.Next())));
      ASSERT_TRUE(IsMpfrs(function, Uniform(random, -1, 1)));
      ASSERT_TRUE(IsMpfrs(function, Uniform(random, -40, 40)));
      const double magnitude = Uniform(random, 1, 2);
      const int exponent = static_cast<int>(random.Between(-60, 20));
      ASSERT_TRUE(
          IsMpfrs(function, std::ldexp(random.OneIn(2) ? magnitude : -magnitude, exponent)));
    }
  }
}

TEST(Elementary, PowIsMpfrs) {
  const auto is_mpfrs = [](double x, double y) {
    if (Bits(Pow(x, y)) == Bits(MpfrPow(x, y))) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << x << "^" << y << " is " << Pow(x, y) << ", not " << MpfrPow(x, y);
  };
  const double special[] = {
      0,           0.25, 1.0 / 3, 0.5,    1,         1.5,      2,         3,      4,
      5,           64,   1e300,   1e-300, 0x1p-1074, 0x1p1023, kInfinity, kNan,   1 + 0x1p-52,
      1 - 0x1p-53, 1075, 1024,    0x1p62, 0x1p53,    0x1p-60,  99,        -1e-300};
  for (double x : special) {
    for (double y : special) {
      for (double sign : {1.0, -1.0}) {
        ASSERT_TRUE(is_mpfrs(x, sign * y));
        ASSERT_TRUE(is_mpfrs(-x, sign * y));
      }
    }
  }
  Random random(4);
  for (int i = 0; i < 30000; ++i) {
    const double x = std::bit_cast<double>(random.Next() >> 1);
    ASSERT_TRUE(is_mpfrs(x, Uniform(random, -3, 3)));
    ASSERT_TRUE(is_mpfrs(Uniform(random, 0, 3), Uniform(random, -1000, 1000)));
    // Short numbers, whose powers may be exact or half way between two doubles.
    const double bf16 = DecodeFloat(DType::kBf16, static_cast<uint32_t>(random.Below(0x7f80)));
    ASSERT_TRUE(is_mpfrs(bf16, static_cast<double>(random.Between(-24, 24)) / 4));
    ASSERT_TRUE(
        is_mpfrs(static_cast<double>(random.Below(2000)), static_cast<double>(random.Below(9))));
  }
}

// Tests the use of MPFR itself, because the tests above rely on it. The digits are those of the
// usual tables. There are at least 17 of them, so they name one double.
TEST(Elementary, KnowsPublishedValues) {
  EXPECT_EQ(Exp(1), 2.71828182845904523536);
  EXPECT_EQ(Expm1(1), 1.71828182845904523536);
  EXPECT_EQ(Log(2), 0.69314718055994530942);
  EXPECT_EQ(Log(10), 2.30258509299404568402);
  EXPECT_EQ(Sin(1), 0.84147098480789650665);
  EXPECT_EQ(Cos(1), 0.54030230586813971740);
  EXPECT_EQ(Sin(1e22), -0.85220084976718880177);
  EXPECT_EQ(Sin(0x1.921fb54442d18p+1), 0x1.1a62633145c07p-53);  // pi - its nearest double
  EXPECT_EQ(Tanh(1), 0.76159415595576488812);
  EXPECT_EQ(Erf(1), 0.84270079294971486934);
  EXPECT_EQ(Sigmoid(1), 0.73105857863000487925);
  EXPECT_EQ(Rsqrt(2), 0.70710678118654752440);
  EXPECT_EQ(Pow(2, 0.5), 1.41421356237309504880);
  EXPECT_EQ(Pow(10, -5), 1e-5);
  // Subnormals: 2^-1074 is exp(-744.4400719...), so exp(-744) is 1.55 times that and rounds to 2.
  EXPECT_EQ(Exp(-744), 0x2p-1074);
  EXPECT_EQ(Exp(-745.2), 0);
  EXPECT_EQ(Sigmoid(-744), 0x2p-1074);
  EXPECT_EQ(Pow(2, -1074), 0x1p-1074);
  EXPECT_EQ(Pow(2, -1075), 0);  // a tie, to the even
}

TEST(Elementary, FollowsIeeeAtSpecialValues) {
  EXPECT_EQ(Exp(-kInfinity), 0);
  EXPECT_EQ(Exp(kInfinity), kInfinity);
  EXPECT_EQ(Exp(709.79), kInfinity);
  EXPECT_EQ(Bits(Expm1(-0.0)), Bits(-0.0));
  EXPECT_EQ(Expm1(-kInfinity), -1);
  EXPECT_EQ(Log(-0.0), -kInfinity);
  EXPECT_EQ(Log(kInfinity), kInfinity);
  EXPECT_EQ(Bits(Log(1)), Bits(0.0));
  EXPECT_EQ(Bits(Sin(-0.0)), Bits(-0.0));
  EXPECT_EQ(Cos(0), 1);
  EXPECT_EQ(Bits(Tanh(-0.0)), Bits(-0.0));
  EXPECT_EQ(Tanh(-kInfinity), -1);
  EXPECT_EQ(Bits(Erf(-0.0)), Bits(-0.0));
  EXPECT_EQ(Erf(kInfinity), 1);
  EXPECT_EQ(Sigmoid(-kInfinity), 0);
  EXPECT_EQ(Sigmoid(kInfinity), 1);
  EXPECT_EQ(Sigmoid(-0.0), 0.5);
  EXPECT_EQ(Rsqrt(-0.0), -kInfinity);
  EXPECT_EQ(Rsqrt(0.0), kInfinity);
  EXPECT_EQ(Rsqrt(kInfinity), 0);
  EXPECT_EQ(Pow(0, 2), 0);
  EXPECT_EQ(Pow(0, -1), kInfinity);
  EXPECT_EQ(Pow(kNan, 0), 1);
  EXPECT_EQ(Pow(1, kNan), 1);
  for (double invalid : {Log(-1), Sin(kInfinity), Cos(-kInfinity), Rsqrt(-1), Exp(-kNan),
                         Sigmoid(-kNan), Tanh(-kNan), Pow(-2, 0.5), Pow(2, -kNan)}) {
    EXPECT_EQ(Bits(invalid), Bits(kNan));
  }
}

}  // namespace
}  // namespace assay::numbers_test
