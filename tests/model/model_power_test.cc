// SPDX-License-Identifier: Apache-2.0
// Tests what a verdict on a model says that it would have noticed.
#include "model_power.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <set>

#include "backend_kind.h"
#include "block_builder.h"
#include "generator_table.h"
#include "index_ranges.h"
#include "judge_outcomes.h"
#include "made_operands.h"
#include "model_inputs.h"
#include "model_layers.h"
#include "model_verdict.h"
#include "mutant_trials.h"
#include "operator_definition.h"
#include "operator_set.h"
#include "operator_table.h"
#include "worked_example.h"

namespace assay::model_power_test {
namespace {

// Returns the model of a graph's text, with the inputs of a sample.
TestVector ModelOf(std::string_view text, int64_t sample = 0) {
  TestVector model;
  model.name = "model";
  model.graphs = {GraphOf(text)};
  model.steps.resize(1);
  const Block& main = MainOf(model);
  Result<DrawnInputs> drawn = DrawModelInputs(model, PartNeededBy(main, main.outputs), 1, sample);
  EXPECT_TRUE(drawn) << drawn.error().message;
  model.steps[0].inputs = std::move(drawn->inputs);
  return model;
}

// Measures the layers of a model on the values of one sample.
void Measure(const TestVector& model, ModelPower& power) {
  const auto backend = OpenBackend("reference", {});
  const NeededPart part = PartNeededBy(MainOf(model), MainOf(model).outputs);
  JudgeLayers(**backend, model, part, ValuesOfSteps(model, part), {.limits = {}, .power = &power});
}

// Measures a whole model, on a backend that is right.
void JudgeRight(const TestVector& model, ModelPower& power) {
  ModelJudging judging;
  judging.power = &power;
  EXPECT_TRUE(JudgeModel(**OpenBackend("reference", {}), model, "model", judging));
}

bool All(size_t) { return true; }

// Returns the state of a fault after one sample, and on operands that were made.
FaultState StateOf(const char* mutant, const std::string& block) {
  ModelPower power({});
  Measure(ModelOf("block main " + block), power);
  (void)power.Make(1, All);
  return power.configurations().at(0).faults.at(MutantById(mutant));
}

// Two configurations of an operator: some operands of the first show a fault, and none of the
// second do.
struct Condition {
  const char* mutant;
  std::string inside, outside;
};

std::string Clamp(const char* type, const char* bounds) {
  const std::string x = "%x:" + std::string(type) + "[8]";
  return "(" + x + ") -> (%y)\n  %y:" + type + "[8] = CLAMP(%x) " + bounds + " nan_mode=PROPAGATE";
}

std::string Binary(const char* op, const char* a, const char* b) {
  return "(%a:" + std::string(a) + ", %b:" + b + ") -> (%y)\n  %y:" + a + " = " + op + "(%a, %b)";
}

std::string Matmul(const char* a_zp) {
  return "(%a:i8[2,2,4], %b:i8[2,4,2]) -> (%y)\n  %y:i32[2,2,2] = MATMUL(%a, %b, i8[1]{" +
         std::string(a_zp) + "}, i8[1]{0})";
}

std::string Sum(const char* type, const char* sum) {
  return "(%x:" + std::string(type) + ") -> (%y)\n  %y:" + sum + " = REDUCE_SUM(%x) axis=1";
}

TEST(ModelPower, KnowsWhereAFaultCanShow) {
  const Condition conditions[] = {
      {"clamp/upper-bound-lost", Clamp("i8", "min_val=i8[]{-9} max_val=i8[]{126}"),
       Clamp("i8", "min_val=i8[]{-9} max_val=i8[]{127}")},
      {"clamp/lower-bound-lost", Clamp("fp32", "min_val=fp32[]{-9} max_val=fp32[]{9}"),
       Clamp("fp32", "min_val=fp32[]{-inf} max_val=fp32[]{9}")},
      {"clamp/nan-always-ignored", Clamp("fp32", "min_val=fp32[]{-9} max_val=fp32[]{9}"),
       Clamp("i8", "min_val=i8[]{-9} max_val=i8[]{9}")},
      {"add/nan-is-zero", Binary("ADD", "fp32[4]", "fp32[4]"), Binary("ADD", "i32[4]", "i32[4]")},
      {"add/result-in-fp32", Binary("ADD", "i32[4]", "i32[4]"),
       Binary("ADD", "fp32[4]", "fp32[4]")},
      {"add/broadcast-truncated", Binary("ADD", "fp32[2,4]", "fp32[1,4]"),
       Binary("ADD", "fp32[2,4]", "fp32[2,4]")},
      {"add/tail-lost", Binary("ADD", "fp32[9]", "fp32[9]"), Binary("ADD", "fp32[8]", "fp32[8]")},
      {"matmul/a-zp-ignored", Matmul("1"), Matmul("0")},
      {"reduce_sum/first-lost", Sum("fp32[2,2]", "fp32[2,1]"), Sum("fp32[2,1]", "fp32[2,1]")},
      {"reduce_sum/in-fp32", Sum("i32[2,4]", "i32[2,1]"), Sum("fp32[2,4]", "fp32[2,1]")},
  };
  for (const auto& [mutant, inside, outside] : conditions) {
    const FaultState state = StateOf(mutant, inside);
    EXPECT_TRUE(state == FaultState::kShown || state == FaultState::kShownMade)
        << mutant << " in " << inside;
    EXPECT_EQ(StateOf(mutant, outside), FaultState::kCannotShow) << mutant << " in " << outside;
  }
}

// Returns the valid worked examples of all operators that have a kernel.
std::vector<Window> Examples() {
  std::vector<Window> windows;
  for (const OperatorRow& row : AllOperators()) {
    if (IsConstant(row.op) || IsControlFlow(row.op) || IsVariableOperator(row.op)) continue;
    for (const ops::Example& example : ops::DefinitionOf(row.op).examples) {
      Result<TestVector> vector = VectorOfExample(row.op, example);
      if (!vector || vector->steps.size() != 1) continue;
      Window& window = windows.emplace_back();
      window.vector = std::move(*vector);
      window.identity = window.vector.name;
      if (!ExpectWindow(window)) windows.pop_back();
    }
  }
  return windows;
}

// Returns generated vectors of one operator, without its many elements.
std::vector<Window> SmallVectors(int64_t count) {
  GeneratorOptions options;
  options.target = {Feature::kProInt, Feature::kProFp};
  options.level = kLevel8K;
  std::vector<Window> windows;
  for (uint64_t i = 0; std::ssize(windows) < count; ++i) {
    std::optional<TestVector> vector = GeneratorByKind("operator")->make(options, i);
    if (!vector || vector->steps.size() != 1 || ExecutionWork(*vector) > 2000) continue;
    if (OperatorsOf(*vector).size() != 1 || IsControlFlow(OperatorsOf(*vector)[0].op)) continue;
    Window& window = windows.emplace_back();
    window.vector = std::move(*vector);
    window.identity = window.vector.name;
    if (!ExpectWindow(window)) windows.pop_back();
  }
  return windows;
}

// "Cannot show" is a claim about all operands. Each one is tried on operands of every kind.
// ASSAY_CLAIM_ROUNDS=1250 tries 10,000 operands for each, also in 60 generated configurations.
TEST(ModelPower, ShowsNoFaultThatCannotShow) {
  const char* const wished = std::getenv("ASSAY_CLAIM_ROUNDS");
  const int64_t rounds = wished == nullptr ? 1 : std::max(1, std::atoi(wished));
  int64_t claims = 0, tried = 0;
  std::vector<Window> windows = Examples();
  if (rounds > 1) std::ranges::move(SmallVectors(60), std::back_inserter(windows));
  for (const Window& example : windows) {
    ModelPower power({});
    power.Measure(1, example);
    (void)power.Make(1, All);
    std::vector<const Mutant*> cannot;
    for (const auto& [mutant, state] : power.configurations()[0].faults) {
      if (state == FaultState::kCannotShow && mutant->equivalent.empty()) cannot.push_back(mutant);
    }
    claims += std::ssize(cannot);
    for (int64_t k = 0; k < 8 * rounds && !cannot.empty(); ++k) {
      const auto made = WithMadeOperands(example.vector, 7 + static_cast<uint64_t>(k / 8), k % 8);
      if (!made) continue;
      for (const Mutant* mutant : cannot) {
        ++tried;
        EXPECT_EQ(KilledBy(*mutant, *made), "") << mutant->id << " on " << made->name;
      }
    }
  }
  EXPECT_GT(claims, 300);
  EXPECT_GT(tried, 2000);
  if (rounds > 1) std::cout << claims << " claims, " << tried << " trials\n";
}

// A condition is what decides where a fault can show. Each has a configuration on both sides among
// the worked examples of its operator: one where some operands show the fault, and one where none
// can.
TEST(ModelPower, EachConditionHasAnInsideAndAnOutside) {
  std::set<const Mutant*> inside, outside;
  for (const Window& example : Examples()) {
    ModelPower power({});
    power.Measure(1, example);
    (void)power.Make(1, All);
    for (const auto& [mutant, state] : power.configurations()[0].faults) {
      if (!mutant->equivalent.empty() || state == FaultState::kOpen) continue;
      (state == FaultState::kCannotShow ? outside : inside).insert(mutant);
    }
  }
  int both = 0;
  for (const Mutant* mutant : outside) {
    both += inside.contains(mutant) ? 1 : 0;
  }
  // The two others: subnormal results of a CAST, and products of a CONV2D in few bits.
  EXPECT_LE(std::ssize(outside) - both, 2);
  EXPECT_GE(both, 196);
}

TEST(ModelPower, CountsConfigurationsOnce) {
  ModelPower power({});
  Measure(ModelOf("block main (%x:fp32[1,64]) -> (%z)\n"
                  "  %y:fp32[1,64] = ABS(%x)\n"
                  "  %z:fp32[1,64] = ABS(%y)"),
          power);
  ASSERT_EQ(power.configurations().size(), 1u);
  EXPECT_EQ(power.configurations()[0].layers, (std::vector<size_t>{1, 2}));
  const PowerSummary sum = power.Summary(2, All);
  EXPECT_GT(sum.shown, 0);
  EXPECT_EQ(sum.shown, power.configurations()[0].Count(FaultState::kShown));
  ASSERT_EQ(sum.layers.size(), 2u);
  const PowerSummary second = power.Summary(3, [](size_t number) { return number != 1; });
  EXPECT_EQ(second.faults, sum.faults);
  EXPECT_EQ(second.not_measured, std::vector<size_t>{3});
}

TEST(ModelPower, NamesWhatNothingHasShown) {
  ModelPower power({});
  Measure(ModelOf("block main (%x:fp32[64]) -> (%y)\n  %y:fp32[64] = EXP(%x)"), power);
  const PowerSummary before = power.Summary(1, All);
  EXPECT_LT(before.Percent(), 100);
  EXPECT_TRUE(std::ranges::any_of(before.not_shown, [](const PowerSummary::NotShown& fault) {
    return fault.fault == "exp/overflow-saturates" && fault.layers == std::vector<size_t>{1};
  }));
  EXPECT_FALSE(power.Make(1, All).empty());
  const PowerSummary after = power.Summary(1, All);
  EXPECT_GT(after.shown_made, 0);
  EXPECT_EQ(after.faults, before.faults);
}

TEST(ModelPower, LeavesOutLayersThatAreTooLarge) {
  ModelPower power({});
  Measure(ModelOf("block main (%x:fp32[4194305]) -> (%y)\n  %y:fp32[4194305] = ABS(%x)"), power);
  EXPECT_EQ(power.Summary(1, All).not_measured, std::vector<size_t>{1});
  EXPECT_TRUE(power.Make(1, All).empty());
}

TEST(ModelPower, DrawsIndicesOverTheWholeTable) {
  const TestVector model = ModelOf(
      "block main (%i:i32[1,6], %t:fp32[1,300,2]) -> (%y)\n"
      "  %j:i32[1,6] = REVERSE(%i) axis=1\n"
      "  %y:fp32[1,6,2] = GATHER(%t, %j)");
  std::set<int64_t> indices;
  for (int64_t i = 0; i < 6; ++i) indices.insert(model.steps[0].inputs[0].Integer(i));
  EXPECT_TRUE(indices.contains(0) && indices.contains(299));
  EXPECT_GT(indices.size(), 4u);
  const TestVector scatter = ModelOf(
      "block main (%t:fp32[1,7,2], %i:i32[1,7], %x:fp32[1,7,2]) -> (%y)\n"
      "  %y:fp32[1,7,2] = SCATTER(%t, %i, %x)");
  std::set<int64_t> all;
  for (int64_t i = 0; i < 7; ++i) all.insert(scatter.steps[0].inputs[1].Integer(i));
  EXPECT_EQ(all.size(), 7u);
}

// The reference executor, with a CLAMP that has no upper bound right behind a CONV2D.
class FusedClampBackend : public Backend {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    TestVector changed = vector;
    for (Graph& graph : changed.graphs) {
      std::vector<Operator>& operators = graph.Main()->operators;
      const auto is_conv = [](const Operator& op) { return op.op == Op::kConv2d; };
      if (std::ranges::none_of(operators, is_conv)) continue;
      const double most = HUGE_VAL;
      for (Operator& op : operators) {
        if (op.op != Op::kClamp) continue;
        op.attributes.Set(AttributeId::kMaxVal,
                          Tensor::FromFloats(DType::kFp32, Shape{}, {&most, 1}));
      }
    }
    return ExecuteVector(changed, {});
  }
  std::string Describe() const override { return "fused"; }
};

// No value of the model reaches the bound, and the CLAMP alone is right.
TEST(ModelPower, FindsFaultsOfFusionInWindows) {
  const TestVector model = ModelOf(
      "block main (%x:fp32[1,4,4,2]) -> (%y)\n"
      "  %c:fp32[1,4,4,2] = CONV2D(%x, fp32[2,1,1,2]{1,-1,1,1}, fp32[1]{0}, fp32[1]{0}, "
      "fp32[1]{0}) pad=[0,0,0,0] "
      "stride=[1,1] dilation=[1,1] acc_type=fp32 local_bound=false\n"
      "  %y:fp32[1,4,4,2] = CLAMP(%c) min_val=fp32[]{0} max_val=fp32[]{1e6} nan_mode=PROPAGATE");
  const NeededPart part = PartNeededBy(MainOf(model), MainOf(model).outputs);
  FusedClampBackend backend;
  ModelPower power({});
  ModelJudging judging;
  judging.power = &power;
  Result<ModelVerdict> verdict = JudgeModel(backend, model, "model", judging);
  ASSERT_TRUE(verdict) << verdict.error().message;
  AddMade(backend, model, power.Make(1, All, ModelPower::kMadeMost, true), judging, *verdict);
  EXPECT_FALSE(verdict->wrong);
  const PowerSummary before = power.Summary(2, All);
  AddMade(backend, model, power.MakeInWindows(model, part, 1, All), judging, *verdict);
  ASSERT_TRUE(verdict->wrong);
  EXPECT_EQ(verdict->wrong->layer, 1u);
  EXPECT_EQ(verdict->wrong->seen_by, "in the window CONV2D, CLAMP, on operands made for it");
  const PowerSummary after = power.Summary(2, All);
  EXPECT_GT(after.shown_made, before.shown_made);
  EXPECT_EQ(after.faults - before.faults, after.layers[1].faults - before.layers[1].faults);
}

// Scores of at most 1 overflow nothing, whatever the inputs are, so only made ones tell.
TEST(ModelPower, OverflowsTheSoftmaxWithoutItsMaximum) {
  const TestVector model = ModelOf(
      "block main (%x:fp32[2,8]) -> (%y)\n"
      "  %a:fp32[2,8] = TANH(%x)\n"
      "  %m:fp32[2,1] = REDUCE_MAX(%a) axis=1 nan_mode=PROPAGATE\n"
      "  %d:fp32[2,8] = SUB(%a, %m)\n"
      "  %e:fp32[2,8] = EXP(%d)\n"
      "  %s:fp32[2,1] = REDUCE_SUM(%e) axis=1\n"
      "  %r:fp32[2,1] = RECIPROCAL(%s)\n"
      "  %y:fp32[2,8] = MUL(%e, %r, i8[1]{0})");
  ModelPower power({});
  JudgeRight(model, power);
  const NeededPart part = PartOf(model);
  const auto skips = [&power] {
    return std::ranges::count_if(
        power.Summary(7, All).not_shown, [](const PowerSummary::NotShown& fault) {
          return fault.fault == "fusion/operator-skipped" && std::ranges::count(fault.layers, 3u);
        });
  };
  EXPECT_EQ(skips(), 1);
  const std::vector<MadeOperands> made = power.MakeInWindows(model, part, 1, All);
  EXPECT_EQ(skips(), 0);
  ASSERT_FALSE(made.empty());
  EXPECT_EQ(made[0].layer, 3u);
  EXPECT_EQ(made[0].seen_by,
            "in the window REDUCE_MAX, SUB, EXP, REDUCE_SUM, RECIPROCAL, MUL, on operands made "
            "for it");
}

TEST(ModelPower, CountsFusedFaultsThatNothingShows) {
  const TestVector model = ModelOf(
      "block main (%x:fp32[8]) -> (%y)\n"
      "  %c:fp32[8] = SIGMOID(%x)\n"
      "  %y:fp32[8] = CLAMP(%c) min_val=fp32[]{0.25} max_val=fp32[]{9} nan_mode=PROPAGATE");
  ModelPower power({});
  JudgeRight(model, power);
  const NeededPart part = PartOf(model);
  (void)power.Make(1, All);
  (void)power.MakeInWindows(model, part, 1, All);
  const PowerSummary sum = power.Summary(2, All);
  EXPECT_TRUE(std::ranges::any_of(sum.not_shown, [](const PowerSummary::NotShown& fault) {
    return fault.fault == "clamp/upper-bound-lost behind SIGMOID" &&
           fault.layers == std::vector<size_t>{2};
  }));
}

// A graph that breaks rules gets no ranges, and no signal.
TEST(ModelPower, FindsNoIndicesWithoutOperands) {
  for (const char* op : {"GATHER", "SCATTER"}) {
    const Graph graph =
        GraphOf("block main (%x:i8[6]) -> (%y)\n  %y:i8[6] = " + std::string(op) + "(%x)");
    Block block = *graph.Main();
    block.operators[0].inputs = std::vector<TensorIndex>();
    EXPECT_TRUE(IndexRangesOf(block).empty()) << op;
  }
}

}  // namespace
}  // namespace assay::model_power_test
