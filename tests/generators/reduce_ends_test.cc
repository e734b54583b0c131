// SPDX-License-Identifier: Apache-2.0
// Tests that shrinking ends at one vector, and the order and the form that it prefers.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "block_builder.h"
#include "executor.h"
#include "generated.h"
#include "generator_table.h"
#include "graph_text.h"
#include "normal_form.h"
#include "reduce.h"
#include "shrink_values.h"
#include "value_ladder.h"
#include "vector_size.h"

namespace assay {
namespace {

std::string TextOf(const TestVector& vector) {
  std::string text;
  for (const Graph& graph : vector.graphs) text += GraphText(graph);
  for (const Step& step : vector.steps) {
    for (const Tensor& input : step.inputs) text += TensorText(input) + " ";
  }
  return text;
}

// Tells whether a vector has an ADD of this type with a result that is not zero.
bool AddsToSomething(const TestVector& vector, DType type) {
  const auto values = ExecuteVector(vector, {});
  for (size_t s = 0; s < vector.steps.size(); ++s) {
    const Block& main = *vector.graphs[static_cast<size_t>(vector.steps[s].graph)].Main();
    for (size_t i = 0; i < main.outputs.size() && i < values[s].outputs.size(); ++i) {
      const Operator* producer = main.ProducerOf(main.outputs[i]);
      const Tensor& result = values[s].outputs[i];
      if (producer == nullptr || producer->op != Op::kAdd || result.type() != type) continue;
      for (int64_t k = 0; k < result.elements(); ++k) {
        if (IsFloat(type) ? result.Float(k) != 0 : result.Integer(k) != 0) return true;
      }
    }
  }
  return false;
}

TEST(Reduce, EndsAtOneVectorWhereverItStarts) {
  for (const DType type : {DType::kInt32, DType::kFp32, DType::kFp16}) {
    std::set<std::string> ends;
    int starts = 0;
    for (const char* kind : {"operator", "graph"}) {
      const Generator& generator = *GeneratorByKind(kind);
      for (uint64_t index = 0; index < 3000 && starts < 40; ++index) {
        const auto vector = generator.make(Options(3), index);
        if (!vector || !AddsToSomething(*vector, type)) continue;
        ++starts;
        const auto adds = [type](const TestVector& v) { return AddsToSomething(v, type); };
        ends.insert(TextOf(Reduce(*vector, adds).vector));
      }
    }
    EXPECT_GT(starts, 5);
    EXPECT_EQ(ends.size(), 1u) << (ends.empty() ? "" : *ends.begin() + "\n" + *ends.rbegin());
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
}  // namespace assay
