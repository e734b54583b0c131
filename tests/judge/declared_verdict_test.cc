// SPDX-License-Identifier: Apache-2.0
// Tests what a declaration of a backend does to a verdict, with expectations made by hand: by the
// specification alone every element is open, under a declaration every element is exact.
#include "declared_verdict.h"

#include <gtest/gtest.h>

#include <limits>

#include "backend_kind.h"
#include "block_builder.h"
#include "declaration_names.h"
#include "judge_case.h"

namespace assay::declared_verdict_test {
namespace {

// Returns a vector of x + x for the numbers 1 and 2, as the executor expects it.
TestVector ComputedVector() {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]");
  b.Outputs({b.Add(Op::kAdd, {x, x}, "fp32[2]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.resize(1);
  vector.steps[0].inputs = {TensorOf("fp32[2]{1,2}")};
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return vector;
}

// Returns the same vector, in which every element is exact.
TestVector ExactVector() {
  TestVector vector = ComputedVector();
  vector.steps[0].outputs[0] = {TensorOf("fp32[2]{2,4}"), {}, {}, "exact"};
  return vector;
}

// Returns the same vector, of which nothing is known.
TestVector OpenVector() {
  TestVector vector = ExactVector();
  vector.steps[0].outputs[0].reference = {2, 4};
  vector.steps[0].outputs[0].error.assign(2, std::numeric_limits<double>::quiet_NaN());
  return vector;
}

// Returns expectations that are exact if `row` is declared. `asked` counts how often they are asked
// for.
Expecting ExactUnder(bool Declarations::*field, int& asked) {
  return [field, &asked](const Declarations& declared) -> std::optional<TestVector> {
    ++asked;
    return declared.*field ? ExactVector() : OpenVector();
  };
}

DeclaredVerdict JudgeWith(const TestVector& vector, std::string_view output,
                          const Declarations& declared, const Expecting& expecting) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kValid;
  outcome.outputs = {TensorOf(output)};
  return JudgeAsDeclared(vector, std::span(&outcome, 1), declared, expecting);
}

constexpr char kRight[] = "fp32[2]{2,4}", kWrong[] = "fp32[2]{2,5}";
constexpr Declarations kPlain = {.plain_sums = true}, kRounds = {.rounds_results = true};
constexpr Declarations kBoth = {.plain_sums = true, .rounds_results = true};

TEST(Declarations, AreNamedInOnePlace) {
  EXPECT_EQ(DeclarationNames({}), "");
  EXPECT_EQ(DeclarationNames({kBoth}), "plain-sums, rounds-results");
  for (const DeclarationRow& row : AllDeclarations()) {
    const std::string names[] = {std::string(row.name)};
    const Result<BackendDeclarations> named = DeclarationsNamed(names);
    ASSERT_TRUE(named);
    EXPECT_EQ(DeclarationNames(*named), row.name);
  }
  EXPECT_EQ(Union({kPlain}, {kRounds}), BackendDeclarations{kBoth});
  const std::string names[] = {"plain-sum"};
  const Result<BackendDeclarations> unknown = DeclarationsNamed(names);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, Error::Kind::kUsage);
  EXPECT_EQ(unknown.error().message,
            "no declaration is named 'plain-sum'; the nearest is plain-sums");
}

TEST(Declarations, OfTheCommandLineReachTheBackend) {
  BackendOptions options;
  options.declarations = {"rounds-results"};
  const auto backend = OpenBackend("reference", options);
  ASSERT_TRUE(backend);
  EXPECT_EQ(DeclarationNames((*backend)->Declared()), "rounds-results, taps-used");
  (*backend)->Declare({kPlain});
  EXPECT_EQ(DeclarationNames((*backend)->Declared()), "plain-sums, rounds-results, taps-used");
  options.declarations = {"rounds"};
  const auto none = OpenBackend("reference", options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "no declaration is named 'rounds'; the nearest is rounds-results");
}

TEST(DeclaredVerdict, DoesNotRestOnTaps) {
  int asked = 0;
  Declarations taps;
  taps.taps_used = true;
  const Expecting plain = ExactUnder(&Declarations::plain_sums, asked);
  EXPECT_EQ(JudgeWith(OpenVector(), kWrong, taps, plain).verdict.kind, VerdictKind::kUndecided);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(
      JudgeWith(OpenVector(), kWrong, Union({taps}, {kPlain}), plain).verdict.findings[0].rests_on,
      "plain-sums");
}

TEST(DeclaredVerdict, NamesTheDeclarationThatItRestsOn) {
  int asked = 0;
  const Expecting plain = ExactUnder(&Declarations::plain_sums, asked);
  const DeclaredVerdict wrong = JudgeWith(OpenVector(), kWrong, kPlain, plain);
  ASSERT_EQ(wrong.verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(wrong.verdict.findings[0].rests_on, "plain-sums");
  EXPECT_EQ(wrong.verdict.findings[0].position, "[1]");
  EXPECT_EQ(wrong.suspicion, "");
  // The one of two declarations that is enough is named.
  EXPECT_EQ(JudgeWith(OpenVector(), kWrong, kBoth, plain).verdict.findings[0].rests_on,
            "plain-sums");
  const Expecting rounds = ExactUnder(&Declarations::rounds_results, asked);
  EXPECT_EQ(JudgeWith(OpenVector(), kWrong, kBoth, rounds).verdict.findings[0].rests_on,
            "rounds-results");
  const Expecting both = [](const Declarations& declared) -> std::optional<TestVector> {
    return declared == kBoth ? ExactVector() : OpenVector();
  };
  EXPECT_EQ(JudgeWith(OpenVector(), kWrong, kBoth, both).verdict.findings[0].rests_on,
            "plain-sums, rounds-results");
}

TEST(Declarations, OfSubnormalNumbersExcludeEachOther) {
  const std::string names[] = {"keeps-subnormals", "flushes-subnormals"};
  const Result<BackendDeclarations> both = DeclarationsNamed(names);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().kind, Error::Kind::kUsage);
  EXPECT_EQ(both.error().message,
            "flushes-subnormals and keeps-subnormals exclude each other; declare one");
}

// Returns a vector of x + x and CEIL of x for fp16 numbers of which 2^-24 is subnormal.
TestVector SubnormalVector() {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp16[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, x}, "fp16[2]");
  b.Outputs({sum, b.Add(Op::kCeil, {x}, "fp16[2]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.resize(1);
  vector.steps[0].inputs = {TensorOf("fp16[2]{1,0.000000059604644775390625}")};
  std::string reason;
  EXPECT_TRUE(Expect(vector, {}, &reason)) << reason;
  return vector;
}

// By the specification alone, both results may be kept or flushed. So may operands of CEIL.
TEST(DeclaredVerdict, SaysThatASubnormalNumberWasKeptOrFlushed) {
  const TestVector vector = SubnormalVector();
  const auto judge = [&](std::string_view sum, std::string_view ceiling,
                         const Declarations& declared) {
    Outcome outcome;
    outcome.kind = OutcomeKind::kValid;
    outcome.outputs = {TensorOf(sum), TensorOf(ceiling)};
    return JudgeAsDeclared(vector, std::span(&outcome, 1), declared, ExpectationUnder(vector))
        .verdict;
  };
  constexpr Declarations kFlushes = {.flushes_subnormals = true};
  constexpr Declarations kKeeps = {.keeps_subnormals = true};
  constexpr char kKeptSum[] = "fp16[2]{2,0.00000011920928955078125}",
                 kFlushedSum[] = "fp16[2]{2,0}";
  constexpr char kOne[] = "fp16[2]{1,1}", kZero[] = "fp16[2]{1,0}";
  EXPECT_EQ(judge(kKeptSum, kOne, {}).kind, VerdictKind::kAgrees);
  EXPECT_EQ(judge(kKeptSum, kOne, kKeeps).kind, VerdictKind::kAgrees);
  EXPECT_EQ(judge(kFlushedSum, kZero, {}).kind, VerdictKind::kAgrees);
  EXPECT_EQ(judge(kFlushedSum, kZero, kFlushes).kind, VerdictKind::kAgrees);
  const Verdict flushed = judge(kFlushedSum, kZero, kKeeps);
  ASSERT_EQ(flushed.kind, VerdictKind::kDisagrees);
  const Finding& finding = flushed.findings[0];
  EXPECT_EQ(finding.oracle, "flushing");
  EXPECT_EQ(finding.violation, Violation::kFlush);
  EXPECT_EQ(finding.rule, "keeps-subnormals");
  EXPECT_EQ(finding.rests_on, "keeps-subnormals");
  EXPECT_EQ(finding.op, Op::kAdd);
  EXPECT_EQ(finding.expected, "all subnormal numbers of fp16 kept");
  EXPECT_EQ(finding.got, "element 1 of t1 in step 0 flushed");
  const Verdict kept = judge(kKeptSum, kOne, kFlushes);
  ASSERT_EQ(kept.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(kept.findings[0].rests_on, "flushes-subnormals");
  EXPECT_EQ(kept.findings[0].got, "element 1 of t1 in step 0 kept");
  // Results are flushed, but CEIL has read the subnormal number.
  EXPECT_EQ(judge(kFlushedSum, kOne, {}).kind, VerdictKind::kAgrees);
  const Verdict operand = judge(kFlushedSum, kOne, kFlushes);
  ASSERT_EQ(operand.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(operand.findings[0].op, Op::kCeil);
}

// Sets behind a subnormal result are smaller for a backend that declares what it does with it.
TEST(DeclaredVerdict, FollowsASubnormalNumberThroughTheGraph) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[1]");
  const TensorIndex product = b.Add(Op::kMul, {x, x, b.Constant("i8[1]{0}")}, "fp32[1]");
  b.Outputs({b.Add(Op::kCeil, {product}, "fp32[1]"),
             b.Add(Op::kGreater, {product, b.Constant("fp32[1]{0}")}, "bool[1]"),
             b.Add(Op::kReciprocal, {b.Add(Op::kAbs, {product}, "fp32[1]")}, "fp32[1]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.resize(1);
  vector.steps[0].inputs = {TensorOf("fp32[1]{7.3e-20}")};  // its square is 5.3e-39
  std::string reason;
  ASSERT_TRUE(Expect(vector, {}, &reason)) << reason;
  const auto judge = [&](std::string_view ceiling, std::string_view greater,
                         std::string_view reciprocal, const Declarations& declared) {
    Outcome outcome;
    outcome.kind = OutcomeKind::kValid;
    outcome.outputs = {TensorOf(ceiling), TensorOf(greater), TensorOf(reciprocal)};
    return JudgeAsDeclared(vector, std::span(&outcome, 1), declared, ExpectationUnder(vector))
        .verdict;
  };
  constexpr Declarations kFlushes = {.flushes_subnormals = true};
  constexpr Declarations kKeeps = {.keeps_subnormals = true};
  constexpr char kOne[] = "fp32[1]{1}", kZero[] = "fp32[1]{0}";
  constexpr char kTrue[] = "bool[1]{true}", kFalse[] = "bool[1]{false}";
  constexpr char kFinite[] = "fp32[1]{1.8765246e38}", kInfinite[] = "fp32[1]{inf}";
  EXPECT_EQ(judge(kOne, kTrue, kFinite, {}).judged_elements, 1);
  EXPECT_EQ(judge(kZero, kFalse, kInfinite, {}).judged_elements, 1);
  // The sign of the zero that RECIPROCAL reads is open.
  EXPECT_EQ(judge(kOne, kTrue, kFinite, kKeeps).judged_elements, 3);
  EXPECT_EQ(judge(kZero, kFalse, kInfinite, kFlushes).judged_elements, 2);
  for (const auto& [verdict, name] :
       {std::pair(judge(kZero, kTrue, kFinite, kKeeps), "keeps-subnormals"),
        std::pair(judge(kOne, kFalse, kFinite, kKeeps), "keeps-subnormals"),
        std::pair(judge(kOne, kTrue, kInfinite, kKeeps), "keeps-subnormals"),
        std::pair(judge(kOne, kFalse, kInfinite, kFlushes), "flushes-subnormals"),
        std::pair(judge(kZero, kTrue, kInfinite, kFlushes), "flushes-subnormals")}) {
    ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees);
    EXPECT_EQ(verdict.findings[0].rests_on, name);
  }
}

TEST(DeclaredVerdict, JudgesABoolThatFollowsFromASubnormalNumber) {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[1]");
  const TensorIndex product = b.Add(Op::kMul, {x, x, b.Constant("i8[1]{0}")}, "fp32[1]");
  b.Outputs({b.Add(Op::kGreater, {product, b.Constant("fp32[1]{0}")}, "bool[1]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.resize(1);
  vector.steps[0].inputs = {TensorOf("fp32[1]{7.3e-20}")};
  std::string reason;
  ASSERT_TRUE(Expect(vector, {}, &reason)) << reason;
  Outcome outcome;
  outcome.kind = OutcomeKind::kValid;
  outcome.outputs = {TensorOf("bool[1]{true}")};
  const Verdict verdict = JudgeAsDeclared(vector, std::span(&outcome, 1),
                                          {.flushes_subnormals = true}, ExpectationUnder(vector))
                              .verdict;
  EXPECT_EQ(verdict.kind, VerdictKind::kDisagrees);
}

TEST(DeclaredVerdict, JudgesMoreElements) {
  int asked = 0;
  const Expecting plain = ExactUnder(&Declarations::plain_sums, asked);
  const DeclaredVerdict right = JudgeWith(OpenVector(), kRight, kPlain, plain);
  EXPECT_EQ(right.verdict.kind, VerdictKind::kAgrees);
  EXPECT_EQ(right.verdict.judged_elements, 2);
  EXPECT_EQ(right.verdict.undecided_elements, 0);
  EXPECT_EQ(asked, 1);
  const DeclaredVerdict other = JudgeWith(OpenVector(), kWrong, kRounds, plain);
  EXPECT_EQ(other.verdict.kind, VerdictKind::kUndecided);
  EXPECT_EQ(other.verdict.undecided_elements, 2);
}

// A difference from the specification itself does not rest on a declaration.
TEST(DeclaredVerdict, LeavesWhatTheSpecificationDecides) {
  int asked = 0;
  const Expecting plain = ExactUnder(&Declarations::plain_sums, asked);
  const DeclaredVerdict wrong = JudgeWith(ExactVector(), kWrong, kPlain, plain);
  ASSERT_EQ(wrong.verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(wrong.verdict.findings[0].rests_on, "");
  EXPECT_EQ(JudgeWith(ExactVector(), kRight, kPlain, plain).verdict.kind, VerdictKind::kAgrees);
  EXPECT_EQ(JudgeWith(OpenVector(), kWrong, {}, plain).verdict.kind, VerdictKind::kUndecided);
  EXPECT_EQ(asked, 0);
}

TEST(DeclaredVerdict, SuspectsOnlyLatticesWithoutADeclaration) {
  int asked = 0;
  const Expecting plain = ExactUnder(&Declarations::plain_sums, asked);
  TestVector lattice = OpenVector();
  lattice.tags = {"lattice"};
  const DeclaredVerdict suspect = JudgeWith(lattice, kWrong, {}, plain);
  EXPECT_EQ(suspect.verdict.kind, VerdictKind::kUndecided);
  EXPECT_EQ(suspect.verdict.judged_elements, 0);
  EXPECT_EQ(suspect.suspicion,
            "a finding if the backend declared plain-sums: ADD fp32: wrong value (exact)");
  ASSERT_EQ(suspect.verdict.findings.size(), 1u);
  EXPECT_EQ(suspect.verdict.findings[0].rests_on, "plain-sums");
  // An answer that fits raises nothing, because nobody has declared anything.
  const DeclaredVerdict fits = JudgeWith(lattice, kRight, {}, plain);
  EXPECT_EQ(fits.suspicion, "");
  EXPECT_EQ(fits.verdict.kind, VerdictKind::kUndecided);
  EXPECT_EQ(fits.verdict.judged_elements, 0);
  // With the declaration it is a finding.
  const DeclaredVerdict declared = JudgeWith(lattice, kWrong, kPlain, plain);
  EXPECT_EQ(declared.verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(declared.suspicion, "");
}

TEST(DeclaredVerdict, ComputesExpectationsItself) {
  const TestVector vector = OpenVector();
  EXPECT_TRUE(LeavesElementsOpen(vector));
  EXPECT_FALSE(LeavesElementsOpen(ExactVector()));
  const std::optional<TestVector> computed = ExpectationUnder(vector)(kPlain);
  ASSERT_TRUE(computed);
  EXPECT_TRUE(computed->steps[0].outputs[0].error.empty());
  // 4 has a neighbor within half an ULP, unless sums are plain.
  EXPECT_EQ(ExpectationUnder(vector)({})->steps[0].outputs, ComputedVector().steps[0].outputs);
  EXPECT_FALSE(ComputedVector().steps[0].outputs[0].error.empty());
  TestVector refused = vector;
  refused.steps[0].expected = OutcomeKind::kError;
  EXPECT_FALSE(ExpectationUnder(refused)(kPlain));
}

// A backend that answers what it is given.
class Parrot : public Backend {
 public:
  explicit Parrot(std::string_view output) { outcome_.outputs = {TensorOf(output)}; }
  Result<std::vector<Outcome>> Run(const TestVector&) override {
    outcome_.kind = OutcomeKind::kValid;
    return std::vector<Outcome>{outcome_};
  }
  std::string Describe() const override { return "parrot"; }

 private:
  Outcome outcome_;
};

TEST(DeclaredVerdict, MakesACaseSuspectOrAFinding) {
  TestVector lattice = OpenVector();
  lattice.tags = {"lattice"};
  Parrot parrot(kWrong);
  const CaseResult suspect = JudgeOnce(parrot, lattice, "");
  EXPECT_EQ(suspect.state, CaseState::kSuspect);
  EXPECT_EQ(suspect.note.find("a finding if the backend declared plain-sums"), 0u) << suspect.note;
  parrot.Declare({kPlain});
  const CaseResult finding = JudgeOnBackend(parrot, {lattice, {}}, "");
  EXPECT_EQ(finding.state, CaseState::kDisagrees);
  ASSERT_EQ(finding.verdict.findings.size(), 1u);
  EXPECT_EQ(finding.verdict.findings[0].rests_on, "plain-sums");
}

}  // namespace
}  // namespace assay::declared_verdict_test
