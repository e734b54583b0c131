// SPDX-License-Identifier: Apache-2.0
// Tests the laws that hold for every mutant.

#include "mutants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "block_builder.h"
#include "canaries.h"
#include "executor.h"
#include "operator_definition.h"
#include "operator_set.h"
#include "operator_table.h"
#include "worked_example.h"

namespace assay::mutants_test {
namespace {

TEST(Mutants, HaveIdsOfTheirOperatorsThatAreUnique) {
  std::set<std::string_view> ids;
  for (const Mutant& mutant : AllMutants()) {
    EXPECT_TRUE(ids.insert(mutant.id).second) << mutant.id;
    std::string name(mutant.id.substr(0, mutant.id.find('/')));
    for (char& c : name) c = static_cast<char>(std::toupper(c));
    EXPECT_EQ(name, OperatorName(mutant.op)) << mutant.id;
    EXPECT_EQ(MutantById(mutant.id), &mutant);
    EXPECT_FALSE(mutant.what.empty()) << mutant.id;
  }
  EXPECT_EQ(MutantById("add/none"), nullptr);
}

// CUSTOM has no meaning to change. Readers take CONST_SHAPE for its numbers, and no kernel runs it.
TEST(Mutants, OfEveryOtherOperatorExist) {
  for (const OperatorRow& row : AllOperators()) {
    const bool is_left_out = row.op == Op::kCustom || row.op == Op::kConstShape;
    EXPECT_EQ(std::ranges::none_of(AllMutants(), [&](const Mutant& m) { return m.op == row.op; }),
              is_left_out)
        << row.name << ": see src/fault/mutants.cc";
  }
}

TEST(Mutants, AreDifferentFaults) {
  std::set<std::tuple<Op, Twist, int, int, AttributeId>> faults;
  for (const Mutant& mutant : AllMutants()) {
    const TwistDetail& detail = mutant.detail;
    EXPECT_TRUE(
        faults.insert({mutant.op, mutant.twist, detail.a, detail.b, detail.attribute}).second)
        << mutant.id;
  }
}

TEST(Mutants, MeetTheQuotas) {
  std::map<OperatorClass, int> counts;
  for (const Mutant& mutant : AllMutants()) ++counts[mutant.operator_class];
  EXPECT_EQ(MutantQuotas().size(), static_cast<size_t>(kOperatorClassCount));
  for (const MutantQuota& quota : MutantQuotas()) {
    EXPECT_GE(counts[quota.operator_class], quota.minimum)
        << OperatorClassName(quota.operator_class);
  }
  EXPECT_GE(AllMutants().size(), 150u);
}

// Returns true if the execution `b` of a vector differs from the sound one, `a`.
bool Differ(const std::vector<Outcome>& a, const std::vector<Outcome>& b) {
  const auto same = [](const Tensor& x, const Tensor& y) {
    for (int64_t i = 0; i < x.elements(); ++i) {
      if (x.ElementText(i) != y.ElementText(i)) return false;
    }
    return x.tensor_type() == y.tensor_type();
  };
  for (size_t step = 0; step < a.size(); ++step) {
    // Nothing is judged after a step that is not valid.
    if (a[step].kind != OutcomeKind::kValid) return false;
    if (b[step].kind != OutcomeKind::kValid) return true;
    for (size_t i = 0; i < a[step].outputs.size(); ++i) {
      if (!same(a[step].outputs[i], b[step].outputs[i])) return true;
    }
    for (const auto& [name, value] : a[step].state) {
      if (!same(value, b[step].state.at(name))) return true;
    }
  }
  return false;
}

ExecutionOptions With(const Mutant* mutant) {
  ExecutionOptions options;
  options.mutant = mutant;
  return options;
}

std::vector<TestVector> WorkedExamples(Op op) {
  std::vector<TestVector> vectors;
  for (const ops::Example& example : ops::DefinitionOf(op).examples) {
    Result<TestVector> vector = VectorOfExample(op, example);
    if (vector) vectors.push_back(std::move(*vector));
  }
  return vectors;
}

Step StepOf(std::vector<std::string_view> inputs, int32_t context = 0) {
  Step step;
  step.context = context;
  for (const std::string_view input : inputs) step.inputs.push_back(TensorOf(input));
  return step;
}

Attributes Blocks(AttributeId a, AttributeId b) {
  return {{a, std::string("first")}, {b, std::string("second")}};
}

// if (c) (x, y) else (y, x), once each.
TestVector Branches() {
  BlockBuilder main;
  const TensorIndex condition = main.Input("bool[1]");
  const TensorIndex x = main.Input("i8[2]"), y = main.Input("i8[2]");
  const TensorIndex out[] = {main.Declare("i8[2]"), main.Declare("i8[2]")};
  main.Append(Op::kCondIf, {condition, x, y}, {out[0], out[1]},
              Blocks(AttributeId::kThenGraph, AttributeId::kElseGraph));
  main.Outputs({out[0], out[1]});
  BlockBuilder first("first"), second("second");
  for (BlockBuilder* block : {&first, &second}) {
    const TensorIndex a = block->Input("i8[2]"), b = block->Input("i8[2]");
    const TensorIndex copy = block->Add(Op::kIdentity, {block == &first ? a : b}, "i8[2]");
    block->Outputs({copy, block == &first ? b : a});
  }
  TestVector vector;
  vector.graphs = {GraphOf({main.block, first.block, second.block})};
  vector.steps = {StepOf({"bool[1]{true}", "i8[2]{1,2}", "i8[2]{3,4}"}),
                  StepOf({"bool[1]{false}", "i8[2]{1,2}", "i8[2]{3,4}"})};
  return vector;
}

// while (n > i) { i += 1; sum += i; } from i = sum = 0, for n = 0 and 6. The loop carries i, n,
// sum.
TestVector Loops() {
  BlockBuilder main;
  std::vector<TensorIndex> in, out;
  for (int i = 0; i < 3; ++i) in.push_back(main.Input("i32[1]"));
  for (int i = 0; i < 3; ++i) out.push_back(main.Declare("i32[1]"));
  main.Append(Op::kWhileLoop, in, out, Blocks(AttributeId::kCondGraph, AttributeId::kBodyGraph));
  main.Outputs(out);
  BlockBuilder cond("first"), body("second");
  for (BlockBuilder* block : {&cond, &body}) {
    for (int i = 0; i < 3; ++i) block->Input("i32[1]");
  }
  cond.Outputs({cond.Add(Op::kGreater, {1, 0}, "bool[1]")});
  const TensorIndex next = body.Add(Op::kAdd, {0, body.Constant("i32[1]{1}")}, "i32[1]");
  body.Outputs({next, 1, body.Add(Op::kAdd, {2, next}, "i32[1]")});
  TestVector vector;
  vector.graphs = {GraphOf({main.block, cond.block, body.block})};
  vector.steps = {StepOf({"i32[1]{0}", "i32[1]{0}", "i32[1]{0}"}),
                  StepOf({"i32[1]{0}", "i32[1]{6}", "i32[1]{0}"})};
  return vector;
}

Attributes NamedVariable(std::string name) { return {{AttributeId::kName, std::move(name)}}; }

void DeclareVariable(BlockBuilder& b, const std::string& name, std::string_view value) {
  const Tensor initial = TensorOf(value);
  const auto dims = initial.shape().dims();
  Attributes attributes = NamedVariable(name);
  attributes.Set(AttributeId::kVarShape, std::vector<int32_t>(dims.begin(), dims.end()));
  attributes.Set(AttributeId::kType, static_cast<int32_t>(initial.type()));
  attributes.Set(AttributeId::kInitialValue, initial);
  b.Append(Op::kVariable, {}, {}, attributes);
}

// Declares variables `u` and `v` of one type, and reads `u`. Then twice reads `v`, and writes to it
// the reversed XOR of the read value and an input. The graph is executed twice in one context and
// once in another.
TestVector Variables() {
  BlockBuilder b;
  const TensorIndex input = b.Input("i8[2]");
  DeclareVariable(b, "u", "i8[2]{1,2}");
  DeclareVariable(b, "v", "i8[2]{3,4}");
  std::vector<TensorIndex> outputs = {b.Add(Op::kVariableRead, {}, "i8[2]", NamedVariable("u"))};
  for (int i = 0; i < 2; ++i) {
    outputs.push_back(b.Add(Op::kVariableRead, {}, "i8[2]", NamedVariable("v")));
    const TensorIndex sum = b.Add(Op::kBitwiseXor, {outputs.back(), input}, "i8[2]");
    const TensorIndex other = b.Add(Op::kReverse, {sum}, "i8[2]", {{AttributeId::kAxis, 0}});
    b.Append(Op::kVariableWrite, {other}, {}, NamedVariable("v"));
  }
  b.Outputs(outputs);
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps = {StepOf({"i8[2]{16,32}"}), StepOf({"i8[2]{7,64}"}), StepOf({"i8[2]{5,6}"}, 1)};
  return vector;
}

Block ReaderOf(const std::vector<std::string>& names) {
  BlockBuilder b;
  for (const std::string& name : names) {
    b.block.outputs.push_back(b.Add(Op::kVariableRead, {}, "i8[2]", NamedVariable(name)));
  }
  return b.block;
}

// Graphs that share the variable `v` in three contexts: 0 declares it, 1 declares and writes it, 2
// reads it, 3 declares it with another type.
TestVector Sequence() {
  BlockBuilder declares, writes, otherwise;
  DeclareVariable(declares, "v", "i8[2]{3,4}");
  DeclareVariable(writes, "v", "i8[2]{3,4}");
  writes.Append(Op::kVariableWrite, {writes.Input("i8[2]")}, {}, NamedVariable("v"));
  DeclareVariable(otherwise, "v", "fp16[1]{1}");
  TestVector vector;
  for (const Block& block : {declares.block, writes.block, ReaderOf({"v"}), otherwise.block}) {
    vector.graphs.push_back(GraphOf({block}));
  }
  const auto run = [&vector](int32_t context, int32_t graph) {
    vector.steps.push_back(graph == 1
                               ? StepOf({context == 0 ? "i8[2]{16,32}" : "i8[2]{5,6}"}, context)
                               : StepOf({}, context));
    vector.steps.back().graph = graph;
  };
  for (const auto& [context, graph] : {std::pair{0, 0},
                                       {0, 1},
                                       {0, 2},
                                       {1, 0},
                                       {1, 2},
                                       {0, 2},
                                       {2, 0},
                                       {2, 2},
                                       {1, 1},
                                       {0, 2},
                                       {0, 3},
                                       {0, 2}}) {
    run(context, graph);
  }
  return vector;
}

// Returns control flow whose blocks declare and write variables, and a graph that reads them.
// `first` (then, cond) writes v or nothing, `second` (else, body) writes w.
TestVector NestedState(Op op) {
  BlockBuilder main, first("first"), second("second");
  DeclareVariable(main, "v", "i8[2]{1,2}");
  DeclareVariable(main, "w", "i8[2]{3,4}");
  const TensorIndex operand = main.Input("i32[1]");
  const TensorIndex out = main.Declare("i32[1]");
  const bool loop = op == Op::kWhileLoop;
  const TensorIndex round = first.Input("i32[1]"), other = second.Input("i32[1]");
  if (loop) {
    first.Outputs({first.Add(Op::kGreater, {first.Constant("i32[1]{3}"), round}, "bool[1]")});
    DeclareVariable(second, "w", "i8[2]{0,0}");
    const TensorIndex was = second.Add(Op::kVariableRead, {}, "i8[2]", NamedVariable("w"));
    const TensorIndex turned = second.Add(Op::kBitwiseNot, {was}, "i8[2]");
    second.Append(Op::kVariableWrite, {turned}, {}, NamedVariable("w"));
    second.Outputs({second.Add(Op::kAdd, {other, second.Constant("i32[1]{1}")}, "i32[1]")});
    main.Append(op, {operand}, {out}, Blocks(AttributeId::kCondGraph, AttributeId::kBodyGraph));
  } else {
    for (BlockBuilder* block : {&first, &second}) {
      const std::string name = block == &first ? "v" : "w";
      DeclareVariable(*block, name, "i8[2]{0,0}");
      block->Append(Op::kVariableWrite, {block->Constant("i8[2]{7,8}")}, {}, NamedVariable(name));
      block->Outputs({block == &first ? round : other});
    }
    main.Append(op, {main.Constant("bool[1]{true}"), operand}, {out},
                Blocks(AttributeId::kThenGraph, AttributeId::kElseGraph));
  }
  main.Outputs({out});
  TestVector vector;
  vector.graphs = {GraphOf({main.block, first.block, second.block}),
                   GraphOf({ReaderOf({"v", "w"})})};
  vector.steps = {StepOf({"i32[1]{0}"}), StepOf({})};
  vector.steps[1].graph = 1;
  return vector;
}

// A variable tensor that IDENTITY writes.
TestVector VariableTensor() {
  BlockBuilder b;
  const TensorIndex variable = b.Variable("v", "i8[2]", TensorOf("i8[2]{1,2}"));
  b.Append(Op::kIdentity, {b.Input("i8[2]")}, {variable});
  b.Outputs({b.Add(Op::kIdentity, {0}, "i8[2]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps = {StepOf({"i8[2]{3,4}"}), StepOf({"i8[2]{5,6}"})};
  return vector;
}

// Returns the worked examples of an operator, or a small vector if no example can show all of its
// mutants.
std::vector<TestVector> SmallVectors(Op op) {
  std::vector<TestVector> vectors = WorkedExamples(op);
  // The second operand has more significant bits than another type can hold. The result is not
  // judged here.
  if (op == Op::kPow) {
    vectors.push_back(
        VectorOfExample(op, {"fp32[1]{2} fp32[1]{100.03125}", "", "fp32[1]{0}"}).value());
  }
  if (op == Op::kCondIf) vectors.push_back(Branches());
  if (op == Op::kWhileLoop) vectors.push_back(Loops());
  if (IsControlFlow(op)) vectors.push_back(NestedState(op));
  if (op == Op::kIdentity) vectors.push_back(VariableTensor());
  if (IsVariableOperator(op)) {
    vectors.push_back(Variables());
    vectors.push_back(Sequence());
  }
  return vectors;
}

// A mutant that changes nothing measures nothing. If no result can differ from the specification,
// the mutant gives the reason.
TEST(Mutants, ChangeASmallVectorOrSayWhyTheyCannot) {
  for (const Mutant& mutant : AllMutants()) {
    bool shows = false;
    for (const TestVector& vector : SmallVectors(mutant.op)) {
      const auto sound = ExecuteVector(vector, With(nullptr));
      shows = shows || Differ(sound, ExecuteVector(vector, With(&mutant)));
    }
    EXPECT_TRUE(shows || !mutant.equivalent.empty()) << mutant.id;
  }
}

// The test above runs every mutant on all examples of its operator. Here a mutant meets operators
// that it must not change.
TEST(Mutants, LeaveOtherOperatorsAlone) {
  const Mutant* mutant = MutantById("add/truncates");
  ASSERT_NE(mutant, nullptr);
  for (const TestVector& vector : WorkedExamples(Op::kSub)) {
    EXPECT_FALSE(Differ(ExecuteVector(vector, With(nullptr)), ExecuteVector(vector, With(mutant))));
  }
}

// -2^31 - 0 is an i32, and 0 - -2^31 is not.
TEST(Mutants, CheckTheirRequiresIfTheyAreCanaries) {
  const auto vector =
      VectorOfExample(Op::kSub, {"i32[1]{-2147483648} i32[1]{0}", "", "i32[1]{-2147483648}"});
  ASSERT_TRUE(vector) << vector.error().message;
  const auto kind_with = [&](const Mutant& mutant) {
    return ExecuteVector(*vector, With(&mutant))[0].kind;
  };
  EXPECT_EQ(kind_with(*MutantById("sub/operands-exchanged")), OutcomeKind::kValid);
  int checked = 0;
  for (const Mutant& canary : AllCanaries()) {
    const bool exchanges = canary.twist == Twist::kOperandsExchanged;
    EXPECT_EQ(kind_with(canary), exchanges ? OutcomeKind::kUnpredictable : OutcomeKind::kValid)
        << canary.id;
    checked += exchanges ? 1 : 0;
  }
  EXPECT_EQ(checked, 1);
}

}  // namespace
}  // namespace assay::mutants_test
