// SPDX-License-Identifier: Apache-2.0
// Tests that the spread of the ensemble makes suspects of wrong backends, not of compliant ones.
#include "judge_spread.h"

#include "block_builder.h"
#include "ensemble_run.h"
#include "generated.h"
#include "generator_table.h"
#include "graph_text.h"
#include "json_lines.h"
#include "judge_case.h"
#include "judge_in_depth.h"
#include "run_status.h"
#include "spread_origin.h"

namespace assay::judge_spread_test {
namespace {

// A network in fp32 whose outputs no sound rule reaches.
const TestVector& Network() {
  static const TestVector network = [] {
    GeneratorOptions options = Options(2);
    options.network = "mobilenet_v2@32,fp32";
    TestVector vector = GeneratorByKind("network")->make(options, 0).value();
    std::string reason;
    EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
    return vector;
  }();
  return network;
}

// Runs vectors as a member of an ensemble does. May multiply one constant by a factor, so that what
// reads it is wrong.
class Executing : public Backend {
 public:
  explicit Executing(Member member, std::string constant = "", double factor = 1)
      : member_(member), constant_(std::move(constant)), factor_(factor) {}
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    ++runs;
    ExecutionOptions options;
    options.member = &member_;
    TestVector changed = vector;
    for (Graph& graph : changed.graphs) {
      Block& main = *graph.Main();
      for (Operator& op : main.operators) {
        if (op.op != Op::kConst) continue;
        const TensorInfo& info = main.tensors[static_cast<size_t>(op.outputs[0])];
        if (info.name == constant_) op.attributes.Set(AttributeId::kValues, Changed(op));
      }
    }
    return ExecuteVector(changed, options);
  }
  std::string Describe() const override { return "a member"; }

  int runs = 0;

 private:
  Tensor Changed(const Operator& op) const {
    const Tensor& weights = op.attributes.Value(AttributeId::kValues);
    std::vector<double> values;
    for (int64_t i = 0; i < weights.elements(); ++i) values.push_back(weights.Float(i) * factor_);
    return Tensor::FromFloats(weights.type(), weights.shape(), values);
  }

  Member member_;
  std::string constant_;
  double factor_;
};

// Compliant, and not in the ensemble.
constexpr Member kOther = {
    .name = "other", .order = SumOrder::kLanes8, .precision = SumPrecision::kAccumulator};

// Returns the name of the weights of convolution `number`, and the convolution as text.
std::string WeightsOf(const TestVector& vector, int number, std::string* convolution) {
  const Block& main = *vector.graphs[0].Main();
  for (const Operator& op : main.operators) {
    if (op.op != Op::kConv2d || number-- > 0) continue;
    *convolution = "CONV2D " + DeclarationText(main, op.outputs[0]);
    return main.tensors[static_cast<size_t>(op.inputs[1])].name;
  }
  return "";
}

CaseResult Spread(Backend& backend, const TestVector& vector) {
  CaseResult result = JudgeOnce(backend, vector, "w");
  EXPECT_EQ(result.state, CaseState::kUndecided) << result.note;
  JudgeSpread(backend, vector, result);
  return result;
}

TEST(JudgeSpread, SuspectsFaultsBehindManyDotProducts) {
  for (const double fault : {1e-2, 1e-4}) {
    std::string convolution;
    Executing backend(kOther, WeightsOf(Network(), 3, &convolution), 1 + fault);
    const CaseResult result = Spread(backend, Network());
    EXPECT_EQ(result.state, CaseState::kSuspect) << fault << " " << result.spread.distance;
    EXPECT_TRUE(result.verdict.findings.empty());
    EXPECT_EQ(result.spread.from, convolution);
    EXPECT_TRUE(result.note.ends_with("furthest, from " + convolution + " on")) << result.note;
    EXPECT_LE(backend.runs, 2 + kPrefixesMax);
  }
}

TEST(JudgeSpread, DoesNotSuspectOtherOrders) {
  const Member others[] = {
      kOther,
      {.name = "a", .order = SumOrder::kReverse, .precision = SumPrecision::kDouble},
      {.name = "b",
       .order = SumOrder::kLanes16,
       .precision = SumPrecision::kAccumulator,
       .flushes = true},
      {.name = "c",
       .order = SumOrder::kPairwise,
       .precision = SumPrecision::kFused,
       .keeps = Keeps::kUnrounded}};
  for (const Member& other : others) {
    Executing backend(other);
    const CaseResult result = Spread(backend, Network());
    EXPECT_EQ(result.state, CaseState::kUndecided) << result.note;
    EXPECT_EQ(result.spread.elements, result.verdict.undecided_elements);
    EXPECT_LT(result.spread.distance, kSpreadThreshold / 2);
    EXPECT_EQ(backend.runs, 2);
  }
}

TEST(JudgeSpread, IsPartOfJudgingInDepth) {
  std::string convolution;
  Executing backend(kOther, WeightsOf(Network(), 3, &convolution), 1.01);
  const CaseResult result = JudgeInDepth(backend, {Network(), {}}, "w");
  // The fault is in a constant, so every window has it, and its reference has not.
  EXPECT_EQ(result.state, CaseState::kDisagrees) << result.note;
  Executing right(kOther);
  EXPECT_GT(JudgeInDepth(right, {Network(), {}}, "w").spread.elements, 0);
}

// A damaged .tvec file may expect less than it was written with.
TEST(JudgeSpread, CallsASetThatIsNotItsOwnBadInput) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]");
  b.Outputs({b.Add(Op::kLog, {b.Add(Op::kSin, {x}, "fp32[2]")}, "fp32[2]"),
             b.Add(Op::kExp, {x}, "fp32[2]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.emplace_back().inputs = {TensorOf("fp32[2]{3.1415925,1}")};
  std::string reason;
  ASSERT_TRUE(Expect(vector, {}, &reason)) << reason;
  Executing backend(kOther);
  CaseResult result = JudgeOnce(backend, vector, "w");
  JudgeSpread(backend, vector, result);
  EXPECT_NE(result.state, CaseState::kDefect) << result.note;
  const auto members = ExecuteEnsemble(vector, {}, kEnsembleSeed);
  EXPECT_EQ(MemberOutside(vector, members), "");
  for (double& error : vector.steps[0].outputs[1].error) error *= 1e-3;
  EXPECT_TRUE(MemberOutside(vector, members).starts_with("member ")) << "a defect, if it were ours";
  JudgeSpread(backend, vector, result);
  EXPECT_EQ(result.state, CaseState::kBadInput);
  EXPECT_TRUE(result.note.starts_with("the vector does not expect what this version computes: "))
      << result.note;
}

TEST(JudgeSpread, LeavesOutWhatIsTooLarge) {
  BlockBuilder b;
  const TensorIndex zero = b.Constant("fp32[1]{0}");
  b.Outputs(
      {b.Add(Op::kMatmul, {b.Input("fp32[1,1024,1024]"), b.Input("fp32[1,1024,1024]"), zero, zero},
             "fp32[1,1024,1024]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.emplace_back();
  Executing backend(kOther);
  CaseResult result;
  JudgeSpread(backend, vector, result);
  EXPECT_EQ(result.note, "too large for the ensemble");
  EXPECT_EQ(backend.runs, 0);
}

Tensor Floats(std::vector<double> values) {
  const Shape shape{static_cast<int32_t>(values.size())};
  return Tensor::FromFloats(DType::kFp32, shape, values);
}

TEST(SpreadDistance, IsInUnitsOfTheRange) {
  const Tensor members[] = {Floats({1, 100}), Floats({1.5, 101})};
  // Means 1.25 and 100.5; ranges 0.5 and 1.
  const SpreadDistance far = DistanceFrom(members, Floats({1.25, 110.5}), nullptr);
  EXPECT_NEAR(far.distance, 10 / std::sqrt(1.25), 1e-3);
  EXPECT_EQ(far.element, 1);
  EXPECT_EQ(far.compared, 2);
  EXPECT_LT(DistanceFrom(members, Floats({1.5, 101}), nullptr).distance, 1);
}

TEST(SpreadDistance, AllowsAUnitInTheLastPlace) {
  const Tensor members[] = {Floats({1, 2}), Floats({1, 2})};
  EXPECT_LE(DistanceFrom(members, Floats({1, 2 + 0x1p-22}), nullptr).distance, 1);
  EXPECT_GT(DistanceFrom(members, Floats({1, 2.0001}), nullptr).distance, kSpreadThreshold);
}

TEST(SpreadDistance, LeavesOutWhatMembersDisagreeAbout) {
  const double inf = HUGE_VAL, nan = std::nan("");
  const Tensor members[] = {Floats({inf, nan, 1, -3, 5}), Floats({inf, 1, -1, 3, 5})};
  const SpreadDistance distance = DistanceFrom(members, Floats({0, 0, 50, 50, 5}), nullptr);
  EXPECT_EQ(distance.compared, 1);
  EXPECT_EQ(distance.distance, 0);
  // No member is near an infinity.
  EXPECT_GT(DistanceFrom(members, Floats({0, 0, 0, 0, inf}), nullptr).distance, 1e30);
  EXPECT_GT(DistanceFrom(members, Floats({0, 0, 0, 0, nan}), nullptr).distance, 1e30);
}

TEST(SpreadDistance, ComparesUndecidedElementsOnly) {
  Expectation expected = {Floats({1, 1, 1}), {1, 1, 1}, {0, std::nan(""), HUGE_VAL}, "exact"};
  const Tensor members[] = {Floats({1, 1, 1}), Floats({1, 1, 1})};
  EXPECT_EQ(DistanceFrom(members, Floats({9, 1, 1}), &expected).distance, 0);
  EXPECT_EQ(DistanceFrom(members, Floats({9, 1, 1}), &expected).compared, 2);
  EXPECT_GT(DistanceFrom(members, Floats({1, 9, 1}), &expected).distance, kSpreadThreshold);
}

TEST(SpreadDistance, CountsIntegersOutsideTheRange) {
  const auto integers = [](int64_t shift, int64_t size) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < size; ++i) values.push_back(i % 50 + shift);
    return Tensor::FromIntegers(DType::kInt8, Shape{static_cast<int32_t>(size)}, values);
  };
  const std::vector<Tensor> members(5, integers(0, 100));
  EXPECT_EQ(DistanceFrom(members, integers(0, 100), nullptr).distance, 0);
  EXPECT_EQ(DistanceFrom(members, integers(1, 100), nullptr).distance, 25);
  // Few elements are no evidence.
  const std::vector<Tensor> few(5, integers(0, 8));
  EXPECT_LT(DistanceFrom(few, integers(7, 8), nullptr).distance, kSpreadThreshold);
}

TEST(Suspects, FailOnlyStrictRuns) {
  CaseResult suspect, agrees;
  suspect.state = CaseState::kSuspect;
  agrees.state = CaseState::kAgrees;
  RunReport run;
  run.tally.Add(suspect);
  EXPECT_EQ(StatusOf(run, false), kExitUndecided);
  run.tally.Add(agrees);
  EXPECT_EQ(StatusOf(run, false), kExitClean);
  EXPECT_EQ(StatusOf(run, true), kExitUndecided);
}

TEST(Suspects, KeepTheirDistanceInJson) {
  CaseResult result;
  result.state = CaseState::kSuspect;
  result.spread = {1000, 57.5, 1, 2, 3, "CONV2D %a:fp32[1]"};
  const Result<CaseResult> read = CaseFromJson(CaseToJson(result, false));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->spread.elements, 1000);
  EXPECT_EQ(read->spread.distance, 57.5);
  EXPECT_EQ(read->spread.step, 1);
  EXPECT_EQ(read->spread.output, 2);
  EXPECT_EQ(read->spread.element, 3);
  EXPECT_EQ(read->spread.from, "CONV2D %a:fp32[1]");
}

}  // namespace
}  // namespace assay::judge_spread_test
