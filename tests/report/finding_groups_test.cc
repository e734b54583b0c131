// SPDX-License-Identifier: Apache-2.0
// Tests that findings of one cause are one group, whatever operators and types they are on.
#include "finding_groups.h"

#include <gtest/gtest.h>

namespace assay::finding_groups_test {
namespace {

ReportedFinding Wrong(Op op, DType type, const char* expected, const char* got,
                      FindingCause cause = {}) {
  ReportedFinding reported;
  reported.finding.op = op;
  reported.finding.type = type;
  reported.finding.expected = expected;
  reported.finding.got = got;
  reported.cause = std::move(cause);
  return reported;
}

ReportedFinding Refused(Op op, const char* pass, const char* message) {
  ReportedFinding reported;
  reported.finding.violation = Violation::kOutcome;
  reported.finding.op = op;
  reported.finding.expected = "an answer";
  reported.finding.got = "error";
  reported.finding.pass = pass;
  reported.finding.message = message;
  return reported;
}

// Returns the findings of each group, in the order of the groups.
std::vector<std::vector<size_t>> Groups(const std::vector<ReportedFinding>& findings) {
  std::vector<std::vector<size_t>> groups;
  for (FindingGroup& group : GroupByCause(findings)) groups.push_back(std::move(group.findings));
  return groups;
}

using Expected = std::vector<std::vector<size_t>>;

TEST(FindingGroups, WrongNumbersOfAnOperatorAreOneCauseAndWrongNansAnother) {
  EXPECT_EQ(Groups({Wrong(Op::kReduceMax, DType::kFp32, "-inf", "nan"),
                    Wrong(Op::kReduceMax, DType::kInt8, "-1", "3"),
                    Wrong(Op::kReduceMax, DType::kBf16, "inf", "nan"),
                    Wrong(Op::kReduceMax, DType::kBf16, "-inf", "-3.4e+38"),
                    Wrong(Op::kReduceMin, DType::kFp32, "-inf", "nan"),
                    Wrong(Op::kReduceMin, DType::kFp32, "nan", "4")}),
            (Expected{{0, 2}, {1}, {3}, {4, 5}}));
  // An operator that is wrong for numbers of floats is wrong for infinities as well.
  EXPECT_EQ(
      Groups({Wrong(Op::kSub, DType::kFp32, "inf", "-inf"),
              Wrong(Op::kSub, DType::kBf16, "1", "-1"), Wrong(Op::kSub, DType::kInt32, "1", "-1")}),
      (Expected{{0, 1, 2}}));
}

TEST(FindingGroups, RefusalsWithOneMessageOrPassAreOneCause) {
  EXPECT_EQ(Groups({Refused(Op::kCondIf, "tosa-to-scf", "failed to legalize 'tosa.cond_if'"),
                    Refused(Op::kWhileLoop, "tosa-to-scf", "failed to legalize 'tosa.while_loop'"),
                    Refused(Op::kCondIf, "tosa-to-scf", "wrong number of indices"),
                    Refused(Op::kAdd, "", "ADD of i48 is missing"),
                    Refused(Op::kSub, "", "SUB of i32 is missing")}),
            (Expected{{0, 1}, {2}, {3, 4}}));
  // Nothing but the operator is known of two crashes.
  ReportedFinding crash = Refused(Op::kAdd, "", "signal 11");
  crash.finding.violation = Violation::kCrash;
  ReportedFinding other = crash;
  other.finding.op = Op::kSub;
  EXPECT_EQ(Groups({crash, other}), (Expected{{0}, {1}}));
}

TEST(FindingGroups, AnOperatorThatIsWrongAloneIsTheCause) {
  FindingCause of_sub;
  of_sub.alone = {Op::kSub, DType::kFp16};
  of_sub.expected = "1";
  of_sub.got = "-1";
  ReportedFinding broken = Refused(Op::kPow, "", "broke a rule");
  broken.finding.got = "unpredictable";
  broken.cause = of_sub;
  EXPECT_EQ(Groups({Wrong(Op::kEqual, DType::kBf16, "true", "false", of_sub), broken,
                    Wrong(Op::kSub, DType::kFp32, "1", "-1"),
                    Wrong(Op::kEqual, DType::kBf16, "true", "false")}),
            (Expected{{0, 1, 2}, {3}}));
}

TEST(FindingGroups, ControlFlowFollowsAnOperatorThatIsWrongElsewhere) {
  ReportedFinding loop = Wrong(Op::kWhileLoop, DType::kInt32, "4", "1");
  loop.graph_text = "%t1 = WHILE_LOOP(%i)\n  %t2 = LOGICAL_AND(%a,%b)\n  %t3 = GREATER(%a,%b)\n";
  ReportedFinding broken = Refused(Op::kAdd, "", "broke a rule");
  broken.finding.got = "unpredictable";
  broken.graph_text = "%t1 = COND_IF(%c)\n  %t2 = ADD(%a,%b)\n  %t3 = GREATER(%a,%b)\n";
  const ReportedFinding greater = Wrong(Op::kGreater, DType::kFp16, "true", "false");
  EXPECT_EQ(Groups({loop, greater, broken}), (Expected{{1, 0, 2}}));
  EXPECT_EQ(Groups({loop, broken}), (Expected{{0}, {1}}));
  // Control flow that is wrong itself runs a block with other numbers, or leaves out its variables.
  const ReportedFinding branch = Wrong(Op::kCondIf, DType::kInt32, "4", "1");
  const auto in_branch = [&](ReportedFinding finding) {
    finding.graph_text = broken.graph_text;
    return finding;
  };
  FindingCause variables;
  variables.needs_variables = true;
  const ReportedFinding variable = Wrong(Op::kVariableWrite, DType::kInt8, "0", "1", variables);
  EXPECT_EQ(Groups({in_branch(branch), broken, in_branch(variable), variable}),
            (Expected{{0, 1, 2}, {3}}));
  EXPECT_EQ(Groups({broken, in_branch(variable), variable}), (Expected{{0}, {2, 1}}));
}

ReportedFinding Accepted(Op op, const char* rule, const char* graph_text) {
  ReportedFinding reported = Wrong(op, DType::kInt8, "a refusal", "valid");
  reported.finding.violation = Violation::kOutcome;
  reported.finding.rule = rule;
  reported.graph_text = graph_text;
  return reported;
}

TEST(FindingGroups, ABrokenRuleInABlockThatIsNotRunFollowsTheControlFlowAround) {
  ReportedFinding branch = Wrong(Op::kCondIf, DType::kInt32, "4", "1");
  branch.graph_text = "%t1 = COND_IF(%c)\n";
  const ReportedFinding inside = Accepted(Op::kWhileLoop, "WHILE_LOOP/ERROR_IF/1",
                                          "%t1 = COND_IF(%c)\n%t1 = WHILE_LOOP(%i)\n");
  const ReportedFinding itself =
      Accepted(Op::kCondIf, "COND_IF/ERROR_IF/3", "%t1 = COND_IF(%c)\n%t2 = ADD(%a,%b)\n");
  EXPECT_EQ(Groups({branch, inside, itself}), (Expected{{0, 1}, {2}}));
  EXPECT_EQ(Groups({inside, itself}), (Expected{{0}, {1}}));
}

TEST(FindingGroups, ABackendThatRefusesNothingIsOneCause) {
  ReportedFinding add = Accepted(Op::kAdd, "ADD/ERROR_IF/1", "%t1 = ADD(%a,%b)\n");
  ReportedFinding sub = Accepted(Op::kSub, "SUB/ERROR_IF/1", "%t1 = SUB(%a,%b)\n");
  EXPECT_EQ(Groups({add, sub}), (Expected{{0}, {1}}));
  add.cause.refuses_nothing = sub.cause.refuses_nothing = true;
  EXPECT_EQ(Groups({add, Wrong(Op::kSub, DType::kInt8, "1", "2"), sub}), (Expected{{0, 2}, {1}}));
}

// A tensor may be a variable, so that nothing but the operator reads or writes it.
TEST(FindingGroups, AVariableFollowsTheOneOperatorThatGivesIt) {
  FindingCause variables;
  variables.needs_variables = true;
  ReportedFinding given = Wrong(Op::kIdentity, DType::kInt8, "1", "0", variables);
  given.graph_text = "  variable %v0:i8[] of \"v0\"\n  %v0:i8[] = IDENTITY(%i0)\n";
  EXPECT_EQ(Groups({given, Wrong(Op::kIdentity, DType::kFp16, "1", "0")}), (Expected{{1, 0}}));
  ReportedFinding type = Wrong(Op::kVariable, DType::kInt8, "i8[2]", "fp16[2]", variables);
  type.finding.violation = Violation::kType;
  EXPECT_EQ(Groups({given, type}), (Expected{{1, 0}}));
}

TEST(FindingGroups, FoldingAndVariablesAreCausesOfTheirOwn) {
  FindingCause folds, variables;
  folds.needs_constants = true;
  variables.needs_variables = true;
  EXPECT_EQ(Groups({Wrong(Op::kMul, DType::kInt8, "4", "1"),
                    Wrong(Op::kMul, DType::kInt8, "4", "1", folds),
                    Wrong(Op::kMul, DType::kFp16, "4", "1", variables),
                    Wrong(Op::kAdd, DType::kFp16, "nan", "1", variables)}),
            (Expected{{0}, {1}, {2, 3}}));
  ReportedFinding read = Wrong(Op::kRescale, DType::kInt32, "46", "62");
  read.graph_text = "  %t1:i8[1] = VARIABLE_READ() name=\"v\"\n";
  const ReportedFinding variable = Wrong(Op::kMul, DType::kFp16, "4", "1", variables);
  EXPECT_EQ(Groups({variable, read}), (Expected{{0}, {1}}));
  read.finding.taps = "RESCALE";
  EXPECT_EQ(Groups({variable, read}), (Expected{{0, 1}}));
  read.finding.taps.clear();
  read.repeats = false;
  EXPECT_EQ(Groups({variable, read}), (Expected{{0, 1}}));
}

TEST(FindingGroups, AFaultThatOperatorsShareIsOneCause) {
  const auto like = [](std::vector<std::string> ids) {
    FindingCause cause;
    cause.looks_like = std::move(ids);
    return cause;
  };
  const FindingCause zero_points = like({"ignored-zero-point", "matmul/negated"});
  EXPECT_EQ(Groups({Wrong(Op::kMatmul, DType::kInt8, "4", "1", zero_points),
                    Wrong(Op::kConv2d, DType::kInt8, "4", "1", zero_points),
                    Wrong(Op::kNegate, DType::kInt8, "4", "1", like({"matmul/negated"}))}),
            (Expected{{0, 1}, {2}}));
  // One operator alone shares nothing.
  EXPECT_EQ(GroupByCause({Wrong(Op::kMatmul, DType::kInt8, "4", "1", zero_points)})[0].title,
            "MATMUL: wrong number");
  // Every finding on an operator has to look like it.
  EXPECT_EQ(Groups({Wrong(Op::kMatmul, DType::kInt8, "4", "1", zero_points),
                    Wrong(Op::kConv2d, DType::kInt8, "4", "1", zero_points),
                    Wrong(Op::kConv2d, DType::kFp32, "4", "1")}),
            (Expected{{0}, {1, 2}}));
  const FindingGroup group =
      GroupByCause({Wrong(Op::kMatmul, DType::kInt8, "4", "1", zero_points),
                    Wrong(Op::kConv2d, DType::kInt8, "4", "1", zero_points)})[0];
  EXPECT_EQ(group.title, "input zero points are taken as 0");
}

TEST(FindingGroups, FlushesAreOneCauseOnAllOperators) {
  ReportedFinding flush =
      Wrong(Op::kAdd, DType::kFp16, "all flushed, or none", "1 kept, 2 flushed");
  flush.finding.violation = Violation::kFlush;
  ReportedFinding cast = Wrong(Op::kCast, DType::kFp32, "0.001953125", "0");
  cast.finding.tensor = "t1";
  cast.graph_text = "  %t1:fp8e4m3[2] = CAST(%i0)\n";
  EXPECT_EQ(Groups({flush, cast, Wrong(Op::kReverse, DType::kFp8e5m2, "-3.0517578e-05", "-0"),
                    // A normal number, another result than zero, and an operand that is lost.
                    Wrong(Op::kCast, DType::kFp32, "0.001953125", "0"),
                    Wrong(Op::kTile, DType::kFp8e5m2, "3.0517578e-05", "1.5258789e-05"),
                    Wrong(Op::kTile, DType::kFp8e5m2, "0", "0")}),
            (Expected{{0, 1, 2}, {3}, {4, 5}}));
  // An operator that loses numbers loses subnormal numbers as well.
  const ReportedFinding lost = Wrong(Op::kAdd, DType::kFp32, "2", "0");
  EXPECT_EQ(Groups({flush, lost}), (Expected{{0, 1}}));
  EXPECT_EQ(Groups({flush, lost, cast}), (Expected{{0, 2}, {1}}));
}

TEST(FindingGroups, AWrongRankIsOneCauseOnAllOperators) {
  const auto shape = [](Op op, const char* expected, const char* got) {
    ReportedFinding wrong = Wrong(op, DType::kFp32, expected, got);
    wrong.finding.violation = Violation::kType;
    return wrong;
  };
  EXPECT_EQ(Groups({shape(Op::kAdd, "fp32[2,31]", "fp32[2,31,1]"),
                    shape(Op::kReverse, "i8[]", "i8[1]"), shape(Op::kTile, "i8[1,2]", "i8[2]"),
                    shape(Op::kTile, "i8[2]", "i8[2,2]"), shape(Op::kTile, "i8[1]", "i4[1,1]")}),
            (Expected{{0, 1, 2}, {3, 4}}));
}

TEST(FindingGroups, TheSmallestVectorComesFirstAndNamesAreStable) {
  std::vector<ReportedFinding> findings = {Wrong(Op::kSub, DType::kFp32, "1", "-1"),
                                           Wrong(Op::kSub, DType::kInt32, "1", "-1")};
  findings[0].graph_text = "one\ntwo\nthree\n";
  findings[1].graph_text = "one\ntwo two two two\n";
  findings[0].seen = 5;
  const FindingGroup group = GroupByCause(findings)[0];
  EXPECT_EQ(group.findings, (std::vector<size_t>{1, 0}));
  EXPECT_EQ(group.name, "sub-wrong-number-6fb510da");
  EXPECT_EQ(SeenBy(group, findings), 6);
  findings.erase(findings.begin());
  EXPECT_EQ(GroupByCause(findings)[0].name, group.name);
}

}  // namespace
}  // namespace assay::finding_groups_test
