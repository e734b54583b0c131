// SPDX-License-Identifier: Apache-2.0
// Tests of the modes of compliance of Arm's test directories, each with its calculation by hand,
// and of the whole-tensor part of the dot product rule.
#include "arm_expectation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "accuracy.h"
#include "block_builder.h"
#include "comparison.h"
#include "generator_table.h"
#include "judge_vector.h"
#include "random.h"

namespace assay::arm_expectation_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ArmRecord Record(DType type, std::vector<double> precise, std::string mode,
                 std::map<std::string, double> parameters, std::vector<double> bounds = {}) {
  ArmRecord record;
  record.name = "y";
  record.type = {type, {static_cast<int32_t>(precise.size())}};
  record.precise = std::move(precise);
  record.bounds = std::move(bounds);
  record.compliance = {std::move(mode), std::move(parameters)};
  return record;
}

// Returns one letter for each value: y if it fits, n if it does not, or ? if that is undecided.
std::string Fits(const ArmRecord& record, std::vector<double> got) {
  const std::optional<Expectation> expectation = ExpectationByCompliance(record);
  if (!expectation) return "no expectation";
  std::string letters;
  for (size_t i = 0; i < got.size(); ++i) {
    Expectation one;
    const bool is_float = IsFloat(record.type.type);
    const int64_t value = is_float ? 0 : expectation->value.Integer(static_cast<int64_t>(i));
    one.value = Tensor::Splat(record.type.type, {1}, value);
    one.reference = {expectation->reference[i]};
    one.error = {expectation->error[i]};
    const Tensor tensor = is_float
                              ? Tensor::FromFloats(record.type.type, {1}, std::span(&got[i], 1))
                              : Tensor::Splat(record.type.type, {1}, static_cast<int64_t>(got[i]));
    const Comparison comparison = Compare(one, tensor);
    letters += comparison.undecided > 0 ? '?' : comparison.Wrong() ? 'n' : 'y';
  }
  return letters;
}

// Does the same with one reference for every value.
std::string FitsOne(DType type, double precise, const std::string& mode,
                    const std::map<std::string, double>& parameters, std::vector<double> got,
                    std::optional<double> bound = {}) {
  std::vector<double> bounds;
  if (bound) bounds.assign(got.size(), *bound);
  return Fits(Record(type, std::vector<double>(got.size(), precise), mode, parameters, bounds),
              got);
}

TEST(Compliance, Exact) {
  EXPECT_EQ(FitsOne(DType::kFp16, 1.5, "EXACT", {}, {1.5, 1.5009765625, kNan}), "ynn");
  EXPECT_EQ(FitsOne(DType::kFp16, kNan, "EXACT", {}, {kNan, 1}), "yn");
  // A subnormal result may be flushed: 2^-15 of fp16, whose least normal number is 2^-14.
  EXPECT_EQ(FitsOne(DType::kFp16, 0x1p-15, "EXACT", {}, {0x1p-15, 0, -0.0, 0x1p-24}), "yyyn");
  EXPECT_EQ(FitsOne(DType::kFp8e5m2, 0x1p-15, "EXACT", {}, {0x1p-15, 0}), "yn");
}

// An ulp of fp16 at 3 is 2^-9: 2 * 2^-10.
TEST(Compliance, Ulp) {
  const std::vector<double> steps = {3, 3 + 0x1p-9, 3 - 0x1p-9, 3 + 0x1p-8};
  EXPECT_EQ(FitsOne(DType::kFp16, 3, "ULP", {{"ulp", 1}}, steps), "yyyn");
  // Half an ulp is allowed away from zero, one toward zero. A quarter of the way up, only 3 is
  // right.
  EXPECT_EQ(FitsOne(DType::kFp16, 3 + 0x1p-11, "ULP", {{"ulp", 0.5}, {"ulp_lower", 1}},
                    {3, 3 + 0x1p-9, 3 - 0x1p-9}),
            "ynn");
  // Three quarters of the way up, truncation is right as well. The same holds below zero.
  EXPECT_EQ(FitsOne(DType::kFp16, 3 + 0x1.8p-10, "ULP", {{"ulp", 0.5}, {"ulp_lower", 1}},
                    {3, 3 + 0x1p-9, 3 + 0x1p-8}),
            "yyn");
  EXPECT_EQ(FitsOne(DType::kFp16, -3 - 0x1.8p-10, "ULP", {{"ulp", 0.5}, {"ulp_lower", 1}},
                    {-3, -3 - 0x1p-9, -3 - 0x1p-8}),
            "yyn");
  EXPECT_EQ(FitsOne(DType::kFp16, kInfinity, "ULP", {{"ulp", 1}}, {kInfinity, 65504, -kInfinity}),
            "ynn");
}

TEST(Compliance, AbsError) {
  // EXP in fp16 at 2: 2^-10 * e^2 * (1 + 2 * 2), e^2 = 7.389, is 0.0361.
  EXPECT_EQ(FitsOne(DType::kFp16, 7.389, "ABS_ERROR", {{"base_bound", 1}},
                    {7.390625, 7.421875, 7.4296875, 7.35546875}, 4),
            "yyny");
  // TANH in fp16: max(0.5 / 4, 0.0625) * 4 * 2^-10 = 2^-11 with bounds of 0.
  EXPECT_EQ(FitsOne(DType::kFp16, 0.0625, "ABS_ERROR", {{"base_bound", 4}, {"lower_bound", 0.5}},
                    {0.0625 + 0x1p-11, 0.0625 + 0x1p-10, 0.0625 - 0x1p-11}, 0),
            "yny");
  // COS in fp32 at 3: 2^-11 * (1 + 3), the exponent -11.5 without its fraction; of -0.98999.
  const std::map<std::string, double> cosine = {
      {"base_bound", 1}, {"bound_as_magnitude", 1}, {"normal_divisor", 2}};
  EXPECT_EQ(FitsOne(DType::kFp32, -0.98999, "ABS_ERROR", cosine, {-0.989, -0.9919, -0.993}, 4),
            "yyn");
  // SIN in bf16 at 0.0: 2^-3 * normal_min * 2 is less than max_compare, 3.1416 * 2^-126.
  const std::map<std::string, double> sine = {{"base_bound", 2},
                                              {"bound_as_magnitude", 1},
                                              {"normal_divisor", 2},
                                              {"max_compare", 3.1416 * 0x1p-126}};
  EXPECT_EQ(FitsOne(DType::kBf16, 0, "ABS_ERROR", sine, {0x1.8p-125, 0x1p-124, -0x1.8p-125}, 0),
            "yny");
  // Only this infinity is right for LOG(0).
  EXPECT_EQ(FitsOne(DType::kFp32, -kInfinity, "ABS_ERROR", {{"lower_bound", 0.5}},
                    {-kInfinity, -88, kInfinity}, 5),
            "ynn");
  // Results cannot be judged if the bounds are missing.
  EXPECT_EQ(FitsOne(DType::kFp32, 1, "ABS_ERROR", {{"base_bound", 1}}, {1}), "no expectation");
}

// 16 * 0.006 = 0.096; 20 ulp of fp16 at 12 are 20 * 2^-7 = 0.15625.
TEST(Compliance, Relative) {
  std::map<std::string, double> parameters = {{"max", 16}, {"scale", 0.006}, {"ulp_bound", 0}};
  EXPECT_EQ(FitsOne(DType::kFp16, 12, "RELATIVE", parameters, {12.09375, 12.1015625}), "yn");
  parameters["ulp_bound"] = 20;
  EXPECT_EQ(FitsOne(DType::kFp16, 12, "RELATIVE", parameters, {12.1015625, 11.84375, 11.8359375}),
            "yyn");
}

// (1 + 2^-11)^4 - 1 = 0.0019546 of 8 is 0.015637; the ulp is 2^-7 = 0.0078125.
TEST(Compliance, ReduceProduct) {
  EXPECT_EQ(
      FitsOne(DType::kFp16, 8, "REDUCE_PRODUCT", {{"n", 4}}, {8.0078125, 8.015625, 8.0234375}),
      "yyn");
}

TEST(Compliance, DotProduct) {
  // The unit is 16 * 2^-11 = 2^-7, four of them 0.03125.
  const std::map<std::string, double> parameters = {{"s", 1}, {"ksb", 2}};
  EXPECT_EQ(FitsOne(DType::kFp16, 1, "DOT_PRODUCT", parameters,
                    {1, 1.03125, 1.0322265625, 0.96875, kNan}, 16),
            "yynyn");
  EXPECT_EQ(FitsOne(DType::kFp16, 1, "DOT_PRODUCT",
                    {{"s", 1}, {"ksb", 2}, {"abs_bound", 2}, {"variance_error_bound", 3.2}},
                    {1.015625, 1.0166015625}, 16),
            "yn");
  EXPECT_EQ(FitsOne(DType::kFp16, kNan, "DOT_PRODUCT", parameters, {kNan, 1}, kNan), "yn");
  EXPECT_EQ(FitsOne(DType::kFp16, 1, "DOT_PRODUCT", parameters, {5}, kNan), "?");
  EXPECT_EQ(FitsOne(DType::kFp16, 0, "DOT_PRODUCT", parameters, {0, 1}, 0), "yn");
  // 65504 * (1 + 4 * 2^-11) rounds to infinity.
  EXPECT_EQ(FitsOne(DType::kFp16, 1, "DOT_PRODUCT", parameters, {5}, 65504), "?");
}

TEST(Compliance, FpSpecial) {
  const std::vector<double> got = {2, -2, 0, -0.0, kInfinity, -kInfinity, kNan};
  EXPECT_EQ(FitsOne(DType::kFp32, 3, "FP_SPECIAL", {}, got, 3), "ynyynnn");
  EXPECT_EQ(FitsOne(DType::kFp32, -3, "FP_SPECIAL", {}, got, 3), "nyyynnn");
  EXPECT_EQ(FitsOne(DType::kFp32, -kInfinity, "FP_SPECIAL", {}, got, kInfinity), "nnnnnyn");
  EXPECT_EQ(FitsOne(DType::kFp32, kNan, "FP_SPECIAL", {}, got, kNan), "nnnnnny");
  EXPECT_EQ(FitsOne(DType::kFp32, 3, "FP_SPECIAL", {}, got, kNan), "???????");
}

TEST(Compliance, RescaleInexact) {
  EXPECT_EQ(Fits(Record(DType::kInt16, {-3, -3, -3, -3, -3}, "RESCALE_INEXACT",
                        {{"unsigned_data", 0}}, {-2, -2, -2, -2, -3}),
                 {-4, -3, -2, -1, -3}),
            "nyyny");
  // 127 to 128 of u8 is stored as 127 to -128.
  EXPECT_EQ(Fits(Record(DType::kInt8, {127, -128}, "RESCALE_INEXACT", {{"unsigned_data", 1}},
                        {-128, -127}),
                 {127, -127}),
            "?y");
}

TEST(Compliance, OfNoKnownModeExpectsNothing) {
  EXPECT_EQ(FitsOne(DType::kFp32, 1, "", {}, {1}), "no expectation");
  EXPECT_EQ(FitsOne(DType::kFp32, 1, "NEW_MODE", {}, {1}), "no expectation");
  EXPECT_EQ(FitsOne(DType::kInt32, 1, "ULP", {{"ulp", 1}}, {1}), "no expectation");
}

// Returns the reference value of an element.
double ReferenceOf(const Expectation& expectation, int64_t i) {
  if (!expectation.error.empty()) return expectation.reference[static_cast<size_t>(i)];
  return IsFloat(expectation.value.type()) ? expectation.value.Float(i)
                                           : static_cast<double>(expectation.value.Integer(i));
}

double ErrorOf(const Expectation& expectation, int64_t i) {
  return expectation.error.empty() ? 0 : expectation.error[static_cast<size_t>(i)];
}

// Checks that the record in desc.json demands the same as the expectation, up to the last bit of a
// bound. Returns the record's mode.
std::string ExpectTheSame(const Expectation& expectation, const std::string& name) {
  const ArmRecord record = RecordOf("y", expectation);
  const std::string& mode = record.compliance.mode;
  if (mode.empty()) return "";
  const std::optional<Expectation> again = ExpectationByCompliance(record);
  EXPECT_TRUE(again) << name << " " << mode;
  if (!again) return mode;
  const DType type = record.type.type;
  EXPECT_EQ(again->value, expectation.value) << name;
  EXPECT_EQ(again->statistics.has_value(), expectation.statistics.has_value()) << name;
  for (int64_t i = 0; i < expectation.value.elements(); ++i) {
    const std::string where = name + " " + mode + " " + std::to_string(i);
    const double reference = ReferenceOf(expectation, i), error = ErrorOf(expectation, i);
    const double reference_again = ReferenceOf(*again, i), error_again = ErrorOf(*again, i);
    if (!IsFloat(type)) {
      if (!std::isfinite(error)) continue;
      const auto least = static_cast<double>(MinimumInteger(type));
      const auto greatest = static_cast<double>(MaximumInteger(type));
      EXPECT_EQ(reference_again - error_again, std::max(least, std::ceil(reference - error)))
          << where;
      EXPECT_EQ(reference_again + error_again, std::min(greatest, std::floor(reference + error)))
          << where;
      continue;
    }
    // The rule of dot products cannot express the effect of flushed operands.
    if (const auto& statistics = expectation.statistics) {
      const double unit = statistics->unit[static_cast<size_t>(i)];
      const bool is_zero = reference == 0 && error == 0;
      if (!is_zero && error != statistics->abs_bound * unit) continue;
    }
    EXPECT_EQ(std::isfinite(error_again), std::isfinite(error)) << where;
    if (!std::isfinite(error)) continue;
    EXPECT_TRUE(reference_again == reference || std::isnan(reference)) << where;
    EXPECT_EQ(std::isnan(reference_again), std::isnan(reference)) << where;
    EXPECT_EQ(std::signbit(reference_again), std::signbit(reference)) << where;
    if (!std::isfinite(reference)) continue;  // demanded as it is, whatever the error
    if (error == 0 && error_again != 0) {
      EXPECT_EQ(mode, "ULP") << where;
      EXPECT_LE(error_again, UlpError(type, reference_again, 0.5)) << where;
    } else {
      EXPECT_GE(error_again, error) << where;
      EXPECT_LE(error_again, error * (1 + 0x1p-40)) << where;
    }
  }
  return mode;
}

TEST(Compliance, OfAnExpectationMeansTheSame) {
  GeneratorOptions options;
  options.level = kLevel8K;
  std::set<std::string> modes;
  for (const char* kind : {"operator", "dot-product"}) {
    const Generator& generator = *GeneratorByKind(kind);
    const int64_t count = generator.targets(options);
    for (int64_t index = 0; index < count; index += count / 2000 + 1) {
      const auto vector = generator.make(options, static_cast<uint64_t>(index));
      if (!vector) continue;
      for (const Expectation& output : vector->steps[0].outputs) {
        modes.insert(ExpectTheSame(output, vector->name));
      }
    }
  }
  for (const char* mode : {"EXACT", "ULP", "ABS_ERROR", "DOT_PRODUCT", "RESCALE_INEXACT"}) {
    EXPECT_TRUE(modes.contains(mode)) << mode;
  }
}

// Returns a record of a mode as Arm's tools may write it, of one of the types that the mode allows.
ArmRecord AnyRecord(const std::string& mode, Random& random) {
  constexpr DType kFloats[] = {DType::kFp16, DType::kBf16, DType::kFp32, DType::kFp8e4m3,
                               DType::kFp8e5m2};
  constexpr DType kIntegers[] = {DType::kInt8, DType::kInt16, DType::kInt32};
  const bool is_float = mode == "EXACT" ? random.OneIn(2) : mode != "RESCALE_INEXACT";
  const DType type = is_float ? random.Pick(kFloats) : random.Pick(kIntegers);
  const auto between = [&](int64_t low, int64_t high) {
    return static_cast<double>(random.Between(low, high));
  };
  const auto magnitude = [&] {
    const double fraction = between(64, 127) / 64;
    return std::ldexp(fraction, static_cast<int>(random.Between(-20, 15)));
  };
  // Dot products are judged together from 1,000 on.
  const size_t count = mode == "DOT_PRODUCT" && random.OneIn(4) ? 1000 : 1 + random.Below(20);
  std::vector<double> precise, bounds;
  for (size_t i = 0; i < count; ++i) {
    if (is_float) {
      const double special[] = {0, -0.0, kInfinity, -kInfinity, kNan, FormatOf(type).normal_min};
      const double sign = random.OneIn(2) ? 1 : -1;
      const bool has_nan = mode == "DOT_PRODUCT" || mode == "FP_SPECIAL";
      precise.push_back(random.OneIn(3) ? random.Pick(special) : sign * magnitude());
      bounds.push_back(has_nan && random.OneIn(8) ? kNan : random.OneIn(8) ? 0 : magnitude());
      // If the sum of the absolute values is 0, the sum of products is 0.
      if (mode == "DOT_PRODUCT" && bounds[i] == 0) precise[i] = 0;
    } else {
      const double least = between(MinimumInteger(type), MaximumInteger(type));
      precise.push_back(least);
      bounds.push_back(std::min(least + between(0, 2), static_cast<double>(MaximumInteger(type))));
    }
  }
  std::map<std::string, double> parameters = {{"n", between(1, 9)},
                                              {"ksb", between(1, 99)},
                                              {"s", between(0, 5)},
                                              {"normal_divisor", between(1, 2)},
                                              {"bound_as_magnitude", between(0, 1)},
                                              {"unsigned_data", between(0, 1)}};
  for (const char* name : {"ulp", "ulp_lower", "base_bound", "lower_bound", "max_compare", "max",
                           "scale", "ulp_bound"}) {
    if (random.OneIn(2)) parameters[name] = between(0, 5) / 2;
  }
  return Record(type, std::move(precise), mode, std::move(parameters), std::move(bounds));
}

// Round-trip: a record of any mode demands the same after it was written again, perhaps in another
// mode.
TEST(Compliance, OfEveryModeIsTheSameThereAndBack) {
  for (const char* mode : {"EXACT", "ULP", "ABS_ERROR", "RELATIVE", "REDUCE_PRODUCT", "DOT_PRODUCT",
                           "FP_SPECIAL", "RESCALE_INEXACT"}) {
    std::set<std::string> modes;
    for (uint64_t seed = 0; seed < 2000; ++seed) {
      Random random(seed);
      const std::optional<Expectation> expectation =
          ExpectationByCompliance(AnyRecord(mode, random));
      ASSERT_TRUE(expectation) << mode << " " << seed;
      modes.insert(ExpectTheSame(*expectation, std::string(mode) + " " + std::to_string(seed)));
      if (HasFailure()) return;
    }
    EXPECT_FALSE(modes.contains("")) << mode;
  }
}

// --- the errors of a whole tensor

// Makes a vector of one REDUCE_SUM whose `count` results are 1, with units of 2^-4, ABS_BOUND 4 and
// VARIANCE_ERROR_BOUND 3.2. Returns the oracle's verdict on results with errors of `errors` units.
Verdict JudgeErrors(int32_t set, std::vector<double> errors, double slack = 0) {
  const auto count = static_cast<int32_t>(errors.size());
  TestVector vector;
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2," + std::to_string(count) + "]");
  b.Outputs({b.Add(Op::kReduceSum, {x}, "fp32[1," + std::to_string(count) + "]",
                   {{AttributeId::kAxis, 0}})});
  vector.graphs = {EmptyGraph()};
  *vector.graphs[0].Main() = b.block;
  Step step;
  Expectation expectation;
  const std::vector<double> ones(errors.size(), 1);
  expectation.value = Tensor::FromFloats(DType::kFp32, {1, count}, ones);
  expectation.reference = ones;
  expectation.error.assign(errors.size(), 4 * 0x1p-4 + slack);
  expectation.rule = "REDUCE_SUM";
  expectation.statistics = DotStatistics{std::vector(errors.size(), 0x1p-4), 4, 3.2, set};
  step.outputs = {expectation};
  vector.steps = {step};
  for (double& error : errors) error = 1 + error * 0x1p-4;
  Outcome outcome;
  outcome.kind = OutcomeKind::kValid;
  outcome.outputs = {Tensor::FromFloats(DType::kFp32, {1, count}, errors)};
  return JudgeVector(vector, std::span(&outcome, 1));
}

std::vector<double> Alternating(size_t count, double up, double down) {
  std::vector<double> errors(count, up);
  for (size_t i = 1; i < count; i += 2) errors[i] = down;
  return errors;
}

TEST(DotStatistics, BoundTheSquares) {
  // 1.75^2 = 3.0625 <= 3.2; 1.875^2 = 3.515625 > 3.2.
  EXPECT_EQ(JudgeErrors(2, Alternating(1000, 1.75, -1.75)).kind, VerdictKind::kAgrees);
  const Verdict verdict = JudgeErrors(2, Alternating(1000, 1.875, -1.875));
  ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees);
  ASSERT_EQ(verdict.findings.size(), 1u);
  EXPECT_EQ(verdict.findings[0].oracle, "statistics");
  EXPECT_EQ(verdict.findings[0].op, Op::kReduceSum);
  EXPECT_EQ(verdict.findings[0].expected, "a sum of squared errors of at most 3200");
  EXPECT_EQ(verdict.findings[0].got, "3515.62");  // 3515.625
}

TEST(DotStatistics, BoundTheSumForSets3To5) {
  // sqrt(10 * 3.2 * 1000) = 178.9; 1000 * 0.1875 = 187.5, 1000 * 0.125 = 125.
  for (const int32_t set : {3, 4, 5}) {
    EXPECT_EQ(JudgeErrors(set, std::vector<double>(1000, 0.125)).kind, VerdictKind::kAgrees);
    const Verdict verdict = JudgeErrors(set, std::vector<double>(1000, -0.1875));
    ASSERT_EQ(verdict.findings.size(), 1u) << set;
    EXPECT_EQ(verdict.findings[0].expected, "a sum of errors of at most 178.885");
    EXPECT_EQ(verdict.findings[0].got, "187.5");
  }
  for (const int32_t set : {-1, 0, 1, 2}) {
    EXPECT_EQ(JudgeErrors(set, std::vector<double>(1000, -0.1875)).kind, VerdictKind::kAgrees);
  }
}

// The effect of a flush is no error: 1.875 less 0.125 is 1.75.
TEST(DotStatistics, ForgiveFlushedOperands) {
  EXPECT_EQ(JudgeErrors(2, Alternating(1000, 1.875, -1.875), 0.125 * 0x1p-4).kind,
            VerdictKind::kAgrees);
  EXPECT_EQ(JudgeErrors(5, std::vector<double>(1000, 0.1875), 0.125 * 0x1p-4).kind,
            VerdictKind::kAgrees);
}

// A single error beyond ABS_BOUND is a finding of the oracle `values` only.
TEST(DotStatistics, LeaveWrongElementsToTheOracleOfValues) {
  std::vector<double> errors(1000, 3);
  errors[7] = 4.5;
  const Verdict verdict = JudgeErrors(2, errors);
  ASSERT_EQ(verdict.findings.size(), 1u);
  EXPECT_EQ(verdict.findings[0].oracle, "values");
  EXPECT_EQ(verdict.findings[0].wrong_elements, 1);
}

}  // namespace
}  // namespace assay::arm_expectation_test
