// Variables as arguments and results: what a vector must give, it gives when its graphs have none.
#include "state_arguments.h"

#include <gtest/gtest.h>

#include "executor.h"
#include "generator.h"

namespace assay {
namespace {

bool TouchesVariables(const Graph& graph) {
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const Operator& op : block.operators) {
        if (IsVariableOperator(op.op)) {
          return true;
        }
      }
    }
  }
  return false;
}

// The outputs of each step as long as all are valid, run without variables.
std::vector<std::vector<Tensor>> RunWithoutVariables(const TestVector& vector) {
  std::vector<std::vector<Tensor>> outputs;
  StateKeeper keeper;
  for (const Step& step : vector.steps) {
    const Result<StatelessGraph> graph =
        StateAsArguments(vector.graphs[static_cast<size_t>(step.graph)]);
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
  for (uint64_t index = 0; index < 600; ++index) {
    const auto vector = GeneratorByKind("stateful")->make(options, index);
    std::string why;
    if (!vector || !StateKeeper::Supports(*vector, &why)) continue;
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

TEST(StateAsArguments, SaysWhatItCannotDo) {
  GeneratorOptions options;
  options.level = kLevel8K;
  std::set<std::string> reasons;
  for (uint64_t index = 0; index < 600; ++index) {
    const auto vector = GeneratorByKind("stateful")->make(options, index);
    std::string why;
    if (vector && !StateKeeper::Supports(*vector, &why)) reasons.insert(why);
  }
  EXPECT_TRUE(reasons.contains("state as arguments: a tensor that is a variable"));
  EXPECT_TRUE(
      reasons.contains("state as arguments: a variable that control flow may declare first"));
}

}  // namespace
}  // namespace assay
