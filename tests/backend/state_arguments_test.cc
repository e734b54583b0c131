// SPDX-License-Identifier: Apache-2.0
// Tests of variables as arguments and results: the results of a vector stay the same if its graphs
// have no variables.
#include "state_arguments.h"

#include <gtest/gtest.h>

#include "block_builder.h"
#include "executor.h"
#include "generator_table.h"

namespace assay::state_arguments_test {
namespace {

bool TouchesVariables(const Graph& graph) {
  for (const auto& [block, op] : graph.Operators()) {
    if (IsVariableOperator(op.op)) return true;
  }
  return false;
}

// Runs a vector without variables. Returns the outputs of each step, as long as all are valid.
std::vector<std::vector<Tensor>> RunWithoutVariables(const TestVector& vector) {
  std::vector<std::vector<Tensor>> outputs;
  StateKeeper keeper;
  for (const Step& step : vector.steps) {
    const Result<StatelessGraph> graph = StateAsArguments(vector.GraphOf(step));
    EXPECT_TRUE(graph) << vector.name;
    EXPECT_FALSE(TouchesVariables(graph->graph)) << vector.name;
    Context context;
    Outcome outcome = Execute(context, graph->graph, keeper.InputsOf(step, *graph), {});
    EXPECT_TRUE(context.variables.empty());
    if (outcome.kind != OutcomeKind::kValid) break;
    keeper.Take(step, *graph, outcome);
    outputs.push_back(outcome.outputs);
  }
  return outputs;
}

TEST(StateAsArguments, GivesTheSameWithoutVariables) {
  GeneratorOptions options;
  options.level = kLevel8K;
  int supported = 0, nested = 0, graphs = 0, contexts = 0;
  for (uint64_t index = 0; index < 800; ++index) {
    const auto vector = GeneratorByKind("stateful")->make(options, index);
    if (!vector || !StateKeeper::WhyUnsupported(*vector).empty()) continue;
    ++supported;
    for (const Graph& graph : vector->graphs) nested += graph.regions.size() > 1;
    graphs += vector->graphs.size() > 1;
    for (const Step& step : vector->steps) contexts += step.context > 0;
    const std::vector<Outcome> expected = ExecuteVector(*vector, {});
    const auto got = RunWithoutVariables(*vector);
    for (size_t i = 0; i < expected.size(); ++i) {
      if (expected[i].kind != OutcomeKind::kValid) continue;
      ASSERT_LT(i, got.size()) << vector->name;
      EXPECT_EQ(got[i], expected[i].outputs) << vector->name << ", step " << i;
    }
  }
  EXPECT_GT(supported, 400);
  EXPECT_GT(nested, 50);
  EXPECT_GT(graphs, 100);
  EXPECT_GT(contexts, 100);
}

// The branch declares v as 1, and an operator after it in the list declares v as 0. So the initial
// value depends on the branch. In the other order v is 0 in any case.
TEST(StateAsArguments, LeavesAloneWhatABranchMayDeclareFirst) {
  const auto supports = [](bool main_first) {
    const auto declare = [](BlockBuilder& b, std::string_view value) {
      b.Append(Op::kVariable, {}, {},
               {{AttributeId::kName, std::string("v")},
                {AttributeId::kVarShape, std::vector<int32_t>{1}},
                {AttributeId::kType, static_cast<int32_t>(DType::kInt8)},
                {AttributeId::kInitialValue, TensorOf(value)}});
    };
    BlockBuilder main, then("then"), otherwise("else");
    if (main_first) declare(main, "i8[1]{0}");
    main.Append(Op::kCondIf, {main.Constant("bool[1]{true}")}, {},
                {{AttributeId::kThenGraph, std::string("then")},
                 {AttributeId::kElseGraph, std::string("else")}});
    declare(then, "i8[1]{1}");
    if (!main_first) declare(main, "i8[1]{0}");
    TestVector vector;
    vector.graphs = {GraphOf({main.block, then.block, otherwise.block})};
    vector.steps.resize(1);
    return StateKeeper::WhyUnsupported(vector).empty();
  };
  EXPECT_TRUE(supports(true));
  EXPECT_FALSE(supports(false));
}

TEST(StateAsArguments, SaysWhatItCannotDo) {
  GeneratorOptions options;
  options.level = kLevel8K;
  std::set<std::string> reasons;
  for (uint64_t index = 0; index < 800; ++index) {
    const auto vector = GeneratorByKind("stateful")->make(options, index);
    if (vector) reasons.insert(StateKeeper::WhyUnsupported(*vector));
  }
  EXPECT_TRUE(reasons.contains("state as arguments: a tensor that is a variable"));
  EXPECT_TRUE(
      reasons.contains("state as arguments: a variable that control flow may declare first"));
}

}  // namespace
}  // namespace assay::state_arguments_test
