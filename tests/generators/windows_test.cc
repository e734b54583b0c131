// SPDX-License-Identifier: Apache-2.0
// Tests which windows a graph has, and with which values.
#include "windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "block_builder.h"
#include "first_operands.h"
#include "fused_shapes.h"
#include "generated.h"
#include "generator_table.h"
#include "tapped_windows.h"

namespace assay::windows_test {
namespace {

constexpr char kType[] = "fp32[2]";

TestVector VectorOf(Graph graph, const std::vector<std::string_view>& inputs) {
  TestVector vector;
  vector.name = "whole";
  vector.graphs = {std::move(graph)};
  Step& step = vector.steps.emplace_back();
  for (const std::string_view input : inputs) step.inputs.push_back(TensorOf(input));
  return vector;
}

std::vector<std::string> NamesOfWindows(const TestVector& vector, int operators_max) {
  std::vector<std::string> names;
  for (const Window& window : FindWindows(vector, {.operators_max = operators_max}).windows) {
    names.push_back(window.operators);
  }
  return names;
}

Window WindowNamed(const TestVector& vector, const std::string& operators) {
  for (Window& window : FindWindows(vector).windows) {
    if (window.operators == operators) return std::move(window);
  }
  ADD_FAILURE() << "no window " << operators;
  return {};
}

Attributes Clamp(const char* low, const char* high) {
  return {{AttributeId::kMinVal, TensorOf(low)},
          {AttributeId::kMaxVal, TensorOf(high)},
          {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate)}};
}

// Returns MATMUL -> ADD of a bias -> CLAMP.
TestVector DotProductWithBiasAndActivation() {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[1,1,2]");
  const TensorIndex weights = b.Constant("fp32[1,2,1]{3,5}");
  const TensorIndex zero = b.Constant("fp32[1]{0}");
  const TensorIndex product = b.Add(Op::kMatmul, {x, weights, zero, zero}, "fp32[1,1,1]");
  const TensorIndex sum = b.Add(Op::kAdd, {product, b.Constant("fp32[1,1,1]{1}")}, "fp32[1,1,1]");
  b.Outputs({b.Add(Op::kClamp, {sum}, "fp32[1,1,1]", Clamp("fp32[]{0}", "fp32[]{6}"))});
  return VectorOf(GraphOf({b.block}), {"fp32[1,1,2]{1,-0.5}"});
}

TEST(Windows, OfAChainAreItsPartsFusedOnesFirst) {
  const TestVector chain = DotProductWithBiasAndActivation();
  EXPECT_EQ(NamesOfWindows(chain, 2),
            (std::vector<std::string>{"MATMUL, ADD", "ADD, CLAMP", "MATMUL", "ADD", "CLAMP"}));
  EXPECT_EQ(NamesOfWindows(chain, 4),
            (std::vector<std::string>{"MATMUL, ADD", "ADD, CLAMP", "MATMUL, ADD, CLAMP", "MATMUL",
                                      "ADD", "CLAMP"}));
}

TEST(Windows, HaveTheValuesOfTheReferenceAsInputsAndKeepConstants) {
  Window window = WindowNamed(DotProductWithBiasAndActivation(), "ADD, CLAMP");
  ASSERT_EQ(window.vector.steps[0].inputs.size(), 1u);
  EXPECT_EQ(window.vector.steps[0].inputs[0], TensorOf("fp32[1,1,1]{0.5}"));
  const Block& main = *window.vector.graphs[0].Main();
  EXPECT_EQ(std::ranges::count(main.operators, Op::kConst, &Operator::op), 1);
  std::string reason;
  ASSERT_TRUE(ExpectWindow(window, &reason)) << reason;
  EXPECT_EQ(window.vector.steps[0].outputs[0].value, TensorOf("fp32[1,1,1]{1.5}"));
  EXPECT_EQ(window.vector.name, "whole: ADD, CLAMP");
  EXPECT_EQ(window.vector.requirements, std::vector<std::string>{"PRO-FP"});
}

// ABS feeds EXP and CEIL, and ADD reads both.
TestVector Diamond() {
  BlockBuilder b;
  const TensorIndex top = b.Add(Op::kAbs, {b.Input(kType)}, kType);
  const TensorIndex left = b.Add(Op::kExp, {top}, kType);
  const TensorIndex right = b.Add(Op::kCeil, {top}, kType);
  b.Outputs({b.Add(Op::kAdd, {left, right}, kType)});
  return VectorOf(GraphOf({b.block}), {"fp32[2]{1,-2}"});
}

TEST(Windows, AreConvex) {
  std::vector<std::string> names = NamesOfWindows(Diamond(), 3);
  std::ranges::sort(names);
  EXPECT_EQ(names,
            (std::vector<std::string>{"ABS", "ABS, CEIL", "ABS, EXP", "ABS, EXP, CEIL", "ADD",
                                      "CEIL", "CEIL, ADD", "EXP", "EXP, ADD", "EXP, CEIL, ADD"}));
  EXPECT_EQ(NamesOfWindows(Diamond(), 4).back(), "ABS, EXP, CEIL, ADD");
}

// A path of several operators leaves ABS and comes back to ADD, which reads ABS as well.
TEST(Windows, AreConvexAlongPaths) {
  BlockBuilder b;
  const TensorIndex first = b.Add(Op::kAbs, {b.Input(kType)}, kType);
  const TensorIndex last =
      b.Add(Op::kFloor, {b.Add(Op::kCeil, {b.Add(Op::kExp, {first}, kType)}, kType)}, kType);
  b.Outputs({b.Add(Op::kAdd, {first, last}, kType)});
  const auto names = NamesOfWindows(VectorOf(GraphOf({b.block}), {"fp32[2]{1,-2}"}), 4);
  EXPECT_EQ(std::ranges::count(names, "ABS, ADD"), 0);
  EXPECT_EQ(std::ranges::count(names, "ABS, FLOOR, ADD"), 0);
  EXPECT_EQ(std::ranges::count(names, "ABS, EXP, CEIL, FLOOR"), 1);
}

// A window's outputs are what is read outside, what the graph gives, and what nothing reads.
TEST(Windows, GiveWhatIsReadOutside) {
  const auto outputs = [](const char* operators) {
    return WindowNamed(Diamond(), operators).vector.graphs[0].Main()->outputs.size();
  };
  EXPECT_EQ(outputs("ABS"), 1u);
  EXPECT_EQ(outputs("ABS, EXP"), 2u);
  EXPECT_EQ(outputs("ABS, EXP, CEIL"), 2u);
  EXPECT_EQ(outputs("ABS, EXP, CEIL, ADD"), 1u);
}

TEST(Windows, OfRepeatedBlocksComeOnce) {
  BlockBuilder b;
  TensorIndex x = b.Input(kType);
  for (int i = 0; i < 2; ++i) {
    x = b.Add(Op::kMul,
              {x, b.Constant("fp32[2]{" + std::to_string(i + 2) + ",1}"), b.Constant("i8[1]{0}")},
              kType);
    x = b.Add(Op::kAbs, {x}, kType);
  }
  b.Outputs({x});
  const TestVector vector = VectorOf(GraphOf({b.block}), {"fp32[2]{1,-2}"});
  const WindowList list = FindWindows(vector, {.operators_max = 2});
  EXPECT_EQ(list.found, 7);
  std::vector<std::string> names;
  std::set<OperatorPlace> places;
  for (const Window& window : list.windows) {
    names.push_back(window.operators);
    if (window.size == 1) places.insert(window.stands_for.begin(), window.stands_for.end());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"MUL", "ABS", "MUL, ABS", "ABS, MUL"}));
  // A window that comes once stands for all its places.
  EXPECT_EQ(places.size(), 4u);
  EXPECT_EQ(WorkingPlaces(vector).size(), 4u);
}

TEST(Windows, DifferByCompileTimeConstantsTypesShapesAndAttributes) {
  const auto distinct = [](const char* first_high, const char* second_high) {
    BlockBuilder b;
    const TensorIndex x = b.Input(kType);
    b.Outputs({b.Add(Op::kClamp, {x}, kType, Clamp("fp32[]{0}", first_high)),
               b.Add(Op::kClamp, {x}, kType, Clamp("fp32[]{0}", second_high))});
    return FindWindows(VectorOf(GraphOf({b.block}), {"fp32[2]{1,-2}"})).windows.size();
  };
  EXPECT_EQ(distinct("fp32[]{6}", "fp32[]{6}"), 1u);
  EXPECT_EQ(distinct("fp32[]{6}", "fp32[]{7}"), 2u);
  const auto negations = [](const char* zero_point, const char* type) {
    BlockBuilder b;
    const TensorIndex zero = b.Constant("i8[1]{0}");
    b.Outputs({b.Add(Op::kNegate, {b.Input("i8[2]"), b.Constant("i8[1]{0}"), zero}, "i8[2]"),
               b.Add(Op::kNegate, {b.Input(type), b.Constant(zero_point), zero}, type)});
    const std::string value = std::string(type) == "i8[2]" ? "i8[2]{1,2}" : "i8[1]{1}";
    return FindWindows(VectorOf(GraphOf({b.block}), {"i8[2]{1,2}", value})).windows.size();
  };
  EXPECT_EQ(negations("i8[1]{0}", "i8[2]"), 1u);
  EXPECT_EQ(negations("i8[1]{1}", "i8[2]"), 2u);
  EXPECT_EQ(negations("i8[1]{0}", "i8[1]"), 2u);
}

Attributes Named(const char* name) { return {{AttributeId::kName, std::string(name)}}; }

TEST(Windows, ContainNoOperatorOnVariablesAndReadWhatTheyRead) {
  BlockBuilder b;
  b.Append(Op::kVariable, {}, {},
           {{AttributeId::kName, std::string("v")},
            {AttributeId::kVarShape, std::vector<int32_t>{2}},
            {AttributeId::kType, static_cast<int32_t>(DType::kFp32)},
            {AttributeId::kInitialValue, TensorOf("fp32[2]{-3,4}")}});
  const TensorIndex read = b.Add(Op::kVariableRead, {}, kType, Named("v"));
  const TensorIndex next = b.Add(Op::kAbs, {read}, kType);
  b.Append(Op::kVariableWrite, {next}, {}, Named("v"));
  b.Outputs({next});
  TestVector vector = VectorOf(GraphOf({b.block}), {});
  vector.steps.push_back(vector.steps[0]);
  EXPECT_EQ(NamesOfWindows(vector, 4), std::vector<std::string>{"ABS"});
  // The second step reads |-3|; a window has the values of the first one.
  EXPECT_EQ(WindowNamed(vector, "ABS").vector.steps[0].inputs,
            std::vector<Tensor>{TensorOf("fp32[2]{-3,4}")});
}

TEST(Windows, ContainNoControlFlowAndTakeTheBlocksThatRun) {
  BlockBuilder b;
  const TensorIndex condition = b.Input("bool[]"), x = b.Input(kType);
  const TensorIndex chosen = b.Add(Op::kCondIf, {condition, b.Add(Op::kAbs, {x}, kType)}, kType,
                                   {{AttributeId::kThenGraph, std::string("then")},
                                    {AttributeId::kElseGraph, std::string("else")}});
  b.Outputs({b.Add(Op::kFloor, {chosen}, kType)});
  BlockBuilder then("then"), otherwise("else");
  const TensorIndex a = then.Input(kType);
  then.Outputs({then.Add(Op::kExp, {a}, kType)});
  const TensorIndex c = otherwise.Input(kType);
  otherwise.Outputs({otherwise.Add(Op::kCeil, {c}, kType)});
  const TestVector vector =
      VectorOf(GraphOf({b.block, then.block, otherwise.block}), {"bool[]{true}", "fp32[2]{-1,-2}"});
  EXPECT_EQ(NamesOfWindows(vector, 4), (std::vector<std::string>{"ABS", "FLOOR", "EXP"}));
  EXPECT_EQ(WindowNamed(vector, "EXP").vector.steps[0].inputs,
            std::vector<Tensor>{TensorOf("fp32[2]{1,2}")});
}

TEST(Windows, AreLimitedForEachOperatorSmallOnesFirst) {
  BlockBuilder b;
  const TensorIndex x = b.Add(Op::kAbs, {b.Input(kType)}, kType);
  std::vector<TensorIndex> outputs;
  for (int i = 0; i < 30; ++i) outputs.push_back(b.Add(Op::kExp, {x}, kType));
  b.Outputs(outputs);
  const TestVector vector = VectorOf(GraphOf({b.block}), {"fp32[2]{1,-2}"});
  const WindowList list = FindWindows(vector, {.operators_max = 4, .sets_max = 40});
  EXPECT_EQ(list.found, 40 + 30);
  EXPECT_EQ(list.cut_short, 1);
  // One, thirty pairs, and nine of three operators start at ABS. All that have as many outputs are
  // the same.
  EXPECT_EQ(list.windows.size(), 4u);
  EXPECT_EQ(list.windows.back().size, 3);
}

TEST(Windows, OfLargeGraphsAreFoundInTime) {
  BlockBuilder b;
  TensorIndex x = b.Input(kType);
  for (int i = 0; i < 2000; ++i) x = b.Add(i % 2 == 0 ? Op::kAbs : Op::kCeil, {x}, kType);
  b.Outputs({x});
  const WindowList list = FindWindows(VectorOf(GraphOf({b.block}), {"fp32[2]{1,-2}"}));
  EXPECT_EQ(list.found, 2000 + 1999 + 1998 + 1997);
  EXPECT_EQ(list.windows.size(), 8u);
}

TEST(FusedShapes, AreGroupsThatBackendsFuse) {
  using enum Op;
  const auto fused = [](std::vector<Op> operators) { return AreFusedInPractice(operators); };
  EXPECT_TRUE(fused({kConv2d, kAdd, kClamp}));
  EXPECT_TRUE(fused({kPad, kConv2d, kRescale}));
  EXPECT_TRUE(fused({kReduceMax, kSub, kExp, kReduceSum}));
  EXPECT_TRUE(fused({kRsqrt, kMul}));
  EXPECT_TRUE(fused({kMatmul, kMul, kReduceMax, kSub}));
  EXPECT_TRUE(fused({kSigmoid, kMul}));
  EXPECT_FALSE(fused({kConv2d}));
  EXPECT_FALSE(fused({kConv2d, kSin}));
  EXPECT_FALSE(fused({kAbs, kExp}));
}

// Compares the results of a window with the operands of the operators that read them in the whole
// graph. Returns the number of comparisons.
int64_t CompareWithReaders(const Window& window, const TestVector& whole,
                           const FirstOperands& operands) {
  const std::vector<Outcome> outcomes = ExecuteVector(window.vector, {});
  const Block& main = *window.vector.graphs[0].Main();
  const OperatorPlace& place = window.stands_for[0];
  const Graph& graph = whole.graphs[static_cast<size_t>(place.graph)];
  const Block& block = graph.Blocks()[static_cast<size_t>(place.block)];
  int64_t compared = 0;
  for (size_t i = 0; i < main.outputs.size(); ++i) {
    const auto& name = main.tensors[static_cast<size_t>(main.outputs[i])].name;
    const TensorIndex tensor = block.FindTensor(name).value();
    for (const Operator& reader : block.operators) {
      const FirstOperands::Run* run = operands.Of(reader);
      const auto at = std::ranges::find(reader.inputs, tensor) - reader.inputs.begin();
      if (run == nullptr || at == std::ssize(reader.inputs)) continue;
      EXPECT_EQ(outcomes[0].outputs[i], run->operands[static_cast<size_t>(at)])
          << whole.name << " " << window.operators;
      ++compared;
    }
  }
  return compared;
}

TEST(Windows, OfGeneratedVectorsGiveTheValuesOfTheWhole) {
  int64_t judged = 0, skipped = 0, compared = 0;
  for (const char* kind : {"graph", "control-flow", "stateful"}) {
    for (uint64_t index = 0; index < 12; ++index) {
      const auto vector = GeneratorByKind(kind)->make(Options(3), index);
      if (!vector) continue;
      const FirstOperands operands(*vector);
      WindowList list = FindWindows(*vector, {.operators_max = 3, .sets_max = 16});
      for (Window& window : list.windows) {
        std::string reason;
        const bool has_expectation = ExpectWindow(window, &reason);
        EXPECT_NE(has_expectation, !reason.empty());
        has_expectation ? ++judged : ++skipped;
        if (has_expectation) compared += CompareWithReaders(window, *vector, operands);
      }
    }
  }
  EXPECT_GT(judged, 300);
  EXPECT_GT(compared, 300);
  EXPECT_LT(skipped, judged / 4);
}

// Each operator of a long model becomes a window. The windows take no longer for a longer model.
TEST(TappedWindows, OfManyOperatorsAreMadeOneByOneInNoTime) {
  constexpr int32_t kOperators = 100'000;
  BlockBuilder b;
  TensorIndex x = b.Input("i32[]");
  std::map<TensorIndex, Tensor> shown;
  for (int32_t i = 0; i < kOperators; ++i) {
    x = b.Add(Op::kAbs, {x}, "i32[]");
    shown.emplace(x, TensorOf("i32[]{3}"));
  }
  b.Outputs({x});
  const TestVector vector = VectorOf(GraphOf({b.block}), {"i32[]{-3}"});
  const auto window_at = TappedWindowAt(vector, 0, shown);
  for (int32_t i = 0; i < kOperators; ++i) {
    const std::optional<TappedWindow> tapped = window_at(i);
    ASSERT_TRUE(tapped);
    ASSERT_EQ(tapped->window.size, 1);
    ASSERT_EQ(tapped->inputs_shown, std::vector<bool>{i > 0});
  }
}

}  // namespace
}  // namespace assay::windows_test
