// SPDX-License-Identifier: Apache-2.0
// Tests pairs of graphs that are equal, and pairs that are not.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "equation.h"
#include "executor.h"
#include "generator_table.h"
#include "inverse_folding.h"

namespace assay::laws_test {
namespace {

GeneratorOptions Options() {
  GeneratorOptions options;
  options.level = kLevel8K;
  return options;
}

const Generator& FoldGenerator() { return *GeneratorByKind("fold"); }

// Laws that hold give equal graphs on all inputs (else making the vector ends in a failed check).
// Laws that do not hold give graphs that differ on some inputs.
TEST(FoldGenerator, HasAVectorOfEveryLaw) {
  GeneratorOptions options = Options();
  std::set<std::string> written;
  int64_t missing = 0;
  const int64_t targets = 3 * FoldGenerator().targets(options);
  for (int64_t index = 0; index < targets; ++index) {
    options.seed = static_cast<uint64_t>(index % 3);
    const auto vector = FoldGenerator().make(options, static_cast<uint64_t>(index));
    missing += !vector;
    if (!vector) continue;
    ASSERT_EQ(vector->fold_pairs.size(), 1u);
    const FoldPair& pair = vector->fold_pairs[0];
    written.insert((pair.equal ? "" : "not ") + pair.law);
    EXPECT_EQ(pair.before, 0);
    EXPECT_EQ(pair.after, 1);
  }
  for (const auto laws : {ExactLaws(), NearLaws()}) {
    for (const Law& law : laws) {
      EXPECT_TRUE(written.contains((law.holds ? "" : "not ") + std::string(law.text))) << law.text;
    }
  }
  EXPECT_LT(missing, targets / 50);
}

// The steps of a pair, two by two, run both graphs on the same inputs. They expect the executor's
// results.
TEST(FoldGenerator, RunsBothGraphsOnTheSameInputs) {
  const GeneratorOptions options = Options();
  for (uint64_t index = 0; index < 200; ++index) {
    const auto vector = FoldGenerator().make(options, index);
    if (!vector) continue;
    ASSERT_EQ(vector->steps.size() % 2, 0u);
    const std::vector<Outcome> outcomes = ExecuteVector(*vector, {});
    for (size_t i = 0; i < vector->steps.size(); i += 2) {
      EXPECT_EQ(vector->steps[i].graph, 0);
      EXPECT_EQ(vector->steps[i + 1].graph, 1);
      EXPECT_EQ(vector->steps[i].inputs, vector->steps[i + 1].inputs);
      EXPECT_EQ(outcomes[i].kind, vector->steps[i].expected) << vector->name;
      EXPECT_EQ(outcomes[i + 1].kind, vector->steps[i + 1].expected) << vector->name;
    }
  }
}

TEST(FoldGenerator, KeepsToTheTarget) {
  GeneratorOptions options = Options();
  options.target = Requirements{Feature::kProInt};
  for (uint64_t index = 0; index < 200; ++index) {
    const auto vector = FoldGenerator().make(options, index);
    if (!vector) continue;
    for (const Graph& graph : vector->graphs) {
      for (const TensorInfo& tensor : graph.Main()->tensors) {
        EXPECT_FALSE(IsFloat(tensor.type.type)) << vector->name << " " << tensor.type.ToString();
      }
    }
  }
}

// A graph that computes its values in a longer way has more operators, and the same inputs and
// outputs.
TEST(Unfold, PutsInOperatorsThatUndoEachOther) {
  const GeneratorOptions options = Options();
  int unfolded = 0;
  std::map<Op, int> operators;
  for (uint64_t index = 2; index < 400; index += 4) {
    const auto vector = FoldGenerator().make(options, index);
    if (!vector) continue;
    ++unfolded;
    const Block& before = *vector->graphs[0].Main();
    const Block& after = *vector->graphs[1].Main();
    EXPECT_GT(before.operators.size(), after.operators.size());
    EXPECT_EQ(before.inputs.size(), after.inputs.size());
    for (const Operator& op : before.operators) ++operators[op.op];
  }
  EXPECT_GT(unfolded, 90);
  for (const Op op : {Op::kReverse, Op::kTranspose, Op::kReshape, Op::kSlice, Op::kPad, Op::kTile,
                      Op::kConcat, Op::kSelect, Op::kBitwiseXor}) {
    EXPECT_GT(operators[op], 0) << OperatorName(op);
  }
}

}  // namespace
}  // namespace assay::laws_test
