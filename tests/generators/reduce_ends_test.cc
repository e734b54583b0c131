// SPDX-License-Identifier: Apache-2.0
// Tests that shrinking ends at one vector, and the order and the form that it prefers.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "block_builder.h"
#include "check_graph.h"
#include "executor.h"
#include "generated.h"
#include "generator_table.h"
#include "graph_text.h"
#include "normal_form.h"
#include "reduce.h"
#include "shrink_values.h"
#include "value_ladder.h"
#include "vector_size.h"

namespace assay::reduce_ends_test {
namespace {

std::string TextOf(const TestVector& vector) {
  std::string text;
  for (const Graph& graph : vector.graphs) text += GraphText(graph);
  for (const Step& step : vector.steps) {
    for (const Tensor& input : step.inputs) text += TensorText(input) + " ";
  }
  return text;
}

// Tells whether an operator on this type gives an output of a block.
bool GivesOutput(const Block& block, TensorIndex output, Op op, DType type) {
  const Operator* producer = block.ProducerOf(output);
  return producer != nullptr && producer->op == op &&
         block.TypeOf(producer->inputs[0]).type == type;
}

bool IsZero(const Tensor& tensor) {
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (IsFloat(tensor.type()) ? tensor.Float(i) != 0 : tensor.Integer(i) != 0) return false;
  }
  return true;
}

// Tells whether a vector has an operator on this type with a result that is not zero.
bool GivesSomething(const TestVector& vector, Op op, DType type) {
  const bool has_it = std::ranges::any_of(vector.graphs, [&](const Graph& graph) {
    const Block& main = *graph.Main();
    return std::ranges::any_of(main.outputs,
                               [&](TensorIndex t) { return GivesOutput(main, t, op, type); });
  });
  if (!has_it) return false;
  const auto values = ExecuteVector(vector, {});
  for (size_t s = 0; s < vector.steps.size(); ++s) {
    const Block& main = *vector.graphs[static_cast<size_t>(vector.steps[s].graph)].Main();
    for (size_t i = 0; i < main.outputs.size() && i < values[s].outputs.size(); ++i) {
      if (GivesOutput(main, main.outputs[i], op, type) && !IsZero(values[s].outputs[i])) {
        return true;
      }
    }
  }
  return false;
}

TEST(Reduce, EndsAtOneVectorWhereverItStarts) {
  constexpr size_t kStartsMax = 30;
  std::vector<TestVector> vectors;
  for (const char* kind : {"operator", "graph"}) {
    for (uint64_t index = 0; index < 2000; ++index) {
      auto vector = GeneratorByKind(kind)->make(Options(3), index);
      if (vector) vectors.push_back(std::move(*vector));
    }
  }
  constexpr std::pair<Op, DType> kFound[] = {
      {Op::kAdd, DType::kInt32},   {Op::kAdd, DType::kFp32},
      {Op::kAdd, DType::kFp16},    {Op::kConv3d, DType::kInt8},
      {Op::kConv2d, DType::kFp32}, {Op::kDepthwiseConv2d, DType::kInt8},
      {Op::kClamp, DType::kInt8},  {Op::kMaxPool2d, DType::kInt8}};
  for (const auto& [op, type] : kFound) {
    std::set<std::string> ends;
    size_t starts = 0;
    for (const TestVector& vector : vectors) {
      const auto gives = [op = op, type = type](const TestVector& v) {
        return GivesSomething(v, op, type);
      };
      if (starts == kStartsMax || !gives(vector)) continue;
      ++starts;
      ends.insert(TextOf(Reduce(vector, gives).vector));
    }
    EXPECT_GT(starts, 2u) << OperatorName(op);
    EXPECT_EQ(ends.size(), 1u) << OperatorName(op) << "\n"
                               << (ends.empty() ? "" : *ends.begin() + "\n" + *ends.rbegin());
  }
}

// Operators may have operands, axes and permutations that their rows do not allow.
TEST(Reduce, TakesGraphsThatBreakAnyRule) {
  const Generator& generator = *GeneratorByKind("invalid");
  std::string last;
  for (int64_t index = 0; index < generator.targets(Options(1)); ++index) {
    const auto vector = generator.make(Options(1), static_cast<uint64_t>(index));
    ASSERT_TRUE(vector) << "nothing at " << index << ", after " << last;
    last = vector->name;
    const Step& step = vector->steps.back();
    if (step.expected != OutcomeKind::kError) continue;
    const auto breaks = [&](const TestVector& smaller) {
      return std::ranges::any_of(CheckVector(smaller),
                                 [&](const Breach& breach) { return breach.rule == step.rule; });
    };
    EXPECT_TRUE(breaks(Reduce(*vector, breaks, {.calls_max = 30}).vector)) << vector->name;
  }
}

TEST(NormalForm, MeansTheSameAndIsItsOwn) {
  for (const char* kind : {"operator", "graph", "stateful", "control-flow"}) {
    const Generator& generator = *GeneratorByKind(kind);
    for (uint64_t index = 0; index < 60; ++index) {
      const auto vector = generator.make(Options(5), index);
      if (!vector) continue;
      const TestVector normal = NormalForm(*vector);
      const auto before = ExecuteVector(*vector, OptionsFor(*vector, {}));
      const auto after = ExecuteVector(normal, OptionsFor(normal, {}));
      ASSERT_EQ(before.size(), after.size()) << vector->name;
      for (size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(before[i].kind, after[i].kind) << vector->name;
        EXPECT_EQ(before[i].outputs, after[i].outputs) << vector->name;
      }
      EXPECT_EQ(TextOf(NormalForm(normal)), TextOf(normal)) << vector->name;
    }
  }
}

TEST(NormalForm, NamesVariablesAndBlocksInTheirOrder) {
  int64_t with_blocks = 0, with_variables = 0;
  for (const char* kind : {"stateful", "control-flow"}) {
    for (uint64_t index = 0; index < 60; ++index) {
      const auto vector = GeneratorByKind(kind)->make(Options(5), index);
      if (!vector) continue;
      const TestVector normal = NormalForm(*vector, true);
      const auto before = ExecuteVector(*vector, OptionsFor(*vector, {}));
      const auto after = ExecuteVector(normal, OptionsFor(normal, {}));
      ASSERT_EQ(before.size(), after.size()) << vector->name;
      for (size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(before[i].outputs, after[i].outputs) << vector->name;
        EXPECT_EQ(before[i].state.size(), after[i].state.size()) << vector->name;
        for (const auto& [name, value] : after[i].state) EXPECT_EQ(name[0], 'v') << name;
        with_variables += after[i].state.empty() ? 0 : 1;
      }
      for (const Graph& graph : normal.graphs) {
        for (size_t i = 1; i < graph.regions.size(); ++i) {
          EXPECT_EQ(graph.regions[i].name, "block" + std::to_string(i - 1)) << vector->name;
          ++with_blocks;
        }
      }
    }
  }
  EXPECT_GT(with_blocks, 20);
  EXPECT_GT(with_variables, 20);
}

TEST(ValueLadder, PutsZerosAndOnesFirstAndFewBitsBeforeMany) {
  const auto order = [](const Tensor& values) {
    for (int64_t i = 0; i + 1 < values.elements(); ++i) {
      EXPECT_LT(WeightOf(values, i), WeightOf(values, i + 1)) << TensorText(values) << " " << i;
    }
  };
  order(TensorOf("i8[7]{0,1,2,-1,127,-128,77}"));
  order(TensorOf("fp32[8]{0,1,2,-1,0.5,nan,1.25,3.1415927}"));
  order(TensorOf("fp8e4m3[4]{0,1,-2,0.875}"));
}

TEST(ValueLadder, OffersOnlySimplerElements) {
  for (const char* text : {"i8[3]{0,1,-77}", "i48[2]{123456789,-4}", "fp16[4]{1.001,-0,inf,nan}",
                           "bf16[2]{1e30,-3e-30}", "bool[2]{false,true}", "i4[2]{-8,7}"}) {
    const Tensor tensor = TensorOf(text);
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      const Tensor simpler = SimplerElements(tensor, i);
      EXPECT_EQ(simpler.elements() > 0, WeightOf(tensor, i) > 0) << text << " " << i;
      for (int64_t k = 0; k < simpler.elements(); ++k) {
        EXPECT_LT(WeightOf(simpler, k), WeightOf(tensor, i)) << text << " " << i;
      }
    }
  }
}

TEST(ShrinkValues, EnumeratesEachListOfASumOnce) {
  std::set<std::vector<int64_t>> lists;
  std::vector<int64_t> list = {0, 0, 4};
  do {
    EXPECT_TRUE(lists.insert(list).second);
    EXPECT_EQ(list[0] + list[1] + list[2], 4);
  } while (NextOfSameSum(list));
  EXPECT_EQ(lists.size(), 15u);  // 6 over 2
}

}  // namespace
}  // namespace assay::reduce_ends_test
