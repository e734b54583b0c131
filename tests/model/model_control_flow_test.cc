// SPDX-License-Identifier: Apache-2.0
// Tests that operators inside loops and branches are layers of a model.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "backend_kind.h"
#include "called_blocks.h"
#include "model_report.h"
#include "model_source.h"
#include "model_verdict.h"
#include "planted_fault.h"

namespace assay::model_control_flow_test {
namespace {

const std::string kModels = ASSAY_SOURCE_DIR "/tests/model/models/control_flow/";

// Returns a sample of a model of tests/model/models/control_flow.
TestVector SampleOf(const std::string& name, int64_t sample = 0) {
  const Result<ModelSource> model = ModelSource::Load(kModels + name + ".graph", {});
  EXPECT_TRUE(model) << model.error().message;
  Result<ModelSource::Sample> drawn = model->At(sample);
  EXPECT_TRUE(drawn) << drawn.error().message;
  return std::move(drawn->vector);
}

std::vector<std::string> AllModels() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    if (entry.path().extension() == ".graph") names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

TEST(CalledBlocks, AreThoseOfEachPlaceInTheOrderOfExecution) {
  const TestVector model = SampleOf("branch_in_loop");
  const std::vector<CalledBlock> called = CalledBlocksOf(model, PartOf(model));
  ASSERT_EQ(called.size(), 4u);
  // The condition and the body of the loop, and the two branches in the body.
  EXPECT_EQ(called[0].role, AttributeId::kCondGraph);
  EXPECT_EQ(called[1].role, AttributeId::kBodyGraph);
  EXPECT_EQ(called[2].role, AttributeId::kThenGraph);
  EXPECT_EQ(called[3].role, AttributeId::kElseGraph);
  EXPECT_EQ(called[0].layers_before, 1u);   // WHILE_LOOP
  EXPECT_EQ(called[1].layers_before, 3u);   // GREATER, RESHAPE
  EXPECT_EQ(called[2].layers_before, 8u);   // ADD, BITWISE_AND, EQUAL, RESHAPE, COND_IF
  EXPECT_EQ(called[3].layers_before, 11u);  // REVERSE, ADD, SIGMOID
  EXPECT_EQ(called[1].caller_layer, 1u);
  EXPECT_EQ(called[2].caller_layer, 8u);
  EXPECT_EQ(called[2].callers.size(), 2u);
  EXPECT_EQ(BlockOfLayer(called, 1), nullptr);
  EXPECT_EQ(BlockOfLayer(called, 8), &called[1]);
  EXPECT_EQ(BlockOfLayer(called, 9), &called[2]);
  // Four iterations: the first three and the last are kept. The counter says which.
  ASSERT_EQ(called[1].model.steps.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(called[1].model.steps[i].inputs[0].Integer(0), static_cast<int64_t>(i));
  }
  EXPECT_EQ(called[0].model.steps.size(), 4u);
  EXPECT_EQ(called[0].model.steps[3].inputs[0].Integer(0), 4);
  EXPECT_EQ(called[1].turns, (std::array{false, false, true}));
  EXPECT_EQ(called[2].model.steps.size(), 2u);
  EXPECT_TRUE(called[2].is_run && called[3].is_run);
}

TEST(CalledBlocks, ThatDoNotRunAreExecutedOnTheOperandsOfTheirCaller) {
  const TestVector model = SampleOf("two_experts");
  const std::vector<CalledBlock> called = CalledBlocksOf(model, PartOf(model));
  ASSERT_EQ(called.size(), 2u);
  EXPECT_NE(called[0].is_run, called[1].is_run);
  for (const CalledBlock& branch : called) {
    ASSERT_EQ(branch.model.steps.size(), 1u);
    EXPECT_EQ(branch.model.steps[0].inputs, model.steps[0].inputs);
    ASSERT_EQ(branch.values.size(), 1u);
    EXPECT_EQ(branch.values[0].values.size(), 3u);  // MATMUL, ADD, TANH or CLAMP
  }
}

// The values of a block are those that it has in the model, not those of another iteration.
TEST(CalledBlocks, HaveTheValuesOfTheirExecutions) {
  const TestVector model = SampleOf("checksum");
  const std::vector<CalledBlock> called = CalledBlocksOf(model, PartOf(model));
  const CalledBlock& body = called.at(1);
  for (size_t i = 0; i < body.model.steps.size(); ++i) {
    TestVector alone = body.model;
    alone.steps = {alone.steps[i]};
    const ModelValues values = ValuesOf(alone, body.part);
    for (const auto& [tensor, value] : values.values) {
      EXPECT_EQ(body.values[i].values.at(tensor), value) << i << ", " << tensor;
    }
  }
}

TEST(ControlFlow, OfARightBackendHasNoFindingAndCountsInThePower) {
  const auto backend = OpenBackend("reference", {});
  for (const std::string& name : AllModels()) {
    ModelPower power({});
    ModelJudging judging;
    judging.power = &power;
    const TestVector model = SampleOf(name);
    const Result<ModelVerdict> verdict = JudgeModel(**backend, model, name, judging);
    ASSERT_TRUE(verdict) << verdict.error().message;
    EXPECT_FALSE(verdict->wrong) << name;
    const size_t outer = PartOf(model).operators.size();
    ASSERT_GT(verdict->layers.size(), outer) << name;
    for (size_t i = outer; i < verdict->layers.size(); ++i) {
      const Layer& layer = verdict->layers[i];
      EXPECT_EQ(layer.number, i + 1);
      EXPECT_NE(layer.inside, 0u);
      const bool calls = IsControlFlow(layer.use.op);
      EXPECT_EQ(layer.result.state, calls ? CaseState::kUndecided : CaseState::kAgrees)
          << name << ", " << layer.name << ": " << layer.result.note;
    }
    const PowerSummary sum = power.Summary(verdict->layers.size(), [](size_t) { return true; });
    const auto inside = std::ranges::count_if(
        sum.layers, [outer](const PowerSummary::OfLayer& of) { return of.layer > outer; });
    EXPECT_GT(inside, 0) << name;
  }
}

TEST(ControlFlow, NamesTheLayerInsideItByItsPath) {
  FaultyBackend backend(LayerFault::kOnePercent, "sy");
  const TestVector model = SampleOf("branch_in_loop");
  const Result<ModelVerdict> verdict = JudgeModel(backend, model, "m");
  ASSERT_TRUE(verdict && verdict->wrong);
  BackendOnModel on_model{"faulty", *verdict, {}};
  EXPECT_EQ(ModelHeadline(on_model),
            "disagrees: layer 11, WHILE_LOOP i / COND_IF ry / SIGMOID fp32 sy");
  ASSERT_TRUE(verdict->wrong->vector);
  EXPECT_EQ(MainOf(*verdict->wrong->vector).operators.back().op, Op::kSigmoid);
}

// A wrong layer before the loop comes first, one behind it does not.
TEST(ControlFlow, NamesTheFirstLayerInTheOrderOfExecution) {
  TestVector model = SampleOf("branch_in_loop");
  Block& main = *model.graphs[0].Main();
  const TensorIndex y = main.outputs[0];
  const TensorIndex after = main.AddTensor("after", main.TypeOf(y));
  main.operators.push_back({Op::kExp, {}, {y}, {after}});
  main.outputs = {after};
  class Wrong : public Backend {
   public:
    Result<std::vector<Outcome>> Run(const TestVector& vector) override {
      TestVector changed = vector;
      for (Graph& graph : changed.graphs) {
        for (const char* tensor : {"after", "hy", "back"}) {
          PlantFault(LayerFault::kOnePercent, tensor, graph);
        }
      }
      return ExecuteVector(changed, {});
    }
    std::string Describe() const override { return "wrong"; }
  };
  Wrong backend;
  const Result<ModelVerdict> verdict = JudgeModel(backend, model, "m");
  ASSERT_TRUE(verdict && verdict->wrong);
  EXPECT_EQ(verdict->layers[verdict->wrong->layer].name, "back");
}

TEST(ControlFlow, NamesALayerOfABranchThatDoesNotRun) {
  const TestVector model = SampleOf("two_experts");
  const std::vector<CalledBlock> called = CalledBlocksOf(model, PartOf(model));
  FaultyBackend backend(LayerFault::kDroppedChannel, called[0].is_run ? "hbiased" : "sbiased");
  const Result<ModelVerdict> verdict = JudgeModel(backend, model, "m");
  ASSERT_TRUE(verdict && verdict->wrong);
  EXPECT_EQ(verdict->whole.state, CaseState::kAgrees);
  EXPECT_FALSE(verdict->layers[verdict->wrong->layer].is_run);
  EXPECT_EQ(verdict->wrong->seen_by,
            "alone, on the operands of the control flow, which does not run its block here");
}

TEST(ControlFlow, SaysWhatIsNotReached) {
  const auto backend = OpenBackend("reference", {});
  ModelPower power({});
  ModelJudging judging;
  judging.power = &power;
  const auto reached = [&](const std::string& name, int64_t sample) {
    EXPECT_TRUE(JudgeModel(**backend, SampleOf(name, sample), name, judging));
    const PowerSummary sum = power.Summary(0, [](size_t) { return true; });
    std::string text;
    for (const std::string& line : PowerLines(sum)) {
      if (line.starts_with("not reached")) text += line;
    }
    return text;
  };
  const bool is_smooth =
      CalledBlocksOf(SampleOf("two_experts"), PartOf(SampleOf("two_experts")))[0].is_run;
  EXPECT_EQ(reached("two_experts", 0), is_smooth ? "not reached in layer 5: its else_graph"
                                                 : "not reached in layer 5: its then_graph");
  int64_t other = 1;
  while (
      CalledBlocksOf(SampleOf("two_experts", other), PartOf(SampleOf("two_experts")))[0].is_run ==
      is_smooth) {
    ASSERT_LT(++other, 20);
  }
  EXPECT_EQ(reached("two_experts", other), "");
  power = ModelPower({});
  EXPECT_EQ(reached("sampler", 0), "not reached in layer 1: no iteration, one iteration");
}

// A COND_IF with one operand exchanges nothing; one with two of a type does.
TEST(ControlFlow, FaultsThatChangeNothingDoNotCount) {
  const auto has = [](const TestVector& model, const std::string& fault) {
    std::vector<Op> layers;
    for (const auto& [block, op] : model.Operators()) layers.push_back(op.op);
    return std::ranges::any_of(StateFaultsOf(model, layers),
                               [&](const StateFault& each) { return each.mutant->id == fault; });
  };
  const TestVector one = SampleOf("two_experts"), loop = SampleOf("newton_sqrt");
  for (const char* fault :
       {"cond_if/arguments-reversed", "cond_if/outputs-reversed", "cond_if/argument-stale"}) {
    EXPECT_FALSE(has(one, fault)) << fault;
  }
  EXPECT_TRUE(has(one, "cond_if/condition-negated"));
  EXPECT_FALSE(has(loop, "while_loop/outputs-reversed"));  // i32[1] and fp32[2,8]
  EXPECT_TRUE(has(loop, "while_loop/carries-first-only"));
  TestVector two = one;
  Block& main = *two.graphs[0].Main();
  Operator& call = main.operators.back();
  ASSERT_EQ(call.op, Op::kCondIf);
  const TensorIndex other = main.AddTensor("other", main.TypeOf(call.inputs[1]));
  call.inputs.push_back(other);
  EXPECT_TRUE(has(two, "cond_if/arguments-reversed"));
  EXPECT_TRUE(has(two, "cond_if/argument-stale"));
  call.outputs.push_back(main.AddTensor("twin", main.TypeOf(call.outputs[0])));
  EXPECT_TRUE(has(two, "cond_if/outputs-reversed"));
}

// Three faults of each model, in layers that are spread over its blocks.
TEST(ControlFlow, ThirtyFaultsInsideItAreNamed) {
  int64_t runs = 0;
  int right = 0;
  for (const std::string& name : AllModels()) {
    const TestVector first = SampleOf(name);
    std::vector<std::pair<std::string, LayerFault>> faults;
    for (const CalledBlock& block : CalledBlocksOf(first, PartOf(first))) {
      for (const int32_t position : block.part.operators) {
        const Block& main = MainOf(block.model);
        const Operator& op = main.operators[static_cast<size_t>(position)];
        if (IsControlFlow(op.op) || block.role == AttributeId::kCondGraph) continue;
        const std::string& tensor = main.tensors[static_cast<size_t>(op.outputs[0])].name;
        for (const LayerFault fault : kAllLayerFaults) {
          Graph graph = first.graphs[0];
          if (!PlantFault(fault, tensor, graph)) continue;
          faults.emplace_back(tensor, fault);
          break;
        }
      }
    }
    ASSERT_GE(faults.size(), 3u) << name;
    for (const size_t k : {size_t{0}, faults.size() / 2, faults.size() - 1}) {
      const auto& [tensor, fault] = faults[k];
      FaultyBackend backend(fault, tensor);
      std::string named = "nothing";
      for (int64_t sample = 0; sample < 8 && named == "nothing"; ++sample) {
        const Result<ModelVerdict> verdict = JudgeModel(backend, SampleOf(name, sample), name);
        ASSERT_TRUE(verdict) << verdict.error().message;
        runs += verdict->runs;
        if (verdict->wrong) named = verdict->layers[verdict->wrong->layer].name;
      }
      EXPECT_EQ(named, tensor) << name << ", " << LayerFaultName(fault);
      right += named == tensor ? 1 : 0;
    }
  }
  EXPECT_EQ(right, 30);
  std::cout << right << " named right, " << runs << " runs\n";
}

}  // namespace
}  // namespace assay::model_control_flow_test
