// SPDX-License-Identifier: Apache-2.0
// Tests that the pass of MLIR is named that makes a result wrong.
#include "mlir_blame.h"

#include <gtest/gtest.h>

#include "backend_kind.h"
#include "files.h"
#include "judge_vector.h"
#include "mlir_helper.h"
#include "mlir_lowering.h"
#include "pipeline_cuts.h"
#include "tvec_file.h"

namespace assay::mlir_blame_test {
namespace {

TEST(PipelineCuts, EndAfterEachPass) {
  const std::vector<PipelineCut> cuts =
      CutsOf("builtin.module(a,func.func(b{x=1,2 y=f(3)},c),d{})");
  const std::pair<const char*, const char*> expected[] = {
      {"a", "builtin.module(a)"},
      {"b", "builtin.module(a,func.func(b{x=1,2 y=f(3)}))"},
      {"c", "builtin.module(a,func.func(b{x=1,2 y=f(3)},c))"},
      {"d", "builtin.module(a,func.func(b{x=1,2 y=f(3)},c),d{})"}};
  ASSERT_EQ(cuts.size(), std::size(expected));
  for (size_t i = 0; i < cuts.size(); ++i) {
    EXPECT_EQ(cuts[i].pass, expected[i].first);
    EXPECT_EQ(cuts[i].pipeline, expected[i].second);
  }
  EXPECT_TRUE(CutsOf("builtin.module()").empty());
}

TEST(PipelineCuts, AreJoined) {
  EXPECT_EQ(JoinPipelines("", ""), "builtin.module()");
  EXPECT_EQ(JoinPipelines("builtin.module(a)", "builtin.module()"), "builtin.module(a)");
  EXPECT_EQ(JoinPipelines("builtin.module(func.func(a))", "builtin.module(b,c)"),
            "builtin.module(func.func(a),b,c)");
}

TestVector VectorOf(const std::string& defect) {
  const std::string path = ASSAY_SOURCE_DIR "/corpus/findings/llvm-22/" + defect + "/vector.tvec";
  const Result<std::vector<uint8_t>> bytes = ReadFile(path);
  Result<TestVector> vector =
      bytes ? ReadTestVector(*bytes, path) : Result<TestVector>(bytes.error());
  EXPECT_TRUE(vector) << vector.error().message;
  return vector ? *vector : TestVector();
}

BlamedPass Blamed(const BackendKind& kind, std::string_view argument, const TestVector& vector) {
  const auto mlir = Open(kind, argument);
  EXPECT_TRUE(mlir);
  if (!mlir) return {};
  return (*mlir)->BlamePass(vector, [&](const std::vector<Outcome>& outcomes) {
    const Verdict verdict = JudgeVector(vector, outcomes);
    return verdict.kind == VerdictKind::kAgrees      ? Answer::kRight
           : verdict.kind == VerdictKind::kDisagrees ? Answer::kWrong
                                                     : Answer::kOther;
  });
}

struct Row {
  const char* defect;
  const BackendKind* kind;
  const char* argument;
  const char* pass;
  const char* evidence;        // a part of it
  const char *before, *after;  // parts of the modules
};

TEST(MlirBlame, NamesThePassThatChangesTheResult) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const Row rows[] = {
      // The second pass of three.
      {"clamp-to-minus-infinity-dropped", &backend::mlir_rewrite_backend,
       "builtin.module(func.func(tosa-infer-shapes,canonicalize,tosa-make-broadcastable))",
       "canonicalize", "the reference executes", "tosa.clamp", "return %arg0"},
      // A rewrite before the lowering.
      {"clamp-to-minus-infinity-dropped", &backend::mlir_backend, "canonicalize", "canonicalize",
       "the reference executes", "tosa.clamp", "return %arg0"},
      // A pass of the lowering that works on TOSA.
      {"transpose-conv2d-multiplies-no-weight", &backend::mlir_backend, "",
       "tosa-optional-decompositions", "the reference executes", "tosa.transpose_conv2d",
       "tosa.conv2d"},
      // Passes that lower the operator.
      {"max-pool-of-infinities", &backend::mlir_backend, "", "tosa-to-linalg-named",
       "lowers tosa.max_pool2d", "tosa.max_pool2d", "linalg.pooling_nhwc_max"},
      {"reduce-max-of-infinities", &backend::mlir_backend, "O2", "tosa-to-linalg",
       "lowers tosa.reduce_max", "tosa.reduce_max", "linalg.reduce"},
      // Stages behind TOSA.
      {"variable-read-sees-later-write", &backend::mlir_backend, "",
       "tosa-to-mlprogram or one-shot-bufferize", "state=arguments", "tosa.variable_write",
       "memref"},
      {"cast-i32-to-bf16-rounds-twice", &backend::mlir_backend, "", "convert-to-llvm", "apfloat",
       "arith.sitofp", "llvm.sitofp"},
  };
  for (const Row& row : rows) {
    const BlamedPass blamed = Blamed(*row.kind, row.argument, VectorOf(row.defect));
    EXPECT_EQ(blamed.pass, row.pass) << row.defect;
    EXPECT_NE(blamed.evidence.find(row.evidence), std::string::npos)
        << row.defect << ": " << blamed.evidence;
    EXPECT_NE(blamed.before.find(row.before), std::string::npos) << row.defect << ":\n"
                                                                 << blamed.before;
    EXPECT_NE(blamed.after.find(row.after), std::string::npos) << row.defect << ":\n"
                                                               << blamed.after;
  }
}

TEST(MlirBlame, BlamesNothingIfTheResultIsNotWrong) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const TestVector vector = VectorOf("max-pool-of-infinities");
  for (const Answer answer : {Answer::kRight, Answer::kOther}) {
    for (const BackendKind* kind : {&backend::mlir_backend, &backend::mlir_rewrite_backend}) {
      const auto mlir = Open(*kind, "canonicalize");
      const auto judge = [answer](const std::vector<Outcome>&) { return answer; };
      EXPECT_EQ((*mlir)->BlamePass(vector, judge).pass, "");
    }
  }
}

TEST(MlirVariants, LowerInAnotherWay) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  // Only floating point in software rounds once.
  const TestVector vector = VectorOf("cast-i32-to-bf16-rounds-twice");
  for (const char* variant : {"fuse", "copy-before-write", "affine-loops", "apfloat",
                              "scale-32-bit", "leak", "leak,apfloat"}) {
    const auto mlir = Open(backend::mlir_backend, variant);
    ASSERT_TRUE(mlir) << variant;
    EXPECT_FALSE((*mlir)->Declared().taps_used) << variant;
    const auto outcomes = (*mlir)->Run(vector);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    EXPECT_EQ((*outcomes)[0].kind, OutcomeKind::kValid) << variant << (*outcomes)[0].message;
    const bool is_right = JudgeVector(vector, *outcomes).kind == VerdictKind::kAgrees;
    EXPECT_EQ(is_right, std::string_view(variant).ends_with("apfloat")) << variant;
  }
}

TEST(MlirVariants, AreBlamedIfTheUsualLoweringIsRight) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  setenv("ASSAY_MLIR_HELPER_19", "/nonexistent/helper", 1);
  const auto mlir = Open(backend::mlir_backend, "fuse");
  // The variant is wrong, the graph cannot be read back, and the usual lowering is right.
  std::vector<Answer> answers = {Answer::kRight, Answer::kOther, Answer::kWrong};
  const BlamedPass blamed = (*mlir)->BlamePass(VectorOf("cast-i32-to-bf16-rounds-twice"),
                                               [&](const std::vector<Outcome>&) {
                                                 const Answer answer = answers.back();
                                                 answers.pop_back();
                                                 return answer;
                                               });
  EXPECT_EQ(blamed.pass, "linalg-fuse-elementwise-ops");
  EXPECT_EQ(blamed.evidence, "right in the usual lowering");
  EXPECT_NE(blamed.before.find("linalg.generic"), std::string::npos) << blamed.before;
}

}  // namespace
}  // namespace assay::mlir_blame_test
