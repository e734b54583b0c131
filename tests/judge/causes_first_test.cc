// SPDX-License-Identifier: Apache-2.0
// Tests which findings of a step are causes, and which may follow from them.
#include <gtest/gtest.h>

#include "backend_kind.h"
#include "block_builder.h"
#include "judge_vector.h"

namespace assay::causes_first_test {
namespace {

Attributes Named(std::string name) { return {{AttributeId::kName, std::move(name)}}; }

// Appends VARIABLE "v", i8[2], which holds {1,2}.
void Declare(BlockBuilder& b) {
  Attributes attributes = Named("v");
  attributes.Set(AttributeId::kVarShape, std::vector<int32_t>{2});
  attributes.Set(AttributeId::kType, static_cast<int32_t>(DType::kInt8));
  attributes.Set(AttributeId::kInitialValue, TensorOf("i8[2]{1,2}"));
  b.Append(Op::kVariable, {}, {}, std::move(attributes));
}
TensorIndex Read(BlockBuilder& b) { return b.Add(Op::kVariableRead, {}, "i8[2]", Named("v")); }
void Write(BlockBuilder& b, TensorIndex value) {
  b.Append(Op::kVariableWrite, {value}, {}, Named("v"));
}

// Returns a vector of one step, on the input {3,4}, with its expectations.
TestVector VectorOf(std::vector<Block> blocks,
                    std::vector<Tensor> inputs = {TensorOf("i8[2]{3,4}")}) {
  TestVector vector;
  vector.graphs = {GraphOf(std::move(blocks))};
  Step step;
  step.inputs = std::move(inputs);
  vector.steps = {step};
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  EXPECT_EQ(OutcomeName(vector.steps[0].expected), "valid") << vector.steps[0].rule;
  return vector;
}

// Returns one word for each finding, in order: "BITWISE_NOT" for a cause, "BITWISE_NOT<v" if it
// follows v.
std::string Summary(const Verdict& verdict) {
  std::string text;
  for (const Finding& finding : verdict.findings) {
    text += (text.empty() ? "" : " ") + std::string(OperatorName(finding.op));
    if (!finding.follows.empty()) text += "<" + finding.follows;
  }
  return text;
}

// Judges a backend whose outputs and variables are all wrong.
std::string AllWrong(const TestVector& vector) {
  Outcome outcome = ExecuteVector(vector, {})[0];
  const auto spoil = [](Tensor& tensor) {
    std::vector<uint8_t> bytes(tensor.bytes().begin(), tensor.bytes().end());
    for (uint8_t& byte : bytes) byte ^= 0x40;
    tensor = Tensor::FromBytes(tensor.type(), tensor.shape(), std::move(bytes));
  };
  for (Tensor& output : outcome.outputs) spoil(output);
  for (auto& [name, value] : outcome.state) spoil(value);
  return Summary(JudgeVector(vector, std::span(&outcome, 1)));
}

// A read after a lost write is wrong because of it, and so is everything computed from the read.
TEST(Consequence, OfALostWriteIsWhatIsReadAfterIt) {
  BlockBuilder b;
  Declare(b);
  Write(b, b.Input("i8[2]"));
  b.Outputs({b.Add(Op::kBitwiseNot, {Read(b)}, "i8[2]")});
  const TestVector vector = VectorOf({b.block});
  const auto backend = OpenBackend("canary:stale-variable", {});
  ASSERT_TRUE(backend);
  const Verdict verdict = JudgeVector(vector, *(*backend)->Run(vector));
  EXPECT_EQ(Summary(verdict), "VARIABLE_WRITE BITWISE_NOT<v");
}

// The variable held {1,2} before the step, and no finding says that this was wrong. So there are
// two faults.
TEST(Consequence, OfALostWriteIsNotWhatWasReadBeforeIt) {
  BlockBuilder b;
  Declare(b);
  b.Outputs({b.Add(Op::kBitwiseNot, {Read(b)}, "i8[2]")});
  Write(b, b.Input("i8[2]"));
  EXPECT_EQ(AllWrong(VectorOf({b.block})), "VARIABLE_WRITE BITWISE_NOT");
}

TEST(Consequence, OfAWrongResultIsTheVariableThatItIsWrittenTo) {
  BlockBuilder b;
  Declare(b);
  const TensorIndex sum = b.Add(Op::kBitwiseNot, {b.Input("i8[2]")}, "i8[2]");
  Write(b, sum);
  b.Outputs({sum});
  EXPECT_EQ(AllWrong(VectorOf({b.block})), "BITWISE_NOT VARIABLE_WRITE<t1");
}

// The first output is computed from the second, so the second one leads.
TEST(Consequence, OfAWrongResultIsWhatIsMadeFromIt) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[2]");
  const TensorIndex cause = b.Add(Op::kBitwiseNot, {x}, "i8[2]");
  const TensorIndex consequence = b.Add(Op::kReverse, {cause}, "i8[2]", {{AttributeId::kAxis, 0}});
  const TensorIndex other = b.Add(Op::kIdentity, {x}, "i8[2]");
  b.Outputs({consequence, cause, other});
  EXPECT_EQ(AllWrong(VectorOf({b.block})), "BITWISE_NOT IDENTITY REVERSE<t1");
}

// v = in, then out = NOT v, then v = out: each may be wrong because of the other.
TEST(Consequence, IsNeitherOfTwoThatStemFromEachOther) {
  BlockBuilder b;
  Declare(b);
  Write(b, b.Input("i8[2]"));
  const TensorIndex out = b.Add(Op::kBitwiseNot, {Read(b)}, "i8[2]");
  Write(b, out);
  b.Outputs({out});
  EXPECT_EQ(AllWrong(VectorOf({b.block})), "VARIABLE_WRITE BITWISE_NOT");
}

// Tests the older form of variables: a tensor with variable=true, written and read by IDENTITY.
TEST(Consequence, IsSeenThroughVariableTensors) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[2]");
  const TensorIndex variable = b.Variable("v", "i8[2]", TensorOf("i8[2]{1,2}"));
  b.Append(Op::kIdentity, {x}, {variable});
  const TensorIndex read = b.Add(Op::kIdentity, {variable}, "i8[2]");
  b.Outputs({b.Add(Op::kBitwiseNot, {read}, "i8[2]")});
  EXPECT_EQ(AllWrong(VectorOf({b.block})), "IDENTITY BITWISE_NOT<v");
}

// COND_IF writes the variable in only one of its branches. A read behind it follows.
TEST(Consequence, IsSeenThroughBranches) {
  BlockBuilder then("then"), other("else"), b;
  Declare(then);
  const TensorIndex value = then.Input("i8[2]");
  Write(then, value);
  then.Outputs({then.Add(Op::kIdentity, {value}, "i8[2]")});
  other.Outputs({other.Add(Op::kIdentity, {other.Input("i8[2]")}, "i8[2]")});
  Declare(b);
  const TensorIndex condition = b.Input("bool[1]");
  const TensorIndex x = b.Input("i8[2]");
  const TensorIndex chosen = b.Add(Op::kCondIf, {condition, x}, "i8[2]",
                                   {{AttributeId::kThenGraph, std::string("then")},
                                    {AttributeId::kElseGraph, std::string("else")}});
  b.Outputs({chosen, b.Add(Op::kBitwiseNot, {Read(b)}, "i8[2]")});
  const TestVector vector = VectorOf({b.block, then.block, other.block},
                                     {TensorOf("bool[1]{true}"), TensorOf("i8[2]{3,4}")});
  EXPECT_EQ(AllWrong(vector), "VARIABLE_WRITE COND_IF BITWISE_NOT<v");
}

// Two values change places with every iteration of a loop, so the wrong one reaches both.
TEST(Consequence, IsSeenThroughIterations) {
  BlockBuilder condition("condition"), body("body"), b;
  condition.Outputs({condition.Input("bool[1]")});
  condition.Input("i8[2]");
  condition.Input("i8[2]");
  const TensorIndex go_on = body.Input("bool[1]");
  const TensorIndex first = body.Input("i8[2]"), second = body.Input("i8[2]");
  body.Outputs({body.Add(Op::kLogicalNot, {go_on}, "bool[1]"),
                body.Add(Op::kIdentity, {second}, "i8[2]"),
                body.Add(Op::kIdentity, {first}, "i8[2]")});
  const TensorIndex x = b.Input("i8[2]");
  const TensorIndex cause = b.Add(Op::kBitwiseNot, {x}, "i8[2]");
  const TensorIndex start = b.Constant("bool[1]{true}");
  const TensorIndex stop = b.Declare("bool[1]");
  const TensorIndex one = b.Declare("i8[2]"), other = b.Declare("i8[2]");
  b.Append(Op::kWhileLoop, {start, cause, x}, {stop, one, other},
           {{AttributeId::kCondGraph, std::string("condition")},
            {AttributeId::kBodyGraph, std::string("body")}});
  b.Outputs({one, other, cause});
  EXPECT_EQ(AllWrong(VectorOf({b.block, condition.block, body.block})),
            "BITWISE_NOT WHILE_LOOP<t1 WHILE_LOOP<t1");
}

}  // namespace
}  // namespace assay::causes_first_test
