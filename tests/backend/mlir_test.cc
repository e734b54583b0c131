// SPDX-License-Identifier: Apache-2.0
// Tests of the MLIR text of graphs, and of the backends that use assay-mlir-helper.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include "backend_kind.h"
#include "block_builder.h"
#include "child_process.h"
#include "executor.h"
#include "files.h"
#include "judge_vector.h"
#include "mlir_client.h"
#include "mlir_helper.h"
#include "mlir_reader.h"
#include "mlir_values.h"
#include "mlir_vector.h"
#include "mlir_writer.h"
#include "process_state.h"
#include "tvec_file.h"
#include "worked_example.h"

namespace assay::mlir_test {
namespace {

// Returns (a) -> op(a, constant) over [n] tensors, or a unary operator.
Graph OneOperator(Op op, Attributes attributes, TensorType input, TensorType output) {
  Graph graph = EmptyGraph();
  Block& main = *graph.Main();
  main.tensors = {{"a", input, false, "", {}}, {"r", output, false, "", {}}};
  main.operators = {{op, std::move(attributes), {0}, {1}}};
  main.inputs = {0};
  main.outputs = {1};
  return graph;
}

TestVector OneStep(Graph graph, std::vector<Tensor> inputs) {
  TestVector vector;
  vector.graphs.push_back(std::move(graph));
  Step step;
  step.inputs = std::move(inputs);
  vector.steps.push_back(std::move(step));
  return vector;
}

constexpr const char* kStateful = R"("builtin.module"() ({
  "tosa.variable"() <{initial_value = dense<[1, 2]> : tensor<2xi32>, sym_name = "count", type = i32, var_shape = dense<2> : tensor<1xindex>}> : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<2xf32>) -> (tensor<2xi32>, tensor<2xf32>), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<2xf32>):
    %0 = "tosa.const"() <{values = dense<1.000000e-01> : tensor<2xf32>}> : () -> tensor<2xf32>
    %1 = "tosa.variable_read"() <{name = "count"}> : () -> tensor<2xi32>
    %2:2 = "tosa.cond_if"(%arg0, %1, %arg1) ({
    ^bb0(%arg2: tensor<2xi32>, %arg3: tensor<2xf32>):
      %3 = "tosa.add"(%arg3, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %4 = "tosa.add"(%arg2, %arg2) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
      "tosa.yield"(%4, %3) : (tensor<2xi32>, tensor<2xf32>) -> ()
    }, {
    ^bb0(%arg2: tensor<2xi32>, %arg3: tensor<2xf32>):
      %3 = "tosa.clamp"(%arg3) <{max_val = 0x7F800000 : f32, min_val = -1.500000e+00 : f32, nan_mode = #tosa.nan_mode<IGNORE>}> : (tensor<2xf32>) -> tensor<2xf32>
      %4 = "tosa.bitwise_not"(%arg2) : (tensor<2xi32>) -> tensor<2xi32>
      "tosa.yield"(%4, %3) : (tensor<2xi32>, tensor<2xf32>) -> ()
    }) : (tensor<i1>, tensor<2xi32>, tensor<2xf32>) -> (tensor<2xi32>, tensor<2xf32>)
    "func.return"(%2#0, %2#1) : (tensor<2xi32>, tensor<2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
)";

TEST(MlirText, ReadsWhatMlirPrintsAndWritesItBack) {
  const Result<Graph> graph = ReadMlir(kStateful, "text");
  ASSERT_TRUE(graph) << graph.error().message;
  ASSERT_EQ(graph->regions[0].blocks.size(), 3u);
  const Block& main = *graph->Main();
  EXPECT_EQ(main.operators[0].op, Op::kVariable);
  EXPECT_EQ(main.operators[0].attributes.Value(AttributeId::kInitialValue).Integer(1), 2);
  EXPECT_EQ(main.operators[1].attributes.Value(AttributeId::kValues).FloatBits(0), 0x3dcccccdu);
  const Block* otherwise =
      graph->FindBlock(main.operators[3].attributes.Text(AttributeId::kElseGraph));
  ASSERT_NE(otherwise, nullptr);
  EXPECT_EQ(otherwise->operators[0].attributes.Value(AttributeId::kMaxVal).FloatBits(0),
            0x7f800000u);
  EXPECT_EQ(otherwise->operators[0].attributes.nan_mode(), NanMode::kIgnore);
  // The constant of the surrounding block was copied.
  const Block* then = graph->FindBlock(main.operators[3].attributes.Text(AttributeId::kThenGraph));
  ASSERT_NE(then, nullptr);
  EXPECT_EQ(then->operators[0].op, Op::kConst);

  const Result<std::string> text = WriteMlir(*graph);
  ASSERT_TRUE(text) << text.error().message;
  const Result<Graph> again = ReadMlir(*text, "text");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *graph);
}

TEST(MlirText, RefusesVariablesOfMoreDimensionsThanAShapeHolds) {
  const auto declared = [](const std::string& rank) {
    std::string text = kStateful;
    const std::string words = "var_shape = dense<2> : tensor<1xindex>";
    return text.replace(text.find(words), words.size(),
                        "var_shape = dense<1> : tensor<" + rank + "xindex>");
  };
  EXPECT_TRUE(ReadMlir(declared("32"), "text"));
  const Result<Graph> refused = ReadMlir(declared("33"), "text");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "text:2: the var_shape of tosa.variable: dense<1> : tensor<33xindex>");
}

// A module's variables exist before anything runs. So a graph that depends on the place of a
// declaration in the list cannot be written.
TEST(MlirText, RefusesDeclarationsWhosePlaceMatters) {
  const auto written = [](std::string_view letters) {
    BlockBuilder b;
    for (const char letter : letters) {
      const Attributes v = {{AttributeId::kName, std::string("v")}};
      if (letter == 'R') b.Add(Op::kVariableRead, {}, "i8[1]", v);
      if (letter != 'D') continue;
      b.Append(Op::kVariable, {}, {},
               {{AttributeId::kName, std::string("v")},
                {AttributeId::kVarShape, std::vector<int32_t>{1}},
                {AttributeId::kType, static_cast<int32_t>(DType::kInt8)}});
    }
    const Result<std::string> text = WriteMlir(GraphOf({b.block}));
    return text ? "written" : text.error().message;
  };
  EXPECT_EQ(written("DR"), "written");
  EXPECT_EQ(written("DD"), "MLIR: a variable that is declared twice");
  EXPECT_EQ(written("RD"), "MLIR: a variable that is declared after it is used");
}

TEST(MlirText, SaysInOneLineWhatItDoesNotKnow) {
  const std::string text = kStateful;
  const auto replaced = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    const Result<Graph> graph = ReadMlir(changed, "text");
    return graph ? "it was read" : graph.error().message;
  };
  EXPECT_EQ(replaced("tosa.bitwise_not", "tosa.bitwise_nor"),
            "text:15: unknown operator tosa.bitwise_nor");
  EXPECT_EQ(replaced("\"count\"}> : () -> tensor<2xi32>", "\"count\"}> : () -> tensor<*xi32>"),
            "text:6: the type tensor<*xi32> of %1 is unranked, which is not supported");
  EXPECT_EQ(replaced("(%arg2, %arg2)", "(%arg2, %9)"),
            "text:10: tosa.add uses %9, which is not defined");
  EXPECT_EQ(replaced("nan_mode = #tosa.nan_mode<IGNORE>", "nan_mode = #tosa.nan_mode<SOMETIMES>"),
            "text:14: the nan_mode of tosa.clamp: #tosa.nan_mode<SOMETIMES>");
  EXPECT_EQ(replaced("dense<[1, 2]>", "dense<[1, 2, 3]>"),
            "text:2: the initial_value of tosa.variable: dense<[1, 2, 3]> : tensor<2xi32>");
  EXPECT_EQ(replaced("tosa.bitwise_not", "linalg.bitwise_not"),
            "text:15: unknown dialect 'linalg'; only 'tosa' and 'arith.constant' are supported");
  EXPECT_EQ(
      replaced("tosa.bitwise_not", "arith.negf"),
      "text:15: unknown operation 'arith.negf'; only 'tosa' and 'arith.constant' are supported");
  EXPECT_EQ(replaced("tosa.bitwise_not\"(%arg2)", "tosa.bitwise_not\"(%arg2) <{a.b = 1 : i8}>"),
            "text:15: unknown attribute a.b of tosa.bitwise_not");
}

// 2^32 elements of two bytes need more than the default limit of 4 GiB, however short the text is.
TEST(MlirText, ConstantsTakeNoMoreMemoryThanTheLimit) {
  const auto module = [](const std::string& constants) {
    return "\"builtin.module\"() ({\n\"func.func\"() <{function_type = () -> (), sym_name = "
           "\"main\"}> "
           "({\n" +
           constants + "\"func.return\"() : () -> ()\n}) : () -> ()\n}) : () -> ()\n";
  };
  const auto constant = [](const std::string& name, const std::string& type) {
    return name + " = \"tosa.const\"() <{values = dense<1> : " + type + "}> : () -> " + type + "\n";
  };
  const auto result = [&](const std::string& text, const ReadLimits& limits) {
    const Result<Graph> graph = ReadMlir(module(text), "text", limits);
    return graph ? std::string("read") : graph.error().message;
  };
  const std::string refused =
      " the constants take more than 4294967296 bytes of memory, the limit memory_max";
  EXPECT_EQ(result(constant("%0", "tensor<65536x65536xi16>"), {}), "text:3:" + refused);
  EXPECT_EQ(result(constant("%0", "tensor<2147483647x2147483647x2147483647xi8>"), {}),
            "text:3:" + refused);
  // The limit is ten bytes, in one constant or in two.
  ReadLimits limits;
  limits.memory_max = 10;
  EXPECT_EQ(result(constant("%0", "tensor<10xi8>"), limits), "read");
  EXPECT_NE(result(constant("%0", "tensor<11xi8>"), limits), "read");
  EXPECT_EQ(result(constant("%0", "tensor<3xi16>") + constant("%1", "tensor<4xi8>"), limits),
            "read");
  EXPECT_NE(result(constant("%0", "tensor<3xi16>") + constant("%1", "tensor<5xi8>"), limits),
            "read");
}

TEST(MlirText, NoPrefixOfATextIsRead) {
  const std::string text = kStateful;
  for (size_t length = 0; length + 20 < text.size(); length += 7) {
    EXPECT_FALSE(ReadMlir(text.substr(0, length), "text")) << length;
  }
}

TEST(MlirText, ReadsConstants) {
  const auto bits = [](std::string_view text) { return ReadMlirDense(text)->FloatBits(0); };
  EXPECT_EQ(bits("dense<1.000000e-01> : tensor<3xf32>"), 0x3dcccccdu);
  EXPECT_EQ(bits("dense<3.333740e-01> : tensor<1xf16>"), 0x3555u);  // 0.333740234375
  EXPECT_EQ(bits("dense<-0.000000e+00> : tensor<1xbf16>"), 0x8000u);
  EXPECT_EQ(bits("dense<[0x7FC1]> : tensor<1xbf16>"), 0x7fc1u);
  EXPECT_EQ(bits("dense<\"0x0000C07F\"> : tensor<2xf32>"), 0x7fc00000u);
  // These are texts of mlir-opt 22 for constants of more than 100 elements.
  const auto integers = [](std::string_view text) {
    std::vector<int64_t> elements;
    const std::optional<Tensor> tensor = ReadMlirDense(text);
    for (int64_t i = 0; tensor && i < tensor->elements(); ++i) {
      elements.push_back(tensor->Integer(i));
    }
    return elements;
  };
  using Integers = std::vector<int64_t>;
  EXPECT_EQ(integers("dense<\"0x090A0F0007\"> : tensor<5xi4>"), (Integers{-7, -6, -1, 0, 7}));
  EXPECT_EQ(integers("dense<\"0xA28AC45BF4FF010203040506\"> : tensor<2xi48>"),
            (Integers{-50000000350, 0x060504030201}));
  EXPECT_EQ(integers("dense<\"0x4902\"> : tensor<10xi1>"),
            (Integers{1, 0, 0, 1, 0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(ReadMlirDense("dense<[[-7], [3]]> : tensor<2x1xi4>")->Integer(0), -7);
  EXPECT_EQ(ReadMlirDense("dense<-140737488355328> : tensor<i48>")->Integer(0), -140737488355328);
  EXPECT_EQ(ReadMlirDense("dense<[true, false]> : tensor<2xi1>")->Integer(0), 1);
  EXPECT_EQ(ReadMlirDense("dense<> : tensor<0xindex>")->elements(), 0);
  for (const char* wrong :
       {"dense<[1, 2]> : tensor<3xi32>", "dense<true> : tensor<1xi32>", "dense<1> : tensor<1xf99>",
        "dense<\"0x00\"> : tensor<2xf32>", "dense<\"0x08\"> : tensor<1xi4>",
        "dense<\"0x0102\"> : tensor<3xi4>", "dense<\"0x01\"> : tensor<9xi1>",
        "dense<\"0x0102030405\"> : tensor<1xi48>", "dense<0x> : tensor<1xf32>",
        "dense<1.5> : tensor<1xi8>", "dense<[1> : tensor<", "sparse<1> : tensor<1xi8>", ""}) {
    EXPECT_FALSE(ReadMlirDense(wrong)) << wrong;
  }
}

TEST(MlirText, ElementsSurviveMlirsStorage) {
  const Tensor i4 = Tensor::FromIntegers(DType::kInt4, Shape{3}, std::vector<int64_t>{-7, 0, 7});
  EXPECT_EQ(ToMlirBytes(i4), std::string("\x09\x00\x07", 3));
  EXPECT_EQ(FromMlirBytes(i4.tensor_type(), ToMlirBytes(i4)), i4);
  EXPECT_EQ(FromMlirBytes(i4.tensor_type(), std::string("\x29\x10\xf7", 3)), i4);
  const Tensor i48 = Tensor::FromIntegers(DType::kInt48, Shape{2},
                                          std::vector<int64_t>{-140737488355328, 140737488355327});
  EXPECT_EQ(FromMlirBytes(i48.tensor_type(), ToMlirBytes(i48)), i48);
}

constexpr const char* kDefects = ASSAY_SOURCE_DIR "/corpus/findings/llvm-22";

std::string TextAt(const std::string& path) {
  const Result<std::vector<uint8_t>> bytes = ReadFile(path);
  EXPECT_TRUE(bytes) << path;
  return bytes ? std::string(bytes->begin(), bytes->end()) : "";
}

TestVector VectorOf(const std::string& defect) {
  const std::string path = kDefects + ("/" + defect) + "/vector.tvec";
  const std::string text = TextAt(path);
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  Result<TestVector> vector = ReadTestVector({bytes, text.size()}, path);
  EXPECT_TRUE(vector) << vector.error().message;
  return vector ? *vector : TestVector();
}

TEST(MlirBackend, SaysSoWhenNotInstalled) {
  for (const BackendKind* kind : {&backend::mlir_backend, &backend::mlir_rewrite_backend}) {
    const auto mlir = Open(*kind, "", "/nonexistent/assay-mlir-helper");
    ASSERT_FALSE(mlir);
    EXPECT_EQ(mlir.error().kind, Error::Kind::kUnsupported);
    EXPECT_TRUE(mlir.error().message.starts_with("mlir: not installed: install libmlir-22-dev"));
  }
}

TEST(MlirBackend, RefusesOptionsItDoesNotKnow) {
  for (const char* argument : {"O7", "canonicalise", "O2,,"}) {
    const auto mlir = Open(backend::mlir_backend, argument);
    ASSERT_FALSE(mlir) << argument;
    EXPECT_EQ(mlir.error().kind, Error::Kind::kUsage) << argument;
  }
  const auto rewrite = Open(backend::mlir_rewrite_backend, "O2");
  ASSERT_FALSE(rewrite);
  EXPECT_EQ(rewrite.error().kind, Error::Kind::kUsage);
}

TEST(MlirBackend, RunsEveryStepOfAVector) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const auto mlir = Open(backend::mlir_backend, "");
  ASSERT_TRUE(mlir);
  const TensorType type{DType::kInt32, Shape{2}};
  TestVector vector =
      OneStep(OneOperator(Op::kBitwiseNot, {}, type, type),
              {Tensor::FromIntegers(type.type, type.shape, std::vector<int64_t>{1, -8})});
  vector.steps.push_back(vector.steps[0]);
  vector.steps[1].inputs = {Tensor::Splat(type.type, type.shape, 5)};
  EXPECT_EQ((*mlir)->WhyUnsupported(vector), "");
  const auto outcomes = (*mlir)->Run(vector);
  ASSERT_TRUE(outcomes) << outcomes.error().message;
  ASSERT_EQ(outcomes->size(), 2u);
  ASSERT_EQ((*outcomes)[0].kind, OutcomeKind::kValid) << (*outcomes)[0].message;
  EXPECT_EQ((*outcomes)[0].outputs[0],
            Tensor::FromIntegers(type.type, type.shape, std::vector<int64_t>{-2, 7}));
  EXPECT_EQ((*outcomes)[1].outputs[0], Tensor::Splat(type.type, type.shape, -6));
}

// Two results, and fp8.
TEST(MlirBackend, RunsExamplesWorkedByHand) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const auto mlir = Open(backend::mlir_backend, "");
  ASSERT_TRUE(mlir);
  const std::pair<Op, ops::Example> examples[] = {
      {Op::kFft2d,
       {"fp32[1,1,2]{1,-2} fp32[1,1,2]{3,0.5}", "inverse=false",
        "fp32[1,1,2]{-1,3} fp32[1,1,2]{3.5,2.5}"}},
      // 17 and 465 lie halfway between 16 and 18, and between 448 and 480; 1.5 * 3 + 2 * -4.
      {Op::kCast, {"fp32[2]{17,465}", "", "fp8e4m3[2]{16,nan}"}},
      {Op::kMatmul,
       {"fp8e5m2[1,1,2]{1.5,2} fp8e5m2[1,2,1]{3,-4} fp8e5m2[1]{0} fp8e5m2[1]{0}", "",
        "fp16[1,1,1]{-3.5}"}},
  };
  for (const auto& [op, example] : examples) {
    Result<TestVector> vector = VectorOfExample(op, example);
    ASSERT_TRUE(vector) << vector.error().message;
    EXPECT_EQ((*mlir)->WhyUnsupported(*vector), "");
    std::string why;
    ASSERT_TRUE(Expect(*vector, {}, &why)) << why;
    const auto outcomes = (*mlir)->Run(*vector);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    const Verdict verdict = JudgeVector(*vector, *outcomes);
    EXPECT_EQ(verdict.kind, VerdictKind::kAgrees) << OperatorName(op);
    EXPECT_GT(verdict.judged_elements, 0) << OperatorName(op);
  }
}

TEST(MlirBackend, NamesThePassAndThePatternsAtFault) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const auto finding = [](const std::string& defect, std::string_view rewrite) {
    const TestVector vector = VectorOf(defect);
    const auto mlir = Open(backend::mlir_rewrite_backend, rewrite);
    const Verdict verdict = JudgeVector(vector, *(*mlir)->Run(vector));
    EXPECT_EQ(verdict.kind, VerdictKind::kDisagrees) << defect;
    return verdict.findings.empty() ? Finding() : verdict.findings[0];
  };
  const Finding crash = finding("transposes-around-bool-constant", "reduce-transposes");
  EXPECT_TRUE(crash.pass.starts_with("tosa-reduce-transposes")) << crash.pass;
  EXPECT_EQ(crash.message, "Segmentation fault");
  const Finding by_pattern = finding("clamp-to-minus-infinity-dropped", "canonicalize");
  EXPECT_TRUE(by_pattern.rewrites.starts_with("canonicalize: ")) << by_pattern.rewrites;
  EXPECT_NE(by_pattern.rewrites.find("ClampIsNoOp"), std::string::npos) << by_pattern.rewrites;
  // A fold has no pattern, so only the pass is named.
  for (const char* rewrite : {"canonicalize", "canonicalize-fold"}) {
    EXPECT_EQ(finding("negate-twice-forgets-saturation", rewrite).rewrites, "canonicalize");
  }
}

// 7 / 0 ends the compiled code with SIGFPE; the backend must survive it and answer the next vector.
TEST(MlirBackend, OutlivesACrashAndKeepsWhatCameBefore) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const auto mlir = Open(backend::mlir_backend, "");
  ASSERT_TRUE(mlir);
  const TensorType type{DType::kInt32, Shape{1}};
  Graph graph = OneOperator(Op::kIntdiv, {}, type, type);
  Block& main = *graph.Main();
  main.tensors.push_back({"b", type, false, "", {}});
  main.operators[0].inputs = {0, 2};
  main.inputs = {0, 2};
  const Tensor seven = Tensor::Splat(type.type, type.shape, 7);
  const Tensor zero = Tensor::Splat(type.type, type.shape, 0);
  TestVector vector = OneStep(graph, {seven, seven});
  vector.steps.resize(3, vector.steps[0]);
  vector.steps[1].inputs = {seven, zero};
  for (int round = 0; round < 2; ++round) {
    // Another case runs first, so that the crash happens in a child that has run one.
    const auto other = (*mlir)->Run(OneStep(graph, {seven, seven}));
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_EQ((*other)[0].kind, OutcomeKind::kValid) << (*other)[0].message;
    const auto outcomes = (*mlir)->Run(vector);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    EXPECT_EQ((*outcomes)[0].kind, OutcomeKind::kValid) << (*outcomes)[0].message;
    EXPECT_EQ((*outcomes)[1].kind, OutcomeKind::kCrashed);
    EXPECT_EQ((*outcomes)[1].message, "run: Floating point exception");
    EXPECT_EQ((*outcomes)[2].kind, OutcomeKind::kUnsupported);
    EXPECT_EQ((*outcomes)[2].message, "not run");
  }
}

TEST(MlirBackend, KillsWhatDoesNotEnd) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  setenv("ASSAY_MLIR_HELPER", kHelper, 1);
  Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
  ASSERT_TRUE(client);
  mlir_message::Request request;
  request.module = R"(func.func @main(%a: tensor<i1>) -> tensor<i1> {
    %r = tosa.logical_not %a : (tensor<i1>) -> tensor<i1>
    return %r : tensor<i1> })";
  request.calls = {{std::string(1, '\1')}};
  request.wall_ms = 1;  // not even the parser is that fast
  Result<mlir_message::Reply> reply = (*client)->Ask(request);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->stage, mlir_message::Stage::kTimedOut) << reply->detail;
  EXPECT_EQ(reply->detail, "no answer within 1 ms");

  request.wall_ms = 60000;  // and the next one is answered
  reply = (*client)->Ask(request);
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->stage, mlir_message::Stage::kOk) << reply->detail;
  EXPECT_EQ(reply->calls[0][0], std::string(1, '\0'));
}

// The compiled code returns its process id.
TEST(MlirBackend, SharesAProcessUnlessACaseIsToRunAlone) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  setenv("ASSAY_MLIR_HELPER", kHelper, 1);
  Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
  ASSERT_TRUE(client);
  mlir_message::Request request;
  request.module = R"(func.func private @getpid() -> i32
    func.func @main() -> tensor<i32> {
      %p = func.call @getpid() : () -> i32
      %r = tensor.from_elements %p : tensor<i32>
      return %r : tensor<i32> })";
  request.calls = {{}};
  const auto process = [&] {
    const Result<mlir_message::Reply> reply = (*client)->Ask(request);
    const bool good = reply && reply->stage == mlir_message::Stage::kOk;
    EXPECT_TRUE(good) << (reply ? reply->detail : reply.error().message);
    return good ? reply->calls[0][0] : "";
  };
  const std::string first = process();
  EXPECT_EQ(process(), first);
  request.alone = true;
  const std::string second = process();
  EXPECT_NE(second, first);
  EXPECT_NE(process(), second);
}

// A helper that runs a case does not notice that its client is gone.
TEST(MlirBackend, LeavesNoProcessIfThisOneIsKilled) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  setenv("ASSAY_MLIR_HELPER", kHelper, 1);
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string notes = JoinPath(folder->path(), "notes");
  const pid_t pid = fork();
  if (pid == 0) {
    const Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
    mlir_message::Request request;
    request.module = R"(func.func private @getpid() -> i32
      func.func private @getppid() -> i32
      func.func private @pause() -> i32
      func.func @main(%wait: tensor<i1>) -> tensor<2xi32> {
        %w = tensor.extract %wait[] : tensor<i1>
        scf.if %w { func.call @pause() : () -> i32 }
        %p = func.call @getpid() : () -> i32
        %q = func.call @getppid() : () -> i32
        %r = tensor.from_elements %p, %q : tensor<2xi32>
        return %r : tensor<2xi32> })";
    request.wall_ms = 300'000;
    request.calls = {{std::string(1, '\0')}};
    const Result<mlir_message::Reply> reply = (*client)->Ask(request);
    if (!reply || reply->calls.empty()) _exit(1);
    (void)WriteFileAtomically(notes, std::string_view(reply->calls[0][0]));
    request.calls = {{std::string(1, '\1')}};
    (void)(*client)->Ask(request);
    _exit(1);
  }
  const auto becomes = [](const auto& condition) {
    for (int i = 0; i < 3000 && !condition(); ++i) usleep(10'000);
    return condition();
  };
  ASSERT_TRUE(becomes([&] { return FileExists(notes); }));
  usleep(500'000);  // until it waits
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  pid_t processes[2] = {};
  const std::string bytes = *ReadTextFile(notes);
  ASSERT_EQ(bytes.size(), sizeof(processes));
  memcpy(processes, bytes.data(), sizeof(processes));
  for (const pid_t process : processes) {
    ASSERT_GT(process, 1);
    EXPECT_TRUE(becomes([process] { return !ProcessRuns(process); })) << process;
  }
}

TEST(MlirBackend, NamesTheStageThatRefuses) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  setenv("ASSAY_MLIR_HELPER", kHelper, 1);
  Result<std::unique_ptr<MlirClient>> client = MlirClient::Open();
  ASSERT_TRUE(client);
  mlir_message::Request request;
  request.module = "no module";
  Result<mlir_message::Reply> reply = (*client)->Ask(request);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->stage, mlir_message::Stage::kParse);
  EXPECT_NE(reply->detail.find("custom op 'no' is unknown"), std::string::npos) << reply->detail;

  request.module = R"(func.func @main(%a: tensor<1xi8>) -> tensor<1xi8> {
    %r = tosa.custom %a {operator_name = "x", domain_name = "y", implementation_attrs = ""}
      : (tensor<1xi8>) -> tensor<1xi8>
    return %r : tensor<1xi8> })";
  reply = (*client)->Ask(request);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->stage, mlir_message::Stage::kLowering);
  EXPECT_EQ(reply->pass, "tosa-to-linalg");
  EXPECT_NE(reply->detail.find("tosa.custom"), std::string::npos) << reply->detail;

  request.rewrite = "builtin.module(no-such-pass)";
  reply = (*client)->Ask(request);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->stage, mlir_message::Stage::kRewrite);
}

TEST(MlirRewrite, EvaluatesTheRewrittenGraph) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const auto mlir = Open(backend::mlir_rewrite_backend, "");
  ASSERT_TRUE(mlir);
  // canonicalize merges two CLAMPs into one.
  const TensorType type{DType::kInt8, Shape{3}};
  const auto clamp = [](int64_t low, int64_t high) {
    Attributes attributes;
    attributes.Set(AttributeId::kMinVal, Tensor::Splat(DType::kInt8, Shape{}, low));
    attributes.Set(AttributeId::kMaxVal, Tensor::Splat(DType::kInt8, Shape{}, high));
    attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
    return attributes;
  };
  Graph graph = OneOperator(Op::kClamp, clamp(-5, 100), type, type);
  Block& main = *graph.Main();
  main.tensors.push_back({"s", type, false, "", {}});
  main.operators.push_back({Op::kClamp, clamp(-100, 5), {1}, {2}});
  main.outputs = {2};
  const auto outcomes = (*mlir)->Run(OneStep(
      graph, {Tensor::FromIntegers(type.type, type.shape, std::vector<int64_t>{-128, 3, 127})}));
  ASSERT_TRUE(outcomes) << outcomes.error().message;
  ASSERT_EQ((*outcomes)[0].kind, OutcomeKind::kValid) << (*outcomes)[0].message;
  EXPECT_EQ((*outcomes)[0].outputs[0],
            Tensor::FromIntegers(type.type, type.shape, std::vector<int64_t>{-5, 3, 5}));
}

TEST(MlirRewrite, EveryNamedRewriteRuns) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const TensorType type{DType::kInt8, Shape{2}};
  const TestVector vector = OneStep(OneOperator(Op::kBitwiseNot, {}, type, type),
                                    {Tensor::Splat(type.type, type.shape, 5)});
  std::string names(MlirRewriteHelp());
  names.resize(names.find(", or a pipeline"));
  int count = 0;
  for (size_t start = 0; start < names.size(); ++count) {
    const size_t end = std::min(names.find(", ", start), names.size());
    const std::string name = names.substr(start, end - start);
    start = end + 2;
    for (const BackendKind* kind : {&backend::mlir_backend, &backend::mlir_rewrite_backend}) {
      const auto mlir = Open(*kind, name);
      ASSERT_TRUE(mlir) << name;
      const auto outcomes = (*mlir)->Run(vector);
      ASSERT_TRUE(outcomes) << outcomes.error().message;
      ASSERT_EQ((*outcomes)[0].kind, OutcomeKind::kValid) << name << (*outcomes)[0].message;
      EXPECT_EQ((*outcomes)[0].outputs[0], Tensor::Splat(type.type, type.shape, -6)) << name;
    }
  }
  EXPECT_EQ(count, 9);
}

// The suite has one graph, which shows a defect. The difference is found for any inputs, and the
// counterexample shows it when it is executed.
TEST(MlirRewrite, IsHeldAgainstTheGraphForAllInputs) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const std::string out = ::testing::TempDir() + "assay_fold_verify";
  const auto assay = [](const std::string& arguments) {
    const Result<ChildReport> report =
        RunChild({{"sh", "-c", std::string(ASSAY_BINARY_DIR "/assay ") + arguments}, "", {}, 0}, "",
                 {.wall_seconds = 300});
    EXPECT_TRUE(report);
    return *report;
  };
  const std::string vector =
      ASSAY_SOURCE_DIR "/corpus/findings/llvm-22/negate-twice-forgets-saturation/vector.tvec";
  // The same cause again, before an operator that does not belong to it although a pattern rewrites
  // it.
  TestVector longer = VectorOf("negate-twice-forgets-saturation");
  Block& main = *longer.graphs[0].Main();
  main.tensors.push_back({"transposed", main.TypeOf(main.outputs[0]), false, "", {}});
  const auto transposed = static_cast<TensorIndex>(main.tensors.size() - 1);
  const std::vector<int32_t> perms = {1, 0, 2, 3, 4};
  main.operators.push_back(
      {Op::kTranspose, {{AttributeId::kPerms, perms}}, {main.outputs[0]}, {transposed}});
  main.outputs = {transposed};
  std::string why;
  ASSERT_TRUE(Expect(longer, {}, &why)) << why;
  const std::string longer_file = ::testing::TempDir() + "assay_negate_twice_and_more.tvec";
  ASSERT_TRUE(WriteFileAtomically(longer_file, WriteTestVector(longer)));
  std::filesystem::remove_all(out);
  const ChildReport found = assay("fold verify " + longer_file + " " + vector +
                                  " --folder mlir:canonicalize --out " + out);
  EXPECT_EQ(found.status, 1) << found.output << found.errors;
  EXPECT_NE(found.output.find("graph 0: different"), std::string::npos) << found.output;
  EXPECT_NE(found.output.find("FAIL  NEGATE, NEGATE i8 (canonicalize)  (seen in 2 graphs)"),
            std::string::npos)
      << found.output;
  const std::filesystem::directory_iterator written(out);
  ASSERT_NE(written, std::filesystem::directory_iterator());
  const ChildReport again =
      assay("verify " + written->path().string() + " --backend mlir-rewrite:canonicalize");
  EXPECT_EQ(again.status, 1) << again.output << again.errors;
  EXPECT_EQ(std::distance(written, {}), 1);
  EXPECT_EQ(assay("fold verify " + vector + " --folder mlir:reduce-transposes").status, 0);
  // MLIR declares variables in the module, so graphs with variables are skipped.
  const ChildReport state = assay("fold verify " ASSAY_SOURCE_DIR
                                  "/corpus/findings/llvm-22/variable-read-sees-later-write/"
                                  "vector.tvec --folder mlir:canonicalize --json");
  EXPECT_EQ(state.status, 3) << state.output << state.errors;  // not a pass
  EXPECT_NE(state.output.find("\"has variables\""), std::string::npos) << state.output;
  // A damaged or too large file is not a pass, whatever its name and whatever the other files are.
  const std::string bad = ::testing::TempDir() + "assay_bad_\xff.tvec";
  for (const bool is_damaged : {true, false}) {
    ASSERT_TRUE(WriteFileAtomically(bad, std::string("not a vector")));
    if (!is_damaged) std::filesystem::resize_file(bad, uintmax_t{kFileBytesMax} + 1);
    for (const char* option : {"", " --json"}) {
      const ChildReport report =
          assay("fold verify " + vector + " " + bad + " --folder mlir:reduce-transposes" + option);
      EXPECT_EQ(report.status, is_damaged ? 2 : 3) << report.output << report.errors;
      EXPECT_NE(report.output.find("equal for all inputs"), std::string::npos) << report.output;
      const char* said = is_damaged ? ".tvec: offset 4: not a .tvec file" : ".tvec: is larger than";
      EXPECT_NE(report.errors.find(said), std::string::npos) << report.errors;
    }
  }
  std::filesystem::remove(bad);
}

// Returns the folders in the table of corpus/findings/llvm-22, with the backends of their rows.
std::map<std::string, std::string> RecordedDefects() {
  std::map<std::string, std::string> rows;
  std::istringstream text(TextAt(kDefects + std::string("/README.md")));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("| ") || line.starts_with("| folder ")) continue;
    const size_t start = line.rfind("| ", line.size() - 3) + 2;
    rows[line.substr(2, line.find(' ', 2) - 2)] = line.substr(start, line.size() - 2 - start);
  }
  return rows;
}

TEST(MlirFindings, HaveARowANoteAndAVectorThatTheReferenceAnswers) {
  const auto rows = RecordedDefects();
  for (const auto& entry : std::filesystem::directory_iterator(kDefects)) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(!entry.is_directory() || rows.contains(name)) << name << " has no row";
  }
  for (const auto& [name, backend] : rows) {
    const TestVector vector = VectorOf(name);
    EXPECT_EQ(JudgeVector(vector, ExecuteVector(vector, {})).kind, VerdictKind::kAgrees) << name;
    const std::string replay =
        "`assay verify corpus/findings/llvm-22/" + name + "/vector.tvec --backend " + backend + "`";
    EXPECT_NE(TextAt(kDefects + ("/" + name) + "/note.md").find(replay), std::string::npos)
        << replay;
  }
}

TEST(MlirFindings, ComeAgain) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  setenv("ASSAY_MLIR_HELPER", kHelper, 1);
  BackendOptions options;
  options.wall_seconds = 120;
  for (const auto& [name, backend] : RecordedDefects()) {
    const TestVector vector = VectorOf(name);
    const auto opened = OpenBackend(backend, options);
    ASSERT_TRUE(opened) << opened.error().message;
    const auto outcomes = (*opened)->Run(vector);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    EXPECT_EQ(JudgeVector(vector, *outcomes).kind, VerdictKind::kDisagrees) << name;
  }
}

// ---- Taps

Graph Chain(std::vector<Op> operators) {
  Graph graph = EmptyGraph();
  Block& main = *graph.Main();
  const TensorType type = {DType::kFp32, {33}};
  main.tensors.push_back({"t0", type, false, "", {}});
  for (const Op op : operators) {
    const auto from = static_cast<TensorIndex>(main.tensors.size()) - 1;
    main.tensors.push_back({"t" + std::to_string(from + 1), type, false, "", {}});
    main.operators.push_back({op, {}, {from}, {from + 1}});
  }
  main.inputs = {0};
  main.outputs = {static_cast<TensorIndex>(main.tensors.size()) - 1};
  return graph;
}

TestVector ChainVector(std::vector<Op> operators) {
  std::vector<double> numbers;
  for (int i = 0; i < 33; ++i) numbers.push_back(std::ldexp(1 + i * 127, -10));
  return OneStep(Chain(std::move(operators)), {Tensor::FromFloats(DType::kFp32, {33}, numbers)});
}

TEST(MlirTaps, AreResultsThatChangeNoOutput) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const auto mlir = Open(backend::mlir_backend, "");
  ASSERT_TRUE(mlir);
  EXPECT_TRUE((*mlir)->Declared().taps_used);
  const TestVector vector = ChainVector({Op::kTanh, Op::kExp, Op::kRsqrt});
  EXPECT_TRUE((*mlir)->OffersTaps(vector));
  const Result<TappedRun> run = (*mlir)->RunWithTaps(vector, {{1, 2}});
  ASSERT_TRUE(run) << run.error().message;
  const auto plain = (*mlir)->Run(vector);
  ASSERT_TRUE(plain);
  ASSERT_EQ(run->outcomes[0].outputs.size(), 1u);
  EXPECT_EQ(run->outcomes[0].outputs, (*plain)[0].outputs);
  // Each tap is what its operator gives on the tap before it.
  ASSERT_EQ(run->taps[0].size(), 2u);
  const auto exp = (*mlir)->Run(OneStep(Chain({Op::kExp}), {run->taps[0].at(1)}));
  ASSERT_TRUE(exp);
  EXPECT_EQ((*exp)[0].outputs[0], run->taps[0].at(2));
}

// MLIR could fold LOG(EXP(x)) to x, and LOG would not read the result of EXP.
TEST(MlirTaps, AreReadByLaterOperators) {
  if (!IsInstalled()) GTEST_SKIP() << "mlir: not installed";
  const auto mlir = Open(backend::mlir_backend, "O3");
  ASSERT_TRUE(mlir);
  EXPECT_TRUE((*mlir)->Declared().taps_used);
  const Result<TappedRun> run = (*mlir)->RunWithTaps(ChainVector({Op::kExp, Op::kLog}), {{1}});
  ASSERT_TRUE(run) << run.error().message;
  const auto log = (*mlir)->Run(OneStep(Chain({Op::kLog}), {run->taps[0].at(1)}));
  ASSERT_TRUE(log);
  EXPECT_EQ(run->outcomes[0].outputs[0], (*log)[0].outputs[0]);
  // Nobody knows whether this is true of the patterns of a rewrite.
  EXPECT_FALSE((*Open(backend::mlir_backend, "canonicalize"))->Declared().taps_used);
}

}  // namespace
}  // namespace assay::mlir_test
