// SPDX-License-Identifier: Apache-2.0
// Tests that the members of the ensemble keep the rules: their results lie in the sets of the bound
// domain, depend on vector and seed alone, and differ from each other.
#include <set>

#include "block_builder.h"
#include "ensemble_run.h"
#include "generated.h"
#include "generator_table.h"
#include "graph_text.h"
#include "judge_vector.h"
#include "random.h"
#include "sha256.h"

namespace assay::ensemble_test {
namespace {

constexpr uint64_t kSeed = 1;
using Members = std::vector<std::vector<Outcome>>;

// Calls test(vector) for vectors of a kind that are valid and have an expectation.
template <class Test>
void ForEachVector(const std::string& kind, uint64_t count, Test test) {
  const Generator& generator = *GeneratorByKind(kind);
  for (uint64_t index = 0; index < count; ++index) {
    std::optional<TestVector> vector = generator.make(Options(11), index);
    std::string reason;
    if (!vector || !IsValid(*vector) || !Expect(*vector, {}, &reason)) continue;
    test(*vector);
  }
}

TEST(Ensemble, HasTwelveMembersOrMore) {
  std::set<std::string_view> names;
  for (const Member& member : Ensemble()) names.insert(member.name);
  EXPECT_GE(names.size(), 12U);
  EXPECT_EQ(names.size(), Ensemble().size());
}

TEST(Ensemble, StaysWithinTheSets) {
  int64_t judged = 0;
  const auto test = [&](const TestVector& vector) {
    const Members members = ExecuteEnsemble(vector, {}, kSeed);
    ASSERT_EQ(members.size(), Ensemble().size());
    for (size_t i = 0; i < members.size(); ++i) {
      const Verdict verdict = JudgeVector(vector, members[i]);
      judged += verdict.judged_elements;
      EXPECT_NE(verdict.kind, VerdictKind::kDisagrees)
          << Ensemble()[i].name << ": " << vector.name << " " << verdict.findings[0].tensor << " "
          << verdict.findings[0].got << " instead of " << verdict.findings[0].expected << " ("
          << verdict.findings[0].allowed << ")\n"
          << GraphText(vector.graphs[0]);
    }
  };
  ForEachVector("graph", Rounds(4000), test);
  ForEachVector("operator", Rounds(2000), test);
  ForEachVector("control-flow", Rounds(400), test);
  ForEachVector("stateful", Rounds(400), test);
  EXPECT_GT(judged, Rounds(1'000'000));
}

// Returns elements of a shape, from -1 to 1.
Tensor RandomTensor(Random& random, DType type, const Shape& shape) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    values.push_back(static_cast<double>(random.Between(-1'000'000, 1'000'000)) * 1e-6);
  }
  return Tensor::FromFloats(type, shape, values);
}

// Returns two multiplications of matrices, with a CAST to fp16 and a TANH between them. One element
// of the operand is subnormal.
TestVector DotProducts() {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[1,32,64]");
  const TensorIndex w = b.Input("fp32[1,64,64]");
  const TensorIndex zero = b.Constant("fp32[1]{0}");
  const TensorIndex half_zero = b.Constant("fp16[1]{0}");
  const TensorIndex y = b.Add(Op::kMatmul, {x, w, zero, zero}, "fp32[1,32,64]");
  const TensorIndex z = b.Add(Op::kTanh, {b.Add(Op::kCast, {y}, "fp16[1,32,64]")}, "fp16[1,32,64]");
  const TensorIndex v = b.Add(Op::kCast, {w}, "fp16[1,64,64]");
  b.Outputs({b.Add(Op::kMatmul, {z, v, half_zero, half_zero}, "fp32[1,32,64]"), y,
             b.Add(Op::kAbs, {x}, "fp32[1,32,64]")});
  TestVector vector;
  vector.requirements = {"PRO-FP"};
  vector.graphs = {GraphOf({b.block})};
  Random random(3);
  Step& step = vector.steps.emplace_back();
  step.inputs = {RandomTensor(random, DType::kFp32, Shape{1, 32, 64}),
                 RandomTensor(random, DType::kFp32, Shape{1, 64, 64})};
  std::vector<double> values;
  for (int64_t i = 0; i < step.inputs[0].elements(); ++i) {
    values.push_back(i == 5 ? 1e-40 : step.inputs[0].Float(i));
  }
  step.inputs[0] = Tensor::FromFloats(DType::kFp32, Shape{1, 32, 64}, values);
  return vector;
}

std::string HashOf(const Members& members) {
  std::vector<uint8_t> bytes;
  for (const std::vector<Outcome>& outcomes : members) {
    for (const Outcome& outcome : outcomes) {
      EXPECT_EQ(outcome.kind, OutcomeKind::kValid) << outcome.message;
      for (const Tensor& output : outcome.outputs) {
        bytes.insert(bytes.end(), output.bytes().begin(), output.bytes().end());
      }
    }
  }
  return Sha256(bytes);
}

TEST(Ensemble, DiffersInEveryMember) {
  const Members members = ExecuteEnsemble(DotProducts(), {}, kSeed);
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      EXPECT_NE(HashOf({members[i]}), HashOf({members[k]}))
          << Ensemble()[i].name << " and " << Ensemble()[k].name;
    }
  }
}

TEST(Ensemble, IsAPureFunctionOfVectorAndSeed) {
  const std::string hash = HashOf(ExecuteEnsemble(DotProducts(), {}, kSeed));
  EXPECT_EQ(hash, HashOf(ExecuteEnsemble(DotProducts(), {}, kSeed)));
  EXPECT_NE(hash, HashOf(ExecuteEnsemble(DotProducts(), {}, kSeed + 1)));
  ExecutionOptions options;
  options.kernels = Kernels::kTemplate;
  EXPECT_EQ(hash, HashOf(ExecuteEnsemble(DotProducts(), options, kSeed)));
  // For every compiler and machine, with sanitizers and without.
  EXPECT_EQ(hash, "2724d4a1f85370a881a8b45838ebd0eb599d594f5ad2971f997181ad352b8fe3");
}

// ABS writes a subnormal, and MUL reads one.
TEST(Ensemble, FlushesInEveryOperatorOrInNone) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[1]");
  b.Outputs({b.Add(Op::kAbs, {x}, "fp32[1]"),
             b.Add(Op::kMul, {x, b.Input("fp32[1]"), b.Constant("i8[1]{0}")}, "fp32[1]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.emplace_back().inputs = {TensorOf("fp32[1]{1e-40}"), TensorOf("fp32[1]{1e20}")};
  const Members members = ExecuteEnsemble(vector, {}, kSeed);
  for (size_t i = 0; i < members.size(); ++i) {
    ASSERT_EQ(members[i][0].kind, OutcomeKind::kValid) << members[i][0].rule;
    for (const Tensor& output : members[i][0].outputs) {
      EXPECT_EQ(output.Float(0) == 0, Ensemble()[i].flushes) << Ensemble()[i].name;
    }
  }
}

// 1 + 2^-11 is no value of fp16. SUB takes 1 from it.
TEST(Ensemble, PassesOnWhatAMemberKeeps) {
  BlockBuilder b;
  const TensorIndex cast = b.Add(Op::kCast, {b.Input("fp32[1]")}, "fp16[1]");
  b.Outputs({b.Add(Op::kSub, {cast, b.Input("fp16[1]")}, "fp16[1]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.emplace_back().inputs = {TensorOf("fp32[1]{1.00048828125}"), TensorOf("fp16[1]{1}")};
  const Members members = ExecuteEnsemble(vector, {}, kSeed);
  for (size_t i = 0; i < members.size(); ++i) {
    const bool keeps = Ensemble()[i].keeps != Keeps::kNothing;
    EXPECT_EQ(members[i][0].outputs[0].Float(0), keeps ? 0x1p-11 : 0) << Ensemble()[i].name;
  }
}

// The NaN among the weights meets padding.
TEST(Ensemble, MultipliesPaddingInSomeMembers) {
  BlockBuilder b;
  const TensorIndex zero = b.Constant("fp32[1]{0}");
  b.Outputs({b.Add(Op::kConv2d,
                   {b.Input("fp32[1,1,1,1]"), b.Constant("fp32[1,1,2,1]{nan,3}"), zero, zero, zero},
                   "fp32[1,1,1,1]",
                   {{AttributeId::kPad, std::vector<int32_t>{0, 0, 1, 0}},
                    {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                    {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
                    {AttributeId::kAccType, static_cast<int32_t>(DType::kFp32)},
                    {AttributeId::kLocalBound, true}})});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.emplace_back().inputs = {TensorOf("fp32[1,1,1,1]{2}")};
  const Members members = ExecuteEnsemble(vector, {}, kSeed);
  for (size_t i = 0; i < members.size(); ++i) {
    ASSERT_EQ(members[i][0].kind, OutcomeKind::kValid) << members[i][0].rule;
    EXPECT_EQ(std::isnan(members[i][0].outputs[0].Float(0)), Ensemble()[i].multiplies_padding)
        << Ensemble()[i].name;
  }
}

TEST(Ensemble, CountsMultiplyAccumulates) {
  EXPECT_EQ(MultiplyAccumulates(DotProducts()), 2 * 32 * 64 * 64);
}

// `assay run` counts them before anything checks the graph.
TEST(Ensemble, CountsMultiplyAccumulatesOfOperatorsThatBreakRules) {
  BlockBuilder b("main");
  const TensorIndex data = b.Input("fp32[1,4,4,1]");
  b.Outputs({b.Add(Op::kAvgPool2d, {data}, "fp32[1,4,4,1]",
                   {{AttributeId::kKernel, std::vector<int32_t>{}}}),
             b.Add(Op::kAvgPool2d, {data}, "fp32[1,4,4,1]",
                   {{AttributeId::kKernel, std::vector<int32_t>{-2, 2}}}),
             b.Add(Op::kConv2d, {data}, "fp32[1,4,4,1]", {})});
  const auto count = [&](size_t i) { return MultiplyAccumulates(b.block, b.block.operators[i]); };
  EXPECT_EQ(count(0), 16);
  EXPECT_EQ(count(1), 0);
  EXPECT_EQ(count(2), 16);
}

TEST(Ensemble, CountsNoMoreMultiplyAccumulatesThanANumberHolds) {
  BlockBuilder b("main");
  const TensorIndex data = b.Input("fp32[1,2147483647,2147483647,1]");
  b.Outputs({b.Add(Op::kRfft2d, {data}, "fp32[1,2147483647,1073741824]", {})});
  EXPECT_EQ(MultiplyAccumulates(b.block, b.block.operators[0]),
            std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace assay::ensemble_test
