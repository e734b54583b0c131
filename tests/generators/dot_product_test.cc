// SPDX-License-Identifier: Apache-2.0
// Tests the test sets of the specification's Appendix A, and the findings of judging whole tensors
// with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "accuracy.h"
#include "appendix_a.h"
#include "backend_kind.h"
#include "elementary.h"
#include "fourier_in_fp32.h"
#include "generator_table.h"
#include "judge_vector.h"

namespace assay::dot_product_test {
namespace {

constexpr double kFp16Bound = 255.875;

// Tests known answers, and the recurrence in the form of the text.
TEST(TestData, FollowsTheRecurrence) {
  EXPECT_EQ(TestDataState(0, 0), 0x705a5e76u);
  EXPECT_EQ(TestDataState(0, 1), 0x5d787fefu);
  EXPECT_EQ(TestDataState(0, 2), 0x81123a3cu);
  EXPECT_EQ(TestDataState(17, 0), 0x205c8c9eu);
  for (const uint32_t set : {0u, 5u, 17u}) {
    const uint32_t m = (8 * set + 1) * 0x705A5E75u;
    uint32_t r = m + 1;
    for (uint32_t index = 0; index < 1000; ++index) {
      ASSERT_EQ(TestDataState(set, index), r) << set << " " << index;
      r = r * m + 1;
    }
  }
}

// 0x705a5e76 has 31 bits, of which a float keeps 24: 0xe0b4bd, rounded up. 0x01123a3c, negative,
// fits. The divisor, 2^31 - 1, is 2^31 as a float.
TEST(TestData, IsAFloatFromMinusOneToOne) {
  EXPECT_EQ(SetData(0, 0), 0xe0b4bdp-24f);
  EXPECT_EQ(SetData(0, 2), -0x01123a3cp-31f);
  double sum = 0;
  double squares = 0;
  for (uint32_t index = 0; index < 4096; ++index) {
    const double x = SetData(3, index);
    sum += x;
    squares += x * x;
  }
  EXPECT_LT(std::fabs(sum / 4096), 0.02);
  EXPECT_NEAR(squares / 4096, 1.0 / 3, 0.01);
}

// The stream goes in steps of any length, forward and back.
TEST(TestData, ComesInAnyOrder) {
  SetDataStream stream(7);
  for (const uint32_t index : {0u, 1u, 2u, 2u, 6u, 11u, 4000u, 4003u, 3u, 0u, 0xFFFFFFFFu, 1u}) {
    EXPECT_EQ(stream.At(index), SetData(7, index)) << index;
  }
}

TEST(TestData, HasAnElementOfEveryFormulaOfTheSets) {
  // set_data(0,0) = 0.88, so that the first operand is set_data(1,0) = -0.9 and the second zero;
  // set_data(0,2) < 0, so that it is the other way round: set_data(1,2) = 0.71.
  EXPECT_EQ(TestData(0, 4, 0, kFp16Bound).At(1, 0), -0x1.ccb548p-1);
  EXPECT_EQ(TestData(0, 4, 1, kFp16Bound).At(1, 0), 0);
  EXPECT_EQ(TestData(0, 4, 0, kFp16Bound).At(1, 2), 0);
  EXPECT_EQ(TestData(0, 4, 1, kFp16Bound).At(1, 2), 0x1.69e5bap-1);
  EXPECT_EQ(TestData(0, 4, 2, kFp16Bound).At(0, 2), 0);
  // B / sqrt(3 + 1) = 127.9375; set_data(3,0) < 0, set_data(3,1) = -0.745.
  EXPECT_EQ(TestData(1, 3, 0, kFp16Bound).At(2, 0), 127.9375 * (-0.75 + 0.25 * -0x1.7d8bc8p-1));
  // set_data(4,4) < 0, set_data(4,5) = -0.639.
  EXPECT_EQ(TestData(1, 3, 1, kFp16Bound).At(2, 2), 127.9375 * (-0.75 + 0.25 * -0x1.471eep-1));
  // B * B / (3 + 1) = 16368.00390625; set_data(5,2) > 0, set_data(5,3) = 0.589.
  EXPECT_EQ(TestData(1, 3, 2, kFp16Bound).At(0, 1), 16368.00390625 * (0.75 + 0.25 * 0x1.2d937ep-1));
  // sqrt(4) = 2; set_data(6,7) = -0.325, set_data(7,7) = -0.362.
  EXPECT_EQ(TestData(2, 4, 0, kFp16Bound).At(0, 7), 1);
  EXPECT_EQ(TestData(2, 4, 0, kFp16Bound).At(3, 7), -0x1.4c52c6p-3);
  EXPECT_EQ(TestData(2, 4, 1, kFp16Bound).At(1, 7), -0x1.72eb8cp-3);
  // set_data(9,2) = 0.823 and set_data(9,3) = 0.359: 16, or e^1.645 * 0.359 = 5.182 * 0.359.
  EXPECT_EQ(TestData(3, 4, 0, kFp16Bound).At(0, 1), 16);
  EXPECT_EQ(TestData(3, 4, 0, kFp16Bound).At(1, 1), Exp(0x1.a52bc8p+0) * 0x1.700870p-2);
  EXPECT_NEAR(TestData(3, 4, 0, kFp16Bound).At(1, 1), 1.86246, 1e-5);
  // set_data(12,2) is below zero, set_data(12,3) above. The middle of 9 is 4; B / 3 = 85.29.
  const double third = kFp16Bound / 3;
  EXPECT_EQ(TestData(4, 9, 0, kFp16Bound).At(4, 2), -0.5);
  EXPECT_EQ(TestData(4, 9, 1, kFp16Bound).At(4, 2), 0.5);
  EXPECT_EQ(TestData(4, 9, 0, kFp16Bound).At(4, 3), 0.5);
  EXPECT_EQ(TestData(4, 9, 1, kFp16Bound).At(4, 3), -0.5);
  EXPECT_EQ(TestData(4, 9, 0, kFp16Bound).At(5, 2), 0);
  EXPECT_EQ(TestData(4, 9, 1, kFp16Bound).At(5, 2), third * 0x1.7d415p-1);
  EXPECT_EQ(TestData(4, 9, 0, kFp16Bound).At(5, 3), third * 0x1.b182c4p-3);
  EXPECT_EQ(TestData(4, 9, 1, kFp16Bound).At(5, 3), 0);
  // B / sqrt(4) = 127.9375; set_data(15,5) = 0.677, set_data(16,5) = -0.268.
  EXPECT_EQ(TestData(5, 4, 0, kFp16Bound).At(1, 5), 127.9375 * 0x1.5a9e58p-1);
  EXPECT_EQ(TestData(5, 4, 1, kFp16Bound).At(1, 5), 127.9375 * -0x1.12dee4p-2);
}

// The bound is the largest value that the input type has and whose square the output type holds.
TEST(TestData, IsBoundedBySquaresThatFit) {
  const DType types[] = {DType::kFp8e4m3, DType::kFp8e5m2, DType::kFp16, DType::kBf16,
                         DType::kFp32};
  int pairs = 0;
  for (const DType in : types) {
    for (const DType out : types) {
      const double bound = TestDataBound(in, out);
      if (bound == 0) continue;
      ++pairs;
      EXPECT_EQ(RoundToType(in, bound), bound) << TypeName(in) << " " << TypeName(out);
      EXPECT_LE(bound * bound, FormatOf(out).max) << TypeName(in) << " " << TypeName(out);
      const double next = NextUp(in, bound);
      EXPECT_TRUE(!(next * next <= FormatOf(out).max)) << TypeName(in) << " " << TypeName(out);
    }
  }
  EXPECT_EQ(pairs, 11);  // rows of the table
}

GeneratorOptions Options() {
  GeneratorOptions options;
  options.level = kLevel8K;
  return options;
}

std::vector<TestVector> AllSets() {
  const Generator& generator = *GeneratorByKind("dot-product");
  std::vector<TestVector> vectors;
  for (int64_t index = 0; index < generator.targets(Options()); ++index) {
    auto vector = generator.make(Options(), static_cast<uint64_t>(index));
    EXPECT_TRUE(vector) << index;
    if (vector) vectors.push_back(std::move(*vector));
  }
  return vectors;
}

// There are six sets for each floating-point type row, and every output is judged as a whole.
TEST(DotProductGenerator, HasEverySetOfEveryTypeRow) {
  std::map<Op, std::set<std::string>> rows;
  std::map<Op, int> vectors;
  for (const TestVector& vector : AllSets()) {
    const Operator& op = vector.graphs[0].Main()->operators.back();
    ++vectors[op.op];
    rows[op.op].insert(vector.name.substr(vector.name.find(OperatorName(op.op))));
    for (const Expectation& output : vector.steps[0].outputs) {
      ASSERT_TRUE(output.statistics) << vector.name;
      EXPECT_GE(output.value.elements(), kMinDotProducts) << vector.name;
      int64_t counted = 0;
      for (const double unit : output.statistics->unit) counted += unit > 0;
      // Imaginary parts of a real transform are zero in the first and the middle column.
      const int64_t least = op.op == Op::kRfft2d ? 3 : 9;
      EXPECT_GE(counted * 10, output.value.elements() * least) << vector.name;
    }
  }
  // Floating-point rows of their tables: CONV2D 6, MATMUL 6, AVG_POOL2D 6, REDUCE_SUM 3.
  EXPECT_EQ(vectors[Op::kConv2d], 36);
  EXPECT_EQ(vectors[Op::kMatmul], 36);
  EXPECT_EQ(vectors[Op::kAvgPool2d], 36);
  EXPECT_EQ(vectors[Op::kReduceSum], 18);
  for (const auto& [op, count] : vectors) {
    EXPECT_EQ(rows[op].size(), static_cast<size_t>(count)) << OperatorName(op);
  }
}

TEST(DotProductGenerator, HasEveryOperatorOfDotProducts) {
  std::set<Op> reached;
  for (const TestVector& vector : AllSets()) {
    reached.insert(vector.graphs[0].Main()->operators.back().op);
  }
  for (const Op op : {Op::kConv2d, Op::kConv3d, Op::kDepthwiseConv2d, Op::kTransposeConv2d,
                      Op::kMatmul, Op::kAvgPool2d, Op::kReduceSum, Op::kFft2d, Op::kRfft2d}) {
    EXPECT_TRUE(reached.contains(op)) << OperatorName(op);
  }
}

// The findings of a backend on all sets of an input type, or of all types. They are counted by
// oracle, and by set or operator.
struct Found {
  std::map<std::string, std::map<int32_t, int>> by_set;
  std::map<std::string, std::map<Op, int>> by_operator;
};
Found FindingsOn(const std::string& backend, DType type) {
  Result<std::unique_ptr<Backend>> opened = OpenBackend(backend, {});
  EXPECT_TRUE(opened) << opened.error().message;
  Found found;
  for (const TestVector& vector : AllSets()) {
    const Expectation& output = vector.steps[0].outputs[0];
    if (type != DType::kUnknown && vector.steps[0].inputs[0].type() != type) continue;
    const auto outcomes = (*opened)->Run(vector);
    EXPECT_TRUE(outcomes) << vector.name;
    const Verdict verdict = JudgeVector(vector, *outcomes);
    EXPECT_NE(verdict.kind, VerdictKind::kUndecided) << vector.name;
    for (const Finding& finding : verdict.findings) {
      ++found.by_set[finding.oracle][output.statistics->set];
      ++found.by_operator[finding.oracle][vector.graphs[0].Main()->operators.back().op];
    }
  }
  return found;
}

TEST(DotStatistics, AreSilentOnTheReference) {
  EXPECT_TRUE(FindingsOn("reference", DType::kUnknown).by_set.empty());
  EXPECT_TRUE(FindingsOn("reference:template", DType::kUnknown).by_set.empty());
}

// Every element is within ABS_BOUND. The sets that are biased themselves do not show the bias.
TEST(DotStatistics, AloneSeeAnAccumulatorThatRoundsUp) {
  const auto [findings, operators] = FindingsOn("canary:rounds-up", DType::kFp32);
  ASSERT_TRUE(findings.contains("statistics"));
  EXPECT_FALSE(findings.contains("values"));
  EXPECT_GT(findings.at("statistics").at(3) + findings.at("statistics").at(4) +
                findings.at("statistics").at(5),
            5);
  // Among them are operators whose single elements may be off by more (reading
  // `fourier-coefficients`).
  EXPECT_TRUE(operators.at("statistics").contains(Op::kFft2d));
  EXPECT_TRUE(operators.at("statistics").contains(Op::kRfft2d));
}

// Returns the value of an operand that a block takes as input or holds as a constant.
const Tensor& GivenOperand(const Block& main, const Step& step, TensorIndex operand) {
  const auto at = std::find(main.inputs.begin(), main.inputs.end(), operand);
  if (at != main.inputs.end()) return step.inputs[static_cast<size_t>(at - main.inputs.begin())];
  return main.ProducerOf(operand)->attributes.Value(AttributeId::kValues);
}

// Runs the pseudocode of FFT2D and RFFT2D in fp32 with all its sines. Neither an element nor a
// tensor may be blamed, with and without local_bound (reading `fourier-coefficients`).
TEST(DotStatistics, AdmitTransformsByThePseudocodeInFp32) {
  int local = 0, tensor = 0;
  for (const TestVector& vector : AllSets()) {
    const Block& main = *vector.graphs[0].Main();
    const Operator& op = main.operators.back();
    if (op.op != Op::kFft2d && op.op != Op::kRfft2d) continue;
    const bool is_local =
        op.attributes.Has(AttributeId::kLocalBound) && op.attributes.Flag(AttributeId::kLocalBound);
    (is_local ? local : tensor) += 1;
    const Step& step = vector.steps[0];
    const Tensor& reals = GivenOperand(main, step, op.inputs[0]);
    const bool is_complex = op.op == Op::kFft2d;
    const Tensor imaginary = is_complex ? GivenOperand(main, step, op.inputs[1]) : Tensor();
    const Shape& shape = reals.shape();
    const Shape& out_shape = step.outputs[0].value.shape();
    const bool inverse = is_complex && op.attributes.Flag(AttributeId::kInverse);
    std::array<std::vector<double>, 2> results;
    const int64_t size = int64_t{shape[1]} * shape[2];
    for (int64_t n = 0; n < shape[0]; ++n) {
      std::vector<float> real, imag;
      for (int64_t i = n * size; i < (n + 1) * size; ++i) {
        real.push_back(static_cast<float>(reals.Float(i)));
        imag.push_back(is_complex ? static_cast<float>(imaginary.Float(i)) : 0);
      }
      const auto transform = TransformInFp32(shape[1], shape[2], inverse, real, imag);
      for (size_t half = 0; half < 2; ++half) {
        for (size_t i = 0; i < transform[half].size(); ++i) {
          const auto column = static_cast<int32_t>(i) % shape[2];
          if (column < out_shape[2]) results[half].push_back(transform[half][i]);
        }
      }
    }
    Outcome outcome;
    outcome.kind = OutcomeKind::kValid;
    for (const auto& half : results) {
      outcome.outputs.push_back(Tensor::FromFloats(DType::kFp32, out_shape, half));
    }
    const Verdict verdict = JudgeVector(vector, std::span(&outcome, 1));
    EXPECT_TRUE(verdict.findings.empty())
        << vector.name << ": set " << step.outputs[0].statistics->set;
  }
  EXPECT_GT(local, 0);
  EXPECT_GT(tensor, 0);
}

// Three bits less make the error of a rounding eight times as large. With a small kernel this
// exceeds ABS_BOUND, which grows with the kernel. With a large kernel it exceeds
// VARIANCE_ERROR_BOUND, which grows with the root of the kernel.
TEST(DotStatistics, SeeAShortAccumulatorWhereNoElementIsWrong) {
  const auto findings = FindingsOn("canary:short-accumulator", DType::kFp32).by_set;
  ASSERT_TRUE(findings.contains("statistics"));
  EXPECT_GT(findings.at("statistics").at(2), 0);
}

}  // namespace
}  // namespace assay::dot_product_test
