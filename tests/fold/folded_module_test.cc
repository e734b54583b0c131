// SPDX-License-Identifier: Apache-2.0
// Tests the execution of folded graphs: each relation between executions alone, on foldings written
// by hand; then all relations on graphs that are hard to fold.

#include "folded_module.h"

#include <gtest/gtest.h>

#include "folding_subjects.h"
#include "hand_folding.h"

namespace assay::folded_module_test {
namespace {

using enum Constness;

// x varies, w is known at run time, b at compile time: y = x - (w + {1,2} - (b + b)). s = w + {1,2}
// is returned, too.
Folding Sample() {
  HandFold fold(GraphOf(R"(
    block main (%x:i32[2],%w:i32[2],%b:i32[1]) -> (%y,%s)
      %c = i32[2]{1,2}
      %k:i32[1] = ADD(%b,%b)
      %s:i32[2] = ADD(%w,%c)
      %t:i32[2] = SUB(%s,%k)
      %y:i32[2] = SUB(%x,%t))"),
                {kVarying, kRuntime, kCompileTime});
  fold.Stage(FoldStage::kCompileTime, {"b"}, {"k"}, {"k"})
      .Stage(FoldStage::kRuntime, {"w", "k"}, {"c", "s", "t"}, {"t", "s"})
      .Stage(FoldStage::kEntry, {"x", "t", "s"}, {"y"}, {"y", "s"});
  return fold.folding;
}

// The inputs of a module, in memory that does not move.
struct Inputs {
  Inputs(std::string_view x, std::string_view w, std::string_view b)
      : types{TensorOf(x).tensor_type(), TensorOf(w).tensor_type(), TensorOf(b).tensor_type()} {
    Set(0, x);
    Set(1, w);
    Set(2, b);
  }
  void Set(size_t input, std::string_view text) {
    const Tensor tensor = TensorOf(text);
    bytes[input].resize(tensor.bytes().size());
    std::ranges::copy(tensor.bytes(), bytes[input].begin());
  }
  std::vector<TensorView> Views() const {
    return {{types[0], bytes[0]}, {types[1], bytes[1]}, {types[2], bytes[2]}};
  }
  TensorType types[3];
  std::vector<uint8_t> bytes[3];
};

std::string TextOfRun(const FoldedRun& run) { return TextOf(OutcomeOf(run)); }

class FoldRuntime : public ::testing::Test {
 protected:
  std::string Run(FoldContext& in) { return TextOfRun(module->Run(in, inputs.Views())); }

  // w + {1,2} = {11,22}; less 5 + 5 it is {1,12}; 100 less that: {99,88}.
  static constexpr std::string_view kFirst = "valid i32[2]{99,88} i32[2]{11,22}";

  Inputs inputs{"i32[2]{100,100}", "i32[2]{10,20}", "i32[1]{5}"};
  std::shared_ptr<ConstantCache> cache = std::make_shared<ConstantCache>();
  std::unique_ptr<FoldedModule> module =
      std::move(FoldedModule::Load(Sample(), inputs.Views(), cache).value());
  FoldContext context;
};

TEST_F(FoldRuntime, FoldsOnTheFirstExecutionAlone) {
  EXPECT_EQ(cache->Statistics().folds, 0);
  for (int run = 0; run < 3; ++run) EXPECT_EQ(Run(context), kFirst);
  EXPECT_EQ(cache->Statistics().folds, 1);
}

TEST_F(FoldRuntime, LeavesItsOutputsToTheCaller) {
  const FoldedRun run = module->Run(context, inputs.Views());
  for (const CachedBuffer& output : run.outputs) std::ranges::fill(output.bytes(), uint8_t{7});
  EXPECT_EQ(Run(context), kFirst);
}

TEST_F(FoldRuntime, TakesWhatVariesAsItComes) {
  EXPECT_EQ(Run(context), kFirst);
  inputs.Set(0, "i32[2]{0,50}");
  // {0,50} less {1,12}.
  EXPECT_EQ(Run(context), "valid i32[2]{-1,38} i32[2]{11,22}");
}

TEST_F(FoldRuntime, FoldsAnewInEachContext) {
  EXPECT_EQ(Run(context), kFirst);
  FoldContext other;
  inputs.Set(1, "i32[2]{0,0}");
  // {1,2} less 10 is {-9,-8}.
  EXPECT_EQ(Run(other), "valid i32[2]{109,108} i32[2]{1,2}");
  inputs.Set(1, "i32[2]{10,20}");
  EXPECT_EQ(Run(context), kFirst);
  EXPECT_EQ(cache->Statistics().folds, 2);
}

// After a weight is folded, it is not read again.
TEST_F(FoldRuntime, DoesWithoutWeightsThatAreFolded) {
  EXPECT_EQ(Run(context), kFirst);
  inputs.Set(1, "i32[2]{-1,-1}");
  EXPECT_EQ(Run(context), kFirst);
}

TEST_F(FoldRuntime, RefusesOtherWeightsWhereItHasToFoldAgain) {
  EXPECT_EQ(Run(context), kFirst);
  inputs.Set(1, "i32[2]{-1,-1}");
  cache->EvictAll();
  const FoldedRun run = module->Run(context, inputs.Views());
  EXPECT_EQ(run.outcome.kind, OutcomeKind::kUnsupported);
  EXPECT_EQ(run.outcome.message,
            "the run-time constants are no longer those of the first execution");
  context.ForgetConstants();
  // {-1,-1} + {1,2} - 10 = {-10,-9}.
  EXPECT_EQ(Run(context), "valid i32[2]{110,109} i32[2]{0,1}");
}

TEST_F(FoldRuntime, FoldsAgainWhatWasEvicted) {
  EXPECT_EQ(Run(context), kFirst);
  cache->EvictAll();
  EXPECT_EQ(Run(context), kFirst);
  cache->EvictIndex(1);
  EXPECT_EQ(Run(context), kFirst);
  EXPECT_EQ(cache->Statistics().folds, 3);
}

TEST_F(FoldRuntime, NeverWritesToABufferThatWasRead) {
  const FoldedRun run = module->Run(context, inputs.Views());
  ASSERT_EQ(run.cached.size(), 3u);
  const Tensor before = TensorOf("i32[2]{1,12}");
  cache->EvictAll();
  Run(context);
  EXPECT_EQ(TensorIn(*run.cached[1]), before);
}

TEST_F(FoldRuntime, TriesAgainAfterAFailure) {
  ExecutionOptions nothing;
  nothing.elements_max = 0;
  EXPECT_NE(module->Run(context, inputs.Views(), nothing).outcome.kind, OutcomeKind::kValid);
  EXPECT_EQ(cache->Statistics().failures, 1);
  EXPECT_EQ(Run(context), kFirst);
}

TEST_F(FoldRuntime, GoesOnWhenTheCapacityChanges) {
  for (const int64_t capacity : {int64_t{0}, int64_t{8}, ConstantCache::kUnlimited}) {
    cache->SetCapacity(capacity);
    EXPECT_EQ(Run(context), kFirst);
    EXPECT_LE(cache->Statistics().bytes, capacity);
  }
}

TEST_F(FoldRuntime, RefusesInputsThatAreNotThoseOfTheGraph) {
  std::vector<TensorView> views = inputs.Views();
  views.pop_back();
  EXPECT_EQ(TextOfRun(module->Run(context, views)), "error graph/ERROR_IF/input-list");
  const auto unloaded = FoldedModule::Load(Sample(), views, cache);
  ASSERT_FALSE(unloaded);
  EXPECT_EQ(unloaded.error().message, "input 2, a constant of compile time, is not i32[1]");
}

TEST_F(FoldRuntime, SharesACacheWithOtherModules) {
  Inputs others("i32[2]{100,100}", "i32[2]{10,20}", "i32[1]{0}");
  const auto other = FoldedModule::Load(Sample(), others.Views(), cache);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(Run(context), kFirst);
    // 100 less {11,22}.
    EXPECT_EQ(TextOfRun((*other)->Run(context, others.Views())),
              "valid i32[2]{89,78} i32[2]{11,22}");
  }
}

// A graph without variables does not change those of its context, and reports them.
TEST_F(FoldRuntime, TellsOfVariablesThatAGraphDoesNotUse) {
  context.SetVariables({{"v", TensorOf("i32[1]{7}")}});
  const FoldedRun run = module->Run(context, inputs.Views());
  EXPECT_EQ(TextOfRun(run), kFirst);
  ASSERT_TRUE(run.outcome.state.contains("v"));
  EXPECT_EQ(run.outcome.state.at("v"), TensorOf("i32[1]{7}"));
}

// --- All relations

std::string TextOf(const std::vector<BrokenRelation>& broken) {
  std::string text;
  for (const BrokenRelation& one : broken) text += one.relation + " " + one.witness + "\n";
  return text;
}

TEST(FoldRelations, HoldForGraphsThatAreMadeToBreakThem) {
  for (const FoldSubject& subject : DirectedSubjects()) {
    const Folder folder = FolderOf(subject, FoldFault::kNone);
    EXPECT_EQ(TextOf(BrokenRelationsOf(subject, folder, {.all = true})), "") << subject.name;
  }
}

}  // namespace
}  // namespace assay::folded_module_test
