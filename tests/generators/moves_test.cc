// SPDX-License-Identifier: Apache-2.0
// Tests structural shrink moves on graphs whose blocks are shared, nested and recursive.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "block_builder.h"
#include "check_graph.h"
#include "dimension_classes.h"
#include "random.h"
#include "shrink_moves.h"
#include "shrink_nested.h"

namespace assay::moves_test {
namespace {

constexpr char kType[] = "i32[2]";

// Returns the number of graphs; ASSAY_MOVE_GRAPHS asks for more.
int64_t GraphCount() {
  const char* count = std::getenv("ASSAY_MOVE_GRAPHS");
  return count == nullptr ? 300 : std::atoll(count);
}

// Makes graphs of a main block and blocks that run each other, in any mix. Branches have `inputs`
// operands and as many results; conditions have one result of bool. A value may be passed several
// times, and an operator may run one block twice.
class GraphMaker {
 public:
  explicit GraphMaker(uint64_t seed) : random_(seed) {}

  Graph Make() {
    inputs_ = 1 + static_cast<int>(random_.Below(3));
    branches_ = 1 + static_cast<int>(random_.Below(4));
    conditions_ = 1 + static_cast<int>(random_.Below(2));
    recursive_ = random_.OneIn(3);
    std::vector<Block> blocks = {Main()};
    for (int i = 0; i < branches_; ++i) blocks.push_back(Branch(i));
    for (int i = 0; i < conditions_; ++i) blocks.push_back(Condition(i));
    Graph graph = GraphOf({std::move(blocks[0])});
    for (size_t i = 1; i < blocks.size(); ++i) {
      if (random_.OneIn(2)) {
        graph.regions[0].blocks.push_back(std::move(blocks[i]));
      } else {
        const std::string name = blocks[i].name;
        graph.regions.push_back({name, {std::move(blocks[i])}});
      }
    }
    return graph;
  }

 private:
  static std::string Name(const char* what, int number) { return what + std::to_string(number); }

  Block Main() {
    BlockBuilder main;
    const int values = 1 + static_cast<int>(random_.Below(3));
    std::vector<TensorIndex> pool;
    for (int i = 0; i < values; ++i) pool.push_back(main.Input(kType));
    return Filled(main, pool, 0, 1 + random_.Below(3));
  }

  Block Branch(int number) {
    BlockBuilder branch(Name("branch", number));
    std::vector<TensorIndex> pool;
    for (int i = 0; i < inputs_; ++i) pool.push_back(branch.Input(kType));
    return Filled(branch, pool, recursive_ ? 0 : number + 1, static_cast<uint64_t>(inputs_));
  }

  Block Condition(int number) {
    BlockBuilder condition(Name("condition", number));
    std::vector<TensorIndex> pool;
    for (int i = 0; i < inputs_; ++i) pool.push_back(condition.Input(kType));
    Grow(condition, pool, branches_);
    condition.Outputs({Compare(condition, pool)});
    return condition.block;
  }

  // Adds operators to the block and declares `results` of its values as outputs. The operators run
  // the branches from `first` on.
  Block Filled(BlockBuilder& block, std::vector<TensorIndex> pool, int first, uint64_t results) {
    Grow(block, pool, first);
    std::vector<TensorIndex> outputs;
    for (uint64_t i = 0; i < results; ++i) outputs.push_back(Recent(pool));
    block.Outputs(std::move(outputs));
    return block.block;
  }

  void Grow(BlockBuilder& block, std::vector<TensorIndex>& pool, int first) {
    for (uint64_t i = 1 + random_.Below(4); i > 0; --i) {
      const uint64_t kind = random_.Below(6);
      const bool runs = kind < 3 && first < branches_;
      if (kind == 3) {
        pool.push_back(block.Constant("i32[2]{3,4}"));
      } else if (!runs) {
        pool.push_back(
            block.Add(random_.OneIn(2) ? Op::kAdd : Op::kSub, {Recent(pool), Recent(pool)}, kType));
      } else {
        Run(block, pool, first, kind == 0);
      }
    }
  }

  void Run(BlockBuilder& block, std::vector<TensorIndex>& pool, int first, bool loop) {
    const auto branch = [&] {
      return Name("branch", static_cast<int>(random_.Between(first, branches_ - 1)));
    };
    std::vector<TensorIndex> operands, results;
    Attributes attributes;
    if (loop) {
      attributes.Set(
          AttributeId::kCondGraph,
          Name("condition", static_cast<int>(random_.Below(static_cast<uint64_t>(conditions_)))));
      attributes.Set(AttributeId::kBodyGraph, branch());
    } else {
      operands.push_back(Compare(block, pool));
      attributes.Set(AttributeId::kThenGraph, branch());
      attributes.Set(AttributeId::kElseGraph, branch());
    }
    for (int i = 0; i < inputs_; ++i) operands.push_back(Recent(pool));
    for (int i = 0; i < inputs_; ++i) results.push_back(block.Declare(kType));
    block.Append(loop ? Op::kWhileLoop : Op::kCondIf, std::move(operands), results,
                 std::move(attributes));
    pool.insert(pool.end(), results.begin(), results.end());
  }

  // Returns a bool of one element.
  TensorIndex Compare(BlockBuilder& block, const std::vector<TensorIndex>& pool) {
    const TensorIndex start = block.Constant("shape[1]{1}"), size = block.Constant("shape[1]{1}");
    const TensorIndex all = block.Add(Op::kGreater, {Recent(pool), Recent(pool)}, "bool[2]");
    return block.Add(Op::kSlice, {all, start, size}, "bool[1]");
  }

  // Returns one of the values, the later ones more often.
  TensorIndex Recent(const std::vector<TensorIndex>& pool) {
    return pool[std::max(random_.Below(pool.size()), random_.Below(pool.size()))];
  }

  Random random_;
  int inputs_ = 1, branches_ = 1, conditions_ = 1;
  bool recursive_ = false;
};

TestVector VectorOf(Graph graph) {
  TestVector vector;
  const size_t inputs = graph.Main()->inputs.size();
  vector.graphs.push_back(std::move(graph));
  for (int32_t step = 0; step < 2; ++step) {
    vector.steps.emplace_back().context = step;
    vector.steps.back().inputs.assign(inputs, TensorOf("i32[2]{5,6}"));
  }
  return vector;
}

std::set<std::string> RulesBrokenBy(const TestVector& vector) {
  std::set<std::string> rules;
  for (const Breach& breach : CheckVector(vector)) rules.insert(breach.rule);
  return rules;
}

// Calls `visit(move, candidate)` for every structural move at every place of a vector.
template <class Visit>
void ForEachMove(TestVector vector, Visit visit) {
  const Values unknown(vector.steps.size(),
                       std::vector<Tensor>(vector.graphs[0].Main()->tensors.size()));
  for (size_t i = 0; i < vector.steps.size(); ++i) visit("DropSteps", DropSteps(vector, i, 1));
  const Block& main = *vector.graphs[0].Main();
  for (size_t i = 0; i < main.outputs.size(); ++i) {
    visit("DropOutputs", DropOutputs(vector, 0, i, 1));
  }
  for (size_t i = 1; i < main.inputs.size(); ++i) {
    visit("MergeInputs", MergeInputs(vector, 0, main.inputs[i], main.inputs[i - 1]));
  }
  for (const auto& [id, size] : DimensionClasses(main).Shrinkable()) {
    visit("ResizeClass", ResizeClass(vector, 0, id, 1, Kept::kFirst));
  }
  const std::vector<int32_t> producers = main.Producers();
  for (int32_t op = 0; op < std::ssize(main.operators); ++op) {
    const Operator& edited = main.operators[static_cast<size_t>(op)];
    visit("DropOperators", DropOperators(vector, 0, std::span(&op, 1), unknown));
    visit("ConstantToInput", ConstantToInput(vector, 0, op));
    visit("ToInt8", ToInt8(vector, 0, op, DType::kInt16));
    for (TestVector& simpler : SimplerAttributes(vector, 0, op)) {
      visit("SimplerAttributes", Candidate(std::move(simpler)));
    }
    for (size_t k = 0; k < edited.inputs.size(); ++k) {
      visit("Bypass", Bypass(vector, 0, op, k));
      const TensorType& type = main.TypeOf(edited.inputs[k]);
      for (TensorIndex t = 0; t < std::ssize(main.tensors); ++t) {
        if (main.TypeOf(t) == type && producers[static_cast<size_t>(t)] < op) {
          visit("Rewire", Rewire(vector, 0, op, k, t));
        }
      }
    }
  }
  const std::vector<Block*> blocks = AllBlocks(vector.graphs[0]);
  for (size_t block = 0; block < blocks.size(); ++block) {
    for (size_t op = 0; op < blocks[block]->operators.size(); ++op) {
      const Operator& edited = blocks[block]->operators[op];
      for (const bool first : {true, false}) {
        visit("InlineBlock", InlineBlock(vector, 0, block, op, first));
      }
      for (size_t k = 0; k < edited.inputs.size(); ++k) {
        visit("DropHandedIn", DropHandedIn(vector, 0, block, op, k));
      }
      for (size_t k = 0; k < edited.outputs.size(); ++k) {
        visit("DropUnread", DropUnread(vector, 0, block, op, k));
      }
      for (size_t k = 0; block > 0 && k < edited.inputs.size() + 2; ++k) {
        visit("DropNested", DropNested(vector, 0, block, op, k));
      }
    }
  }
}

TEST(Moves, LeaveGraphsOfSharedNestedAndSelfCallingBlocksValid) {
  std::map<std::string, int64_t> made;
  for (int64_t seed = 0; seed < GraphCount(); ++seed) {
    const TestVector vector = VectorOf(GraphMaker(static_cast<uint64_t>(seed)).Make());
    const std::set<std::string> before = RulesBrokenBy(vector);
    for (const std::string& rule : before) {
      ASSERT_EQ(rule, "graph/ERROR_IF/recursion") << "graph " << seed;
    }
    ForEachMove(vector, [&](const char* move, const Candidate& candidate) {
      if (!candidate) return;
      ++made[move];
      for (const std::string& rule : RulesBrokenBy(*candidate)) {
        EXPECT_TRUE(before.contains(rule)) << move << " of graph " << seed << ": " << rule;
      }
    });
    if (HasFailure()) return;
  }
  // Each of them was executed.
  for (const char* move :
       {"Bypass", "ConstantToInput", "DropHandedIn", "DropNested", "DropOperators", "DropOutputs",
        "DropSteps", "DropUnread", "InlineBlock", "MergeInputs", "Rewire", "SimplerAttributes"}) {
    EXPECT_GT(made[move], 0) << move;
  }
}

// COND_IFs of several blocks run the same blocks, and one of these passes a value twice.
TEST(Moves, DropWhatSeveralOperatorsHandToOneBlockAtOnce) {
  const auto run = [](BlockBuilder& block, std::vector<TensorIndex> operands, const char* on_true,
                      const char* on_false) {
    return block.Add(Op::kCondIf, std::move(operands), kType,
                     {{AttributeId::kThenGraph, std::string(on_true)},
                      {AttributeId::kElseGraph, std::string(on_false)}});
  };
  BlockBuilder main, outer("outer"), middle("middle"), inner("inner");
  const TensorIndex c = main.Input("bool[1]"), x = main.Input(kType), y = main.Input(kType);
  const TensorIndex first = run(main, {c, c, x, y}, "outer", "middle");
  main.Outputs({first, run(main, {c, c, y, x}, "middle", "middle")});
  for (BlockBuilder* block : {&outer, &middle, &inner}) {
    const TensorIndex d = block->Input("bool[1]"), a = block->Input(kType), b = block->Input(kType);
    TensorIndex result = b;
    if (block == &outer) result = run(*block, {d, d, a, a}, "middle", "inner");
    if (block == &middle) result = run(*block, {d, d, a, b}, "inner", "inner");
    if (block == &outer) block->Outputs({run(*block, {d, d, a, result}, "inner", "middle")});
    if (block == &middle) block->Outputs({result});
    if (block == &inner) block->Outputs({block->Add(Op::kAdd, {a, b}, kType)});
  }
  const TestVector vector = [&] {
    TestVector made = VectorOf(GraphOf({main.block, outer.block, middle.block, inner.block}));
    for (Step& step : made.steps) step.inputs[0] = TensorOf("bool[1]{true}");
    return made;
  }();
  ASSERT_EQ(RulesBrokenBy(vector), std::set<std::string>());
  const Candidate without = DropHandedIn(vector, 0, 0, 0, 2);
  ASSERT_TRUE(without);
  EXPECT_EQ(RulesBrokenBy(*without), std::set<std::string>());
  // All blocks have lost the input. "outer" has also lost the input whose value it passed for it.
  const Block& changed = *without->graphs[0].Main();
  for (const Operator& op : changed.operators) EXPECT_EQ(op.inputs.size(), 2u);
  for (const char* name : {"outer", "middle", "inner"}) {
    EXPECT_EQ(without->graphs[0].FindBlock(name)->inputs.size(), 1u) << name;
  }
}

}  // namespace
}  // namespace assay::moves_test
