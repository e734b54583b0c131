// SPDX-License-Identifier: Apache-2.0
// Tests of MLIR files as users have them: pretty form, bytecode, resources, several functions.
#include "mlir_input.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "check_graph.h"
#include "executor.h"
#include "files.h"
#include "graph_text.h"
#include "mlir_constness.h"
#include "mlir_reader.h"
#include "run_assay.h"

namespace assay::mlir_input_test {
namespace {

constexpr const char* kHelper = ASSAY_BINARY_DIR "/assay-mlir-helper";

class MlirInput : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kHelper)) GTEST_SKIP() << "mlir: not installed";
    setenv("ASSAY_MLIR_HELPER", kHelper, 1);
  }
};

// A file that exists during a test, and the result of reading it: the graph's text, or the error.
class File {
 public:
  explicit File(std::string_view content, const std::string& name = "net.mlir")
      : path_(JoinPath(folder_->path(), name)) {
    EXPECT_TRUE(WriteFileAtomically(path_, content));
  }

  Result<MlirFile> Load(std::string_view function = "") const { return LoadMlir(path_, function); }

  // The text has no locations, because other files of the same graph have others.
  std::string Text(std::string_view function = "") const {
    Result<MlirFile> file = Load(function);
    if (!file) return Cut(file.error().message);
    for (Block& block : file->graph.Blocks()) {
      for (Operator& op : block.operators) op.location.clear();
    }
    return GraphText(file->graph);
  }

  // Removes the folder in front of the file's name.
  std::string Cut(std::string message) const {
    const std::string folder = folder_->path() + "/";
    for (size_t at; (at = message.find(folder)) != std::string::npos;) {
      message.erase(at, folder.size());
    }
    return message;
  }

  const std::string& path() const { return path_; }

 private:
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
  std::string path_;
};

std::string GenericText(const std::string& operations, const std::string& functions = "") {
  return "\"builtin.module\"() ({\n" + functions +
         "\"func.func\"() <{function_type = () -> (), sym_name = \"f\"}> ({\n" + operations +
         "}) : () -> ()\n}) : () -> ()\n";
}

std::string TextOfGeneric(const std::string& text, std::string_view function = "") {
  const Result<Graph> graph = ReadMlir(text, "net.mlir", {}, {.function = function, .names = true});
  return graph ? GraphText(*graph) : graph.error().message;
}

constexpr const char* kNetwork = R"(!image = tensor<1x2x!quant.uniform<i8:f32, 5.000000e-01:-3>>

func.func @double(%in: !image) -> !image {
  %bias = "tosa.const"() <{values = dense<[[1, -2]]> : tensor<1x2xi8>}> : () -> !image
  %sum = tosa.add %in, %in : (!image, !image) -> !image
  %out = tosa.add %sum, %bias : (!image, !image) -> !image
  return %out : !image
}

func.func private @declared(tensor<3xf32>) -> tensor<3xf32>

func.func @choose(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32>
    attributes {compiletime_const_args_index = [1 : i32]} {
  %c = "tosa.const"() <{values = dense_resource<mask> : tensor<3xi1>}> : () -> tensor<3xi1>
  %w = arith.constant dense_resource<weights> : tensor<3xf32>
  %0 = tosa.select %c, %a, %b : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = tosa.sub %0, %w : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      mask: "0x01000000010001",
      weights: "0x040000000000803F0000004000004040"
    }
  }
#-}
)";

TEST_F(MlirInput, PrettyFormIsReadAsTheGenericForm) {
  const File network(kNetwork);
  EXPECT_EQ(network.Text("double"), TextOfGeneric(R"("builtin.module"() ({
"func.func"() <{function_type = (tensor<1x2xi8>) -> tensor<1x2xi8>, sym_name = "double"}> ({
^bb0(%in: tensor<1x2xi8>):
  %0 = "tosa.const"() <{values = dense<[[1, -2]]> : tensor<1x2xi8>}> : () -> tensor<1x2xi8>
  %1 = "tosa.add"(%in, %in) : (tensor<1x2xi8>, tensor<1x2xi8>) -> tensor<1x2xi8>
  %2 = "tosa.add"(%1, %0) : (tensor<1x2xi8>, tensor<1x2xi8>) -> tensor<1x2xi8>
  "func.return"(%2) : (tensor<1x2xi8>) -> ()
}) : () -> ()
}) : () -> ()
)"));
}

// A calibrated type states the range of its values and has no storage type.
TEST_F(MlirInput, CalibratedTypesAreTheirFloats) {
  const File file(R"(!image = tensor<2x!quant.calibrated<f32<-0.998:1.25>>>
func.func @same(%in: !image) -> !image {
  %out = tosa.add %in, %in : (!image, !image) -> !image
  return %out : !image
}
)");
  EXPECT_EQ(file.Text(), TextOfGeneric(R"("builtin.module"() ({
"func.func"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = "same"}> ({
^bb0(%in: tensor<2xf32>):
  %0 = "tosa.add"(%in, %in) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  "func.return"(%0) : (tensor<2xf32>) -> ()
}) : () -> ()
}) : () -> ()
)"));
}

TEST_F(MlirInput, ResourcesAreConstants) {
  const Result<MlirFile> file = File(kNetwork).Load("@choose");
  ASSERT_TRUE(file) << file.error().message;
  const Block& main = *file->graph.Main();
  ASSERT_EQ(main.operators.size(), 4u);
  const Tensor& mask = main.operators[0].attributes.Value(AttributeId::kValues);
  EXPECT_EQ(mask, Tensor::FromIntegers(DType::kBool, Shape{3}, std::vector<int64_t>{1, 0, 1}));
  const Tensor& weights = main.operators[1].attributes.Value(AttributeId::kValues);
  EXPECT_EQ(weights.FloatBits(0), 0x3f800000u);
  EXPECT_EQ(weights.FloatBits(2), 0x40400000u);
  const auto constness = ReadMlirConstness(file->text(), "net.mlir", {.function = "choose"});
  ASSERT_TRUE(constness) << constness.error().message;
  EXPECT_EQ(*constness, (std::vector{Constness::kVarying, Constness::kCompileTime}));
}

TEST_F(MlirInput, ResourcesOfAnotherSizeAreNamed) {
  const auto changed = [](std::string_view from, std::string_view to) {
    std::string text = kNetwork;
    text.replace(text.rfind(from), from.size(), to);
    return File(text).Text("choose");
  };
  EXPECT_EQ(changed("weights: \"0x040000000000803F", "weights: \"0x04000000"),
            "net.mlir:15: dense_resource<weights> has 8 bytes, which are not those of 3 elements");
  // The bytes of one element are too few.
  EXPECT_EQ(changed("0000004000004040\"", "\""),
            "net.mlir:15: dense_resource<weights> has 4 bytes, which are not those of 3 elements");
  EXPECT_EQ(changed("weights: \"", "other: \""),
            "net.mlir:15: dense_resource<weights> has no data in this file");
}

TEST_F(MlirInput, ResourcesWithoutDataAreDrawnOnRequest) {
  const File file(
      R"(func.func @f() -> (tensor<4x32xbf16>, tensor<8xi8>, tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) {
  %a = "tosa.const"() <{values = dense_resource<__elided__> : tensor<4x32xbf16>}> : () -> tensor<4x32xbf16>
  %b = "tosa.const"() <{values = dense_resource<__elided__> : tensor<8xi8>}> : () -> tensor<8xi8>
  %c = "tosa.const"() <{values = dense_resource<__elided__> : tensor<3xi1>}> : () -> tensor<3xi1>
  %d = "tosa.const"() <{values = dense_resource<__elided__> : tensor<3xi32>}> : () -> tensor<3xi32>
  %e = "tosa.const"() <{values = dense_resource<__elided__> : tensor<3xi32>}> : () -> tensor<3xi32>
  return %a, %b, %c, %d, %e : tensor<4x32xbf16>, tensor<8xi8>, tensor<3xi1>, tensor<3xi32>, tensor<3xi32>
}
)");
  EXPECT_EQ(file.Text(), "net.mlir:2: dense_resource<__elided__> has no data in this file");
  const auto drawn = [&file](uint64_t seed) {
    const Result<MlirFile> read = LoadMlir(file.path(), "", nullptr, seed);
    EXPECT_TRUE(read) << read.error().message;
    return read ? GraphText(read->graph) : "";
  };
  EXPECT_EQ(drawn(7), drawn(7));
  EXPECT_NE(drawn(7), drawn(8));
  const Result<MlirFile> read = LoadMlir(file.path(), "", nullptr, 7);
  ASSERT_TRUE(read);
  std::set<double> values;
  const Tensor& weights = read->graph.Main()->operators[0].attributes.Value(AttributeId::kValues);
  for (int64_t i = 0; i < weights.elements(); ++i) values.insert(weights.Float(i));
  // 32 of them meet in a sum, so they are at most 2^-3.
  EXPECT_LE(*values.rbegin(), 0.125);
  EXPECT_GE(*values.begin(), -0.125);
  EXPECT_GT(values.size(), 30u);
  // Two constants of one type are drawn apart.
  const std::vector<Operator>& operators = read->graph.Main()->operators;
  EXPECT_NE(operators[3].attributes.Value(AttributeId::kValues),
            operators[4].attributes.Value(AttributeId::kValues));
}

TEST_F(MlirInput, NoMoreIsDrawnThanMemoryHolds) {
  for (const char* const type :
       {"tensor<8000000x8000000xf32>", "tensor<4000000000000000000x8xi8>"}) {
    const File file("func.func @f() -> " + std::string(type) +
                    " {\n  %a = \"tosa.const\"() <{values = dense_resource<__elided__> : " + type +
                    "}> : () -> " + type + "\n  return %a : " + type + "\n}\n");
    const Result<MlirFile> read = LoadMlir(file.path(), "", nullptr, 7);
    ASSERT_FALSE(read);
    EXPECT_EQ(file.Cut(read.error().message),
              "net.mlir:2: the constants without data have more than 134217728 elements to draw");
    EXPECT_EQ(read.error().kind, Error::Kind::kBadInput);
  }
}

TEST_F(MlirInput, SeveralFunctionsAreListedUnlessOneIsNamed) {
  const File network(kNetwork);
  EXPECT_EQ(network.Text(),
            "net.mlir: has 2 functions; --function takes the name of one: double, choose");
  EXPECT_EQ(network.Text("declared"),
            "net.mlir: --function declared: there is no such function, only double, choose");
  EXPECT_EQ(network.Load().error().kind, Error::Kind::kUsage);
}

// MLIR drops the names of arguments, but its locations point to them.
TEST_F(MlirInput, ArgumentsOfThePrettyFormGiveTheInputsTheirNames) {
  const File file(R"(// func.func @f(%no: tensor<2xf32>)
func.func @f(%x: tensor<2xf32>, %arg1 : tensor<2xf32> {tf.name = "serving:0"},
    // %no
    %arg2: tensor<2xf32> loc("conv/in"), %3: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tosa.add %x, %arg1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
)");
  const Result<MlirFile> loaded = file.Load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Block& main = *loaded->graph.Main();
  std::string names;
  for (const TensorIndex input : main.inputs) {
    names += main.tensors[static_cast<size_t>(input)].name + " ";
  }
  EXPECT_EQ(names, "x serving:0 conv/in main_3 ");
}

TEST_F(MlirInput, BytecodeIsRead) {
  // func.func @f(%a: tensor<2xi32>) -> tensor<2xi32> { return tosa.bitwise_not %a }
  const std::string hex =
      "4d4cef520d4d4c495232322e312e3800011f070105090901030f03050713050317031907070107070b0b01071317"
      "0f02231f0d03050d1b0309050503010301010202044905015001010704390301050350010307042503050b030100"
      "0706010301030105040103030603010501006d0f05190f0f0b0b116275696c74696e0066756e6300746f7361006d"
      "6f64756c650072657475726e00626974776973655f6e6f740066000817050501010d010301010501";
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  const File file(bytes, "net.mlirbc");
  const Result<MlirFile> loaded = file.Load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->graph.Main()->operators.size(), 1u);
  EXPECT_EQ(loaded->graph.Main()->operators[0].op, Op::kBitwiseNot);
  // Half of the bytes, and bytes without a meaning.
  for (const std::string& broken : {bytes.substr(0, bytes.size() / 2), bytes.substr(0, 4)}) {
    const Result<MlirFile> refused = File(broken, "net.mlirbc").Load();
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("net.mlirbc"), std::string::npos)
        << refused.error().message;
    EXPECT_EQ(refused.error().message.find('\n'), std::string::npos);
  }
}

TEST_F(MlirInput, ErrorsNameTheLineOfTheFile) {
  const auto error = [](const std::string& operation) {
    return File("// one\n// two\nfunc.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n\n  " +
                operation + "\n  return %0 : tensor<2xf32>\n}\n")
        .Text();
  };
  EXPECT_EQ(error("%0 = linalg.abs ins(%a : tensor<2xf32>) outs(%a : tensor<2xf32>) -> "
                  "tensor<2xf32>"),
            "net.mlir:5: unknown dialect 'linalg'; only 'tosa' and 'arith.constant' are supported");
  EXPECT_EQ(error("%0 = other.abs %a : tensor<2xf32>"),
            "net.mlir:5: unknown dialect 'other'; only 'tosa' and 'arith.constant' are supported");
  EXPECT_EQ(error("%0 = \"other.abs\"(%a) : (tensor<2xf32>) -> tensor<2xf32>"),
            "net.mlir:5: unknown dialect 'other'; only 'tosa' and 'arith.constant' are supported");
  EXPECT_EQ(error("%0 = arith.negf %a : tensor<2xf32>"),
            "net.mlir:5: unknown operation 'arith.negf'; only 'tosa' and 'arith.constant' are "
            "supported");
  EXPECT_EQ(error("%0 = tosa.abs %a {value = true} : (tensor<2xf32>) -> tensor<2xf32>"),
            "net.mlir:5: unknown attribute value of tosa.abs: the text is older than TOSA 1.0, "
            "which removed it");
  EXPECT_EQ(error("%x = tosa.abs %a : (tensor<2xf32>) -> tensor<*xf32>\n"
                  "  %0 = tosa.abs %a : (tensor<2xf32>) -> tensor<2xf32>"),
            "net.mlir:5: the type tensor<*xf32> of %0 is unranked, which is not supported");
  EXPECT_EQ(error("%0 = tosa.abs %b : (tensor<2xf32>) -> tensor<2xf32>"),
            "net.mlir:5: use of undeclared SSA value name");
}

// A graph that MLIR's verifier refuses can still be read and checked.
TEST_F(MlirInput, GraphsThatMlirRefusesAreRead) {
  const File file(
      "func.func @f(%a: tensor<2xf32>) -> tensor<3xf32> {\n"
      "  %0 = tosa.abs %a : (tensor<2xf32>) -> tensor<3xf32>\n"
      "  return %0 : tensor<3xf32>\n}\n");
  const Result<MlirFile> loaded = file.Load();
  EXPECT_TRUE(loaded) << loaded.error().message;
}

TEST_F(MlirInput, AHelperThatDiesIsNamed) {
  setenv("ASSAY_MLIR_HELPER", "/bin/false", 1);
  const File network(kNetwork);
  EXPECT_EQ(network.Text("double"),
            "net.mlir: assay-mlir-helper crashed while it read the file: the helper itself died");
  EXPECT_EQ(network.Load().error().kind, Error::Kind::kUnsupported);
}

TEST(MlirInputWithoutHelper, GenericFormIsReadAndAllElseSaysWhatToInstall) {
  setenv("ASSAY_MLIR_HELPER", "/nonexistent/assay-mlir-helper", 1);
  const std::string generic = GenericText("\"func.return\"() : () -> ()\n");
  EXPECT_EQ(File(generic).Text(), TextOfGeneric(generic));
  const std::string advice =
      " needs assay-mlir-helper, which is not installed: build Assay with libmlir-22-dev and "
      "llvm-22-dev, or convert the file with `mlir-opt --mlir-print-op-generic`";
  const File network(kNetwork);
  EXPECT_EQ(
      network.Text("double"),
      "net.mlir:1: expected an operation in generic form, \"name\"(...); any other form" + advice);
  EXPECT_EQ(network.Load("double").error().kind, Error::Kind::kUnsupported);
  EXPECT_EQ(File("ML\xefR\r", "net.mlirbc").Text(), "net.mlirbc: MLIR bytecode" + advice);
  // The message that a file is not MLIR needs no helper.
  EXPECT_EQ(File(std::string("\0\1", 2)).Load().error().kind, Error::Kind::kBadInput);
}

TEST(MlirText, ConstantsOfOtherDialectsAreConstants) {
  const auto text = [](const std::string& operation) {
    return TextOfGeneric(GenericText(operation + "\n\"func.return\"() : () -> ()\n"));
  };
  EXPECT_EQ(text("%0 = \"arith.constant\"() <{value = dense<3> : tensor<2xi8>}> : () -> "
                 "tensor<2xi8>"),
            text("%0 = \"tosa.const\"() <{values = dense<3> : tensor<2xi8>}> : () -> "
                 "tensor<2xi8>"));
  EXPECT_EQ(text("%0 = \"tensor.empty\"() : () -> tensor<0xi8>"),
            text("%0 = \"tosa.const\"() <{values = dense<> : tensor<0xi8>}> : () -> "
                 "tensor<0xi8>"));
  EXPECT_EQ(text("%0 = \"tensor.empty\"() : () -> tensor<2xi8>"),
            "net.mlir:3: the elements of tensor.empty are undefined; only a tensor without "
            "elements is a constant");
  EXPECT_EQ(text("%0 = \"arith.constant\"() <{value = 3 : index}> : () -> index"),
            "net.mlir:3: the value of arith.constant is not a tensor of TOSA: 3 : index");
}

constexpr const char* kTwoFunctions = R"("builtin.module"() ({
"func.func"() <{function_type = () -> tensor<1xi8>, sym_name = "three"}> ({
  %0 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  "func.return"(%0) : (tensor<1xi8>) -> ()
}) : () -> ()
"func.func"() <{function_type = () -> tensor<1xi8>, sym_name = "seven"}> ({
  %0 = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
  "func.return"(%0) : (tensor<1xi8>) -> ()
}) : () -> ()
}) : () -> ()
)";

TEST_F(Cli, EveryCommandThatReadsMlirTakesOneOfSeveralFunctions) {
  std::ofstream(Path("two.mlir")) << kTwoFunctions;
  ASSERT_EQ(Run("plan two.mlir --function three --out plan.json").status, 0);
  for (const char* command :
       {"show two.mlir", "check two.mlir", "run two.mlir", "convert two.mlir two.tosa",
        "convert two.mlir two.tvec", "plan two.mlir", "plan check plan.json --graph two.mlir",
        "fold two.mlir", "fold check two.mlir two.mlir"}) {
    ExpectStatus(2, command,
                 "two.mlir: has 2 functions; --function takes the name of one: three, seven");
    ExpectStatus(0, std::string(command) + " --function seven", "");
    ExpectStatus(2, std::string(command) + " --function eight",
                 "two.mlir: --function eight: there is no such function, only three, seven");
  }
  ExpectStatus(0, "run two.mlir --function seven", "i8[1]{7}");
  ExpectStatus(0, "run two.tvec", "i8[1]{7}");
  ExpectStatus(2, "verify two.mlir --backend reference", "two.mlir: has 2 functions");
  ExpectStatus(0, "verify two.mlir --function seven --backend reference", "1 agrees");
}

TEST_F(Cli, WithoutTheHelperThePrettyFormIsUndecidedAndGarbageIsBadInput) {
  std::ofstream(Path("pretty.mlir")) << "func.func @f() {\n  return\n}\n";
  ExpectStatus(3, "show pretty.mlir", "pretty.mlir:1: expected an operation in generic form");
  std::ofstream(Path("code.mlirbc")) << "ML\xefR\r";
  ExpectStatus(3, "check code.mlirbc", "code.mlirbc: MLIR bytecode needs assay-mlir-helper");
  std::ofstream(Path("garbage.mlir")) << "\x01\xff";
  ExpectStatus(2, "show garbage.mlir", "garbage.mlir:1: expected an operation");
}

// Counts from 3 in steps of 2 until 8 is passed. The limit and the step are captured; a nested
// region captures the limit as well.
TEST(MlirText, CapturedTensorsAreInputsOfTheBlocks) {
  const Result<Graph> graph = ReadMlir(R"("builtin.module"() ({
"func.func"() <{function_type = (tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "f"}> ({
^bb0(%limit: tensor<i32>, %step: tensor<i32>):
  %start = "tosa.const"() <{values = dense<3> : tensor<i32>}> : () -> tensor<i32>
  %last = "tosa.while_loop"(%start) ({
  ^bb0(%i: tensor<i32>):
    %more = "tosa.greater_equal"(%limit, %i) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "tosa.yield"(%more) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>):
    %above = "tosa.greater"(%i, %limit) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %next = "tosa.cond_if"(%above) ({
      "tosa.yield"(%limit) : (tensor<i32>) -> ()
    }, {
      %sum = "tosa.add"(%i, %step) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "tosa.yield"(%sum) : (tensor<i32>) -> ()
    }) : (tensor<i1>) -> tensor<i32>
    "tosa.yield"(%next) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  "func.return"(%last) : (tensor<i32>) -> ()
}) : () -> ()
}) : () -> ()
)",
                                       "net.mlir");
  ASSERT_TRUE(graph) << graph.error().message;
  TestVector vector;
  vector.graphs = {*graph};
  EXPECT_TRUE(CheckVector(vector).empty()) << CheckVector(vector)[0].rule;
  const std::vector<Tensor> inputs = {Tensor::Splat(DType::kInt32, Shape{}, 8),
                                      Tensor::Splat(DType::kInt32, Shape{}, 2)};
  Context context;
  const Outcome outcome = Execute(context, *graph, inputs, {});
  ASSERT_EQ(outcome.kind, OutcomeKind::kValid) << outcome.message;
  EXPECT_EQ(outcome.outputs[0].Integer(0), 9);
}

}  // namespace
}  // namespace assay::mlir_input_test
