// SPDX-License-Identifier: Apache-2.0
// Tests the operands that decide about element-wise layers, and what the power of a model takes
// from them.
#include "every_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "backend_kind.h"
#include "block_builder.h"
#include "judge_outcomes.h"
#include "model_power.h"
#include "model_values.h"
#include "model_verdict.h"
#include "windows.h"

namespace assay::every_value_test {
namespace {

// Returns a vector of a graph's text, with operands of zeros.
TestVector VectorOf(std::string_view text) {
  TestVector vector;
  vector.name = "layer";
  vector.graphs = {GraphOf(text)};
  vector.steps.resize(1);
  const Block& main = MainOf(vector);
  for (const TensorIndex input : main.inputs) {
    const auto& [type, shape] = main.TypeOf(input);
    vector.steps[0].inputs.push_back(Tensor::Splat(type, shape, 0));
  }
  return vector;
}

// A layer that widens or narrows integers by a scale of multiplier / 2^shift for each channel.
std::string Rescale(const std::string& from, const std::string& to, const std::string& channels,
                    const std::string& multipliers, const std::string& shifts) {
  const std::string in = from.substr(0, from.find('[')), out = to.substr(0, to.find('['));
  return "block main (%x:" + from + ") -> (%y)\n  %m:i32[" + channels + "] = CONST() values=i32[" +
         channels + "]{" + multipliers + "}\n  %s:i8[" + channels + "] = CONST() values=i8[" +
         channels + "]{" + shifts + "}\n  %a:" + in + "[1] = CONST() values=" + in +
         "[1]{0}\n  %b:" + out + "[1] = CONST() values=" + out + "[1]{0}\n  %y:" + to +
         " = RESCALE(%x,%m,%s,%a,%b) scale32=true per_channel=" +
         (channels == "1" ? "false" : "true");
}

// Returns the states of the faults of a layer after its made operands were tried.
std::map<std::string, FaultState> StatesOf(const std::string& layer, bool make = true) {
  Window window;
  window.vector = VectorOf(layer);
  window.identity = "layer";
  EXPECT_TRUE(ExpectWindow(window));
  ModelPower power({});
  power.Measure(1, window);
  if (make) (void)power.Make(1, [](size_t) { return true; });
  std::map<std::string, FaultState> states;
  for (const auto& [mutant, state] : power.configurations()[0].faults) {
    states[std::string(mutant->id)] = state;
  }
  return states;
}

TEST(EveryValue, HasEachCombinationOnce) {
  const auto wide = WidenOperands(
      VectorOf("block main (%x:i8[2,3],%y:i8[2,1]) -> (%z)\n  %s:i8[1] = CONST() values=i8[1]{0}\n"
               "  %z:i32[2,3] = MUL(%x,%y,%s)"));
  ASSERT_TRUE(wide);
  EXPECT_TRUE(wide->has_all_values);
  const std::vector<Tensor>& inputs = wide->vector.steps[0].inputs;
  EXPECT_EQ(inputs[0].shape(), (Shape{65536, 1, 1}));
  std::set<std::pair<int64_t, int64_t>> pairs;
  for (int64_t k = 0; k < 65536; ++k) pairs.emplace(inputs[0].Integer(k), inputs[1].Integer(k));
  EXPECT_EQ(pairs.size(), 65536u);
  EXPECT_TRUE(pairs.contains({-128, 127}));
}

TEST(EveryValue, MeetsEachElementOfTheConstants) {
  const auto wide = WidenOperands(VectorOf(
      "block main (%x:bf16[4,2,3]) -> (%z)\n  %c:bf16[1,1,3] = CONST() values=bf16[1,1,3]{1,2,3}\n"
      "  %y:bf16[4,2,3] = ADD(%x,%c)\n  %z:bf16[4,2,3] = TANH(%y)"));
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->vector.steps[0].inputs[0].shape(), (Shape{65536, 1, 1, 3}));
  const Block& main = MainOf(wide->vector);
  EXPECT_EQ(main.TypeOf(main.operators[0].outputs[0]).shape, (Shape{1, 1, 1, 3}));
  std::set<uint32_t> bits;
  for (int64_t k = 0; k < 65536; ++k) {
    bits.insert(wide->vector.steps[0].inputs[0].FloatBits(3 * k + 1));
  }
  EXPECT_EQ(bits.size(), 65536u);
}

TEST(EveryValue, StepsAreWhereTheResultChanges) {
  // 3 * 2^29 / 2^40 and 2^30 / 2^32.
  const auto wide = WidenOperands(
      VectorOf(Rescale("i32[5,2]", "i8[5,2]", "2", "1610612736,1073741824", "40,32")));
  ASSERT_TRUE(wide);
  EXPECT_FALSE(wide->has_all_values);
  const Tensor& x = wide->vector.steps[0].inputs[0];
  std::set<int64_t> second;
  for (int64_t k = 0; k < x.shape()[0]; ++k) second.insert(x.Integer(2 * k + 1));
  // A quarter rounds to y from 4y - 2 on; the ends are clipped.
  for (int64_t y = -127; y <= 127; ++y) {
    EXPECT_TRUE(second.contains(4 * y - 2)) << y;
    EXPECT_TRUE(second.contains(4 * y - 3)) << y;
  }
}

TEST(EveryValue, RefusesWhatItCannotDecide) {
  const char* const layers[] = {
      // An element depends on several.
      "block main (%x:i8[4,2]) -> (%y)\n  %y:i8[4,1] = REDUCE_MAX(%x) axis=1",
      // 24 bits of floats.
      "block main (%x:bf16[4],%z:bf16[4]) -> (%y)\n  %y:bf16[4] = ADD(%x,%z)",
      "block main (%x:fp32[4]) -> (%y)\n  %y:fp32[4] = EXP(%x)",
  };
  for (const char* const layer : layers) EXPECT_FALSE(WidenOperands(VectorOf(layer))) << layer;
}

// A scale of one that widens changes nothing, so no rounding, clip or limit of it can be wrong.
TEST(EveryValue, DecidesALayerOfFewBits) {
  const std::string layer = Rescale("i8[4]", "i32[4]", "1", "1073741824", "30");
  const auto before = StatesOf(layer, false);
  EXPECT_EQ(before.at("rescale/rounding-lost"), FaultState::kOpen);
  const auto states = StatesOf(layer);
  for (const auto& [fault, state] : states) EXPECT_NE(state, FaultState::kOpen) << fault;
  for (const char* const fault : {"rescale/rounding-lost", "rescale/wraps",
                                  "rescale/clips-symmetrically", "rescale/upper-bound-one-less"}) {
    EXPECT_EQ(states.at(fault), FaultState::kCannotShow) << fault;
  }
  EXPECT_EQ(states.at("rescale/shift-one-less"), FaultState::kShown);
}

// 2^30 is added where the unit is 2^40, so one value in a thousand shows it, and most are clipped.
TEST(EveryValue, FindsWhatShowsAtStepsOnly) {
  const auto states =
      StatesOf(Rescale("i32[2,2]", "i8[2,2]", "2", "1610612736,1471972313", "40,41"));
  EXPECT_EQ(states.at("rescale/always-double-round"), FaultState::kShownMade);
}

// A suite without made operands does not show what only these would.
TEST(EveryValue, ShowsNoMoreThanItMayKeep) {
  Window window;
  window.vector = VectorOf(Rescale("i32[2,2]", "i8[2,2]", "2", "1610612736,1471972313", "40,41"));
  ASSERT_TRUE(ExpectWindow(window));
  ModelPower power({});
  power.Measure(1, window);
  EXPECT_TRUE(power
                  .Make(
                      1, [](size_t) { return true; }, 0)
                  .empty());
  EXPECT_EQ(power.configurations()[0].Count(FaultState::kShownMade), 0);
}

TEST(EveryValue, DecidesFloatsOfSixteenBits) {
  const auto states = StatesOf("block main (%x:bf16[4]) -> (%y)\n  %y:bf16[4] = TANH(%x)");
  for (const auto& [fault, state] : states) EXPECT_NE(state, FaultState::kOpen) << fault;
}

// A backend may do anything where a REQUIRE is broken, so such a fault is neither shown nor
// excluded.
TEST(EveryValue, LeavesOpenWhatBreaksARule) {
  FaultState state = FaultState::kOpen;
  const auto breaks_rule = [](const TestVector&) {
    std::vector<Outcome> outcomes(1);
    outcomes[0].kind = OutcomeKind::kUnpredictable;
    return outcomes;
  };
  const EveryValueTrials::Fault fault = {"fault", breaks_rule, &state};
  EveryValueTrials trials;
  const TestVector layer = VectorOf("block main (%x:bf16[4]) -> (%y)\n  %y:bf16[4] = TANH(%x)");
  EXPECT_TRUE(trials.Try(layer, {&fault, 1}, BackendDeclarations(), 8).empty());
  EXPECT_EQ(state, FaultState::kOpen);
}

// Nothing leaves the range of a product of i8, so a RESCALE behind it cannot wrap.
TEST(EveryValue, DecidesWindows) {
  TestVector model = VectorOf(
      "block main (%x:i8[4],%y:i8[4]) -> (%q)\n  %z:i8[1] = CONST() values=i8[1]{0}\n"
      "  %p:i32[4] = MUL(%x,%y,%z)\n  %m:i32[1] = CONST() values=i32[1]{1073741824}\n"
      "  %s:i8[1] = CONST() values=i8[1]{38}\n  %a:i32[1] = CONST() values=i32[1]{0}\n"
      "  %q:i8[4] = RESCALE(%p,%m,%s,%a,%z) scale32=true");
  ModelJudging judging;
  ModelPower power({});
  judging.power = &power;
  const auto backend = OpenBackend("reference", {});
  EXPECT_TRUE(JudgeModel(**backend, model, "model", judging));
  const auto all = [](size_t) { return true; };
  (void)power.Make(1, all);
  const PowerSummary before = power.Summary(2, all);
  const Block& main = MainOf(model);
  (void)power.MakeInWindows(model, PartNeededBy(main, main.outputs), 1, all);
  const PowerSummary after = power.Summary(2, all);
  EXPECT_GT(after.cannot_show, before.cannot_show);
  for (const PowerSummary::NotShown& fault : after.not_shown) {
    EXPECT_NE(fault.fault, "rescale/wraps behind MUL");
  }
}

}  // namespace
}  // namespace assay::every_value_test
