// SPDX-License-Identifier: Apache-2.0
// Valid graphs that the backend mlir refuses: findings, unless a row of its table exempts them.
#include <gtest/gtest.h>

#include "backend_kind.h"
#include "child_process.h"
#include "executor.h"
#include "judge_vector.h"
#include "mlir_helper.h"
#include "mlir_vector.h"
#include "worked_example.h"

namespace assay::mlir_refusals_test {
namespace {

Result<TestVector> InexactRescale() {
  return VectorOfExample(Op::kRescale,
                         {"i32[1]{6} i32[1]{1073741824} i8[1]{30} i32[1]{0} i8[1]{0}",
                          "scale32=true rounding_mode=INEXACT_ROUND per_channel=false "
                          "input_unsigned=false output_unsigned=false",
                          "i8[1]{6}"});
}

TEST(MlirRefusals, AreFindingsWhereNoRowExemptsThem) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  Result<TestVector> pool =
      VectorOfExample(Op::kMaxPool2d, {"fp8e4m3[1,1,1,1]{1}",
                                       "kernel=[1,1] stride=[1,1] pad=[0,0,0,0] nan_mode=IGNORE",
                                       "fp8e4m3[1,1,1,1]{1}"});
  ASSERT_TRUE(pool);
  std::string why;
  ASSERT_TRUE(Expect(*pool, {}, &why)) << why;
  const auto judge = [&](const BackendKind& kind, std::string_view argument) {
    const auto mlir = Open(kind, argument);
    EXPECT_TRUE(mlir && (*mlir)->WhyUnsupported(*pool).empty()) << argument;
    return JudgeVector(*pool, *(*mlir)->Run(*pool));
  };
  const Verdict verdict = judge(backend::mlir_backend, "");
  ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(verdict.findings[0].violation, Violation::kOutcome);
  EXPECT_EQ(verdict.findings[0].pass, "tosa-to-linalg-named");
  // A backend without a lowering refuses nothing.
  EXPECT_EQ(judge(backend::mlir_rewrite_backend, "canonicalize").kind, VerdictKind::kAgrees);
  EXPECT_EQ(judge(backend::mlir_rewrite_backend, "validate").kind, VerdictKind::kAgrees);
}

TEST(MlirRefusals, AreExemptByOperatorTypeAndAttribute) {
  const Result<TestVector> rescale = InexactRescale();
  ASSERT_TRUE(rescale) << rescale.error().message;
  const auto is_exempt = [&](std::string_view types, std::string_view attribute,
                             std::string_view refusal) {
    const Exemption rows[] = {{Op::kCustom, "", "", "", ""},
                              {Op::kRescale, types, attribute, "a file", "words"}};
    return FindExemption(rows, rescale->graphs[0], refusal) == &rows[1];
  };
  const std::string_view refusal = "failed to legalize operation 'tosa.rescale' that is illegal";
  EXPECT_TRUE(is_exempt("", "", refusal));
  EXPECT_TRUE(is_exempt("i48 i32", "rounding_mode=INEXACT_ROUND", refusal));
  EXPECT_FALSE(is_exempt("i48", "", refusal));
  EXPECT_FALSE(is_exempt("", "rounding_mode=DOUBLE_ROUND", refusal));
  EXPECT_FALSE(is_exempt("", "", "failed to legalize operation 'tosa.rescale_more'"));
  EXPECT_FALSE(is_exempt("", "", "failed to legalize operation 'tosa.pad'"));
}

// The row covers only the lowering. A pass that validates without the extension also refuses the
// graph.
TEST(MlirRefusals, OfARewriteAreNotExempt) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const Result<TestVector> rescale = InexactRescale();
  ASSERT_TRUE(rescale) << rescale.error().message;
  const auto outcome = [&](std::string_view argument) {
    return (*(*Open(backend::mlir_backend, argument))->Run(*rescale))[0];
  };
  EXPECT_EQ(outcome("").kind, OutcomeKind::kUnsupported) << outcome("").message;
  const Outcome refused = outcome(
      "builtin.module(tosa-attach-target{specification_version=1.0 level=8k "
      "profiles=pro_int},tosa-validate)");
  EXPECT_EQ(refused.kind, OutcomeKind::kError);
  EXPECT_NE(refused.message.find("tosa.rescale"), std::string::npos) << refused.message;
}

TEST(MlirRefusals, AreShownWhereTheyAreExempt) {
  for (const char* option : {"", " --json"}) {
    const Result<ChildReport> report =
        RunChild({{"sh", "-c", std::string(ASSAY_BINARY_DIR "/assay backend show mlir") + option},
                  "",
                  {},
                  0},
                 "", {});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->status, 0) << report->errors;
    for (const Exemption& row : backend::mlir_backend.exemptions) {
      EXPECT_NE(row.source, "") << OperatorName(row.op);
      EXPECT_NE(row.words, "") << OperatorName(row.op);
      EXPECT_NE(report->output.find(row.words), std::string::npos) << report->output;
    }
  }
}

}  // namespace
}  // namespace assay::mlir_refusals_test
