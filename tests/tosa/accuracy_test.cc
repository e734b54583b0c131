// SPDX-License-Identifier: Apache-2.0
// Compares the accuracy rules of src/tosa with values worked by hand from the specification.
#include "accuracy.h"

#include <gtest/gtest.h>

#include <limits>

#include "elementary.h"

namespace assay::accuracy_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr DType kFp32 = DType::kFp32;
constexpr DType kFp16 = DType::kFp16;
constexpr DType kBf16 = DType::kBf16;
constexpr DType kE4m3 = DType::kFp8e4m3;
constexpr DType kE5m2 = DType::kFp8e5m2;

TEST(Accuracy, CountsUlpsFromThePowerOfTwoBelow) {
  EXPECT_EQ(UlpError(kFp32, 1, 0.5), 0x1p-24);
  EXPECT_EQ(UlpError(kFp32, 1.999, 1), 0x1p-23);
  EXPECT_EQ(UlpError(kFp32, -2, 1), 0x1p-22);
  EXPECT_EQ(UlpError(kBf16, 3, 0.5), 0x1p-7);       // 2 * 2^-7 / 2
  EXPECT_EQ(UlpError(kFp16, 0x1p-20, 1), 0x1p-24);  // below normal_min: 2^-14 * 2^-10
  EXPECT_EQ(UlpError(kE4m3, -0.01, 1), 0x1p-9);     // likewise: 2^-6 * 2^-3
  EXPECT_EQ(UlpError(kFp32, 1e-310, 1), 0x1p-149);
  EXPECT_EQ(UlpError(kFp32, 0, 5), 0);
  EXPECT_EQ(UlpError(kFp32, -kInfinity, 5), 0);
  EXPECT_EQ(UlpError(kFp32, kNan, 5), 0);
}

TEST(Accuracy, CalculatesAbsoluteErrorBounds) {
  EXPECT_EQ(AbsoluteErrorBound(kFp16, -3, 4, 0, 1), 12.0 / 1024);
  EXPECT_EQ(AbsoluteErrorBound(kFp16, 0, 4, 0, 1), 0x1p-22);  // 2^-10 * normal_min * 4
  // The lower bound: 2^-23 * max(0.5 / 5, 0) * 5.
  EXPECT_DOUBLE_EQ(AbsoluteErrorBound(kFp32, 0, 5, 0.5, 1), 0x1p-24);
  EXPECT_EQ(AbsoluteErrorBound(kFp32, 0, kInfinity, 0, 1), 0);
  EXPECT_EQ(AbsoluteErrorBound(kFp32, 1, kInfinity, 0, 1), kInfinity);
  // Half of 23, 10 and 7 bits, cut off.
  EXPECT_EQ(AbsoluteErrorBound(kFp32, 1, 1, 0, 2), 0x1p-11);
  EXPECT_EQ(AbsoluteErrorBound(kFp16, 1, 1, 0, 2), 0x1p-5);
  EXPECT_EQ(AbsoluteErrorBound(kBf16, 1, 1, 0, 2), 0x1p-3);
}

TEST(Accuracy, BoundsUnaryOperators) {
  // The factors: EXP err_base + 2 abs(x), SIGMOID 2 (1 + abs(x)), TANH 4 (err_base + 2 abs(x)).
  EXPECT_DOUBLE_EQ(ExpError(kFp32, 2, 7.389), 0x1p-23 * 7.389 * 7);
  EXPECT_DOUBLE_EQ(ExpError(kFp16, -2, 0.1353), 0x1p-10 * 0.1353 * 5);
  EXPECT_EQ(ExpError(kFp32, 0, 1), 0x1p-23 * 3);
  EXPECT_DOUBLE_EQ(LogError(kFp32, 7.389, 2), 0x1p-23 * 2 * 5);
  EXPECT_DOUBLE_EQ(LogError(kFp32, 1, 0), 0x1p-23 * 0.5);
  EXPECT_DOUBLE_EQ(SigmoidError(kFp16, 3, 0.9526), 0x1p-10 * 0.9526 * 8);
  EXPECT_DOUBLE_EQ(SigmoidError(kFp16, -100, 3.7e-44), 0x1p-10 * 0x1p-14 * 202);
  EXPECT_DOUBLE_EQ(TanhError(kFp32, 1, 0.7616), 0x1p-23 * 0.7616 * 20);
  EXPECT_DOUBLE_EQ(TanhError(kBf16, -1, -0.7616), 0x1p-7 * 0.7616 * 12);
  EXPECT_DOUBLE_EQ(TanhError(kFp32, 0x1p-10, 0x1p-10), 0x1p-23 * 0.5);  // the lower bound
  EXPECT_EQ(SinError(kFp32, -1, -0.8415), 0x1p-11 * 2);
  EXPECT_DOUBLE_EQ(SinError(kFp32, 0x1p-130, 0x1p-130), 3.14159265358979324 * 0x1p-126);
  EXPECT_EQ(CosError(kBf16, -3, -0.99), 0x1p-3 * 4);
  EXPECT_EQ(ErfError(kFp16, 0.8, 0.75), 5 * 0x1p-11);
  EXPECT_EQ(RecipError(kFp32, 3, 1.0 / 3), 0x1p-25);
  EXPECT_EQ(RsqrtError(kBf16, 4, 0.5), 2 * 0x1p-8);
}

TEST(Accuracy, LetsTheTablesOfSpecialValuesDecide) {
  using Rule = double (*)(DType, double, double);
  const struct {
    Rule rule;
    double x;
    double reference;
  } cases[] = {
      {ExpError, kInfinity, kInfinity}, {ExpError, -kInfinity, 0},  {ExpError, 1000, kInfinity},
      {LogError, kInfinity, kInfinity}, {LogError, 0, -kInfinity},  {SigmoidError, kInfinity, 1},
      {SigmoidError, -kInfinity, 0},    {SigmoidError, 0, 0.5},     {TanhError, kInfinity, 1},
      {TanhError, -kInfinity, -1},      {TanhError, 0, 0},          {SinError, -0.0, -0.0},
      {RecipError, 0, kInfinity},       {RecipError, kInfinity, 0}, {RsqrtError, 0, kInfinity},
      {RsqrtError, kInfinity, 0},       {ErfError, 0, 0},
  };
  for (const auto& [rule, x, reference] : cases) {
    for (DType type : {kFp32, kFp16, kBf16}) EXPECT_EQ(rule(type, x, reference), 0) << x;
  }
  // An overflow can be judged: only +inf is right.
  EXPECT_TRUE(WithinBound(kFp32, kInfinity, Exp(1000), ExpError(kFp32, 1000, Exp(1000))));
  EXPECT_FALSE(WithinBound(kFp32, 1, Exp(1000), ExpError(kFp32, 1000, Exp(1000))));
}

TEST(Accuracy, BoundsPow) {
  // fp16, 2^3: y log x = 2.079442, mul_err = 5.5 * 2^-10 * 2.079442 = 0.011168875,
  // exp_err = 8 * 2^-10 * (1 + 2 * (2.079442 + 0.011168875)) = 0.040478288,
  // 8 * expm1(mul_err) = 0.089851842.
  EXPECT_NEAR(PowError(kFp16, 2, 3, 8), 0.130330129, 1e-9);
  // fp32, 1^2: the lower bound makes mul_err 2^-23 * 1.1, exp_err is 2^-23 * 3 and a little.
  EXPECT_NEAR(PowError(kFp32, 1, 2, 1), 0x1p-23 * 4.1, 1e-12);
  EXPECT_EQ(PowError(kFp32, 0, 2, 0), 0);
  EXPECT_EQ(PowError(kFp32, 3, 0, 1), 0);
  EXPECT_EQ(PowError(kFp32, 1e30, 30, kInfinity), 0);
  // expm1(mul_err) is infinite and the reference 0: exp(-693147.18 + 29783.67) is 0 all the
  // same, and exp_err 2^-7 * 2^-126 * (1 + 2 * 663363.51).
  EXPECT_NEAR(PowError(kBf16, 0.5, 1e6, 0), 0x1p-133 * 1326728, 0x1p-133);
  for (double undefined : {PowError(kFp32, -1, 2, 1), PowError(kFp32, 0, 0, 1),
                           PowError(kFp32, kInfinity, 1, kInfinity), PowError(kFp32, 2, kNan, 2)}) {
    EXPECT_EQ(undefined, kInfinity);
  }
}

TEST(Accuracy, BoundsProductsAndInterpolation) {
  EXPECT_DOUBLE_EQ(ReduceProductError(kFp16, 3, 1), 3 * 0x1p-11);
  EXPECT_DOUBLE_EQ(ReduceProductError(kFp16, -1, 2), 2 * 0x1p-11 + 0x1p-22);
  EXPECT_DOUBLE_EQ(ReduceProductError(kFp16, 0, 1), 0x1p-14 * 0x1p-11);
  EXPECT_EQ(ReduceProductError(kFp16, kInfinity, 3), 0);
  EXPECT_EQ(ResizeBilinearError(kFp32, 2, 1), 2 * 0.006);
  EXPECT_EQ(ResizeBilinearError(kBf16, 2, 1), 0x1p-7 * 20 * 2);
  EXPECT_EQ(ResizeBilinearError(kBf16, kInfinity, kInfinity), kInfinity);
  EXPECT_EQ(ResizeBilinearError(kBf16, kInfinity, kNan), 0);
}

TEST(Accuracy, BoundsDotProducts) {
  EXPECT_EQ(DotProductRoundings(kFp32, kFp32, 27), 28);
  EXPECT_EQ(DotProductRoundings(kFp16, kFp16, 1), 2);
  EXPECT_EQ(DotProductRoundings(kFp32, kFp16, 100), 3);  // ceil(100 / 2^6) + 1
  EXPECT_EQ(DotProductRoundings(kFp32, kBf16, 256), 2);  // 256 / 2^8 + 1
  EXPECT_EQ(DotProductRoundings(kBf16, kFp16, 8), 24);   // ceil(8 / 2^-1.5) + 1
  EXPECT_EQ(DotProductAbsBound(kFp32, kFp32, 1), 4);     // 2 * 2
  // With an ABS_BOUND of 4; the unit is max(bound * 2^-24, normal_min).
  EXPECT_EQ(DotProductError(kFp32, 4, 1), 4 * 0x1p-24);
  EXPECT_EQ(DotProductError(kFp16, 4, 0x1p-20), 4 * 0x1p-14);
  EXPECT_EQ(DotProductError(kFp32, 4, 0), 0);
  EXPECT_EQ(DotProductError(kFp32, 4, kNan), kInfinity);
  EXPECT_EQ(DotProductError(kFp32, 4, kInfinity), kInfinity);
  // 65000 * (1 + 4 * 2^-11) is 65126.95; 65504 * (1 + 4 * 2^-11) is 65631.9, infinite in fp16.
  EXPECT_EQ(DotProductError(kFp16, 4, 65000), 4 * 65000 * 0x1p-11);
  EXPECT_EQ(DotProductError(kFp16, 4, 65504), kInfinity);
}

TEST(Accuracy, ChecksAgainstABoundAsTheSpecificationDoes) {
  const struct {
    DType type;
    double test, reference, error;
    bool within;
  } cases[] = {
      {kFp16, 1.5, 1, 0.5, true},
      {kFp16, 1.5009765625, 1, 0.5, false},
      {kFp16, 0.5, 1, 0.5, true},
      {kFp16, -1.5, -1, 0.5, true},
      {kFp16, -1.5009765625, -1, 0.5, false},
      {kFp16, 1, -1, 0.5, false},
      // NaN
      {kFp16, kNan, kNan, 0, true},
      {kFp16, 1, kNan, kInfinity, false},
      {kFp16, kNan, 1, 0.5, false},
      {kFp16, kNan, kInfinity, 0.5, false},
      // No accuracy is required.
      {kFp16, -7, 1, kInfinity, true},
      {kFp16, kNan, 1, kInfinity, true},
      // Beyond 65504 the interval reaches to infinity, with both of its ends.
      {kFp16, kInfinity, 65504, 16, true},
      {kFp16, 65504, 65504, 16, true},
      {kFp16, kInfinity, 65504, 0, false},
      {kFp16, 65504, 65519, 2, false},
      {kFp16, 65504, 65519, 16, true},
      {kFp16, -kInfinity, -65519, 2, true},
      {kFp16, -kInfinity, 65519, 2, false},
      {kFp16, kInfinity, kInfinity, 0, true},
      {kFp16, 65504, kInfinity, 0, false},
      {kFp16, -kInfinity, 1, 1e9, true},
      // A zero may be a flushed subnormal, if one lies within the bound.
      {kFp16, 0, 0x1p-15, 0, true},
      {kFp16, -0.0, 0x1p-15, 0, true},
      {kFp16, 0, 0x1p-14, 0, false},
      {kFp16, 0, 0x1p-14, 0x1p-24, true},
      {kFp16, 0, -0x1p-15, 0, true},
      {kFp16, 0x1p-24, 0, 0, false},
      {kE5m2, 0, 0x1p-15, 0, false},
      {kE5m2, 0, 0x1p-15, 0x1p-15, true},
      {kE5m2, kInfinity, 57344, 4096, true},
      // fp8e4m3 has NaN beyond 448.
      {kE4m3, kNan, 449, 0, true},
      {kE4m3, kNan, -449, 0, true},
      {kE4m3, 448, 449, 0, false},
      {kE4m3, 448, 449, 1, true},
      {kE4m3, kNan, 448, 0, false},
      {kE4m3, kNan, 448, 16, true},
  };
  for (const auto& [type, test, reference, error, within] : cases) {
    EXPECT_EQ(WithinBound(type, test, reference, error), within)
        << TypeName(type) << " " << test << " for " << reference << " +- " << error;
  }
}

TEST(Accuracy, MatchesExactlyUpToNanPayloadsZeroSignsAndFlushes) {
  EXPECT_TRUE(MatchesExactly(kFp32, 1, 1));
  EXPECT_FALSE(MatchesExactly(kFp32, 1 + 0x1p-23, 1));
  EXPECT_TRUE(MatchesExactly(kFp32, kNan, -kNan));
  EXPECT_FALSE(MatchesExactly(kFp32, 0, kNan));
  EXPECT_FALSE(MatchesExactly(kFp32, kNan, 0));
  EXPECT_TRUE(MatchesExactly(kFp32, -0.0, 0));
  EXPECT_TRUE(MatchesExactly(kFp32, -kInfinity, -kInfinity));
  EXPECT_FALSE(MatchesExactly(kFp32, kInfinity, -kInfinity));
  EXPECT_TRUE(MatchesExactly(kBf16, 0, 0x1p-130));
  EXPECT_FALSE(MatchesExactly(kBf16, 0x1p-130, 0));
  EXPECT_FALSE(MatchesExactly(kE4m3, 0, 0x1p-9));
}

// A correctly rounded result is right under every rule.
TEST(Accuracy, AdmitsTheNearestValue) {
  const struct {
    const char* name;
    double (*function)(double);
    double (*rule)(DType, double, double);
  } operators[] = {
      {"EXP", Exp, ExpError},
      {"LOG", Log, LogError},
      {"SIN", Sin, SinError},
      {"COS", Cos, CosError},
      {"TANH", Tanh, TanhError},
      {"ERF", Erf, ErfError},
      {"SIGMOID", Sigmoid, SigmoidError},
      {"RSQRT", Rsqrt, RsqrtError},
  };
  for (const auto& [name, function, rule] : operators) {
    for (DType type : {kFp16, kBf16}) {
      for (uint32_t bits = 0; bits < 0x10000; bits += 7) {
        const double x = DecodeFloat(type, bits);
        const double reference = function(x);
        const double result = RoundToType(type, reference);
        ASSERT_TRUE(WithinBound(type, result, reference, rule(type, x, reference)))
            << name << " " << TypeName(type) << " " << x;
      }
    }
  }
}

}  // namespace
}  // namespace assay::accuracy_test
