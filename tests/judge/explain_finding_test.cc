// SPDX-License-Identifier: Apache-2.0
// Tests explanations of findings: the way to an element through a graph, and the rules of outcomes.
#include "explain_finding.h"

#include "block_builder.h"
#include "judge_case.h"

namespace assay::explain_finding_test {
namespace {

// Returns a vector of one step, with the expectation of the reference executor.
TestVector VectorOf(Graph graph, std::vector<Tensor> inputs) {
  TestVector vector;
  vector.spec = graph.version;
  vector.graphs.push_back(std::move(graph));
  vector.steps.emplace_back();
  vector.steps[0].inputs = std::move(inputs);
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return vector;
}

std::string Explained(const TestVector& vector, const std::string& element, int depth = 3) {
  const Result<ExplainedPlace> place = PlaceOfElement(vector, 0, element);
  if (!place) return place.error().message;
  const Result<std::string> text = ExplainElementOf(vector, *place, depth);
  return text ? *text : text.error().message;
}

TEST(ExplainFinding, FollowsMovedAndCalculatedElements) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, b.Constant("i32[1]{10}")}, "i32[2]");
  b.Outputs({b.Add(Op::kReverse, {sum}, "i32[2]", {{AttributeId::kAxis, int32_t{0}}})});
  const TestVector vector = VectorOf(GraphOf({b.block}), {TensorOf("i32[2]{5,7}")});
  EXPECT_EQ(Explained(vector, "t3[0]"),
            "  %t3:i32[2] = REVERSE(%t2) axis=0\n"
            "    t3[0] = 17, which is t2[1], from ADD\n"
            "  %t2:i32[2] = ADD(%t0,%t1)\n"
            "    t0[1] = 7, input 0\n"
            "    t1[0] = 10, a constant\n"
            "    (1) t0[1] + t1[0] = 7 + 10 = 17\n"
            "    t2[1] = 17\n");
}

TEST(ExplainFinding, StopsAtTheDepth) {
  BlockBuilder b;
  TensorIndex x = b.Input("i32[1]");
  for (int i = 0; i < 30; ++i) x = b.Add(Op::kAbs, {x}, "i32[1]");
  b.Outputs({x});
  const TestVector vector = VectorOf(GraphOf({b.block}), {TensorOf("i32[1]{-5}")});
  const auto operators = [&vector](int depth) {
    const std::string text = Explained(vector, "t30[0]", depth);
    size_t count = 0;
    for (size_t at = 0; (at = text.find(" = ABS(", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(operators(1), 1U);
  EXPECT_EQ(operators(2), 2U);
  // No explanation has more than 24 elements.
  EXPECT_EQ(operators(24), 24U);
  EXPECT_EQ(operators(30), 24U);
}

TEST(ExplainFinding, EntersTheBranchThatRan) {
  BlockBuilder main, then_block("then"), else_block("else");
  then_block.Outputs({then_block.Add(Op::kAbs, {then_block.Input("i32[1]")}, "i32[1]")});
  else_block.Outputs({else_block.Add(Op::kBitwiseNot, {else_block.Input("i32[1]")}, "i32[1]")});
  const TensorIndex condition = main.Input("bool[]");
  const TensorIndex x = main.Input("i32[1]");
  main.Outputs({main.Add(Op::kCondIf, {condition, x}, "i32[1]",
                         {{AttributeId::kThenGraph, std::string("then")},
                          {AttributeId::kElseGraph, std::string("else")}})});
  const Graph graph = GraphOf({main.block, then_block.block, else_block.block});
  const std::string of_then =
      Explained(VectorOf(graph, {TensorOf("bool[]{true}"), TensorOf("i32[1]{-5}")}), "t2[0]");
  EXPECT_NE(of_then.find("it comes from block then, t1[0], from ABS"), std::string::npos)
      << of_then;
  EXPECT_NE(of_then.find("t0[0] = -5, input 0 of block then"), std::string::npos) << of_then;
  const std::string of_else =
      Explained(VectorOf(graph, {TensorOf("bool[]{false}"), TensorOf("i32[1]{-5}")}), "t2[0]");
  EXPECT_NE(of_else.find("(1) ~t0[0] = ~-5 = 4"), std::string::npos) << of_else;
}

TEST(ExplainFinding, EntersTheLastTurnOfALoop) {
  BlockBuilder main, condition("condition"), body("body");
  const TensorIndex tested = condition.Input("i32[]");
  condition.Outputs(
      {condition.Add(Op::kGreater, {condition.Constant("i32[]{3}"), tested}, "bool[]")});
  const TensorIndex counted = body.Input("i32[]");
  body.Outputs({body.Add(Op::kAdd, {counted, body.Constant("i32[]{1}")}, "i32[]")});
  main.Outputs({main.Add(Op::kWhileLoop, {main.Input("i32[]")}, "i32[]",
                         {{AttributeId::kCondGraph, std::string("condition")},
                          {AttributeId::kBodyGraph, std::string("body")}})});
  const Graph graph = GraphOf({main.block, condition.block, body.block});
  const std::string text = Explained(VectorOf(graph, {TensorOf("i32[]{0}")}), "t1[]");
  EXPECT_NE(text.find("it comes from the last turn of block body, t2[], from ADD"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("(1) t0[] + t1[] = 2 + 1 = 3"), std::string::npos) << text;
  const std::string none = Explained(VectorOf(graph, {TensorOf("i32[]{9}")}), "t1[]");
  EXPECT_NE(none.find("the body of the loop did not run; it is t0[], input 0\n"), std::string::npos)
      << none;
}

// The last run of a loop need not have turns, although an earlier one had.
TEST(ExplainFinding, TakesTurnsOfTheLastRunOfALoop) {
  BlockBuilder main, outer("outer"), outer_body("outer_body"), inner("inner"), body("body");
  const auto counts_to = [](BlockBuilder& b, const char* limit) {
    const TensorIndex x = b.Input("i32[]");
    b.Outputs({b.Add(Op::kGreater, {b.Constant(limit), x}, "bool[]")});
  };
  const auto add_one = [](BlockBuilder& b, TensorIndex x) {
    return b.Add(Op::kAdd, {x, b.Constant("i32[]{1}")}, "i32[]");
  };
  const auto loop = [](BlockBuilder& b, TensorIndex x, const char* condition, const char* of) {
    return b.Add(Op::kWhileLoop, {x}, "i32[]",
                 {{AttributeId::kCondGraph, std::string(condition)},
                  {AttributeId::kBodyGraph, std::string(of)}});
  };
  counts_to(outer, "i32[]{6}");
  counts_to(inner, "i32[]{3}");
  body.Outputs({add_one(body, body.Input("i32[]"))});
  // The inner loop begins with 1, 4, 5 and 6. Only from 1 it has turns, to 3.
  const TensorIndex counted = add_one(outer_body, outer_body.Input("i32[]"));
  outer_body.Outputs({loop(outer_body, counted, "inner", "body")});
  main.Outputs({loop(main, main.Input("i32[]"), "outer", "outer_body")});
  const Graph graph = GraphOf({main.block, outer.block, outer_body.block, inner.block, body.block});
  const std::string text = Explained(VectorOf(graph, {TensorOf("i32[]{0}")}), "t1[]", 9);
  EXPECT_NE(text.find("    t3[] = 6\n    the body of the loop did not run; it is t2[], from ADD\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("(1) t0[] + t1[] = 5 + 1 = 6"), std::string::npos) << text;
}

TEST(ExplainFinding, NamesElementsThatDoNotExist) {
  BlockBuilder b;
  b.Outputs({b.Add(Op::kAbs, {b.Input("i32[2,3]")}, "i32[2,3]")});
  const TestVector vector = VectorOf(GraphOf({b.block}), {TensorOf("i32[2,3]{1}")});
  EXPECT_EQ(Explained(vector, "t0[0,0]"), "step 0 has no output t0");
  for (const char* bad :
       {"t1[2,0]", "t1[0,0,0]", "t1[0]", "t1[0,-1]", "t1[0,0", "t1[0,0]x", "t1"}) {
    EXPECT_EQ(Explained(vector, bad), std::string(bad) + ": is no element of i32[2,3]");
  }
  EXPECT_EQ(PlaceOfElement(vector, 1, "t1[0,0]").error().message, "the vector has no step 1");
}

TEST(ExplainFinding, ShowsTheRuleOfAnOutcome) {
  BlockBuilder b;
  b.Outputs(
      {b.Add(Op::kReverse, {b.Input("i32[2]")}, "i32[2]", {{AttributeId::kAxis, int32_t{5}}})});
  const TestVector vector = VectorOf(GraphOf({b.block}), {TensorOf("i32[2]{1,2}")});
  Finding finding;
  finding.violation = Violation::kOutcome;
  finding.rule = "REVERSE/ERROR_IF/1";
  finding.op = Op::kReverse;
  finding.expected = "error";
  finding.got = "valid";
  const std::string text = ExplainFinding(vector, finding, 3);
  EXPECT_NE(text.find("which rule decides\n  REVERSE/ERROR_IF/1: axis < 0 || axis >= rank(shape)\n"
                      "  this condition holds, so the graph is an error:\n"
                      "  %t1:i32[2] = REVERSE(%t0) axis=5\n"),
            std::string::npos)
      << text;
}

TEST(ExplainFinding, SaysWhereATypeAndAShapeComeFrom) {
  BlockBuilder b;
  b.Outputs(
      {b.Add(Op::kReverse, {b.Input("i32[2,3]")}, "i32[2,3]", {{AttributeId::kAxis, int32_t{1}}})});
  const TestVector vector = VectorOf(GraphOf({b.block}), {TensorOf("i32[2,3]{1,2,3,4,5,6}")});
  Finding finding;
  finding.violation = Violation::kType;
  finding.op = Op::kReverse;
  finding.tensor = "t1";
  finding.expected = "i32[2,3]";
  finding.got = "i32[3,2]";
  const std::string text = ExplainFinding(vector, finding, 3);
  EXPECT_EQ(text.find("REVERSE: wrong shape\n"), 0u) << text;
  EXPECT_NE(text.find("where the type and the shape come from\n"
                      "  %t1:i32[2,3] = REVERSE(%t0) axis=1\n    %t0:i32[2,3]\n\n"
                      "what is allowed\n  only i32[2,3]\n\nwhat came back\n  i32[3,2]\n"),
            std::string::npos)
      << text;
}

TEST(ExplainFinding, SaysWhatIsAllowedAndWhy) {
  BlockBuilder b;
  b.Outputs({b.Add(Op::kAbs, {b.Input("i32[1]")}, "i32[1]")});
  TestVector vector = VectorOf(GraphOf({b.block}), {TensorOf("i32[1]{-5}")});
  // Another step with other values comes after it.
  vector.steps.push_back(vector.steps[0]);
  vector.steps[1].inputs = {TensorOf("i32[1]{-9}")};
  Finding finding;
  finding.violation = Violation::kValue;
  finding.tensor = "t1";
  finding.position = "[0]";
  finding.allowed = "exact";
  finding.expected = "5";
  finding.got = "6";
  finding.rests_on = "plain-sums";
  finding.readings = {"cast-rounding", "no reading"};
  const std::string text = ExplainFinding(vector, finding, 3);
  for (const char* words :
       {"true ? 5 : -5 = 5\n    t1[0] = 5\n", "what is allowed\n  only 5\n",
        "  the backend declares plain-sums, and only that excludes the result\n",
        "what came back\n  6\n",
        "readings of the specification that this rests on\n  cast-rounding: "}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << text;
  }
  finding.allowed = "between 4 and 5";
  EXPECT_NE(ExplainFinding(vector, finding, 3).find("allowed\n  between 4 and 5\n"),
            std::string::npos);
}

TEST(ExplainFinding, RefusesElementsOfStepsThatAreNotValid) {
  BlockBuilder b;
  b.Outputs(
      {b.Add(Op::kReverse, {b.Input("i32[2]")}, "i32[2]", {{AttributeId::kAxis, int32_t{5}}})});
  const TestVector vector = VectorOf(GraphOf({b.block}), {TensorOf("i32[2]{1,2}")});
  EXPECT_TRUE(Explained(vector, "t1[0]").starts_with("step 0 is not valid: REVERSE/ERROR_IF/1"))
      << Explained(vector, "t1[0]");
}

TEST(ExplainFinding, ShowsEachParameterOnce) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[1]"), zero_point = b.Constant("i8[1]{1}");
  b.Outputs({b.Add(Op::kNegate, {x, zero_point, zero_point}, "i8[1]")});
  EXPECT_EQ(Explained(VectorOf(GraphOf({b.block}), {TensorOf("i8[1]{5}")}), "t2[0]"),
            "  %t2:i8[1] = NEGATE(%t0,%t1,%t1)\n"
            "    t1 = i8[1]{1}, a constant\n"
            "    t0[0] = 5, input 0\n"
            "    (1) t0[0] - t1[0] = 5 - 1 = 4\n"
            "    (2) 0 - (1) = 0 - 4 = -4\n"
            "    (3) (2) + t1[0] = -4 + 1 = -3\n"
            "    (4) apply_clip_s((3), -128, 127) = apply_clip_s(-3, -128, 127) = -3\n"
            "    t2[0] = -3\n");
}

TEST(ExplainFinding, ShowsWhoWroteAVariable) {
  BlockBuilder b;
  b.Append(Op::kVariable, {}, {},
           {{AttributeId::kName, std::string("v")},
            {AttributeId::kVarShape, std::vector<int32_t>{2}},
            {AttributeId::kType, static_cast<int32_t>(DType::kFp32)}});
  const TensorIndex sum = b.Add(Op::kAbs, {b.Input("fp32[2]")}, "fp32[2]");
  const TensorIndex last = b.Add(Op::kAbs, {sum}, "fp32[2]");
  for (const TensorIndex written : {sum, last}) {
    b.Append(Op::kVariableWrite, {written}, {}, {{AttributeId::kName, std::string("v")}});
  }
  b.Outputs({sum});
  TestVector vector = VectorOf(GraphOf({b.block}), {TensorOf("fp32[2]{-3,4}")});
  ASSERT_TRUE(vector.steps[0].state_after.contains("v")) << vector.steps[0].rule;
  Finding finding;
  finding.violation = Violation::kState;
  finding.tensor = "v";
  finding.position = "[0]";
  const std::string text = ExplainFinding(vector, finding, 3);
  EXPECT_NE(text.find("VARIABLE_WRITE puts into the variable v: t2[0] = 3, from ABS\n"),
            std::string::npos)
      << text;
  finding.tensor = "w";
  EXPECT_EQ(PlaceOfFinding(vector, finding).error().message, "the vector has no variable w");
}

}  // namespace
}  // namespace assay::explain_finding_test
