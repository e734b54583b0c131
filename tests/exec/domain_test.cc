// SPDX-License-Identifier: Apache-2.0
// Compares results of the bound domain with bounds worked by hand from the specification.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <limits>

#include "ball_domain.h"
#include "bound_domain.h"
#include "random.h"

namespace assay::domain_test {
namespace {

constexpr DType kFp32 = DType::kFp32;
constexpr DType kFp16 = DType::kFp16;
constexpr DType kInt8 = DType::kInt8;
constexpr DType kInt32 = DType::kInt32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr NanMode kPropagate = NanMode::kPropagate;

Bounded Given(DType type, double value) {
  return BoundDomain::FromScalar(type, Scalar::OfFloat(value));
}
std::vector<Bounded> Given(DType type, std::initializer_list<double> values) {
  std::vector<Bounded> elements;
  for (const double value : values) elements.push_back(Given(type, value));
  return elements;
}

void ExpectExactly(const Bounded& x, double value) {
  EXPECT_EQ(x.certainty, Certainty::kExact) << value;
  EXPECT_TRUE(x.value.real() == value || (std::isnan(x.value.real()) && std::isnan(value)))
      << x.value.real() << " instead of " << value;
}
void ExpectBounded(const Bounded& x, double reference, double error) {
  EXPECT_EQ(x.certainty, Certainty::kBounded) << reference;
  EXPECT_EQ(x.reference, reference);
  EXPECT_EQ(x.error, error) << reference;
}
// Expects the numbers from low to high, up to the rounding of the ends.
void ExpectSet(const Bounded& x, double low, double high) {
  EXPECT_EQ(x.certainty, Certainty::kBounded) << low;
  EXPECT_LE(x.reference - x.error, low);
  EXPECT_GE(x.reference + x.error, high);
  const double rounding = (std::fabs(low) + std::fabs(high)) * 0x1p-46;
  EXPECT_NEAR(x.reference - x.error, low, rounding);
  EXPECT_NEAR(x.reference + x.error, high, rounding);
}
void ExpectUndecided(const Bounded& x) { EXPECT_EQ(x.certainty, Certainty::kUndecided); }
void ExpectDecided(const Bounded& x, int64_t value) {
  EXPECT_EQ(x.certainty, Certainty::kExact);
  EXPECT_EQ(x.value.integer(), value);
}

class Bounds : public testing::Test {
 protected:
  Bounded Sum(DType type, double a, double b) {
    return d.Store(type, d.Add(type, Given(type, a), Given(type, b), ""));
  }
  // Returns e, with an error of 2^-23 * e * (3 + 2).
  Bounded E() { return d.Store(kFp32, d.Elementary(Op::kExp, kFp32, Given(kFp32, 1))); }

  BoundDomain d;
};

// Zero is the only value that is nearer to zero than the least subnormal, 2^-149.
TEST_F(Bounds, SettleZerosThatNothingElseIsNear) {
  EXPECT_EQ(d.Store(kFp32, d.Mul(kFp32, Given(kFp32, 0), Given(kFp32, 5))).certainty,
            Certainty::kZeroSignOpen);  // half an ulp of zero is 2^-150
  const auto zero_within = [](double error) {
    return Bounded{Scalar::OfFloat(0), 0, error, Certainty::kBounded};
  };
  EXPECT_EQ(d.Store(kFp32, zero_within(0x1.8p-150)).certainty, Certainty::kZeroSignOpen);
  ExpectBounded(d.Store(kFp32, zero_within(0x1p-149)), 0, 0x1p-149);
}

TEST_F(Bounds, SettleWhatOnlyOneValueMeets) {
  ExpectExactly(Sum(kFp32, 1, 2), 3);
  // 2049 +- 0.5 ULP of 2: both neighbours, whichever the reference rounds to.
  ExpectBounded(Sum(kFp16, 2048, 1), 2049, 1);
  EXPECT_EQ(Sum(kFp16, 2048, 1).value.real(), 2048);
  // 2053.25 +- 1: 2054 alone. But a backend may go on with 2053.25, as fp32 has it (reading
  // operator-sequence). Less 2048, that is 5.25, not 6.
  const Bounded rounded = Sum(kFp16, 2052, 1.25);
  ExpectBounded(rounded, 2053.25, 1);
  ExpectExactly(BoundDomain::Final(kFp16, rounded), 2054);
  // Everything from 2053 to 2055 rounds to 2054. Half an ULP of 7 is 2^-9.
  ExpectSet(d.Sub(kFp16, rounded, Given(kFp16, 2048), ""), 5 - 0x1p-9, 7 + 0x1p-9);
  ExpectDecided(d.Greater(kFp16, rounded, Given(kFp16, 2052)), 1);
  // Below a power of two values lie closer: half an ULP of 4 reaches the next one.
  ExpectBounded(Sum(kFp16, 1, 3), 4, 0x1p-9);
  ExpectExactly(Sum(kFp32, kInfinity, -kInfinity), kNan);
}

TEST_F(Bounds, ReachBeyondTheRangeAsTheRuleDoes) {
  // 120000, where fp16 would count in 64.
  ExpectBounded(Sum(kFp16, 60000, 60000), 120000, 32);
  ExpectExactly(BoundDomain::Final(kFp16, Sum(kFp16, 60000, 60000)), kInfinity);
  // 65512 + 16 is beyond 65504, 65512 - 16 is not.
  ExpectBounded(Sum(kFp16, 65504, 8), 65512, 16);
  // e^710 is beyond fp64: only infinity is meant.
  const Bounded overflowed = d.Store(kFp32, d.Elementary(Op::kExp, kFp32, Given(kFp32, 710)));
  ExpectExactly(BoundDomain::Final(kFp32, overflowed), kInfinity);
  ExpectUndecided(d.Elementary(Op::kReciprocal, kFp32, overflowed));
  ExpectExactly(d.Store(kFp32, d.Elementary(Op::kExp, kFp32, Given(kFp32, kInfinity))), kInfinity);
}

TEST_F(Bounds, LeaveTheSignOfACalculatedZeroOpen) {
  const Bounded zero = Sum(kFp32, 1, -1);
  EXPECT_EQ(zero.certainty, Certainty::kZeroSignOpen);
  ExpectUndecided(d.Elementary(Op::kReciprocal, kFp32, zero));
  ExpectUndecided(d.Elementary(Op::kRsqrt, kFp32, zero));
  ExpectExactly(d.Elementary(Op::kReciprocal, kFp32, Given(kFp32, -0.0)), -kInfinity);
  ExpectExactly(d.Store(kFp32, d.Add(kFp32, zero, Given(kFp32, 5), "")), 5);
}

TEST_F(Bounds, AllowForFlushedSubnormals) {
  const Bounded tiny = Given(kFp16, 0x1p-20);
  ExpectBounded(tiny, 0x1p-20, 0);
  ExpectExactly(Given(DType::kFp8e4m3, 0x1p-9), 0x1p-9);
  // 1.5 + 2^-20 and 1.5 + 0 both leave 1.5 only.
  const Bounded about = d.Store(kFp16, d.Add(kFp16, tiny, Given(kFp16, 1.5), ""));
  ExpectExactly(BoundDomain::Final(kFp16, about), 1.5);
  // Doubled it is subnormal as well; itself or zero.
  const Bounded twice = d.Store(kFp16, d.Add(kFp16, tiny, tiny, ""));
  ExpectBounded(twice, 0x1p-19, 0);
  // It may be flushed, and a given number kept. So MAXIMUM may give any number between.
  const Bounded larger = d.Max(kFp16, kPropagate, twice, tiny);
  EXPECT_TRUE(WithinBound(kFp16, 0x1p-20, larger.reference, larger.error));
  EXPECT_FALSE(WithinBound(kFp16, 0x1p-18, larger.reference, larger.error));
  // 2^-20 * 2^10, or 0 * 2^10.
  ExpectBounded(d.Store(kFp16, d.Mul(kFp16, tiny, Given(kFp16, 1024))), 0x1p-10, 0x1p-10);
  ExpectBounded(d.Store(kFp16, d.Ceil(kFp16, tiny)), 1, 1);
  // 2^20 overflows, as does 1/0.
  ExpectExactly(
      BoundDomain::Final(kFp16, d.Store(kFp16, d.Elementary(Op::kReciprocal, kFp16, tiny))),
      kInfinity);
  ExpectUndecided(d.Elementary(Op::kLog, kFp16, tiny));
  ExpectDecided(d.FloatToInteger(kFp16, kInt8, tiny, ""), 0);
}

TEST_F(Bounds, DecideComparisonsWhereAllAnswersAgree) {
  const Bounded tiny = Given(kFp16, 0x1p-20);
  ExpectUndecided(d.Greater(kFp16, tiny, Given(kFp16, 0)));
  ExpectUndecided(d.Equal(kFp16, tiny, Given(kFp16, 0)));
  ExpectDecided(d.GreaterEqual(kFp16, tiny, Given(kFp16, 0)), 1);
  ExpectDecided(d.Equal(kFp16, tiny, tiny), 1);
  ExpectDecided(d.Greater(kFp32, E(), Given(kFp32, 2.71828)), 1);
  ExpectUndecided(d.Greater(kFp32, E(), Given(kFp32, E().value.real())));
  ExpectDecided(d.Equal(kFp32, E(), Given(kFp32, kNan)), 0);
  ExpectDecided(d.FloatToInteger(kFp32, kInt8, E(), ""), 3);
  // 2048 or 2050, to which 2047 to 2051 may round.
  ExpectSet(d.FloatToInteger(kFp16, kInt32, Sum(kFp16, 2048, 1), ""), 2047, 2051);
  EXPECT_FALSE(d.uncertain_requirement());
}

TEST_F(Bounds, NoteRequirementsThatHangOnTheUndetermined) {
  const Bounded doubtful = d.Greater(kFp16, Given(kFp16, 0x1p-20), Given(kFp16, 0));
  d.RequireTrue(doubtful, "rule");
  EXPECT_TRUE(d.judgement().valid());
  EXPECT_TRUE(d.uncertain_requirement());
}

TEST_F(Bounds, FollowSelectionAndCopies) {
  const Bounded e = E();
  const Bounded relu = d.Store(kFp32, d.Max(kFp32, kPropagate, e, Given(kFp32, 0)));
  ExpectBounded(relu, e.reference, e.error);
  ExpectExactly(d.Store(kFp32, d.Min(kFp32, kPropagate, e, Given(kFp32, 2))), 2);
  ExpectBounded(d.Store(kFp32, d.Negate(kFp32, e)), -e.reference, e.error);
  ExpectBounded(d.Abs(kFp32, d.Negate(kFp32, e)), e.reference, e.error);
  ExpectExactly(d.Max(kFp32, kPropagate, e, Given(kFp32, kNan)), kNan);
  ExpectBounded(d.Max(kFp32, NanMode::kIgnore, e, Given(kFp32, kNan)), e.reference, e.error);
  // 2048..2050 against 2049.
  const Bounded about = Sum(kFp16, 2048, 1);
  const Bounded both = d.Max(kFp16, kPropagate, about, Given(kFp16, 2049.0));
  ExpectSet(both, 2049, 2050);
  ExpectBounded(d.Select(kFp32, d.Integer(1), e, Given(kFp32, 0)), e.reference, e.error);
  // If the choice is open, the result may be either.
  const Bounded open = d.Greater(kFp32, e, e);
  ExpectSet(d.Select(kFp32, open, Given(kFp32, 7), Given(kFp32, 5)), 5, 7);
  const std::vector<Bounded> table = Given(kFp32, {1, 4, 9, 16, 25});
  const Bounded index = d.FloatToInteger(kFp16, kInt32, Sum(kFp16, 2048, 1), "");  // 2047..2051
  ExpectSet(d.Lookup(kFp32, table, d.SubInteger(index, d.Integer(2048))), 1, 16);
}

// A backend may pass on 2053 to 2055 as the rounded sum, and 0 to 4 as the integer.
TEST_F(Bounds, FollowSetsThroughOtherWords) {
  const Bounded rounded = Sum(kFp16, 2052, 1.25);
  const Bounded integer =
      d.SubInteger(d.FloatToInteger(kFp16, kInt32, Sum(kFp16, 2048, 1), ""), d.Integer(2047));
  ExpectSet(integer, 0, 4);
  const Bounded open = d.Greater(kFp32, E(), E());
  ExpectSet(d.Select(kFp32, open, Given(kFp32, 5), Given(kFp32, 7)), 5, 7);
  ExpectSet(d.Select(kInt32, open, d.Integer(5), d.Integer(7)), 5, 7);
  // Any of the first three rows may be written, or none of them.
  std::vector<Bounded> table = Given(kFp32, {10, 20, 30});
  d.Update(kFp32, table, integer, Given(kFp32, 7));
  ExpectSet(table[0], 7, 10);
  ExpectSet(table[1], 7, 20);
  ExpectSet(table[2], 7, 30);
  // 1 * 2 + 3 * 5, where the 1 may be 3 away.
  DotRule rule;
  rule.in_type = rule.weight_type = kInt8;
  rule.acc_type = rule.out_type = kInt32;
  const std::vector<Bounded> a = {integer, d.Integer(3)};
  ExpectSet(d.Dot(rule, a, std::vector{d.Integer(2), d.Integer(5)}, {}, nullptr), 11, 23);
  EXPECT_FALSE(d.uncertain_requirement());
  // 4 * 2^30 is no i32.
  const std::vector<Bounded> large = {d.Integer(int64_t{1} << 30), d.Integer(0)};
  ExpectUndecided(d.Dot(rule, a, large, {}, nullptr));
  EXPECT_TRUE(d.uncertain_requirement());
  // The rules of operators come on top of the numbers that they read.
  const double product_error = ReduceProductError(kFp16, 4110, 2);
  ExpectSet(d.Product(kFp16, std::vector{rounded, Given(kFp16, 2)}), 4106 - product_error,
            4110 + product_error);
  const double power_error = 2 * PowError(kFp16, 2055, 1, 2055);
  ExpectSet(d.Pow(kFp16, rounded, Given(kFp16, 1)), 2053 - power_error, 2055 + power_error);
  const std::array<Bounded, 4> corners = {rounded, rounded, rounded, rounded};
  const double bilinear_error = ResizeBilinearError(kFp16, 2055, 2055);
  ExpectSet(d.Bilinear(kFp16, 2055, corners, 0.5, 0.5), 2053 - bilinear_error,
            2055 + bilinear_error);
}

TEST_F(Bounds, DecideArgMaxWhereOneIndexIsLeft) {
  ExpectDecided(d.ArgMax(kFp16, kPropagate, Given(kFp16, {1, 3, 3, kNan})), 3);
  ExpectDecided(d.ArgMax(kFp16, NanMode::kIgnore, Given(kFp16, {1, 3, 3, kNan})), 1);
  ExpectDecided(d.ArgMax(kFp16, kPropagate, Given(kFp16, {0, -0.0})), 0);
  ExpectUndecided(d.ArgMax(kFp16, kPropagate, Given(kFp16, {-0.0, 0})));
  ExpectUndecided(d.ArgMax(kFp16, kPropagate, Given(kFp16, {0, 0x1p-20})));
  ExpectDecided(d.ArgMax(kFp32, kPropagate, std::vector{Given(kFp32, 2), E()}), 1);
  ExpectSet(d.ArgMax(kFp32, kPropagate, std::vector{Given(kFp32, 2), E(), E()}), 1, 2);
}

TEST_F(Bounds, CastBothTowardsZeroAndToNearest) {
  const auto cast = [&](DType to, double x) {
    return d.Store(to, d.FloatToFloat(kFp32, to, Given(kFp32, x)));
  };
  const auto expect_only = [&](DType to, double x, double value) {
    ExpectExactly(BoundDomain::Final(to, cast(to, x)), value);
    EXPECT_EQ(cast(to, x).certainty, Certainty::kBounded) << x << " is not what was rounded";
  };
  ExpectExactly(cast(kFp16, 2050), 2050);
  expect_only(kFp16, 2048.5, 2048);  // nearest, and towards zero
  // A half: towards zero or even 2048, 2050 if halves are rounded away (reading cast-rounding).
  ExpectBounded(cast(kFp16, 2049), 2049, 1);
  ExpectBounded(cast(kFp16, 2051), 2051, 1);  // 2050 or 2052
  ExpectBounded(cast(kFp16, -2051), -2051, 1);
  expect_only(kFp16, 65519, 65504);
  ExpectBounded(cast(kFp16, 65520), 65520, 16);  // 65504 or infinity
  expect_only(kFp16, 65536, kInfinity);
  expect_only(kFp16, -1e30, -kInfinity);
  ExpectExactly(cast(kFp16, kNan), kNan);
  ExpectBounded(cast(kFp16, 0x1p-20), 0x1p-20, 0);  // itself, or flushed
  // Subnormal numbers of fp8e4m3 count in 2^-9: 1.25 * 2^-9 goes to 2^-9 both ways; 1.5 * 2^-9 lies
  // halfway to 2^-8.
  expect_only(DType::kFp8e4m3, 0x1.4p-9, 0x1p-9);
  ExpectBounded(cast(DType::kFp8e4m3, 0x1.8p-9), 0x1.8p-9, 0x1p-10);
  expect_only(DType::kFp8e4m3, 463, 448);
  ExpectBounded(cast(DType::kFp8e4m3, 464), 464, 16);  // a half: 448, or 480, which is NaN
  ExpectBounded(cast(DType::kFp8e4m3, 470), 470, 22);  // 448 or NaN
  expect_only(DType::kFp8e4m3, 480, kNan);
  expect_only(DType::kFp8e5m2, 65536, kInfinity);
}

TEST_F(Bounds, CountRoundingsOfDotProducts) {
  const DotRule rule = {.in_type = kFp32,
                        .weight_type = kFp32,
                        .acc_type = kFp32,
                        .out_type = kFp32,
                        .kernel_size = 2};
  const auto a = Given(kFp32, {1, -2});
  const auto b = Given(kFp32, {3, 4});
  // 3 - 8; bound 3 + 8; ksb = 2 + 1, ABS_BOUND = 6.
  ExpectBounded(d.Dot(rule, a, b, {}, nullptr), -5, 6 * 11 * 0x1p-24);
  const Bounded bias = Given(kFp32, -1);
  ExpectBounded(d.Dot(rule, a, b, {}, &bias), -6, 6 * 12 * 0x1p-24);
  DotRule global = rule;
  global.input_maximum = 2;
  ExpectBounded(d.Dot(global, a, b, {}, nullptr), -5, 6 * 14 * 0x1p-24);
  ExpectBounded(d.Dot(rule, a, b, Given(kFp32, {7}), nullptr), -5, 6 * 11 * 0x1p-24);
  ExpectUndecided(d.Dot(rule, a, b, Given(kFp32, {kInfinity}), nullptr));
  ExpectExactly(d.Dot(rule, Given(kFp32, {kInfinity, 1}), Given(kFp32, {0, 1}), {}, nullptr), kNan);
  ExpectUndecided(d.Dot(rule, Given(kFp32, {kInfinity, 1}), b, {}, nullptr));
  // The bound overflows although the sum does not.
  ExpectUndecided(
      d.Dot(rule, Given(kFp32, {0x1p127, -0x1p127}), Given(kFp32, {1, 1}), {}, nullptr));
  // Flushing 2^-127 moves the sum by 2^-7.
  const double error = 6 * (0x1p-126 * 0x1p120 + 1) * 0x1p-24;
  ExpectSet(d.Dot(rule, Given(kFp32, {0x1p-127, 1}), Given(kFp32, {0x1p120, 1}), {}, nullptr),
            1 - error, 1 + 0x1p-6 + error);
  EXPECT_EQ(d.MaximumMagnitude(kFp32, a), 2);
}

bool SameBits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

// A subnormal operand may be flushed; a type that must keep subnormals counts them as the least
// normal number.
TEST_F(Bounds, ReadOperandsOfDotProductsAsBalls) {
  const auto ball = [&](DType type, double x) {
    std::vector<Ball> from_element, from_number;
    const BallDomain balls(d, type);
    balls.Read(type, Given(type, {x}), from_element);
    balls.Read(
        type, 1, [x](auto visit) { visit(x); }, from_number);
    EXPECT_PRED2(SameBits, from_element[0].value, from_number[0].value);
    EXPECT_PRED2(SameBits, from_element[0].bound, from_number[0].bound);
    EXPECT_PRED2(SameBits, from_element[0].outer, from_number[0].outer);
    return from_number[0];
  };
  EXPECT_EQ(ball(kFp32, -3).outer, 3);
  EXPECT_EQ(ball(kFp32, -0.0).bound, 0x1p-126);
  EXPECT_EQ(ball(kFp32, -0x1p-127).outer, 0x1p-126);
  EXPECT_TRUE(std::isnan(ball(kFp32, kNan).outer));
  const Ball kept = ball(DType::kFp8e5m2, 0x1p-16);
  EXPECT_EQ(kept.outer, 0x1p-16);
  EXPECT_EQ(kept.bound, 0x1p-14);
}

// A backend of plain sums has no error where all partial sums are exact. The 24 bits of fp32 hold
// sums of magnitudes up to 2^24 units.
TEST_F(Bounds, OfPlainSumsAreExactOnALattice) {
  BoundDomain plain({.plain_sums = true});
  DotRule rule = {kFp32, kFp32, kFp32, kFp32, 2};
  const auto dot = [&](BoundDomain& domain, std::initializer_list<double> x,
                       std::initializer_list<double> y, double bias) {
    const auto a = Given(kFp32, x), b = Given(kFp32, y);
    rule.quantum = domain.Quantum(kFp32, a) * domain.Quantum(kFp32, b);
    const Bounded last = Given(kFp32, bias);
    return BoundDomain::Final(kFp32, domain.Store(kFp32, domain.Dot(rule, a, b, {}, &last)));
  };
  ExpectExactly(dot(plain, {0x1p-15, 3}, {1, -2}, 0.5), -5.5 + 0x1p-15);
  EXPECT_EQ(dot(d, {0x1p-15, 3}, {1, -2}, 0.5).certainty, Certainty::kBounded);
  // The units are 2^-15 and 2^-1, so the magnitudes may add up to 2^8.
  ExpectExactly(dot(plain, {0x1p-15, 127.5}, {-0.5, 2}, 1 - 0x1p-15), 256 - 3 * 0x1p-16);
  // 2049 is exact in an accumulator of fp32, and then rounded once to fp16.
  DotRule narrow = {kFp16, kFp16, kFp32, kFp16, 2};
  narrow.quantum = 1;
  ExpectBounded(plain.Dot(narrow, Given(kFp16, {2048, 1}), Given(kFp16, {1, 1}), {}, nullptr), 2049,
                1);
  // The products become fp16 before the bias is added: 2049 is rounded, and 2048 is not.
  const Bounded bias = Given(kFp16, -1);
  EXPECT_GT(plain.Dot(narrow, Given(kFp16, {2048, 1}), Given(kFp16, {1, 1}), {}, &bias).error, 1);
  ExpectExactly(plain.Store(kFp16, plain.Dot(narrow, Given(kFp16, {2047, 1}), Given(kFp16, {1, 1}),
                                             {}, &bias)),
                2047);
  // 2^-15 is subnormal in fp16, so that it may be flushed before the bias is added.
  narrow.quantum = 0x1p-15;
  const Bounded least = Given(kFp16, 0x1p-14);
  const auto with_least = [&](double x) {
    return plain.Store(kFp16,
                       plain.Dot(narrow, Given(kFp16, {x}), Given(kFp16, {0x1p-7}), {}, &least));
  };
  EXPECT_GT(with_least(0x1p-8).error, 0);
  ExpectExactly(with_least(0x1p-6), 3 * 0x1p-14);
  // One unit more than 2^24 in magnitude: another order may round.
  EXPECT_GT(dot(plain, {1, 0x1p24}, {1, 1}, 0).error, 1);
  ExpectExactly(dot(plain, {1, 0x1p24 - 1}, {1, 1}, 0), 0x1p24);
  // The bias is no multiple of the unit.
  EXPECT_EQ(dot(plain, {1, 2}, {1, 1}, 0.3f).certainty, Certainty::kBounded);
  // A product below the least normal number may be flushed.
  EXPECT_GT(dot(plain, {0x1p-70, 0x1p-71}, {0x1p-60, 0x1p-60}, 0).error, 0);
  // An average is a sum times 1 / n, which is exact for powers of two.
  const auto average = [&](std::initializer_list<double> x) {
    const auto a = Given(kFp32, x);
    rule.quantum = plain.Quantum(kFp32, a);
    return plain.Store(kFp32, plain.Average(rule, a, std::ssize(a))).certainty;
  };
  EXPECT_EQ(average({1, 2, 5, 0.5}), Certainty::kExact);
  EXPECT_EQ(average({1, 2, 3}), Certainty::kBounded);
  // Without the declaration, half a unit in the last place of 4 reaches the value below it.
  const auto add = [&](double x, double y) {
    return plain.Store(kFp32, plain.Add(kFp32, Given(kFp32, x), Given(kFp32, y), ""));
  };
  ExpectExactly(add(1, 3), 4);
  EXPECT_EQ(d.Store(kFp32, d.Add(kFp32, Given(kFp32, 1), Given(kFp32, 3), "")).certainty,
            Certainty::kBounded);
  EXPECT_EQ(add(0x1p60, 1).certainty, Certainty::kBounded);  // fp64 rounds this sum to 2^60
  ExpectExactly(plain.Store(kFp32, plain.Mul(kFp32, Given(kFp32, 2), Given(kFp32, 0.5))), 1);
  ExpectExactly(plain.Store(kFp32, plain.Floor(kFp32, Given(kFp32, 8.5))), 8);
}

TEST_F(Bounds, SumAndAverageAsDotProducts) {
  const DotRule rule = {.in_type = kFp32,
                        .weight_type = kFp32,
                        .acc_type = kFp32,
                        .out_type = kFp32,
                        .kernel_size = 3};
  const auto a = Given(kFp32, {1, -2, 4});
  ExpectBounded(d.Sum(rule, a), 3, 8 * 7 * 0x1p-24);
  ExpectBounded(d.Average(rule, a, 3), 1, 8 * (7.0 / 3) * 0x1p-24);
  // Growth of three roundings of 2^-24, relative to 8.
  const Bounded product = d.Product(kFp32, a);
  EXPECT_EQ(product.reference, -8);
  EXPECT_NEAR(product.error, 8 * 3 * 0x1p-24, 8 * 0x1p-46);
  // 2^200 on the way in one order, 2^100 * 2^-100 in another.
  ExpectUndecided(d.Product(kFp32, Given(kFp32, {0x1p100, 0x1p-100, 0x1p100})));
}

TEST_F(Bounds, CollectTheRequirementsOfIntegerSums) {
  const DotRule rule = {.in_type = kInt32,
                        .weight_type = kInt32,
                        .acc_type = kInt32,
                        .out_type = kInt32,
                        .overflow = "overflow"};
  const auto integers = [](std::initializer_list<int64_t> values) {
    std::vector<Bounded> elements;
    for (const int64_t value : values) {
      elements.push_back(BoundDomain::FromScalar(kInt32, Scalar::OfInteger(value)));
    }
    return elements;
  };
  ExpectDecided(d.Sum(rule, integers({2147483647, -1, 1})), 2147483647);
  EXPECT_TRUE(d.judgement().valid());
  EXPECT_TRUE(d.order_dependent());
  d.Sum(rule, integers({2147483647, 1, -1}));
  EXPECT_EQ(d.judgement().fate(), Fate::kUnpredictable);
  EXPECT_STREQ(d.judgement().rule(), "overflow");
}

TEST_F(Bounds, SumIntegersThatAreNotDeterminedWithoutAVerdict) {
  // The specification does not determine whether two results of exp(1), rounded to fp32, are equal.
  const Bounded open = d.Equal(kFp32, E(), E());
  ExpectUndecided(open);
  DotRule rule;
  rule.in_type = rule.weight_type = kInt8;
  rule.acc_type = rule.out_type = kInt32;
  const std::vector<Bounded> known = {d.Integer(2), d.Integer(3)};
  const std::vector<Bounded> mixed = {d.Integer(2), open};
  ExpectDecided(d.Dot(rule, known, known, {}, nullptr), 13);
  ExpectDecided(d.Sum(rule, known), 5);
  EXPECT_FALSE(d.uncertain_requirement());
  ExpectUndecided(d.Dot(rule, known, mixed, {}, nullptr));
  ExpectUndecided(d.Dot(rule, mixed, known, {}, nullptr));
  ExpectUndecided(d.Dot(rule, known, known, {}, &open));
  EXPECT_TRUE(d.uncertain_requirement());
  BoundDomain sums;
  ExpectUndecided(sums.Sum(rule, mixed));
  EXPECT_TRUE(sums.uncertain_requirement());
}

TEST_F(Bounds, AdmitNearbyIntegersForInexactRound) {
  const auto half = [&](int64_t value, int64_t result) {
    return d.InexactRound(d.Integer(result), d.Integer(value), d.Integer(int64_t{1} << 30),
                          d.Integer(31), d.Integer(0), -128, 127);
  };
  // 1.5 +- (0.5 and a little): 1 or 2. 2 +- the same: 2.
  ExpectBounded(half(3, 2), 1.5, 0.5);
  ExpectDecided(half(4, 2), 2);
  // 127.5 is clipped: 127.
  ExpectDecided(half(255, 127), 127);
}

TEST_F(Bounds, AdmitNearbyUnsignedIntegersAsTheyAreStored) {
  const auto half = [&](int64_t value, int64_t result) {
    return d.InexactRound(d.Integer(result), d.Integer(value), d.Integer(int64_t{1} << 30),
                          d.Integer(31), d.Integer(0), 0, 255);
  };
  ExpectBounded(half(3, 2), 1.5, 0.5);
  // 200.5: 200 or 201, stored as -56 or -55. 510.5 is clipped: 255.
  ExpectBounded(half(401, -55), -55.5, 0.5);
  ExpectDecided(half(1021, -1), -1);
  // -0.5: -1 is clipped, 0.
  ExpectDecided(half(-1, 0), 0);
  // 127.5: 127 or 128, stored as -128.
  EXPECT_EQ(half(255, -128).certainty, Certainty::kUndecided);
}

bool Admits(DType type, const Bounded& x, double answer) {
  switch (x.certainty) {
    case Certainty::kExact:
      return answer == x.value.real() || (std::isnan(answer) && std::isnan(x.value.real()));
    case Certainty::kZeroSignOpen:
      return answer == 0;
    case Certainty::kBounded:
      return WithinBound(type, answer, x.reference, x.error);
    case Certainty::kUndecided:
      return true;
  }
  return false;
}

double Flush(DType type, double x) {
  return std::fabs(x) < FormatOf(type).normal_min ? std::copysign(0.0, x) : x;
}

// No right answer may be blamed. Right are rounding to nearest, flushing all subnormals of inputs
// and outputs, and, for casts, rounding towards zero.
TEST_F(Bounds, AdmitEveryRightAnswer) {
  using Right = double (*)(double);
  const std::pair<Op, Right> kUnary[] = {{Op::kAbs, [](double x) { return std::fabs(x); }},
                                         {Op::kNegate, [](double x) { return -x; }},
                                         {Op::kCeil, [](double x) { return std::ceil(x); }},
                                         {Op::kFloor, [](double x) { return std::floor(x); }},
                                         {Op::kReciprocal, [](double x) { return 1 / x; }},
                                         {Op::kRsqrt, Rsqrt},
                                         {Op::kExp, Exp},
                                         {Op::kLog, Log},
                                         {Op::kSin, Sin},
                                         {Op::kCos, Cos},
                                         {Op::kTanh, Tanh},
                                         {Op::kErf, Erf},
                                         {Op::kSigmoid, Sigmoid}};
  Random random(20);
  int64_t exact = 0;
  int64_t bounded = 0;
  const auto hold = [&](DType type, const Bounded& x, double answer, double flushed) {
    EXPECT_TRUE(Admits(type, x, RoundToType(type, answer))) << answer << " of " << x.reference;
    const double zeroed = Flush(type, RoundToType(type, flushed));
    EXPECT_TRUE(Admits(type, x, zeroed)) << zeroed << " of " << x.reference;
    exact += x.certainty == Certainty::kExact ? 1 : 0;
    bounded += x.certainty == Certainty::kBounded ? 1 : 0;
  };
  for (int i = 0; i < 20000; ++i) {
    const DType type = random.OneIn(2) ? kFp16 : DType::kBf16;
    const double x = DecodeFloat(type, static_cast<uint32_t>(random.Below(0x10000)));
    const double y = DecodeFloat(type, static_cast<uint32_t>(random.Below(0x10000)));
    const double fx = Flush(type, x);
    const double fy = Flush(type, y);
    const Bounded a = Given(type, x);
    const Bounded b = Given(type, y);
    hold(type, d.Store(type, d.Add(type, a, b, "")), x + y, fx + fy);
    hold(type, d.Store(type, d.Sub(type, a, b, "")), x - y, fx - fy);
    hold(type, d.Store(type, d.Mul(type, a, b)), x * y, fx * fy);
    if (!std::isnan(x) && !std::isnan(y)) {
      hold(type, d.Store(type, d.Max(type, kPropagate, a, b)), std::fmax(x, y), std::fmax(fx, fy));
      hold(type, d.Store(type, d.Min(type, kPropagate, a, b)), std::fmin(x, y), std::fmin(fx, fy));
      // Takes a sum next to the calculated one, if it is admitted, and then clamps it.
      const Bounded sum = d.Store(type, d.Add(type, a, b, ""));
      const double other = NextUp(type, RoundToType(type, x + y));
      if (Admits(type, sum, other)) {
        const Bounded clamped = d.Store(type, d.Max(type, kPropagate, sum, a));
        hold(type, clamped, std::fmax(other, x), std::fmax(Flush(type, other), fx));
      }
    }
    const auto& [op, right] = random.Pick(kUnary);
    const Bounded unary = op == Op::kAbs      ? d.Abs(type, a)
                          : op == Op::kNegate ? d.Negate(type, a)
                          : op == Op::kCeil   ? d.Ceil(type, a)
                          : op == Op::kFloor  ? d.Floor(type, a)
                                              : d.Elementary(op, type, a);
    hold(type, d.Store(type, unary), right(x), right(fx));
    for (const DType to : {DType::kFp16, DType::kBf16, DType::kFp8e4m3, DType::kFp8e5m2, kFp32}) {
      if (to == type) continue;
      const Bounded cast = d.Store(to, d.FloatToFloat(type, to, a));
      const bool flushes = !FormatOf(to).must_keep_subnormals;
      EXPECT_TRUE(Admits(to, cast, RoundToType(to, x))) << x;
      EXPECT_TRUE(Admits(to, cast, flushes ? Flush(to, RoundToType(to, fx)) : RoundToType(to, fx)));
      double toward_zero = RoundToType(to, x);
      if (std::fabs(toward_zero) > std::fabs(x)) {
        toward_zero = x > 0 ? NextDown(to, toward_zero) : NextUp(to, toward_zero);
      }
      // At twice the power of two of the largest value both modes overflow.
      if (std::fabs(x) < std::ldexp(1, std::ilogb(FormatOf(to).max) + 1)) {
        EXPECT_TRUE(Admits(to, cast, toward_zero)) << x << " to " << toward_zero;
      }
    }
  }
  EXPECT_GT(exact, 20000);
  EXPECT_GT(bounded, 10000);
}

// fp32 to fp16 and back: a backend may keep the fp32 number (reading operator-sequence).
TEST_F(Bounds, AdmitNumbersKeptThroughCasts) {
  const auto there = [&](double x) {
    return d.Store(kFp16, d.FloatToFloat(kFp32, kFp16, Given(kFp32, x)));
  };
  const auto and_back = [&](double x) {
    return d.Store(kFp32, d.FloatToFloat(kFp16, kFp32, there(x)));
  };
  // 1 + 2^-10 is the nearest fp16 number below 1.0010986; the next one is 1 + 2^-9.
  const double kept = RoundToType(kFp32, 1.0010986);
  EXPECT_TRUE(Admits(kFp32, and_back(kept), kept));
  EXPECT_TRUE(Admits(kFp32, and_back(kept), 1 + 0x1p-10));
  EXPECT_FALSE(Admits(kFp32, and_back(kept), 1 + 0x1p-9));
  EXPECT_FALSE(Admits(kFp32, and_back(kept), 1));
  // Numbers that round to 1 + 2^-10 lie within 2^-11 of it. Half an ULP of 3 * 2^-11 is 2^-21.
  ExpectSet(d.Sub(kFp16, there(kept), Given(kFp16, 1), ""), 0x1p-11 - 0x1p-21,
            3 * 0x1p-11 + 0x1p-21);
  // Infinity, or 70000.
  ExpectUndecided(and_back(70000));
  ExpectUndecided(d.Equal(kFp16, there(70000), Given(kFp16, kInfinity)));
  ExpectDecided(d.Greater(kFp16, there(70000), Given(kFp16, 60000)), 1);
  // 2.5002 is 2.5 in fp16, which becomes 2; what was kept becomes 3.
  ExpectDecided(d.FloatToInteger(kFp16, kInt8, there(2.4), ""), 2);
  ExpectSet(d.FloatToInteger(kFp16, kInt8, there(2.5002), ""), 2, 3);
  // The maximum may be the number above 1 + 2^-10 that was kept.
  const Bounded largest = d.Max(kFp16, kPropagate, there(kept), Given(kFp16, 1 + 0x1p-10));
  ExpectExactly(BoundDomain::Final(kFp16, d.Store(kFp16, largest)), 1 + 0x1p-10);
  ExpectSet(d.Sub(kFp16, d.Store(kFp16, largest), Given(kFp16, 1), ""), 0x1p-11 - 0x1p-21,
            3 * 0x1p-11 + 0x1p-21);
  // A NaN of fp8e4m3 may be handed on as 1000.
  const DType e4m3 = DType::kFp8e4m3;
  const Bounded beyond = d.Store(e4m3, d.FloatToFloat(kFp32, e4m3, Given(kFp32, 1000)));
  ExpectUndecided(d.Max(e4m3, NanMode::kIgnore, beyond, Given(e4m3, 2)));
  // So may the infinity of which the NaN is made.
  const Bounded infinite = d.Store(e4m3, d.FloatToFloat(kFp32, e4m3, Given(kFp32, kInfinity)));
  EXPECT_TRUE(Admits(e4m3, infinite, kNan));
  EXPECT_FALSE(Admits(e4m3, infinite, 448));
  ExpectUndecided(d.FloatToFloat(e4m3, kFp32, infinite));
}

}  // namespace
}  // namespace assay::domain_test
