// SPDX-License-Identifier: Apache-2.0
// Tests the TOSA dialect of LLVM 19, and the backend mlir@19 where it is installed.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "backend_kind.h"
#include "block_builder.h"
#include "files.h"
#include "judge_vector.h"
#include "mlir_backend.h"
#include "mlir_helper.h"
#include "mlir_writer.h"
#include "operator_set.h"
#include "operator_table.h"
#include "tvec_file.h"
#include "worked_example.h"

namespace assay::backend {
extern const BackendKind mlir_19_backend;
}

namespace assay::mlir_19_test {
namespace {

constexpr const char* kHelper19 = ASSAY_BINARY_DIR "/assay-mlir-helper-19";

// Returns the text of a hand-worked example, or why the dialect cannot express it.
std::string TextOf(Op op, const ops::Example& example) {
  const Result<TestVector> vector = VectorOfExample(op, example);
  if (!vector) return vector.error().message;
  const Result<std::string> text = WriteMlir(vector->graphs[0], MlirDialect::kLlvm19);
  return text ? *text : text.error().message;
}

TEST(LegacyMlir, HasAttributesInPlaceOfShapesZeroPointsAndShifts) {
  struct Row {
    Op op;
    ops::Example example;
    const char* part;
  };
  const Row rows[] = {
      {Op::kMul,
       {"i32[1]{3} i32[1]{5} i8[1]{1}", "", "i32[1]{8}"},
       "\"tosa.mul\"(%0, %1) <{shift = 1 : i8}> : (tensor<1xi32>, tensor<1xi32>) -> "},
      {Op::kNegate,
       {"i8[1]{3} i8[1]{-1} i8[1]{2}", "", "i8[1]{-2}"},
       "quantization_info = #tosa.unary_quant<input_zp = -1, output_zp = 2>"},
      {Op::kConv2d,
       {"i16[1,1,1,1]{2} i8[1,1,1,1]{3} i48[1]{0} i16[1]{0} i8[1]{0}",
        "pad=[0,0,0,0] stride=[1,1] dilation=[1,1] acc_type=i48", "i48[1,1,1,1]{6}"},
       "<{quantization_info = #tosa.conv_quant<input_zp = 0, weight_zp = 0>, pad = array<i64: "},
      {Op::kPad,
       {"i8[2]{1,2} shape[2]{1,2} i8[1]{9}", "", "i8[5]{9,1,2,9,9}"},
       "\"tosa.const\"() <{value = dense<[[1, 2]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>"},
      {Op::kTile, {"i8[1]{1} shape[1]{2}", "", "i8[2]{1,1}"}, "<{multiples = array<i64: 2>}>"},
      {Op::kSlice,
       {"i8[3]{1,2,3} shape[1]{1} shape[1]{2}", "", "i8[2]{2,3}"},
       "<{start = array<i64: 1>, size = array<i64: 2>}> : (tensor<3xi8>) -> (tensor<2xi8>)"},
      {Op::kTranspose,
       {"i8[1,2]{1,2}", "perms=[1,0]", "i8[2,1]{1,2}"},
       "value = dense<[1, 0]> : tensor<2xi32>"},
      {Op::kClamp,
       {"fp16[1]{3}", "min_val=fp16[]{-1} max_val=fp16[]{1} nan_mode=PROPAGATE", "fp16[1]{1}"},
       "min_int = 0 : i64, min_fp = 0xBC00 : f16, max_int = 0 : i64, max_fp = 0x3C00 : f16"},
      {Op::kReduceProduct, {"fp32[2]{2,3}", "axis=0", "fp32[1]{6}"}, "\"tosa.reduce_prod\""},
  };
  for (const Row& row : rows) {
    const std::string text = TextOf(row.op, row.example);
    EXPECT_NE(text.find(row.part), std::string::npos) << text;
  }
}

// Returns a graph that returns what the variable "v" holds, and then writes its input there.
Graph Exchange() {
  BlockBuilder b;
  const Attributes v = {{AttributeId::kName, std::string("v")}};
  b.Append(Op::kVariable, {}, {},
           {{AttributeId::kName, std::string("v")},
            {AttributeId::kVarShape, std::vector<int32_t>{2}},
            {AttributeId::kType, static_cast<int32_t>(DType::kInt8)},
            {AttributeId::kInitialValue, Tensor::Splat(DType::kInt8, {2}, 7)}});
  const TensorIndex in = b.Input("i8[2]");
  b.Outputs({b.Add(Op::kVariableRead, {}, "i8[2]", v)});
  b.Append(Op::kVariableWrite, {in}, {}, v);
  return GraphOf({b.block});
}

TEST(LegacyMlir, NamesVariablesWithTheirTypes) {
  const Result<std::string> text = WriteMlir(Exchange(), MlirDialect::kLlvm19);
  ASSERT_TRUE(text) << text.error().message;
  for (const char* line :
       {"\"tosa.variable\"() <{initial_value = dense<[7, 7]> : tensor<2xi8>, name = \"v\", type = "
        "tensor<2xi8>}> : () -> ()\n",
        "%1 = \"tosa.variable.read\"() <{name = \"v\"}> : () -> (tensor<2xi8>)\n",
        "\"tosa.variable.write\"(%0) <{name = \"v\"}> : (tensor<2xi8>) -> ()\n"}) {
    EXPECT_NE(text->find(line), std::string::npos) << *text;
  }
}

TEST(LegacyMlir, SaysWhatTheDialectCannotExpress) {
  EXPECT_EQ(TextOf(Op::kMaximum, {"fp32[1]{1} fp32[1]{2}", "nan_mode=IGNORE", "fp32[1]{2}"}),
            "MLIR: NaN modes in LLVM 19");
  EXPECT_EQ(TextOf(Op::kCast, {"fp32[1]{1}", "", "fp8e4m3[1]{1}"}), "MLIR: fp8 in LLVM 19");
}

TEST(Mlir19Backend, SaysSoWhenNotInstalled) {
  setenv("ASSAY_MLIR_HELPER_19", "/nonexistent/helper", 1);
  const auto mlir = backend::mlir_19_backend.open("", {});
  ASSERT_FALSE(mlir);
  EXPECT_EQ(mlir.error().kind, Error::Kind::kUnsupported);
  EXPECT_EQ(mlir.error().message,
            "mlir@19: not installed: scripts/install.sh --with mlir@19, then build Assay again");
  const auto validate = backend::mlir_19_backend.open("validate", {});
  ASSERT_FALSE(validate);
  EXPECT_EQ(validate.error().kind, Error::Kind::kUsage);
}

// LLVM 19 reads what is written, whatever it makes of it, and most of it agrees.
TEST(Mlir19Backend, RunsExamplesOfAllOperators) {
  if (!std::filesystem::exists(kHelper19)) GTEST_SKIP() << "mlir@19: not installed";
  setenv("ASSAY_MLIR_HELPER_19", kHelper19, 1);
  BackendOptions options;
  options.wall_seconds = 120;
  const auto mlir = backend::mlir_19_backend.open("", options);
  ASSERT_TRUE(mlir) << mlir.error().message;
  std::set<Op> agreeing;
  for (const OperatorRow& row : AllOperators()) {
    int run = 0;
    for (const ops::Example& example : ops::DefinitionOf(row.op).examples) {
      const Result<TestVector> vector = VectorOfExample(row.op, example);
      if (run == 3 || !vector || vector->steps[0].expected != OutcomeKind::kValid) continue;
      if (!(*mlir)->WhyUnsupported(*vector).empty()) continue;
      ++run;
      const auto outcomes = (*mlir)->Run(*vector);
      ASSERT_TRUE(outcomes) << outcomes.error().message;
      EXPECT_FALSE((*outcomes)[0].message.starts_with("parse: "))
          << row.name << ": " << (*outcomes)[0].message;
      const Verdict verdict = JudgeVector(*vector, *outcomes);
      if (verdict.kind == VerdictKind::kAgrees) agreeing.insert(row.op);
    }
  }
  EXPECT_GE(agreeing.size(), 60u);

  // A graph that breaks a rule need not have what the writer looks for.
  Result<TestVector> broken = VectorOfExample(
      Op::kPad,
      {"i8[2]{1,2} shape[1]{1} i8[1]{0}", "output=i8[3]", "error PAD/ERROR_IF/arguments"});
  ASSERT_TRUE(broken) << broken.error().message;
  EXPECT_EQ((*mlir)->WhyUnsupported(*broken), "validation");
}

TEST(Mlir19Backend, NamesVariantsThatItHasNot) {
  for (const char* variant : {"emitc=gcc", "leak,apfloat"}) {
    const auto mlir = backend::mlir_19_backend.open(variant, {});
    ASSERT_FALSE(mlir);
    EXPECT_EQ(mlir.error().message, "mlir@19: the variants apfloat and emitc need LLVM 22");
  }
}

// 6 elements are a vector of 4 and a rest of 2. The pipeline of mlir-opt would refuse floats, and
// vectors have no function of libm.
TEST(Mlir19Backend, RunsThroughOtherPasses) {
  if (!std::filesystem::exists(kHelper19)) GTEST_SKIP() << "mlir@19: not installed";
  setenv("ASSAY_MLIR_HELPER_19", kHelper19, 1);
  const Result<TestVector> vector =
      VectorOfExample(Op::kTanh, {"fp32[6]{0,0,0,0,0,0}", "", "fp32[6]{0,0,0,0,0,0}"});
  ASSERT_TRUE(vector) << vector.error().message;
  BackendOptions options;
  options.wall_seconds = 120;
  for (const char* variant : {"stock", "vectorize", "vectorize-promoted"}) {
    const auto mlir = backend::mlir_19_backend.open(variant, options);
    ASSERT_TRUE(mlir) << mlir.error().message;
    const auto outcomes = (*mlir)->Run(*vector);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    EXPECT_EQ(JudgeVector(*vector, *outcomes).kind, VerdictKind::kAgrees)
        << variant << ": " << (*outcomes)[0].message;
  }
}

TEST(Mlir19Backend, ReadsVariables) {
  if (!std::filesystem::exists(kHelper19)) GTEST_SKIP() << "mlir@19: not installed";
  setenv("ASSAY_MLIR_HELPER_19", kHelper19, 1);
  BackendOptions options;
  options.wall_seconds = 120;
  TestVector vector;
  vector.graphs = {Exchange()};
  vector.steps.resize(2);
  for (Step& step : vector.steps) step.inputs = {Tensor::Splat(DType::kInt8, {2}, 5)};
  for (const char* argument : {"", "state=arguments"}) {
    const auto opened = backend::mlir_19_backend.open(argument, options);
    ASSERT_TRUE(opened) << opened.error().message;
    const auto outcomes = (*opened)->Run(vector);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    // Without arguments, LLVM reads what it writes later: 5 in place of 7.
    const int first = *argument == '\0' ? 5 : 7;
    ASSERT_EQ((*outcomes)[1].kind, OutcomeKind::kValid) << (*outcomes)[1].message;
    EXPECT_EQ((*outcomes)[0].outputs[0].Integer(0), first);
    EXPECT_EQ((*outcomes)[1].outputs[0].Integer(0), 5);
  }
}

// LLVM 19 has no floating point in software, so the pass that it would be exchanged for is not
// cleared.
TEST(Mlir19Backend, NamesAPassThatCannotBeExchanged) {
  if (!std::filesystem::exists(kHelper19)) GTEST_SKIP() << "mlir@19: not installed";
  setenv("ASSAY_MLIR_HELPER_19", kHelper19, 1);
  const Result<TestVector> vector =
      VectorOfExample(Op::kCast, {"i32[1]{16842753}", "", "bf16[1]{16908288}"});
  ASSERT_TRUE(vector) << vector.error().message;
  BackendOptions options;
  options.wall_seconds = 120;
  const auto mlir = backend::mlir_19_backend.open("", options);
  ASSERT_TRUE(mlir) << mlir.error().message;
  const BlamedPass blamed = (*mlir)->BlamePass(*vector, [&](const auto& outcomes) {
    const Verdict verdict = JudgeVector(*vector, outcomes);
    return verdict.kind == VerdictKind::kAgrees      ? Answer::kRight
           : outcomes[0].kind == OutcomeKind::kValid ? Answer::kWrong
                                                     : Answer::kOther;
  });
  EXPECT_EQ(blamed.pass, "tosa-to-linalg or convert-to-llvm") << blamed.evidence;
}

TEST(Mlir19Findings, ComeAgain) {
  if (!std::filesystem::exists(kHelper19)) GTEST_SKIP() << "mlir@19: not installed";
  setenv("ASSAY_MLIR_HELPER_19", kHelper19, 1);
  BackendOptions options;
  options.wall_seconds = 120;
  const auto mlir = backend::mlir_19_backend.open("", options);
  ASSERT_TRUE(mlir) << mlir.error().message;
  int count = 0;
  const char* const folder = ASSAY_SOURCE_DIR "/corpus/findings/llvm-19";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    const std::string path = entry.path() / "vector.tvec";
    const Result<std::vector<uint8_t>> bytes = ReadFile(path);
    ASSERT_TRUE(bytes) << bytes.error().message;
    const Result<TestVector> vector = ReadTestVector(*bytes, path);
    ASSERT_TRUE(vector) << vector.error().message;
    const auto outcomes = (*mlir)->Run(*vector);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    EXPECT_EQ(JudgeVector(*vector, *outcomes).kind, VerdictKind::kDisagrees) << path;
    ++count;
  }
  EXPECT_EQ(count, 5);
}

TEST(Mlir19Backend, IsComparedWithTheVersionThatIsWrong) {
  if (!std::filesystem::exists(kHelper19)) GTEST_SKIP() << "mlir@19: not installed";
  setenv("ASSAY_MLIR_HELPER_19", kHelper19, 1);
  const Result<TestVector> vector =
      VectorOfExample(Op::kAdd, {"i32[1]{1} i32[1]{2}", "", "i32[1]{3}"});
  ASSERT_TRUE(vector) << vector.error().message;
  BackendOptions options;
  options.wall_seconds = 120;
  std::string said;
  for (const Answer answer : {Answer::kRight, Answer::kWrong, Answer::kOther}) {
    const auto judge = [&](const std::vector<Outcome>& outcomes) {
      return JudgeVector(*vector, outcomes).kind == VerdictKind::kAgrees ? answer : Answer::kOther;
    };
    said += VerdictOfLlvm19("canonicalize", *vector, judge, options);
  }
  EXPECT_EQ(said, "; LLVM 19 is right; LLVM 19 is wrong, too");
  EXPECT_EQ(VerdictOfLlvm19("validate", *vector, {}, options), "");  // it has no such passes
}

}  // namespace
}  // namespace assay::mlir_19_test
