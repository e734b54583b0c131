// SPDX-License-Identifier: Apache-2.0
// Tests that a model is judged layer by layer, and that the layer that is wrong is named.
#include <gtest/gtest.h>

#include "backend_kind.h"
#include "block_builder.h"
#include "judge_case.h"
#include "judge_in_depth.h"
#include "lattice_pass.h"
#include "layer_location.h"
#include "model_inputs.h"
#include "model_report.h"
#include "model_verdict.h"
#include "mutant_trials.h"
#include "planted_fault.h"
#include "tapped_outputs.h"

namespace assay::model_test {
namespace {

// Returns the model of a graph, without inputs.
TestVector ModelOf(const Block& block) {
  TestVector model;
  model.name = "model";
  model.requirements = {"PRO-FP", "PRO-INT"};
  model.graphs = {GraphOf({block})};
  model.steps.resize(1);
  return model;
}

// Returns a model with the inputs that are drawn for it.
TestVector Drawn(const Block& block) {
  TestVector model = ModelOf(block);
  const Block& main = MainOf(model);
  Result<DrawnInputs> drawn = DrawModelInputs(model, PartNeededBy(main, main.outputs), 1, 0);
  EXPECT_TRUE(drawn) << drawn.error().message;
  model.steps[0].inputs = std::move(drawn->inputs);
  return model;
}

constexpr char kType[] = "fp32[1,64]";

// Four layers: ABS t1, TANH t2, SUB t3, EXP t4.
Block FourLayers() {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  const TensorIndex a = b.Add(Op::kAbs, {x}, kType);
  const TensorIndex t = b.Add(Op::kTanh, {a}, kType);
  const TensorIndex s = b.Add(Op::kSub, {t, x}, kType);
  b.Outputs({b.Add(Op::kExp, {s}, kType)});
  return b.block;
}

Result<ModelVerdict> Judge(Backend& backend, const TestVector& model) {
  return JudgeModel(backend, model, "model");
}

TEST(Model, ThatIsRightAgreesInEveryLayer) {
  const TestVector model = Drawn(FourLayers());
  const auto backend = OpenBackend("reference", {});
  const Result<ModelVerdict> verdict = Judge(**backend, model);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->whole.state, CaseState::kAgrees) << verdict->whole.note;
  EXPECT_FALSE(verdict->wrong);
  ASSERT_EQ(verdict->layers.size(), 4u);
  for (const Layer& layer : verdict->layers) {
    EXPECT_EQ(layer.result.state, CaseState::kAgrees) << layer.name;
    EXPECT_LE(layer.distance.units, 1) << layer.name;
  }
  const auto& [exact, by_lattice, by_sets, open] = verdict->evidence;
  EXPECT_EQ(exact + by_lattice + by_sets + open, 64);
  EXPECT_EQ(by_lattice, 0);
  EXPECT_GT(by_sets, 0);
}

TEST(Model, NamesALayerThatIsWrongAlone) {
  const TestVector model = Drawn(FourLayers());
  FaultyBackend backend(LayerFault::kOnePercent, "t2");
  const Result<ModelVerdict> verdict = Judge(backend, model);
  ASSERT_TRUE(verdict && verdict->wrong);
  EXPECT_EQ(verdict->layers[verdict->wrong->layer].name, "t2");
  EXPECT_FALSE(verdict->wrong->is_suspect);
  ASSERT_TRUE(verdict->wrong->vector);
  EXPECT_EQ(verdict->wrong->vector->graphs[0].OperatorCount(), 1);
  // The layers behind it are right on the reference executor's values.
  EXPECT_EQ(verdict->layers[2].result.state, CaseState::kAgrees);
  EXPECT_EQ(verdict->layers[3].result.state, CaseState::kAgrees);
}

// Five exact layers, t1 to t5.
Block ExactLayers() {
  BlockBuilder b;
  const TensorIndex x = b.Input("i16[1,8]");
  TensorIndex y = b.Add(Op::kBitwiseNot, {x}, "i16[1,8]");
  y = b.Add(Op::kReverse, {y}, "i16[1,8]", {{AttributeId::kAxis, 1}});
  y = b.Add(Op::kBitwiseNot, {y}, "i16[1,8]");
  y = b.Add(Op::kReverse, {y}, "i16[1,8]", {{AttributeId::kAxis, 1}});
  b.Outputs({b.Add(Op::kBitwiseNot, {y}, "i16[1,8]")});
  return b.block;
}

TEST(Model, NamesALayerThatIsWrongOnlyTogetherWithOthers) {
  const TestVector model = Drawn(ExactLayers());
  FaultyBackend backend(LayerFault::kDroppedChannel, "t3", 3);
  const Result<ModelVerdict> verdict = Judge(backend, model);
  ASSERT_TRUE(verdict && verdict->wrong);
  EXPECT_EQ(verdict->layers[verdict->wrong->layer].name, "t3");
  EXPECT_EQ(verdict->wrong->seen_by, "in the model that ends with it, not alone");
  for (const Layer& layer : verdict->layers) {
    EXPECT_EQ(layer.result.state, CaseState::kAgrees) << layer.name;
  }
  ASSERT_TRUE(verdict->wrong->vector);
  EXPECT_EQ(verdict->wrong->vector->graphs[0].OperatorCount(), 3);
}

TEST(Model, CountsItsRuns) {
  const TestVector model = Drawn(ExactLayers());
  FaultyBackend backend(LayerFault::kDroppedChannel, "t1");
  const Result<ModelVerdict> verdict = Judge(backend, model);
  ASSERT_TRUE(verdict && verdict->wrong);
  EXPECT_EQ(verdict->layers[verdict->wrong->layer].name, "t1");
  EXPECT_GE(verdict->runs, 3);
  EXPECT_LT(verdict->runs, 12);
}

// Is wrong only where several graphs run together.
class CrowdedBackend : public FaultyBackend {
 public:
  CrowdedBackend() : FaultyBackend(LayerFault::kOnePercent, "t2") {}
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    return vector.graphs.size() > 1 ? FaultyBackend::Run(vector) : ExecuteVector(vector, {});
  }
};

TEST(Model, DoesNotBlameALayerThatIsRightInARunOfItsOwn) {
  CrowdedBackend backend;
  const Result<ModelVerdict> verdict = Judge(backend, Drawn(FourLayers()));
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_FALSE(verdict->wrong);
  EXPECT_EQ(verdict->layers[1].result.state, CaseState::kUndecided);
  EXPECT_NE(verdict->layers[1].result.note.find("right alone"), std::string::npos);
  EXPECT_LE(verdict->layers[1].distance.units, 1);  // of the run alone
}

TEST(ModelValues, ACutGivesWhatTheRestReads) {
  const TestVector model = Drawn(FourLayers());
  const Block& main = MainOf(model);
  const NeededPart part = PartNeededBy(main, main.outputs);
  EXPECT_EQ(CutOutputs(main, part, 1), std::vector<TensorIndex>{1});
  EXPECT_EQ(CutOutputs(main, part, 2), std::vector<TensorIndex>{2});
  EXPECT_EQ(CutOutputs(main, part, 4), main.outputs);
}

// Is wrong only in what it shows of t1 inside a graph, and does not declare taps-used.
class TapsBackend : public FaultyBackend {
 public:
  TapsBackend() : FaultyBackend(LayerFault::kOnePercent, "none") {}
  bool OffersTaps(const TestVector&) const override { return true; }
  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override {
    TappedRun run;
    run.outcomes = ExecuteVector(vector, {});
    TestVector more = vector;
    more.graphs[0].Main()->outputs = asked[0];
    const Outcome inner = ExecuteVector(more, {})[0];
    run.taps.resize(1);
    for (size_t i = 0; i < asked[0].size(); ++i) {
      const bool is_wrong = asked[0][i] == 1;
      const TensorType& type = inner.outputs[i].tensor_type();
      run.taps[0][asked[0][i]] =
          is_wrong ? Tensor::Splat(type.type, type.shape, 0x4000) : inner.outputs[i];
    }
    return run;
  }
};

TEST(Model, SuspectsTheLayerThatTapsShow) {
  BlockBuilder b;
  const TensorIndex x = b.Input("bf16[2]");
  const TensorIndex y = b.Add(Op::kExp, {x}, "bf16[2]");
  const TensorIndex z = b.Add(Op::kTanh, {x}, "bf16[2]");
  b.Outputs({b.Add(Op::kMul, {y, z, b.Constant("i8[1]{0}")}, "bf16[2]")});
  TestVector model = ModelOf(b.block);
  model.steps[0].inputs = {TensorOf("bf16[2]{20,21}")};
  TapsBackend backend;
  const Result<ModelVerdict> verdict = Judge(backend, model);
  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_EQ(verdict->whole.state, CaseState::kSuspect) << verdict->whole.note;
  ASSERT_TRUE(verdict->wrong);
  EXPECT_TRUE(verdict->wrong->is_suspect);
  EXPECT_EQ(verdict->layers[verdict->wrong->layer].name, "t1") << verdict->whole.note;
}

// Reads another operand in one layer, shows inner tensors, and declares taps-used.
class TapsOfAnotherOperand : public FaultyBackend {
 public:
  explicit TapsOfAnotherOperand(const std::string& tensor)
      : FaultyBackend(LayerFault::kOtherOperand, tensor) {
    BackendDeclarations declared;
    declared.taps_used = true;
    Declare(declared);
  }
  bool OffersTaps(const TestVector&) const override { return true; }
  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override {
    return TakeTapsFromOutputs(vector, asked, *Run(WithTapsAsOutputs(vector, asked)));
  }
};

// Behind a chain of bf16 operators any output is right, so an operand of another layer cannot show
// there. It shows on the values that the backend has inside, and the power says so.
TEST(ModelPower, CountsWhatTapsShowOfOperandsOfOtherLayers) {
  BlockBuilder b;
  const char* const type = "bf16[1,8]";
  const TensorIndex x = b.Input(type);
  TensorIndex y = b.Add(Op::kSigmoid, {x}, type);
  for (int i = 0; i < 10; ++i) {
    const TensorIndex e = b.Add(Op::kExp, {y}, type);
    y = b.Add(Op::kSub, {b.Add(Op::kTanh, {e}, type), x}, type);
  }
  b.Outputs({y});
  const TestVector model = Drawn(b.block);
  const auto open_of = [&](BackendDeclarations declared, Backend& backend) {
    ModelPower power(declared);
    ModelJudging judging;
    judging.power = &power;
    const Result<ModelVerdict> verdict = JudgeModel(backend, model, "m", judging);
    EXPECT_TRUE(verdict && verdict->whole.state == CaseState::kAgrees);
    const PowerSummary sum = power.Summary(verdict->layers.size(), [](size_t) { return true; });
    const auto open = std::ranges::find(sum.not_shown, std::string("wiring/other-tensor"),
                                        &PowerSummary::NotShown::fault);
    return open == sum.not_shown.end() ? std::vector<size_t>() : open->layers;
  };
  TapsOfAnotherOperand right("none");
  FaultyBackend silent(LayerFault::kOnePercent, "none");
  EXPECT_FALSE(open_of({}, silent).empty());
  EXPECT_TRUE(open_of(right.Declared(), right).empty());
  int unseen = 0;
  const Block& main = MainOf(model);
  for (const Operator& op : main.operators) {
    const std::string& tensor = main.tensors[static_cast<size_t>(op.outputs[0])].name;
    Graph graph = model.graphs[0];
    if (!PlantFault(LayerFault::kOtherOperand, tensor, graph)) continue;
    TapsOfAnotherOperand shows(tensor);
    const Result<ModelVerdict> verdict = Judge(shows, model);
    ASSERT_TRUE(verdict && verdict->wrong) << tensor;
    EXPECT_EQ(verdict->layers[verdict->wrong->layer].name, tensor);
    FaultyBackend hides(LayerFault::kOtherOperand, tensor);
    const Result<ModelVerdict> without = Judge(hides, model);
    unseen += without->wrong ? 0 : 1;
  }
  EXPECT_GT(unseen, 0);
}

// The product is too small for its operand to show in a sum of floats. On a lattice all weights are
// of one size.
TEST(LatticePass, ShowsWhatHidesInRounding) {
  BlockBuilder b;
  const char* const type = "fp32[1,2,2,4]";
  const TensorIndex x = b.Input(type);
  const TensorIndex a = b.Add(Op::kAbs, {x}, type);
  const TensorIndex tiny = b.Constant("fp32[1,1,1,4]{1e-12,2e-12,-1e-12,3e-12}");
  const TensorIndex m = b.Add(Op::kMul, {a, tiny, b.Constant("i8[1]{0}")}, type);
  b.Outputs({b.Add(Op::kAdd, {m, x}, type)});
  const TestVector model = Drawn(b.block);
  const auto reference = OpenBackend("reference", {});
  FaultyBackend faulty(LayerFault::kOtherOperand, "t4");
  const auto second = [&](Backend& backend, int64_t& on_lattice) {
    ModelPower power({});
    ModelJudging judging;
    judging.power = &power;
    const Result<ModelVerdict> first = JudgeModel(backend, model, "m", judging);
    EXPECT_TRUE(first && !first->wrong && first->whole.state == CaseState::kAgrees);
    const std::optional<LatticePass> pass = JudgeOnLattice(backend, model, "m", 1, judging, power);
    on_lattice = power.Summary(3, [](size_t) { return true; }).shown_lattice;
    return pass;
  };
  int64_t shown = 0;
  const std::optional<LatticePass> right = second(**reference, shown);
  ASSERT_TRUE(right) << "nothing is open";
  EXPECT_EQ(right->why_not, "");
  EXPECT_FALSE(right->backend.verdict.wrong);
  EXPECT_GT(shown, 0);
  const std::optional<LatticePass> wrong = second(faulty, shown);
  ASSERT_TRUE(wrong && wrong->backend.verdict.wrong);
  const ModelVerdict& verdict = wrong->backend.verdict;
  EXPECT_EQ(verdict.layers[verdict.wrong->layer].name, "t4");
  ModelReport report;
  report.lattice = wrong;
  EXPECT_NE(ModelToText(report).find("second pass, with weights on a lattice: disagrees: layer 2"),
            std::string::npos)
      << ModelToText(report);
}

// Takes too long for every graph that has TANH.
class SlowBackend : public Backend {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    for (const Graph& graph : vector.graphs) {
      for (const Operator& op : graph.Main()->operators) {
        if (op.op != Op::kTanh) continue;
        std::vector<Outcome> outcomes(vector.steps.size());
        outcomes[0].kind = OutcomeKind::kTimedOut;
        return outcomes;
      }
    }
    return ExecuteVector(vector, {});
  }
  std::string Describe() const override { return "slow"; }
};

// The second write is lost, and the read of the variable shows it.
TEST(Model, NamesTheWriteThatIsLost) {
  const auto named = [] { return Attributes{{AttributeId::kName, std::string("v")}}; };
  Attributes declared = named();
  declared.Set(AttributeId::kVarShape, std::vector<int32_t>{2});
  declared.Set(AttributeId::kType, static_cast<int32_t>(DType::kInt8));
  declared.Set(AttributeId::kInitialValue, TensorOf("i8[2]{1,2}"));
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[2]");
  b.Append(Op::kVariable, {}, {}, declared);
  b.Append(Op::kVariableWrite, {x}, {}, named());
  b.Append(Op::kVariableWrite, {b.Add(Op::kBitwiseNot, {x}, "i8[2]")}, {}, named());
  b.Outputs({b.Add(Op::kVariableRead, {}, "i8[2]", named())});
  const auto backend = OpenBackend("mutant:variable_write/lost", {});
  ASSERT_TRUE(backend) << backend.error().message;
  const auto verdict = Judge(**backend, Drawn(b.block));
  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_TRUE(verdict->wrong);
  const Layer& layer = verdict->layers[verdict->wrong->layer];
  EXPECT_EQ(layer.use.op, Op::kVariableWrite);
  EXPECT_EQ(layer.position, 3);
  EXPECT_EQ(layer.name, "v");
  EXPECT_EQ(verdict->wrong->seen_by, "by the variable v after the model that ends with layer 2");
}

TEST(Model, NamesTheLimitAndNoLayerAfterATimeOut) {
  SlowBackend backend;
  BackendOptions limits;
  limits.cpu_seconds = 7;
  limits.wall_seconds = 9;
  const Result<ModelVerdict> verdict = JudgeModel(backend, Drawn(FourLayers()), "m", {limits});
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_FALSE(verdict->wrong);
  EXPECT_EQ(verdict->whole.state, CaseState::kUndecided);
  EXPECT_NE(verdict->whole.note.find("7 s of processor time or 9 s"), std::string::npos)
      << verdict->whole.note;
  EXPECT_EQ(verdict->layers[0].result.state, CaseState::kAgrees);
  EXPECT_EQ(verdict->layers[1].result.state, CaseState::kUndecided);
  EXPECT_EQ(verdict->layers[2].result.state, CaseState::kAgrees);
}

TEST(Model, IsRefusedIfItIsNotValidWithItsInputs) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]");
  b.Outputs({b.Add(Op::kIntdiv, {x, b.Constant("i32[2]{0,1}")}, "i32[2]")});
  TestVector model = ModelOf(b.block);
  const NeededPart part = PartNeededBy(MainOf(model), MainOf(model).outputs);
  const auto drawn = DrawModelInputs(model, part, 1, 0);
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.error().kind, Error::Kind::kBadInput);
  EXPECT_NE(drawn.error().message.find("INTDIV/REQUIRE"), std::string::npos)
      << drawn.error().message;
  model.steps[0].inputs = {TensorOf("i32[2]{1,1}")};
  const auto backend = OpenBackend("reference", {});
  const auto verdict = Judge(**backend, model);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().kind, Error::Kind::kBadInput);
}

// Returns a case with the expectation of a graph on one input.
LoadedCase CaseOf(const Block& block, std::string_view input) {
  TestVector vector = ModelOf(block);
  vector.steps[0].inputs = {TensorOf(input)};
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return {vector, {}};
}

// The rule of EXP in bf16 allows 8 % there, which hides an error of 1 % in MUL.
TEST(JudgeInDepth, LooksInsideGraphsWhoseSetsAreWide) {
  BlockBuilder b;
  const TensorIndex x = b.Input("bf16[2]");
  const TensorIndex y = b.Add(Op::kExp, {x}, "bf16[2]");
  const TensorIndex three = b.Constant("bf16[2]{3,3}");
  b.Outputs({b.Add(Op::kMul, {y, three, b.Constant("i8[1]{0}")}, "bf16[2]")});
  const LoadedCase whole = CaseOf(b.block, "bf16[2]{20,21}");
  FaultyBackend backend(LayerFault::kOnePercent, "t4");
  EXPECT_EQ(JudgeOnBackend(backend, whole, "w").state, CaseState::kAgrees);
  const CaseResult result = JudgeInDepth(backend, whole, "w");
  ASSERT_EQ(result.state, CaseState::kDisagrees) << result.note;
  EXPECT_EQ(result.verdict.findings[0].op, Op::kMul);
}

// The product underflows in another order, so nothing is known of it.
TEST(JudgeInDepth, LeavesASingleOperatorToItsRule) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[3]");
  b.Outputs({b.Add(Op::kReduceProduct, {x}, "fp32[1]", {{AttributeId::kAxis, 0}})});
  FaultyBackend backend(LayerFault::kOnePercent, "t1");
  const CaseResult result =
      JudgeInDepth(backend, CaseOf(b.block, "fp32[3]{1e-30,1e30,1e-20}"), "w");
  EXPECT_EQ(result.state, CaseState::kUndecided) << result.note;
}

TEST(ModelInputs, AreAFunctionOfTheSeedAndKeepValuesInformative) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[1,256]");
  const auto bound = [](double value) {
    return Tensor::FromFloats(DType::kFp32, Shape{}, {&value, 1});
  };
  b.Outputs({b.Add(Op::kClamp, {x}, "fp32[1,256]",
                   {{AttributeId::kMinVal, bound(-4)},
                    {AttributeId::kMaxVal, bound(4)},
                    {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}})});
  const TestVector model = ModelOf(b.block);
  const NeededPart part = PartNeededBy(MainOf(model), MainOf(model).outputs);
  const auto one = DrawModelInputs(model, part, 1, 0);
  const auto again = DrawModelInputs(model, part, 1, 0);
  const auto other = DrawModelInputs(model, part, 2, 0);
  const auto sample = DrawModelInputs(model, part, 1, 1);
  ASSERT_TRUE(one && again && other && sample);
  EXPECT_EQ(one->inputs, again->inputs);
  EXPECT_NE(one->inputs, other->inputs);
  EXPECT_NE(one->inputs, sample->inputs);
  // Numbers of deviation 16 would be clamped.
  EXPECT_GT(one->informative, 0.98);
  EXPECT_GT(InformativeShare(one->inputs[0]), 0.98);
}

TEST(ModelInputs, ClampedAndDeadElementsAreNotInformative) {
  EXPECT_EQ(InformativeShare(TensorOf("fp32[8]{0,0,0,-1,6,6,2,3}")), 0.25);
  EXPECT_EQ(InformativeShare(TensorOf("i8[4]{-128,5,7,127}")), 0.5);
}

TEST(ModelReport, NamesTheLayerInEveryForm) {
  const TestVector model = Drawn(FourLayers());
  FaultyBackend backend(LayerFault::kOnePercent, "t2");
  Result<ModelVerdict> verdict = Judge(backend, model);
  ASSERT_TRUE(verdict && verdict->wrong);
  ModelReport report;
  report.path = "m.tosa";
  report.backend = {"faulty", std::move(*verdict), {}};
  EXPECT_EQ(ModelHeadline(report.backend), "disagrees: layer 2, TANH fp32 t2");
  for (const std::string& text : {ModelToText(report), ModelToJson(report), ModelToHtml(report)}) {
    EXPECT_NE(text.find("disagrees: layer 2, TANH fp32 t2"), std::string::npos) << text;
    EXPECT_NE(text.find("alone, on the values"), std::string::npos) << text;
  }
}

TEST(ModelReport, NamesTheLocationInTheModel) {
  TestVector model = Drawn(FourLayers());
  model.graphs[0].Main()->operators[1].location = "block1/tanh";
  const auto backend = OpenBackend("reference", {});
  ASSERT_TRUE(backend) << backend.error().message;
  Result<ModelVerdict> verdict = Judge(**backend, model);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->layers[0].location, "");
  EXPECT_EQ(verdict->layers[1].location, "block1/tanh");
  verdict->wrong = WrongLayer();
  verdict->wrong->layer = 1;
  ModelReport report;
  report.backend.verdict = std::move(*verdict);
  EXPECT_EQ(ModelHeadline(report.backend), "disagrees: layer 2, TANH fp32 t2, at block1/tanh");
  EXPECT_NE(ModelToJson(report).find("\"location\": \"block1/tanh\""), std::string::npos);
  EXPECT_NE(ModelToHtml(report).find("title=\"block1/tanh"), std::string::npos);
}

// ExecuTorch writes what it knows of a node as JSON.
TEST(ModelReport, ShortensTheLocationsOfExecuTorch) {
  const std::string location = R"({"event_id": 3, "aten_info": {"node_name": "conv_1"},
    "torch_info": {"stack_trace": ["  File \"a.py\", line 2, in f", "    y = g",
                                   "  File \"b.py\", line 9, in g", "    z"]
}
})";
  EXPECT_EQ(LayerLocationText(location), "conv_1, File \"b.py\", line 9, in g");
  const std::string other = R"({"aten_info": {"node_name": "conv_1"}, "torch_info": {}})";
  EXPECT_EQ(LayerLocationText(other), "conv_1");
  EXPECT_EQ(LayerLocationText("{\"other\": 1}"), "{\"other\": 1}");
  EXPECT_EQ(LayerLocationText("{broken"), "{broken");
  EXPECT_EQ(LayerLocationText(std::string(500, 'a')).substr(0, 100), std::string(100, 'a'));
  EXPECT_LE(LayerLocationText(std::string(500, 'a')).size(), 123u);
}

// Returns the report on two backends on a model of four layers.
ModelReport Compared(Backend& first, Backend& second, const TestVector& model) {
  ModelReport report;
  report.path = "m.tosa";
  const auto judge = [&](Backend& backend) {
    Result<ModelVerdict> verdict = JudgeModel(backend, model, "m.tosa", {{}, {}, true});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return BackendOnModel{backend.Describe(), std::move(*verdict), {}};
  };
  report.backend = judge(first);
  report.against = judge(second);
  report.comparison =
      CompareBackends(first, report.backend.verdict, second, report.against->verdict, model);
  return report;
}

TEST(ModelComparison, SaysWhereBackendsPartAndWhichIsWrong) {
  const TestVector model = Drawn(FourLayers());
  const auto reference = OpenBackend("reference", {});
  FaultyBackend faulty(LayerFault::kOnePercent, "t2");
  const ModelReport report = Compared(**reference, faulty, model);
  EXPECT_EQ(report.comparison.FirstApart(), 1u);
  EXPECT_EQ(report.comparison.alone[0].apart, 0);
  EXPECT_EQ(report.comparison.alone[1].elements, 64);
  EXPECT_GT(report.comparison.alone[1].units, 100);
  EXPECT_GT(report.comparison.outputs.apart, 0);
  EXPECT_TRUE(report.comparison.inside.empty());  // one of them offers no taps
  const std::vector<std::string> lines = ComparisonLines(report);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[1].find("they part first at layer 2, TANH fp32 t2"), std::string::npos);
  EXPECT_EQ(lines[2], "outside the specification: faulty; disagrees: layer 2, TANH fp32 t2");
  for (const std::string& text : {ModelToText(report), ModelToJson(report), ModelToHtml(report)}) {
    EXPECT_NE(text.find(lines[2]), std::string::npos) << text;
  }
}

TEST(ModelComparison, ShowsTheLayersInsideWhereBothOfferTaps) {
  const TestVector model = Drawn(FourLayers());
  const auto reference = OpenBackend("reference", {}), again = OpenBackend("reference", {});
  const ModelReport report = Compared(**reference, **again, model);
  EXPECT_FALSE(report.comparison.FirstApart());
  ASSERT_EQ(report.comparison.inside.size(), 4u);
  EXPECT_EQ(report.comparison.inside[2].elements, 64);
  EXPECT_EQ(report.comparison.inside[2].apart, 0);
  EXPECT_EQ(
      ComparisonLines(report),
      (std::vector<std::string>{"the outputs are equal", "every layer alone gives the same on both",
                                "neither was found to be outside the specification"}));
}

TEST(ModelComparison, CountsUnits) {
  const std::vector<Tensor> first = {TensorOf("fp32[4]{1,0,2,nan}"), TensorOf("i8[2]{1,5}")};
  const double far[] = {1 + 0x1p-22, -0.0, 2, NAN};
  const std::vector<Tensor> second = {Tensor::FromFloats(DType::kFp32, Shape{4}, far),
                                      TensorOf("i8[2]{1,2}")};
  const Parting parting = PartingOf(first, second);
  EXPECT_EQ(parting.elements, 6);
  EXPECT_EQ(parting.apart, 2);
  EXPECT_EQ(parting.units, 3);
  EXPECT_EQ(PartingOf({first[0]}, {second[0]}).units, 2);
  EXPECT_EQ(PartingOf({first[0]}, {first[1]}).units, HUGE_VAL);
  EXPECT_TRUE(std::isnan(PartingOf({}, first).units));
}

TEST(Distance, CountsUnitsAndTheShareOfWhatIsAllowed) {
  Expectation expected;
  expected.value = TensorOf("fp32[2]{1,4}");
  expected.reference = {1, 4};
  expected.error = {0, 0x1p-20};
  const Distance none = DistanceFrom(expected, TensorOf("fp32[2]{1,4}"));
  EXPECT_EQ(none.units, 0);
  EXPECT_EQ(none.of_allowed, 0);
  const double far[] = {1 + 0x1p-23, 4 + 0x1p-21};
  const Distance some = DistanceFrom(expected, Tensor::FromFloats(DType::kFp32, Shape{2}, far));
  EXPECT_EQ(some.units, 1);
  EXPECT_EQ(some.of_allowed, 0.5);
  EXPECT_EQ(some.allowed_units, 2);
}

// y = tanh(w * state + x), which is the next state: a recurrent cell.
TestVector Recurrent(int64_t steps) {
  TestVector model;
  model.name = "cell";
  model.requirements = {"PRO-FP", "EXT-VARIABLE"};
  model.graphs = {GraphOf(R"(
    block main (%x:fp32[1,1,2]) -> (%y)
      VARIABLE() name=state type=fp32 var_shape=[1,1,2] initial_value=fp32[1,1,2]{0}
      %h:fp32[1,1,2] = VARIABLE_READ() name=state
      %m:fp32[1,1,2] = MATMUL(%h, fp32[1,2,2]{1,0.5,-0.25,0.75}, fp32[1]{0}, fp32[1]{0})
      %s:fp32[1,1,2] = ADD(%m, %x)
      %y:fp32[1,1,2] = TANH(%s)
      VARIABLE_WRITE(%y) name=state)")};
  for (int64_t i = 0; i < steps; ++i) {
    const double x[] = {0.25 + 0.125 * static_cast<double>(i), -0.5};
    Step& step = model.steps.emplace_back();
    step.inputs = {Tensor::FromFloats(DType::kFp32, Shape{1, 1, 2}, x)};
    step.context = i < 2 || i % 2 == 1 ? 0 : 2;
  }
  return model;
}

// The state is zero in the first invocation, and 1 % of zero is nothing.
TEST(Model, JudgesLayersInEachStepOfASequence) {
  FaultyBackend backend(LayerFault::kOnePercent, "m");
  const Result<ModelVerdict> once = Judge(backend, Recurrent(1));
  ASSERT_TRUE(once) << once.error().message;
  EXPECT_FALSE(once->wrong);
  const Result<ModelVerdict> verdict = Judge(backend, Recurrent(5));
  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_TRUE(verdict->wrong);
  EXPECT_EQ(verdict->layers[verdict->wrong->layer].name, "m");
  EXPECT_EQ(verdict->wrong->seen_by,
            "alone, on the values that the reference executor has there in step 1");
  ASSERT_TRUE(verdict->wrong->vector);
  EXPECT_EQ(JudgeOnce(backend, *verdict->wrong->vector, "").state, CaseState::kDisagrees);
  EXPECT_EQ(verdict->evidence.exact + verdict->evidence.by_sets, 10);
}

// Loses writes, and shows no variables.
class LosesWrites : public Backend {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    const Mutant* lost = MutantById("variable_write/lost");
    std::vector<Outcome> outcomes = ExecuteVector(vector, ExecutionOf(lost));
    for (Outcome& outcome : outcomes) outcome.state.clear();
    return outcomes;
  }
  std::string Describe() const override { return "loses writes"; }
};

// The write comes after the read that shows its loss, and in the step before.
TEST(Model, NamesAWriteThatIsLostInASequence) {
  LosesWrites backend;
  const Result<ModelVerdict> once = Judge(backend, Recurrent(1));
  ASSERT_TRUE(once) << once.error().message;
  EXPECT_FALSE(once->wrong);
  const Result<ModelVerdict> verdict = Judge(backend, Recurrent(5));
  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_TRUE(verdict->wrong);
  EXPECT_EQ(verdict->layers[verdict->wrong->layer].use.op, Op::kVariableWrite);
  EXPECT_EQ(verdict->wrong->seen_by,
            "by layer 1, VARIABLE_READ: the variable state has a value from before the write");
  EXPECT_FALSE(Judge(**OpenBackend("reference", {}), Recurrent(5))->wrong);
}

TEST(Model, KnowsTheFaultsOfStateThatASequenceShows) {
  const auto backend = OpenBackend("reference", {});
  const auto shown = [&](int64_t steps, const std::string& fault) {
    ModelPower power({});
    ModelJudging judging;
    judging.power = &power;
    const Result<ModelVerdict> verdict = JudgeModel(**backend, Recurrent(steps), "m", judging);
    const PowerSummary sum = power.Summary(verdict->layers.size(), [](size_t) { return true; });
    return std::ranges::none_of(
        sum.not_shown, [&](const PowerSummary::NotShown& each) { return each.fault == fault; });
  };
  EXPECT_TRUE(shown(1, "variable_write/lost"));
  for (const char* fault : {"variable/contexts-shared", "variable/forgets"}) {
    EXPECT_FALSE(shown(1, fault)) << fault;
    EXPECT_TRUE(shown(5, fault)) << fault;
  }
}

}  // namespace
}  // namespace assay::model_test
