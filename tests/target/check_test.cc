// SPDX-License-Identifier: Apache-2.0
// Tests of graphs against targets: one way to be outside for each test.
#include <gtest/gtest.h>

#include "block_builder.h"
#include "target_check.h"
#include "target_file.h"

namespace assay::check_test {
namespace {

Target TargetWith(const std::string& fields) {
  const Result<Target> target = ReadTarget("{\"assay_target\": 1, " + fields + "}", "t.json");
  EXPECT_TRUE(target) << target.error().message;
  return *target;
}

Target WithOperators(const std::string& operators) {
  return TargetWith("\"operators\": {" + operators + "}");
}

TestVector VectorOf(const Block& block) {
  TestVector vector;
  vector.graphs = {GraphOf({block})};
  vector.steps.emplace_back();
  return vector;
}

std::vector<std::string> Lines(const Target& target, const TestVector& vector) {
  std::vector<std::string> lines;
  for (const Misfit& misfit : Misfits(target, vector)) lines.push_back(misfit.ToString());
  return lines;
}
using Texts = std::vector<std::string>;

// A CONV2D of i8, with a kernel of 9x3, stride 2 and weights that are an input.
TestVector Convolution() {
  BlockBuilder b;
  const TensorIndex in = b.Input("i8[1,9,3,1]"), weight = b.Input("i8[1,9,3,1]");
  const TensorIndex bias = b.Constant("i32[1]{0}");
  const TensorIndex input_zp = b.Constant("i8[1]{0}"), weight_zp = b.Constant("i8[1]{0}");
  b.Outputs({b.Add(Op::kConv2d, {in, weight, bias, input_zp, weight_zp}, "i32[1,1,1,1]",
                   {{AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
                    {AttributeId::kStride, std::vector<int32_t>{2, 2}},
                    {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
                    {AttributeId::kAccType, static_cast<int32_t>(DType::kInt32)},
                    {AttributeId::kLocalBound, false}})});
  return VectorOf(b.block);
}

TestVector Copy(const std::string& type) {
  BlockBuilder b;
  b.Outputs({b.Add(Op::kIdentity, {b.Input(type)}, type)});
  return VectorOf(b.block);
}

TEST(TargetCheck, TakesEverythingWithoutRestrictions) {
  EXPECT_EQ(Lines({}, Convolution()), Texts());
  EXPECT_EQ(Lines(WithOperators("\"CONV2D\": {}"), Convolution()), Texts());
}

TEST(TargetCheck, NamesAnOperatorThatTheTargetLacks) {
  EXPECT_EQ(Lines(WithOperators("\"ADD\": {}"), Convolution()),
            Texts{"CONV2D %t5: an operator that the target lacks"});
}

TEST(TargetCheck, NamesTypesOutsideTheRows) {
  EXPECT_EQ(Lines(WithOperators(R"("CONV2D": {"types": ["i16", "fp16"]})"), Convolution()),
            Texts{"CONV2D %t5: type i8, the target has i16, fp16"});
  EXPECT_EQ(Lines(WithOperators(R"("CONV2D": {"types": [{"in_t": "i16"}]})"), Convolution()),
            Texts{"CONV2D %t5: types i8, i8, i32, i8, i8 to i32, which the target does not list "
                  "for CONV2D"});
  EXPECT_EQ(
      Lines(WithOperators(R"("CONV2D": {"types": ["i16", {"weight_t": "i8"}]})"), Convolution()),
      Texts());
  EXPECT_EQ(
      Lines(WithOperators(R"("CONV2D": {"types": [{"inputs": ["i8", "i4"]}]})"), Convolution())
          .size(),
      1u);
}

TEST(TargetCheck, NamesNumbersOutsideTheirRanges) {
  const std::string ranges =
      R"({"kernel": {"max": 8}, "stride": {"min": 3, "max": 4}, "dilation": {"min": 2},
          "rank": {"values": [1, 2]}, "local_bound": {"values": [true]}, "pad": {"max": 0}})";
  const Texts reasons = {"CONV2D %t5: kernel 9x3, the target has at most 8",
                         "CONV2D %t5: stride 2x2, the target has from 3 to 4",
                         "CONV2D %t5: dilation 1x1, the target has at least 2",
                         "CONV2D %t5: rank 4, the target has only 1, 2",
                         "CONV2D %t5: local_bound false, the target has only true"};
  EXPECT_EQ(Lines(WithOperators(R"("CONV2D": {"ranges": )" + ranges + "}"), Convolution()),
            reasons);
  // The ranges of the types that fit count as well, those of others do not.
  const std::string by_type = R"("CONV2D": {"types": [{"in_t": "i16", "ranges": )" + ranges +
                              R"(}, {"in_t": "i8", "ranges": {"stride": {"max": 1}}}]})";
  EXPECT_EQ(Lines(WithOperators(by_type), Convolution()),
            Texts{"CONV2D %t5: stride 2x2, the target has at most 1"});
}

TEST(TargetCheck, NamesEnumeratorsInItsReasons) {
  BlockBuilder b;
  b.Outputs({b.Add(
      Op::kReduceMax, {b.Input("fp32[2]")}, "fp32[1]",
      {{AttributeId::kAxis, 0}, {AttributeId::kNanMode, static_cast<int32_t>(NanMode::kIgnore)}})});
  const Target target =
      WithOperators(R"("REDUCE_MAX": {"ranges": {"nan_mode": {"values": ["PROPAGATE"]}}})");
  const std::vector<Misfit> misfits = Misfits(target, VectorOf(b.block));
  ASSERT_EQ(misfits.size(), 1u);
  EXPECT_EQ(misfits[0].brief, "REDUCE_MAX with nan_mode=IGNORE");
}

TEST(TargetCheck, KnowsConstantsAndOperandsThatMustBeConstants) {
  EXPECT_EQ(Lines(WithOperators(R"("CONV2D": {"constants": ["weight", "bias"]})"), Convolution()),
            Texts{"CONV2D %t5: weight is no constant, the target takes only constants"});
  BlockBuilder b;
  b.Outputs({b.Add(Op::kTile, {b.Input("i8[2]"), b.Constant("shape[1]{3}")}, "i8[6]")});
  const auto tile = [](const std::string& range) {
    return WithOperators(R"("TILE": {"ranges": {"multiples": )" + range + "}}");
  };
  EXPECT_EQ(Lines(tile(R"({"max": 2})"), VectorOf(b.block)),
            Texts{"TILE %t2: multiples 3, the target has at most 2"});
  EXPECT_EQ(Lines(tile(R"({"max": 3})"), VectorOf(b.block)), Texts());
}

TEST(TargetCheck, NamesProfilesAndLevelsThatTheTargetLacks) {
  EXPECT_EQ(Lines(TargetWith(R"("profiles": ["PRO-FP"])"), Convolution()),
            Texts{"CONV2D %t5: needs PRO-INT, which the target lacks"});
  EXPECT_EQ(Lines(TargetWith(R"("profiles": ["PRO-INT"], "extensions": [])"), Convolution()),
            Texts());
  TestVector vector = Convolution();
  vector.level = "none";
  EXPECT_EQ(Lines(TargetWith(R"("level": "8K")"), vector),
            Texts{"level none, the target has level 8K"});
}

TEST(TargetCheck, NamesTensorsThatAreTooLargeOrOfAnotherType) {
  const auto lines = [](const std::string& fields, const std::string& type) {
    return Lines(TargetWith(fields), Copy(type));
  };
  EXPECT_EQ(lines(R"("limits": {"rank": 2})", "i8[1,1,1]"),
            (Texts{"tensor %t0: rank 3, the target has at most 2",
                   "tensor %t1: rank 3, the target has at most 2"}));
  EXPECT_EQ(lines(R"("limits": {"dimension": 6})", "i8[7,8]").at(0),
            "tensor %t0: dimension 7, the target has at most 6");
  EXPECT_EQ(lines(R"("limits": {"elements": 55})", "i8[7,8]").at(0),
            "tensor %t0: elements 56, the target has at most 55");
  EXPECT_EQ(lines(R"("limits": {"elements": 56})", "i8[7,8]"), Texts());
  EXPECT_EQ(lines(R"("types": ["i32", "fp32"])", "i8[7]").at(0),
            "tensor %t0: type i8, the target has i32, fp32");
}

TEST(TargetCheck, CountsGraphsConstantsAndNesting) {
  TestVector vector = Convolution();
  EXPECT_EQ(Lines(TargetWith(R"("limits": {"constant_bytes": 5})"), vector),
            Texts{"constants of 6 bytes, the target has at most 5"});
  vector.graphs.push_back(vector.graphs[0]);
  EXPECT_EQ(Lines(TargetWith(R"("limits": {"graphs": 1})"), vector),
            Texts{"2 graphs, the target has at most 1"});
  EXPECT_EQ(Lines(WithOperators("\"ADD\": {}"), vector).at(1),
            "graph 1: CONV2D %t5: an operator that the target lacks");
}

TEST(TargetCheck, KnowsStateAndControlFlow) {
  BlockBuilder b;
  const TensorIndex variable = b.Variable("v", "i8[1]");
  b.Outputs({b.Add(Op::kIdentity, {variable}, "i8[1]")});
  EXPECT_EQ(Lines(TargetWith(R"("variable_tensors": false)"), VectorOf(b.block)),
            Texts{"tensor %v: variable=true, the target has no variable tensors"});
  BlockBuilder main, then("then"), nested("nested");
  nested.Outputs({nested.Add(Op::kIdentity, {nested.Input("i8[1]")}, "i8[1]")});
  const auto add_if = [](BlockBuilder& builder, const std::string& callee) {
    const TensorIndex condition = builder.Constant("bool[]{true}");
    builder.Outputs(
        {builder.Add(Op::kCondIf, {condition, builder.Input("i8[1]")}, "i8[1]",
                     {{AttributeId::kThenGraph, callee}, {AttributeId::kElseGraph, callee}})});
  };
  add_if(then, "nested");
  add_if(main, "then");
  TestVector vector;
  vector.graphs = {GraphOf({main.block, then.block, nested.block})};
  EXPECT_EQ(Lines(TargetWith(R"("limits": {"nesting": 2})"), vector), Texts());
  EXPECT_EQ(Lines(TargetWith(R"("limits": {"nesting": 1})"), vector),
            Texts{"control flow: nesting 2, the target has at most 1"});
  EXPECT_EQ(Lines(TargetWith(R"("control_flow": false)"), vector).size(), 2u);
}

TEST(TargetCheck, FindsTheRowsWithinATarget) {
  const auto rows = [](const Target& target, Op op) { return TypeRowsWithin(target, op); };
  EXPECT_EQ(rows({}, Op::kConv2d), 0x1ffu) << "nine rows";
  EXPECT_EQ(rows(WithOperators(R"("CONV2D": {"types": ["i8"]})"), Op::kConv2d), 3u)
      << "weights of i8 and of i4";
  EXPECT_EQ(rows(WithOperators(R"("CONV2D": {"types": [{"in_t": "i8", "weight_t": "i8"}]})"),
                 Op::kConv2d),
            1u);
  EXPECT_EQ(rows(WithOperators(R"("CONV2D": {})"), Op::kAdd), 0u);
  EXPECT_EQ(rows(TargetWith(R"("profiles": ["PRO-INT"], "extensions": [])"), Op::kConv2d), 1u);
  EXPECT_EQ(rows(TargetWith(R"("types": ["i8", "i32"])"), Op::kConv2d), 1u);
  EXPECT_EQ(rows(TargetWith(R"("control_flow": false)"), Op::kCondIf), 0u);
}

}  // namespace
}  // namespace assay::check_test
