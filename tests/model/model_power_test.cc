// SPDX-License-Identifier: Apache-2.0
// Tests what a verdict on a model says that it would have noticed.
#include "model_power.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backend_kind.h"
#include "block_builder.h"
#include "index_ranges.h"
#include "made_operands.h"
#include "model_inputs.h"
#include "model_layers.h"
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
  JudgeLayers(**backend, model, part, ValuesOf(model, part), {.limits = {}, .power = &power});
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

// "Cannot show" is a claim about all operands. Each one is tried on operands of every kind.
TEST(ModelPower, ShowsNoFaultThatCannotShow) {
  int64_t claims = 0, tried = 0;
  for (const Window& example : Examples()) {
    ModelPower power({});
    power.Measure(1, example);
    for (const auto& [mutant, state] : power.configurations()[0].faults) {
      if (state != FaultState::kCannotShow || !mutant->equivalent.empty()) continue;
      ++claims;
      for (int64_t k = 0; k < 8; ++k) {
        const auto made = WithMadeOperands(example.vector, 7, k);
        if (!made) continue;
        ++tried;
        EXPECT_EQ(KilledBy(*mutant, *made), "") << mutant->id << " on " << made->name;
      }
    }
  }
  EXPECT_GT(claims, 300);
  EXPECT_GT(tried, 2000);
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
