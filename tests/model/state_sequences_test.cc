// SPDX-License-Identifier: Apache-2.0
// Tests the parts of models that carry state, as vectors of their own.
#include "state_sequences.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "block_builder.h"
#include "model_values.h"
#include "mutant_trials.h"
#include "mutants.h"

namespace assay::state_sequences_test {
namespace {

constexpr const char* kTwoCells = R"(block main (%x:fp32[4]) -> (%y)
  VARIABLE() name=a type=fp32 var_shape=[4] initial_value=fp32[4]{1,1,1,1}
  VARIABLE() name=b type=fp32 var_shape=[4] initial_value=fp32[4]{0,0,0,0}
  VARIABLE() name=c type=fp32 var_shape=[4] initial_value=fp32[4]{0,0,0,0}
  %e:fp32[4] = EXP(%x)
  %a:fp32[4] = VARIABLE_READ() name=a
  %b:fp32[4] = VARIABLE_READ() name=b
  %s:fp32[4] = ADD(%a, %b)
  %t:fp32[4] = ADD(%s, %e)
  VARIABLE_WRITE(%s) name=a
  VARIABLE_WRITE(%t) name=b
  %c:fp32[4] = VARIABLE_READ() name=c
  VARIABLE_WRITE(%e) name=c
  %m:fp32[4] = MAXIMUM(%c, %t) nan_mode=PROPAGATE
  %y:fp32[4] = ABS(%m))";

// Returns a model with three steps, in two contexts.
TestVector ModelOf(std::string_view text) {
  TestVector model;
  model.name = "model";
  model.requirements = {"PRO-FP", "EXT-VARIABLE"};
  model.graphs = {GraphOf(text)};
  for (const int32_t context : {0, 2, 0}) {
    Step& step = model.steps.emplace_back();
    step.context = context;
    const double values[] = {0.5 * static_cast<double>(model.steps.size()), 1, -2, 3};
    step.inputs = {Tensor::FromFloats(DType::kFp32, {4}, values)};
  }
  return model;
}

TEST(StateSequences, VariablesThatMeetAreOnePart) {
  std::vector<Window> sequences = StateSequences(ModelOf(kTwoCells));
  ASSERT_EQ(sequences.size(), 2u);
  // Variables a and b share an ADD. EXP and ABS carry no state.
  const auto both = std::ranges::max_element(sequences, {}, &Window::size);
  EXPECT_EQ(both->operators,
            "VARIABLE, VARIABLE, VARIABLE_READ, VARIABLE_READ, ADD, ADD, VARIABLE_WRITE, "
            "VARIABLE_WRITE");
  const auto alone = std::ranges::min_element(sequences, {}, &Window::size);
  EXPECT_EQ(alone->operators, "VARIABLE, VARIABLE_READ, VARIABLE_WRITE");
  for (const Window& window : sequences) {
    ASSERT_EQ(window.vector.steps.size(), 3u);
    EXPECT_EQ(window.vector.steps[1].context, 2);
    EXPECT_EQ(MainOf(window.vector).inputs.size(), 1u);
    EXPECT_EQ(MainOf(window.vector).outputs.size(), 1u);
  }
}

TEST(StateSequences, ShowALostWrite) {
  for (Window& window : StateSequences(ModelOf(kTwoCells))) {
    ASSERT_TRUE(ExpectWindow(window));
    for (const Mutant& mutant : AllMutants()) {
      if (mutant.id != "variable_write/lost") continue;
      EXPECT_NE(KilledBy(mutant, window.vector), "") << window.operators;
    }
  }
}

TEST(StateSequences, LeavesOutVariablesOfCalledBlocks) {
  EXPECT_TRUE(StateSequences(ModelOf(R"(block main (%x:fp32[4]) -> (%y)
  VARIABLE() name=a type=fp32 var_shape=[4] initial_value=fp32[4]{1,1,1,1}
  %a:fp32[4] = VARIABLE_READ() name=a
  VARIABLE_WRITE(%x) name=a
  %c:bool[] = CONST() values=bool[]{true}
  %y:fp32[4] = COND_IF(%c, %a) then_graph=inner else_graph=inner
block inner (%z:fp32[4]) -> (%w)
  %v:fp32[4] = VARIABLE_READ() name=a
  %w:fp32[4] = ADD(%v, %z))"))
                  .empty());
}

}  // namespace
}  // namespace assay::state_sequences_test
