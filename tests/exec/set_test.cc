// SPDX-License-Identifier: Apache-2.0
// Compares the sets of the bound domain with backends that calculate chains of operators in every
// way that the specification allows.
#include <gtest/gtest.h>

#include "bound_domain.h"
#include "elementary.h"
#include "interval.h"
#include "random.h"

namespace assay::set_test {
namespace {

constexpr DType kFp32 = DType::kFp32;
constexpr DType kFp16 = DType::kFp16;
constexpr DType kInt32 = DType::kInt32;
constexpr NanMode kPropagate = NanMode::kPropagate;

Bounded Given(DType type, double value) {
  return BoundDomain::FromScalar(type, Scalar::OfFloat(value));
}

// Half the distance to the next value of the type.
double HalfUnit(DType type, double x) {
  const FloatFormat& format = FormatOf(type);
  const double least = std::ldexp(format.normal_min, -format.fraction_bits);
  return std::max(UlpError(type, x, 0.5), least / 2);
}

// A result in the domain, and the number that a backend passes on.
struct Element {
  Bounded set;
  double passed_on;
};

// A backend that errs as far as the rules and its declarations allow, at random. It keeps
// precision at random. Its arithmetic flushes all subnormal numbers, or none. `scale` is the size
// of its inputs.
class Adversary {
 public:
  Adversary(Random& random, DType type, const Declarations& declarations, double scale)
      : random_(random),
        type_(type),
        rounds_(declarations.rounds_results),
        flushes_(declarations.flushes_subnormals ||
                 (!declarations.keeps_subnormals && random.OneIn(4))),
        scale_(scale),
        d_(declarations) {}

  BoundDomain& d() { return d_; }
  Element Input() {
    const double number = static_cast<double>(random_.Between(-4000, 4000)) / 512;
    const double x = RoundToType(type_, number * scale_);
    return {Given(type_, x), x};
  }
  // Returns what arithmetic reads.
  double Read(double x) {
    const double normal_min = FormatOf(type_).normal_min;
    if (!flushes_ || std::fabs(x) >= normal_min) return x;
    const bool rounds_to_normal = std::fabs(RoundToType(type_, x)) >= normal_min;
    return rounds_to_normal && random_.OneIn(2) ? x : std::copysign(0.0, x);
  }
  // Makes a result of the reference `right` and the error of its rule. Checks that its set admits
  // what the backend stores, and drops results that overflow.
  Element Result(const Bounded& unrounded, double right, double error) {
    const Bounded set = d_.Store(type_, unrounded);
    double stored = RoundToType(type_, right + error * Fraction());
    const bool is_flushed = stored == 0 && std::fabs(right) > error;
    if (is_flushed || !WithinBound(type_, stored, right, error)) stored = RoundToType(type_, right);
    if (flushes_ && std::fabs(stored) < FormatOf(type_).normal_min) {
      stored = std::copysign(0.0, stored);
    }
    Judge(set, stored);
    // An exact result is the same in every precision.
    const bool rounded = rounds_ || set.certainty <= Certainty::kZeroSignOpen ||
                         (set.certainty == Certainty::kBounded && set.error == 0);
    if (rounded || !std::isfinite(stored)) return {set, stored};
    double kept = stored + HalfUnit(type_, stored) * Fraction();
    if (RoundToType(type_, kept) != stored) kept = stored;
    return {set, kept};
  }
  // Passes an element on as it is.
  Element Copy(const Bounded& unrounded, double passed_on) {
    const Bounded set = d_.Store(type_, unrounded);
    Judge(set, RoundToType(type_, passed_on));
    return {set, passed_on};
  }
  void Judge(const Bounded& set, double stored) {
    const Bounded last = BoundDomain::Final(type_, set);
    if (last.certainty == Certainty::kUndecided) {
      ++undecided;
      return;
    }
    ++judged;
    const bool fits = last.certainty == Certainty::kBounded
                          ? WithinBound(type_, stored, last.reference, last.error)
                          : MatchesExactly(type_, stored, last.value.real());
    EXPECT_TRUE(fits) << stored << " is not within " << last.error << " of " << last.reference;
    EXPECT_TRUE(last.certainty != Certainty::kBounded ||
                WithinBound(type_, last.value.real(), last.reference, last.error))
        << last.value.real() << " is not within its own set";
  }
  // Returns a number from -1 to 1, often one of these.
  double Fraction() {
    if (random_.OneIn(3)) return random_.OneIn(2) ? 1 : -1;
    return static_cast<double>(random_.Between(-1000, 1000)) / 1000;
  }

  int64_t judged = 0, undecided = 0;

 private:
  Random& random_;
  DType type_;
  const bool rounds_, flushes_;
  double scale_;
  BoundDomain d_;
};

struct Function {
  Op op;
  double (*right)(double);
  double (*error)(DType, double, double);
};

double HalfUlp(DType type, double, double x) { return UlpError(type, x, 0.5); }

constexpr Function kFunctions[] = {{Op::kCeil, [](double x) { return std::ceil(x); }, HalfUlp},
                                   {Op::kFloor, [](double x) { return std::floor(x); }, HalfUlp},
                                   {Op::kReciprocal, [](double x) { return 1 / x; }, RecipError},
                                   {Op::kRsqrt, Rsqrt, RsqrtError},
                                   {Op::kExp, Exp, ExpError},
                                   {Op::kLog, Log, LogError},
                                   {Op::kSin, Sin, SinError},
                                   {Op::kCos, Cos, CosError},
                                   {Op::kTanh, Tanh, TanhError},
                                   {Op::kErf, Erf, ErfError},
                                   {Op::kSigmoid, Sigmoid, SigmoidError}};

// One random operator on elements of a pool.
class Chain {
 public:
  Chain(Random& random, DType type, const Declarations& declarations, double scale)
      : random_(random), type_(type), backend_(random, type, declarations, scale) {
    for (int i = 0; i < 4; ++i) pool_.push_back(backend_.Input());
  }
  void Step() {
    // Mostly a late result, so that chains become deep.
    const Element a = random_.OneIn(3) ? random_.Pick(pool_) : pool_.back();
    const Element b = random_.Pick(pool_);
    const double x = backend_.Read(a.passed_on);
    const double y = backend_.Read(b.passed_on);
    BoundDomain& d = backend_.d();
    const auto half_ulp = [&](double right) { return UlpError(type_, right, 0.5); };
    switch (random_.Below(11)) {
      case 0:
        return Push(backend_.Result(d.Add(type_, a.set, b.set, ""), x + y, half_ulp(x + y)));
      case 1:
        return Push(backend_.Result(d.Sub(type_, a.set, b.set, ""), x - y, half_ulp(x - y)));
      case 2:
        return Push(backend_.Result(d.Mul(type_, a.set, b.set), x * y, half_ulp(x * y)));
      case 3:
        return Push(backend_.Copy(d.Max(type_, kPropagate, a.set, b.set),
                                  std::max(a.passed_on, b.passed_on)));
      case 4:
        return Push(backend_.Copy(d.Min(type_, kPropagate, a.set, b.set),
                                  std::min(a.passed_on, b.passed_on)));
      case 5:
        return Push(backend_.Copy(d.Abs(type_, a.set), std::fabs(a.passed_on)));
      case 6: {
        const Bounded is_greater = d.Greater(type_, a.set, b.set);
        return Push(backend_.Copy(d.Select(type_, is_greater, b.set, a.set),
                                  x > y ? b.passed_on : a.passed_on));
      }
      case 7:
        return Convert(a);
      case 8:
      case 9:
        return Dot();
      default: {
        const Function& f = random_.Pick(kFunctions);
        const double right = f.right(x);
        if (!std::isfinite(right)) return;
        const Bounded set = f.op == Op::kCeil    ? d.Ceil(type_, a.set)
                            : f.op == Op::kFloor ? d.Floor(type_, a.set)
                                                 : d.Elementary(f.op, type_, a.set);
        return Push(backend_.Result(set, right, f.error(type_, x, right)));
      }
    }
  }
  const Adversary& backend() const { return backend_; }

 private:
  void Push(Element element) {
    if (std::isfinite(element.passed_on)) pool_.push_back(std::move(element));
  }
  // There and back: the float rounded to an integer, which may be any of a few.
  void Convert(const Element& a) {
    BoundDomain& d = backend_.d();
    const Bounded integer = d.FloatToInteger(type_, kInt32, a.set, "");
    const double got = std::nearbyint(a.passed_on);
    if (std::fabs(got) > 1e6) return;
    const Bounded twice = d.Clip(d.MulInteger(integer, d.Integer(2)), -100, 100);
    const double right = std::clamp(2 * got, -100.0, 100.0);
    if (twice.certainty == Certainty::kBounded) {
      EXPECT_LE(std::fabs(right - twice.reference), twice.error);
    } else if (twice.certainty == Certainty::kExact) {
      EXPECT_EQ(right, static_cast<double>(twice.value.integer()));
    }
    Push(backend_.Result(d.IntegerToFloat(kInt32, type_, twice), right,
                         UlpError(type_, right, 0.5)));
  }
  void Dot() {
    DotRule rule = {type_, type_, kFp32, type_, static_cast<int64_t>(random_.Between(1, 6))};
    std::vector<Bounded> a, b;
    double right = 0;
    double bound = 0;
    const double normal_min = FormatOf(type_).normal_min;
    const auto magnitude = [&](double x) { return std::max(std::fabs(x), normal_min); };
    for (int64_t i = 0; i < rule.kernel_size; ++i) {
      const Element x = random_.Pick(pool_);
      const Element y = random_.Pick(pool_);
      a.push_back(x.set);
      b.push_back(y.set);
      const double factor = backend_.Read(x.passed_on);
      const double other = backend_.Read(y.passed_on);
      right += factor * other;
      bound += magnitude(factor) * magnitude(other);
    }
    const Element bias = random_.Pick(pool_);
    const double added = backend_.Read(bias.passed_on);
    right += added;
    bound += magnitude(added);
    const double error =
        DotProductError(type_, DotProductAbsBound(kFp32, type_, rule.kernel_size), bound);
    if (!std::isfinite(error)) return;
    Push(backend_.Result(backend_.d().Dot(rule, a, b, {}, &bias.set), right, error));
  }

  Random& random_;
  DType type_;
  Adversary backend_;
  std::vector<Element> pool_;
};

// Runs chains and returns the share of elements that are judged.
double JudgedShare(DType type, const Declarations& declarations, double scale) {
  Random random(7);
  int64_t judged = 0;
  int64_t undecided = 0;
  for (int i = 0; i < 4000 && !testing::Test::HasFailure(); ++i) {
    Chain chain(random, type, declarations, scale);
    for (int step = 0; step < 24; ++step) chain.Step();
    judged += chain.backend().judged;
    undecided += chain.backend().undecided;
  }
  return static_cast<double>(judged) / static_cast<double>(judged + undecided);
}

constexpr DType kTypes[] = {kFp32, kFp16, DType::kBf16};

TEST(Sets, AdmitEveryCompliantSequence) {
  for (const bool rounds : {false, true}) {
    for (const DType type : kTypes) {
      EXPECT_GT(JudgedShare(type, {.rounds_results = rounds}, 1), 8.0 / 9);
    }
  }
}

// Most inputs are near the smallest normal number.
TEST(Sets, AreSmallerIfABackendDeclaresWhatItDoesWithSubnormalNumbers) {
  for (const DType type : kTypes) {
    const double scale = FormatOf(type).normal_min / 4;
    const double open = JudgedShare(type, {}, scale);
    const double kept = JudgedShare(type, {.keeps_subnormals = true}, scale);
    const double flushed = JudgedShare(type, {.flushes_subnormals = true}, scale);
    EXPECT_GT(kept, open);
    EXPECT_GT(flushed, open);
  }
}

// A number that is kept in higher precision, and rounds to the smallest normal number, may be read
// as zero or not. Smaller ones are read as zeros.
TEST(Sets, OfABackendThatFlushesReachToTheZeroOrAreIt) {
  const Declarations flushes = {.flushes_subnormals = true};
  const double normal_min = FormatOf(kFp16).normal_min;
  const double half_unit = 0x1p-25;
  // Accepts numbers from the magnitude up, two units of subnormal numbers far.
  const auto read = [&](double sign, double magnitude) {
    const double value = sign * (magnitude + 2 * half_unit);
    const Bounded x = {Scalar::OfFloat(value), value, 2 * half_unit, Certainty::kBounded};
    return ReadByArithmetic(kFp16, x, flushes);
  };
  EXPECT_EQ(read(1, normal_min).low, 0);
  EXPECT_EQ(read(1, normal_min).high, normal_min + 5 * half_unit);
  EXPECT_EQ(read(-1, normal_min).high, 0);
  EXPECT_EQ(read(-1, normal_min).low, -normal_min - 5 * half_unit);
  for (const double sign : {1, -1}) {
    EXPECT_EQ(read(sign, normal_min / 2).low, 0);
    EXPECT_EQ(read(sign, normal_min / 2).high, 0);
  }
  EXPECT_GT(read(1, 2 * normal_min).low, normal_min);
}

// ---- Values that a backend has shown

// Two graphs that are equal must have the same values, the sign of zero included.
TEST(Sets, HaveTheValueOfTheReference) {
  const BoundDomain d;
  const Bounded x = {Scalar::OfFloat(0.0), 0, 1, Certainty::kBounded};
  Bounded result;
  d.Clamp(DType::kFp32, NanMode::kPropagate, {&x, 1}, Given(DType::kFp32, -2),
          Given(DType::kFp32, -0.0), {&result, 1});
  EXPECT_TRUE(std::signbit(result.value.real()));
  EXPECT_EQ(result.certainty, Certainty::kBounded);
}

TEST(Shown, MayHaveBeenPassedOnAsAnyNumberThatRoundsToIt) {
  const Interval one = PassedOn(kFp16, Shown(kFp16, 1, {}), {});
  EXPECT_EQ(one.low, 1 - HalfUnit(kFp16, 1));
  EXPECT_EQ(one.high, 1 + HalfUnit(kFp16, 1));
  EXPECT_EQ(Shown(kFp16, 1, {}).value.real(), 1);
  // It is a value of the type, and no other value may be shown for it.
  EXPECT_EQ(BoundDomain::Final(kFp16, Shown(kFp16, 1, {})).certainty, Certainty::kExact);
  Declarations rounds;
  rounds.rounds_results = true;
  const Interval rounded = PassedOn(kFp16, Shown(kFp16, 1, rounds), rounds);
  EXPECT_EQ(rounded.low, 1);
  EXPECT_EQ(rounded.high, 1);
  EXPECT_EQ(Shown(kFp16, 1, rounds).certainty, Certainty::kExact);
}

TEST(Shown, MayHaveBeenFlushed) {
  const double normal_min = FormatOf(kFp32).normal_min;
  const Interval zero = PassedOn(kFp32, Shown(kFp32, 0, {}), {});
  EXPECT_LE(zero.low, -normal_min);
  EXPECT_GE(zero.high, normal_min);
  const Interval subnormal = PassedOn(kFp32, Shown(kFp32, normal_min / 2, {}), {});
  EXPECT_LE(subnormal.low, 0);
  EXPECT_GT(subnormal.high, normal_min / 2);
  EXPECT_LT(subnormal.high, normal_min);
}

TEST(Shown, MayHaveOverflowed) {
  const Interval infinity = PassedOn(kFp32, Shown(kFp32, INFINITY, {}), {});
  EXPECT_EQ(infinity.low, FormatOf(kFp32).max);
  EXPECT_EQ(infinity.high, INFINITY);
  EXPECT_EQ(Shown(kFp32, NAN, {}).certainty, Certainty::kExact);
  EXPECT_EQ(Shown(DType::kFp8e4m3, NAN, {}).certainty, Certainty::kUndecided);
}

}  // namespace
}  // namespace assay::set_test
