// SPDX-License-Identifier: Apache-2.0
// Tests the lowerings of MLIR that are not exchanged passes of the usual one: `stock`, `vectorize`
// and `emitc`.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "backend_kind.h"
#include "child_process.h"
#include "judge_vector.h"
#include "mlir_client.h"
#include "mlir_helper.h"
#include "mlir_lowering.h"
#include "worked_example.h"

namespace assay::mlir_variants_test {
namespace {

TestVector ExampleOf(Op op, const ops::Example& example) {
  Result<TestVector> vector = VectorOfExample(op, example);
  EXPECT_TRUE(vector) << vector.error().message;
  return vector ? std::move(*vector) : TestVector();
}

// EXP of 6 elements is a vector of 4 and a rest of 2.
TestVector Exponentials() {
  return ExampleOf(Op::kExp, {"fp32[6]{0,0,-inf,inf,0,nan}", "", "fp32[6]{1,1,0,inf,1,nan}"});
}

std::vector<std::string> Variants() {
  std::vector<std::string> variants = {"stock", "vectorize", "vectorize-promoted,leak"};
  for (const std::string compiler : {"gcc", "clang"}) {
    const char* const program = compiler == "gcc" ? "gcc" : "clang";
    if (!RunChild({{program, "--version"}, "", {}, 0}, "", {})) continue;
    variants.push_back("emitc=" + compiler);
    variants.push_back("emitc=" + compiler + ",O2,fuse");
  }
  return variants;
}

TEST(MlirVariants, RunThroughOtherPassesAndCompilers) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const TestVector vectors[] = {
      Exponentials(),
      // No function of libm, and one that EmitC does not know.
      ExampleOf(Op::kRsqrt, {"fp32[1]{4}", "", "fp32[1]{0.5}"}),
      ExampleOf(Op::kTanh, {"fp32[1]{0}", "", "fp32[1]{0}"}),
      ExampleOf(Op::kMatmul,
                {"i8[1,1,2]{3,-4} i8[1,2,1]{5,6} i8[1]{1} i8[1]{2}", "", "i32[1,1,1]{-14}"}),
      ExampleOf(Op::kAdd, {"i32[2]{2147483647,1} i32[2]{-2147483648,2}", "", "i32[2]{-1,3}"})};
  for (const std::string& variant : Variants()) {
    const auto mlir = Open(backend::mlir_backend, variant);
    ASSERT_TRUE(mlir) << mlir.error().message;
    EXPECT_FALSE((*mlir)->Declared().taps_used) << variant;
    for (const TestVector& vector : vectors) {
      const auto outcomes = (*mlir)->Run(vector);
      ASSERT_TRUE(outcomes) << outcomes.error().message;
      EXPECT_EQ(JudgeVector(vector, *outcomes).kind, VerdictKind::kAgrees)
          << variant << ": " << (*outcomes)[0].message;
    }
  }
}

// LLVM's vectorizer makes an invalid module of a loop of one iteration.
TEST(MlirVariants, RemoveLoopsOfOneIteration) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const TestVector one_tap =
      ExampleOf(Op::kMaxPool2d,
                {"i8[1,1,1,1]{3}", "kernel=[1,1] stride=[1,1] pad=[0,0,0,0]", "i8[1,1,1,1]{3}"});
  for (const bool promoted : {false, true}) {
    const auto mlir = Open(backend::mlir_backend, promoted ? "vectorize-promoted" : "vectorize");
    ASSERT_TRUE(mlir) << mlir.error().message;
    const auto outcomes = (*mlir)->Run(one_tap);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    EXPECT_EQ(JudgeVector(one_tap, *outcomes).kind == VerdictKind::kAgrees, promoted)
        << (*outcomes)[0].message;
  }
}

TEST(MlirVariants, AreNamedInRefusals) {
  const auto refusal = [](std::string_view argument) {
    const auto mlir = Open(backend::mlir_backend, argument);
    return mlir ? "opened" : mlir.error().message;
  };
  EXPECT_EQ(refusal("stock,fuse"),
            "mlir: `stock` is a lowering of its own, which goes with no other variant");
  EXPECT_EQ(refusal("leak,emitc=gcc"),
            "mlir: `emitc` takes no stages behind the loops, so it does not go with 'leak'");
  EXPECT_EQ(refusal("emitc=gcc,vectorize"),
            "mlir: `emitc` takes no stages behind the loops, so it does not go with 'vectorize'");
}

TEST(MlirVariants, LeaveOutWhatTheyCannotExpress) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const TestVector fp8 = ExampleOf(Op::kCast, {"fp8e4m3[1]{1}", "", "fp16[1]{1}"});
  EXPECT_EQ((*Open(backend::mlir_backend, "vectorize"))->WhyUnsupported(fp8), "fp8 in vectors");

  const auto emitc = Open(backend::mlir_backend, "emitc=gcc");
  if (!emitc) GTEST_SKIP() << emitc.error().message;
  // EmitC has no arrays of rank 0.
  const auto outcomes = (*emitc)->Run(ExampleOf(Op::kAbs, {"i32[]{-1}", "", "i32[]{1}"}));
  ASSERT_TRUE(outcomes) << outcomes.error().message;
  EXPECT_EQ((*outcomes)[0].kind, OutcomeKind::kUnsupported);
  EXPECT_TRUE((*outcomes)[0].message.starts_with("EmitC: ")) << (*outcomes)[0].message;
}

// Runs modules with a client of the helper, in whose folder for files nothing may stay.
class MlirC : public testing::Test {
 protected:
  void SetUp() override {
    if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
    folder_ = testing::TempDir() + "mlir_c_" + std::to_string(getpid());
    std::filesystem::create_directory(folder_);
    setenv("TMPDIR", folder_.c_str(), 1);
    setenv("ASSAY_MLIR_HELPER", kHelper, 1);
    Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
    ASSERT_TRUE(client) << client.error().message;
    client_ = std::move(*client);
  }
  void TearDown() override {
    if (folder_.empty()) return;
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    unsetenv("TMPDIR");
    std::filesystem::remove_all(folder_);
  }

  mlir_message::Reply Ask(const std::string& module, const std::string& compiler,
                          uint32_t wall_ms) {
    mlir_message::Request request;
    request.module = module;
    request.lowering = LoweringForEmitC([](size_t) { return false; });
    request.c_compiler = compiler;
    request.wall_ms = wall_ms;
    request.cpu_seconds = 60;
    request.calls = {{std::string(4, '\1')}, {std::string(4, '\1')}};
    Result<mlir_message::Reply> reply = client_->Ask(request);
    EXPECT_TRUE(reply) << reply.error().message;
    return reply ? std::move(*reply) : mlir_message::Reply();
  }

  std::string folder_;
  std::unique_ptr<MlirClient> client_;
};

// Adds to a global, and returns the sum.
constexpr const char* kSum = R"(
  memref.global "private" @sum : memref<1xi32> = dense<5>
  func.func @main(%a: tensor<1xi32>) -> tensor<1xi32> {
    %0 = arith.constant 0 : index
    %m = memref.get_global @sum : memref<1xi32>
    %s = memref.load %m[%0] : memref<1xi32>
    %x = tensor.extract %a[%0] : tensor<1xi32>
    %r = arith.addi %s, %x : i32
    memref.store %r, %m[%0] : memref<1xi32>
    %t = tensor.from_elements %r : tensor<1xi32>
    return %t : tensor<1xi32> })";

TEST_F(MlirC, KeepsStateBetweenCalls) {
  if (!RunChild({{"gcc", "--version"}, "", {}, 0}, "", {})) GTEST_SKIP() << "no gcc";
  for (int request = 0; request < 2; ++request) {  // each begins with the initial value
    const mlir_message::Reply reply = Ask(kSum, "gcc", 120000);
    ASSERT_EQ(reply.calls.size(), 2u) << reply.detail;
    EXPECT_EQ(reply.calls[0][0], std::string("\6\1\1\1", 4));
    EXPECT_EQ(reply.calls[1][0], std::string("\7\2\2\2", 4));
  }
}

// `true` makes no library.
TEST_F(MlirC, NamesTheCompiler) {
  mlir_message::Reply reply = Ask(kSum, "false", 120000);
  EXPECT_EQ(reply.stage, mlir_message::Stage::kJit);
  EXPECT_EQ(reply.phase, "false");
  EXPECT_EQ(reply.detail, "exit status 1");
  reply = Ask(kSum, "true", 120000);
  EXPECT_EQ(reply.stage, mlir_message::Stage::kJit);
  EXPECT_NE(reply.detail.find("module.so: cannot open"), std::string::npos) << reply.detail;
}

TEST_F(MlirC, EndsACompilerThatDoesNot) {
  const std::string slow = folder_ + "/slow";
  const auto write = [&] {
    FILE* file = fopen(slow.c_str(), "w");
    fputs("#!/bin/sh\necho > \"$TMPDIR/left\"\nexec sleep 1000\n", file);
    fclose(file);
    std::filesystem::permissions(slow, std::filesystem::perms::owner_all);
  };
  write();
  const mlir_message::Reply reply = Ask(kSum, slow, 5000);
  EXPECT_EQ(reply.stage, mlir_message::Stage::kTimedOut);
  EXPECT_EQ(reply.detail, "no answer within 5000 ms");
  std::filesystem::remove(slow);
}

TEST(MlirVariants, AreBlamed) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  setenv("ASSAY_MLIR_HELPER_19", "/nonexistent/helper", 1);
  // The reference judges each cut of the passes on TOSA, and the graph is right there.
  const auto blamed = [&](std::string_view variant, std::vector<Answer> answers) {
    const auto mlir = Open(backend::mlir_backend, variant);
    EXPECT_TRUE(mlir);
    size_t next = 0;
    const BlamedPass pass = (*mlir)->BlamePass(Exponentials(), [&](const std::vector<Outcome>&) {
      return next < answers.size() ? answers[next++] : Answer::kWrong;
    });
    return pass.pass + ": " + pass.evidence;
  };
  using enum Answer;
  // Wrong; the module cannot be judged; the usual lowering is right.
  EXPECT_EQ(blamed("stock", {kWrong, kOther, kRight}),
            "a pass of the stock pipeline: right in the usual lowering");
  EXPECT_EQ(blamed("vectorize", {kWrong, kOther, kRight}),
            "affine-super-vectorize: right in the usual lowering");
  if (Variants().size() != 7) GTEST_SKIP() << "no gcc or clang";
  EXPECT_EQ(blamed("emitc=gcc,O2", {kWrong, kOther, kRight, kRight}), "gcc at O2: right at O0");
  EXPECT_EQ(blamed("emitc=gcc", {kWrong, kOther, kRight, kWrong, kRight}), "gcc: right with clang");
  EXPECT_EQ(blamed("emitc=clang", {kWrong, kOther, kRight, kWrong, kWrong}),
            "convert-to-emitc: right in the usual lowering, wrong at O0 and O2, and with gcc");
}

}  // namespace
}  // namespace assay::mlir_variants_test
