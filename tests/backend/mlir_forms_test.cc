// SPDX-License-Identifier: Apache-2.0
// Tests of the forms that MLIR text of other tools has: locations, calls, casts and attributes of
// their own, and text that is not of TOSA 1.0.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "files.h"
#include "graph_text.h"
#include "mlir_input.h"
#include "mlir_location.h"
#include "mlir_reader.h"

namespace assay::mlir_forms_test {
namespace {

constexpr const char* kHelper = ASSAY_BINARY_DIR "/assay-mlir-helper";

// Returns a module with a function @main that returns its argument %0, of a type, after some
// operations, and with other functions.
std::string Module(const std::string& operations, const std::string& result = "%1",
                   const std::string& functions = "") {
  return "\"builtin.module\"() ({\n" + functions +
         "\"func.func\"() <{function_type = () -> (), sym_name = \"main\"}> ({\n"
         "^bb0(%0: tensor<2xi32> loc(\"in\"(\"a.py\":1:2))):\n" +
         operations + "\n\"func.return\"(" + result + ") : (tensor<2xi32>) -> ()\n" +
         "}) : () -> () loc(unknown)\n}) : () -> ()\n";
}

std::string Function(const std::string& name, const std::string& operations) {
  return "\"func.func\"() <{function_type = () -> (), sym_name = \"" + name +
         "\", sym_visibility = \"private\"}> ({\n^bb0(%a: tensor<2xi32>):\n" + operations +
         "\n\"func.return\"(%b) : (tensor<2xi32>) -> ()\n}) : () -> ()\n";
}

constexpr const char* kAdd = "\"tosa.add\"(%0, %0) : (tensor<2xi32>, tensor<2xi32>) -> ";

std::string Add(const std::string& behind = "") {
  return std::string("%1 = ") + kAdd + "tensor<2xi32>" + behind;
}

// Returns the operators of a text as one line, or the error.
std::string Read(const std::string& text, const MlirSource& source = {}) {
  const Result<Graph> graph = ReadMlir(text, "dir/net.mlir", {}, source);
  if (!graph) return graph.error().message;
  std::string line;
  for (const Operator& op : graph->Main()->operators) {
    line += (line.empty() ? "" : "; ") + OperatorText(*graph->Main(), op);
  }
  return line;
}

std::string LocationOf(const std::string& text, const MlirSource& source = {}) {
  const Result<Graph> graph = ReadMlir(text, "dir/net.mlir", {}, source);
  return graph ? graph->Main()->operators[0].location : graph.error().message;
}

TEST(MlirForms, LocationsAreForPeople) {
  const std::pair<const char*, const char*> rows[] = {
      {"unknown", ""},
      {"\"net/conv1\"", "net/conv1"},
      {"\"say \\22x\\22\"", "say \"x\""},
      {"\"net.py\":12:3", "net.py:12:3"},
      {"\"net.py\":12:3 to :9", "net.py:12:3 to :9"},
      {"\"conv1\"(\"net.py\":12:3)", "conv1 (net.py:12:3)"},
      {"\"conv1\"(unknown)", "conv1"},
      {"fused[\"a\", unknown, \"b, c\"]", "a, b, c"},
      {"fused<[1, \"m\"]>[\"a\"]", "a"},
      {"callsite(\"a at b\" at callsite(\"g\" at \"h\"))", "a at b at g at h"},
      {"#other.form<1>", "#other.form<1>"}};
  for (const auto& [text, expected] : rows) EXPECT_EQ(MlirLocation(text), expected) << text;
  std::string deep = "\"end\"";
  for (int i = 0; i < 100; ++i) deep = "callsite(" + deep + " at unknown)";
  EXPECT_EQ(MlirLocation(deep), "");
}

// Returns the names of the inputs of a function with these arguments and attributes.
std::string InputsOf(const std::string& arguments, const std::string& attributes) {
  const std::string text = "\"builtin.module\"() ({\n\"func.func\"() <{" + attributes +
                           "function_type = () -> (), sym_name = \"main\"}> ({\n^bb0(" + arguments +
                           "):\n\"func.return\"() : () -> ()\n}) : () -> ()\n}) : () -> ()\n";
  const Result<Graph> graph = ReadMlir(text, "net.mlir", {}, {.function = "", .names = true});
  if (!graph) return graph.error().message;
  std::string names;
  for (const TensorInfo& info : graph->Main()->tensors) names += "[" + info.name + "]";
  return names;
}

TEST(MlirForms, InputsHaveTheNamesThatTheTextGives) {
  const std::string type = ": tensor<2xi32>";
  EXPECT_EQ(InputsOf("%x" + type + ", %arg1" + type + ", %2" + type, ""), "[x][arg1][main_2]");
  EXPECT_EQ(
      InputsOf("%x" + type + " loc(\"a\"), %y" + type + " loc(fused[\"f.py\":1:2, \"b, c\"])" +
                   ", %z" + type + " loc(\"f.py\":3:4), %u" + type + " loc(unknown)",
               ""),
      "[a][b, c][z][u]");
  EXPECT_EQ(
      InputsOf("%x" + type + " loc(\"a\"), %y" + type + ", %z" + type + ", %u" + type,
               "arg_attrs = [{tf.name = \"n\"}, {i = 1 : i32, ml_program.identifier = \"m\"}, "
               "{tf_saved_model.index_path = [\"p\"]}, {}], "),
      "[a][m][p][u]");
  const std::string entry =
      "tf.entry_function = {control_outputs = \"\", inputs = \"in:0,more\"}, ";
  EXPECT_EQ(InputsOf("%0" + type + ", %1" + type, entry), "[in:0][more]");
  EXPECT_EQ(InputsOf("%x" + type, entry), "[x]");
  // Names must differ from each other, from those of other tensors, and from positions.
  EXPECT_EQ(InputsOf("%x" + type + " loc(\"a\"), %a" + type + ", %main_7" + type + ", %u" + type +
                         " loc(\"0\")",
                     ""),
            "[a][main_1][main_2][main_3]");
}

TEST(MlirForms, ADimensionOfMinusOneInAConstantShapeIsResolvedWithANote) {
  const auto shape = [](const char* dims, int rank) {
    return "\"tosa.const_shape\"() <{values = dense<" + std::string(dims) + "> : tensor<" +
           std::to_string(rank) + "xindex>}> : () -> !tosa.shape<" + std::to_string(rank) + ">\n";
  };
  const auto reshape = [](const char* result, const char* from, const char* to) {
    return std::string(result) + " = \"tosa.reshape\"(" + from + ") : (tensor<2xi32>, " +
           "!tosa.shape<2>) -> " + to + "\n";
  };
  std::vector<std::string> notes;
  const MlirSource source = {.function = "", .notes = &notes};
  EXPECT_EQ(
      Read(Module("%s = " + shape("[-1, 1]", 2) + reshape("%1", "%0, %s", "tensor<2x1xi32>"), "%1"),
           source),
      "%main_1:shape[2] = CONST_SHAPE() values=shape[2]{2,1}; "
      "%main_2:i32[2,1] = RESHAPE(%main_0,%main_1)");
  EXPECT_EQ(notes,
            std::vector<std::string>{"dir/net.mlir:5: the dimension -1 of the shape is read as 2"});
  // Another operator that reads the constant may need another dimension.
  const std::string twice =
      Read(Module("%s = " + shape("[-1, 1]", 2) + reshape("%1", "%0, %s", "tensor<2x1xi32>") +
                  "%t = " + shape("[1]", 1) +
                  "%2 = \"tosa.slice\"(%0, %t, %t) : (tensor<2xi32>, !tosa.shape<1>, "
                  "!tosa.shape<1>) -> tensor<1xi32>\n"
                  "%3 = \"tosa.reshape\"(%2, %s) : (tensor<1xi32>, !tosa.shape<2>) -> "
                  "tensor<1x1xi32>\n"));
  EXPECT_NE(twice.find("values=shape[2]{2,1}"), std::string::npos) << twice;
  EXPECT_NE(twice.find("values=shape[2]{1,1}"), std::string::npos) << twice;
  // Shapes that no dimension fits stay as they are, for the rules to refuse them.
  for (const char* dims : {"[-1, -1]", "[-1, 3]", "[-1, 0]", "[-1, -2]"}) {
    notes.clear();
    const std::string text =
        Read(Module("%s = " + shape(dims, 2) + reshape("%1", "%0, %s", "tensor<2x1xi32>"), "%1"),
             source);
    EXPECT_NE(text.find("{-1,"), std::string::npos) << text;
    EXPECT_TRUE(notes.empty());
  }
}

TEST(MlirForms, LocationsAreRead) {
  EXPECT_EQ(LocationOf(Module(Add(" loc(\"conv1\")"))), "conv1");
  EXPECT_EQ(LocationOf(Module(Add(" loc(\"dir/net.mlir\":4:5)"))), "");
  EXPECT_EQ(LocationOf(Module(Add())), "");
  // The line in this file is one of those that the text states, but only if it is asked for.
  const MlirSource lines = {.function = "", .lines = true};
  EXPECT_EQ(LocationOf(Module(Add(" loc(\"dir/net.mlir\":4:5)")), lines), "net.mlir:4");
  EXPECT_EQ(LocationOf(Module(Add()), lines), "net.mlir:4");
  EXPECT_EQ(LocationOf(Module(Add(" loc(unknown)")), lines), "net.mlir:4");
  EXPECT_EQ(LocationOf(Module(Add(" loc(\"conv1\")")), lines), "conv1");
  const Result<Graph> aliased = ReadMlir(Module(Add(" loc(#loc3)")), "net.mlir");
  ASSERT_FALSE(aliased);
  EXPECT_EQ(aliased.error().kind, Error::Kind::kUnsupported);  // MLIR can write it without
}

TEST(MlirForms, CallsAreReadInPlace) {
  const std::string call =
      "%1 = \"func.call\"(%0) <{callee = @f}> : (tensor<2xi32>) -> "
      "tensor<2xi32>\n%2 = \"func.call\"(%1) <{callee = @f}> : "
      "(tensor<2xi32>) -> tensor<2xi32>";
  const std::string negate = "%b = \"tosa.abs\"(%a) : (tensor<2xi32>) -> tensor<2xi32>";
  // The private function is not asked for, although there are two.
  EXPECT_EQ(Read(Module(call, "%2", Function("f", negate))),
            "%main_1:i32[2] = ABS(%main_0); %main_2:i32[2] = ABS(%main_1)");
  EXPECT_EQ(Read(Module(call, "%2")), "dir/net.mlir:4: calls @f, which has no body in this file");
  const std::string again =
      "%b = \"func.call\"(%a) <{callee = @f}> : (tensor<2xi32>) -> tensor<2xi32>";
  EXPECT_EQ(Read(Module(call, "%2", Function("f", again))),
            "dir/net.mlir:4: calls of @f are too deep or too many; the limits are 64 and 1048576 "
            "operations");
  const std::string other =
      "%1 = \"func.call\"(%0) <{callee = @f}> : (tensor<2xi32>) -> tensor<2xi8>";
  EXPECT_EQ(Read(Module(other, "%1", Function("f", negate))),
            "dir/net.mlir:9: calls @f for results of other types");
  const std::string without = "%1 = \"func.call\"() <{callee = @f}> : () -> tensor<2xi32>";
  EXPECT_EQ(Read(Module(without, "%1", Function("f", negate))),
            "dir/net.mlir:9: calls @f with another number of operands");
}

// Each function calls the one before it twice.
TEST(MlirForms, CallsThatGrowAreRefused) {
  std::string functions =
      Function("f0", "%b = \"tosa.abs\"(%a) : (tensor<2xi32>) -> tensor<2xi32>");
  for (int i = 1; i < 40; ++i) {
    const std::string callee =
        ") <{callee = @f" + std::to_string(i - 1) + "}> : (tensor<2xi32>) -> tensor<2xi32>\n";
    functions += Function("f" + std::to_string(i),
                          "%c = \"func.call\"(%a" + callee + "%b = \"func.call\"(%c" + callee);
  }
  const std::string main =
      "%1 = \"func.call\"(%0) <{callee = @f39}> : (tensor<2xi32>) -> "
      "tensor<2xi32>";
  EXPECT_NE(Read(Module(main, "%1", functions)).find("too deep or too many"), std::string::npos);
}

TEST(MlirForms, CastsToTheSameTypeAreNames) {
  EXPECT_EQ(Read(Module("%c = \"tensor.cast\"(%0) : (tensor<2xi32>) -> tensor<2xi32>\n"
                        "%1 = \"tosa.abs\"(%c) : (tensor<2xi32>) -> tensor<2xi32>")),
            "%main_1:i32[2] = ABS(%main_0)");
  EXPECT_EQ(Read(Module("%1 = \"tensor.cast\"(%0) : (tensor<2xi32>) -> tensor<?xi32>")),
            "dir/net.mlir:4: tensor.cast to another type, which is not supported");
}

TEST(MlirForms, AttributesOfOtherToolsAreNoted) {
  std::vector<std::string> notes;
  const std::string abs =
      " = \"tosa.abs\"(%0) {device = \"npu\", tool.id = 3 : i32} : "
      "(tensor<2xi32>) -> tensor<2xi32>\n";
  EXPECT_EQ(Read(Module("%1" + abs + "%2" + abs), {.function = "", .notes = &notes}),
            "%main_1:i32[2] = ABS(%main_0); %main_2:i32[2] = ABS(%main_0)");
  EXPECT_EQ(notes,
            (std::vector<std::string>{"dir/net.mlir:4: attribute device of tosa.abs is not of TOSA "
                                      "1.0; ignored here and below",
                                      "dir/net.mlir:4: attribute tool.id of tosa.abs is not of "
                                      "TOSA 1.0; ignored here and below"}));
  // MLIR itself knows this one, so it has a meaning.
  EXPECT_EQ(Read(Module("%1 = \"tosa.abs\"(%0) <{fast = true}> : (tensor<2xi32>) -> "
                        "tensor<2xi32>")),
            "dir/net.mlir:4: unknown attribute fast of tosa.abs");
}

TEST(MlirForms, OtherVersionsAreNamed) {
  const std::string types = " : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>";
  EXPECT_EQ(Read(Module("%1 = \"tosa.mul\"(%0, %0) {shift = 0 : i8}" + types)),
            "dir/net.mlir:4: unknown attribute shift of tosa.mul: the text is older than TOSA 1.0, "
            "which removed it");
  EXPECT_EQ(Read(Module("%1 = \"tosa.mul\"(%0, %0)" + types)),
            "dir/net.mlir:4: tosa.mul with 2 operands and 1 results; TOSA 1.0 has another number "
            "(older versions had zero points, shapes and shifts as attributes)");
  EXPECT_EQ(Read(Module("%1 = \"tosa.div\"(%0, %0)" + types)),
            "dir/net.mlir:4: unknown operator tosa.div: the text is older than TOSA 1.0, which "
            "removed it");
  EXPECT_EQ(Read(Module("%1 = \"tosa.add_shape\"(%0, %0)" + types)),
            "dir/net.mlir:4: unknown operator tosa.add_shape: it is not in TOSA 1.0, but in 1.1");
  EXPECT_EQ(Read(Module("%1 = \"tosa.matmul_t\"(%0, %0)" + types)),
            "dir/net.mlir:4: unknown operator tosa.matmul_t: it is not in TOSA 1.0, but in 1.1");
  EXPECT_EQ(Read(Module("%1 = \"tosa.apply_scale\"(%0, %0)" + types)),
            "dir/net.mlir:4: unknown operator tosa.apply_scale");
  EXPECT_EQ(Read(Module("%1 = \"tosa.const\"() : () -> tensor<2xi32>")),
            "dir/net.mlir:4: tosa.const without values, which TOSA 1.0 requires; older text may "
            "lack it or write it otherwise");
}

TEST(MlirForms, TypesAreExplained) {
  const auto of = [](const std::string& type) {
    const std::string message = Read(Module("%1 = \"tosa.abs\"(%0) : (tensor<2xi32>) -> " + type));
    const size_t at = message.find("of %1 ");
    return at == std::string::npos ? message : message.substr(at + 6);
  };
  EXPECT_EQ(of("tensor<*xi32>"), "is unranked, which is not supported");
  EXPECT_EQ(of("tensor<2xi64>"), "has elements of i64, which is no type of TOSA 1.0");
  EXPECT_EQ(of("tensor<ui8>"), "has elements of ui8, which is no type of TOSA 1.0");
  EXPECT_EQ(of("tensor<2xi32,#layout>"), "is no tensor of TOSA 1.0");
  EXPECT_EQ(of("memref<2xi32>"), "is no tensor");
  EXPECT_EQ(Read(Module("%1 = \"tosa.const\"() <{values = dense<1> : tensor<2xi64>}> : () -> "
                        "tensor<2xi64>")),
            "dir/net.mlir:4: the values of tosa.const: dense<1> : tensor<2xi64>; its type has "
            "elements of i64, which is no type of TOSA 1.0");
}

// TOSA 1.1 added an attribute of CAST, which newer versions of MLIR write everywhere.
TEST(MlirForms, AttributesOfNewerVersionsMayHaveTheMeaningOfThisOne) {
  const auto cast = [](const std::string& attributes) {
    return Read(
        Module("%1 = \"tosa.cast\"(%0)" + attributes + " : (tensor<2xi32>) -> tensor<2xi32>"));
  };
  EXPECT_EQ(cast(" <{input_unsigned = false}>"), "%main_1:i32[2] = CAST(%main_0)");
  const std::string unknown = "dir/net.mlir:4: unknown attribute input_unsigned of tosa.cast";
  EXPECT_EQ(cast(" <{input_unsigned = true}>"), unknown);
  EXPECT_EQ(cast(" {input_unsigned = true}"), unknown);  // another operator has it
}

// Files as users have them, which the helper reads.
class MlirFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kHelper)) GTEST_SKIP() << "mlir: not installed";
    setenv("ASSAY_MLIR_HELPER", kHelper, 1);
  }

  // Returns the locations of the operators, or the error without the folder.
  std::string Load(const std::string& text, std::string_view function = "") {
    const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
    const std::string path = JoinPath(folder->path(), "net.mlir");
    EXPECT_TRUE(WriteFileAtomically(path, text));
    const Result<MlirFile> file = LoadMlir(path, function);
    if (!file) {
      std::string message = file.error().message;
      const size_t at = message.find(folder->path());
      return at == std::string::npos ? message : message.erase(at, folder->path().size() + 1);
    }
    std::string line;
    for (const Operator& op : file->graph.Main()->operators) line += op.location + "; ";
    return line;
  }
};

TEST_F(MlirFiles, KeepTheirLocations) {
  EXPECT_EQ(Load(R"(#where = loc("net.py":7:1)
func.func @main(%a: tensor<2xi32> loc("in")) -> tensor<2xi32> {
  %b = tosa.abs %a : (tensor<2xi32>) -> tensor<2xi32> loc("block1/abs"(#where))
  %c = tosa.abs %b : (tensor<2xi32>) -> tensor<2xi32>
  %d = tosa.abs %c : (tensor<2xi32>) -> tensor<2xi32> loc(fused["x", #where])
  return %d : tensor<2xi32>
}
)"),
            "block1/abs (net.py:7:1); net.mlir:4; x, net.py:7:1; ");
}

// MLIR would drop such properties.
TEST_F(MlirFiles, WithUnknownPropertiesAreRefused) {
  const auto load = [&](const std::string& operation) {
    return Load("func.func @f(%a: tensor<2xi32>) -> tensor<2xi32> {\n  %b = " + operation +
                " : (tensor<2xi32>) -> tensor<2xi32>\n  return %b : tensor<2xi32>\n}\n");
  };
  EXPECT_EQ(load("\"tosa.cast\"(%a) <{input_unsigned = true}>"),
            "net.mlir:2: unknown attribute input_unsigned of tosa.cast");
  EXPECT_EQ(load("\"tosa.abs\"(%a) <{fast = [1, \"}>\"]}>"),
            "net.mlir:2: unknown attribute fast of tosa.abs");
  EXPECT_EQ(load("\"tosa.cast\" (%a)"), "net.mlir:2; ");
}

// MLIR refuses the quoted name of an enumeration attribute without a word.
TEST_F(MlirFiles, ThatMlirRefusesWithoutAReasonAreNamed) {
  const std::string message = Load(
      "func.func @f(%a: tensor<2x2xi32>) -> tensor<2xi32> {\n  %b = tosa.argmax %a {\"nan_mode\" "
      "= IGNORE, axis = 0 : i32} : (tensor<2x2xi32>) -> tensor<2xi32>\n  return %b : "
      "tensor<2xi32>\n}\n");
  EXPECT_EQ(message.find("net.mlir: MLIR cannot read it, and gives no reason"), 0u) << message;
}

TEST_F(MlirFiles, OfOlderVersionsAndSeveralPartsAreExplained) {
  const std::string body =
      "(%a: tensor<2xi32>) -> tensor<2xi32> {\n"
      "  %b = tosa.abs %a : (tensor<2xi32>) -> tensor<2xi32>\n"
      "  return %b : tensor<2xi32>\n}\n";
  const std::string parts = "func.func @f" + body + "// -----\nfunc.func @f" + body;
  EXPECT_NE(Load(parts, "f")
                .find("; the file has several parts, separated by `// -----`: make a "
                      "file of each"),
            std::string::npos)
      << Load(parts, "f");
  const std::string old =
      "func.func @f(%a: tensor<1x2x2x1xi8>, %b: tensor<1x1x1x1xi8>, %c: tensor<1xi32>) -> "
      "tensor<1x2x2x1xi32> {\n  %d = tosa.conv2d %a, %b, %c {dilation = [1, 1], pad = [0, 0, 0, "
      "0], "
      "stride = [1, 1]} : (tensor<1x2x2x1xi8>, tensor<1x1x1x1xi8>, tensor<1xi32>) -> "
      "tensor<1x2x2x1xi32>\n  return %d : tensor<1x2x2x1xi32>\n}\n";
  const std::string message = Load(old);
  EXPECT_NE(message.find("net.mlir:2"), std::string::npos) << message;
  EXPECT_NE(message.find("; this is MLIR 22: write text of another version in generic form"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace assay::mlir_forms_test
