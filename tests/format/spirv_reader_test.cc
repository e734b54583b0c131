// SPDX-License-Identifier: Apache-2.0
// Modules of SPIR-V that Assay did not write: text by hand, and what is wrong with it.
#include "spirv_reader.h"

#include <gtest/gtest.h>

#include "check_graph.h"
#include "graph_text.h"
#include "spirv_instructions.h"
#include "spirv_literals.h"
#include "spirv_text.h"

namespace assay::spirv::spirv_reader_test {
namespace {

// Returns a text with every occurrence of a part replaced. The part must be there.
std::string Replaced(std::string text, std::string_view part, std::string_view by) {
  size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  for (; at != std::string::npos; at = text.find(part, at + by.size())) {
    text.replace(at, part.size(), by);
  }
  return text;
}

// y = x + k for two i32 numbers, in a set and bindings that are not 0.
constexpr char kAdd[] = R"(; comments end with the line
OpCapability GraphARM OpCapability TensorsARM
OpExtension "SPV_ARM_graph"
%tosa = OpExtInstImport "TOSA.001000.1"
%debug = OpExtInstImport "NonSemantic.Graph.DebugInfo.1"
OpMemoryModel Logical Vulkan
%net = OpString "net.py" %layer = OpString "block1/add" %sum = OpString "sum"
OpName %x "x"
OpName %out "y"
OpDecorate %x DescriptorSet 3
OpDecorate %x Binding 7
OpDecorate %out DescriptorSet 4
OpDecorate %out Binding 1
%void = OpTypeVoid
%int = OpTypeInt 32 1
%one = OpConstant %int 1
%two = OpConstant %int 2
%zero = OpConstant %int 0
%list = OpTypeArray %int %one
%shape = OpConstantComposite %list %two
%tensor = OpTypeTensorARM %int %one %shape
%pointer = OpTypePointer UniformConstant %tensor
%x = OpVariable %pointer UniformConstant
%out = OpVariable %pointer UniformConstant
%minus = OpConstant %int -5
%k = OpConstantComposite %tensor %two %minus
%type = OpTypeGraphARM 1 %tensor %tensor
OpGraphEntryPointARM %graph "adder" %x %out
%graph = OpGraphARM %type
%in = OpGraphInputARM %tensor %zero
%added = OpExtInst %tensor %tosa ADD %in %k
OpGraphSetOutputARM %added %zero
OpGraphEndARM
)";

Result<GraphModule> Read(const std::string& text, const GraphConstants& constants = nullptr,
                         const std::string& entry_point = "") {
  const Result<ModuleCode> code = ParseModule(text);
  if (!code) return code.error();
  // Whatever the text says, its words say the same, in other places.
  Result<GraphModule> module = ReadModule(*code, constants, entry_point, {});
  const Result<GraphModule> of_words = ReadModule(WordsOf(*code), constants, entry_point, {});
  EXPECT_EQ(static_cast<bool>(of_words), static_cast<bool>(module));
  if (module && of_words) {
    EXPECT_EQ(of_words->inputs, module->inputs);
    EXPECT_EQ(of_words->constant_inputs, module->constant_inputs);
    EXPECT_EQ(CheckGraph(of_words->graph, kLevel8K, {}).size(),
              CheckGraph(module->graph, kLevel8K, {}).size());
  }
  return module;
}

std::string GraphOf(const std::string& text, const GraphConstants& constants = nullptr) {
  const Result<GraphModule> module = Read(text, constants);
  return module ? GraphText(module->graph, TextForm::kFull) : module.error().message;
}

std::string ErrorOf(const std::string& text) {
  const Result<GraphModule> module = Read(text);
  return module ? "" : module.error().message;
}

TEST(SpirvReader, ReadsAModuleByHand) {
  const Result<GraphModule> module = Read(kAdd);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(GraphText(module->graph, TextForm::kFull),
            "TOSA 1.0.0\n"
            "block \"main\" (%x:i32[2]) -> (%added:i32[2])\n"
            "  %k:i32[2] = CONST() values=i32[2]{2,-5}\n"
            "  %added:i32[2] = ADD(%x,%k)\n");
  EXPECT_EQ(module->entry_point, "adder");
  EXPECT_EQ(module->inputs, (std::vector<InterfaceSlot>{{3, 7}}));
  EXPECT_EQ(module->outputs, (std::vector<InterfaceSlot>{{4, 1}}));
  EXPECT_TRUE(CheckGraph(module->graph, kLevel8K, {}).empty());
}

// The words have no names of ids, so that the output has that of its variable.
TEST(SpirvReader, NamesTensorsAndOperators) {
  const auto of_words = [](const std::string& text) {
    const Result<ModuleCode> code = ParseModule(text);
    EXPECT_TRUE(code) << code.error().message;
    const Result<GraphModule> module = ReadModule(WordsOf(*code), nullptr, "", {});
    EXPECT_TRUE(module) << module.error().message;
    const Block& block = *module->graph.Main();
    return block.tensors[static_cast<size_t>(block.outputs[0])].name + " at " +
           block.operators.back().location;
  };
  EXPECT_EQ(of_words(kAdd), "y at ");
  const std::string lines = Replaced(kAdd, "%added =", "OpLine %net 12 3 OpNoLine\n%added =");
  EXPECT_EQ(of_words(lines), "y at ");
  EXPECT_EQ(of_words(Replaced(lines, "OpNoLine", "")), "y at net.py:12:3");
  const std::string debug =
      Replaced(kAdd, "OpGraphSetOutputARM",
               "%d0 = OpExtInst %void %debug DebugGraph %graph %net\n"
               "%d1 = OpExtInst %void %debug DebugOperation %d0 %layer %added\n"
               "%d2 = OpExtInst %void %debug DebugTensor %added %sum\n"
               "OpGraphSetOutputARM");
  EXPECT_EQ(of_words(debug), "sum at block1/add");
  EXPECT_EQ(of_words(Replaced(debug, "OpName %out", "OpName %added \"z\"\nOpName %out")),
            "z at block1/add");
}

// Each form of a constant, in the place of %k.
TEST(SpirvReader, ReadsEveryFormOfAConstant) {
  const auto value = [](const std::string& form) {
    const std::string text =
        GraphOf(Replaced(kAdd, "%k = OpConstantComposite %tensor %two %minus", form));
    const size_t begin = text.find("values=");
    return begin == std::string::npos ? text
                                      : text.substr(begin + 7, text.find('\n', begin) - begin - 7);
  };
  EXPECT_EQ(value("%k = OpConstantNull %tensor"), "i32[2]{0,0}");
  EXPECT_EQ(value("%k = OpConstantCompositeReplicateEXT %tensor %minus"), "i32[2]{-5,-5}");
  EXPECT_EQ(value("%s = OpSpecConstant %int 0x10 "
                  "%k = OpSpecConstantComposite %tensor %s %minus"),
            "i32[2]{16,-5}");
  EXPECT_EQ(value("%s = OpSpecConstant %int 3 "
                  "%k = OpSpecConstantCompositeReplicateEXT %tensor %s"),
            "i32[2]{3,3}");
  EXPECT_EQ(value("%u = OpTypeInt 32 0 %m = OpConstant %u 4294967295 %n = OpConstantNull %u "
                  "%k = OpConstantComposite %tensor %m %n"),
            "i32[2]{-1,0}");
  EXPECT_EQ(value("%u = OpTypeInt 32 0 %m = OpConstant %u !7 "
                  "%k = OpConstantCompositeReplicateEXT %tensor %m"),
            "i32[2]{7,7}");
}

// A constant of rank 3, whose parts are tensors and arrays.
TEST(SpirvReader, ReadsNestedConstants) {
  const std::string text = Replaced(Replaced(kAdd, "%tensor = OpTypeTensorARM %int %one %shape",
                                             "%three = OpConstant %int 3\n"
                                             "%list3 = OpTypeArray %int %three\n"
                                             "%shape3 = OpConstantComposite %list3 %two %one %two\n"
                                             "%tensor = OpTypeTensorARM %int %three %shape3\n"
                                             "%list2 = OpTypeArray %int %two\n"
                                             "%shape2 = OpConstantComposite %list2 %one %two\n"
                                             "%plane = OpTypeTensorARM %int %two %shape2\n"
                                             "%row = OpConstantComposite %list2 %two %three\n"
                                             "%plane0 = OpConstantComposite %plane %row\n"
                                             "%rows = OpTypeArray %list2 %one\n"
                                             "%zeros = OpConstantNull %list2\n"
                                             "%plane1 = OpConstantComposite %rows %zeros"),
                                    "%k = OpConstantComposite %tensor %two %minus",
                                    "%k = OpConstantComposite %tensor %plane0 %plane1");
  EXPECT_NE(GraphOf(text).find("values=i32[2,1,2]{2,3,0,0}"), std::string::npos) << GraphOf(text);
  const std::string again = Replaced(text, "OpConstantComposite %tensor %plane0 %plane1",
                                     "OpConstantCompositeReplicateEXT %tensor %plane0");
  EXPECT_NE(GraphOf(again).find("values=i32[2,1,2]{2,3,2,3}"), std::string::npos) << GraphOf(again);
}

TEST(SpirvReader, TakesValuesOfGraphConstantsOrMakesThemInputs) {
  const std::string text = Replaced(kAdd, "%k = OpConstantComposite %tensor %two %minus",
                                    "%k = OpGraphConstantARM %tensor 4");
  const Result<GraphModule> module = Read(text);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->constant_inputs, std::vector<uint32_t>{4});
  EXPECT_EQ(module->inputs.size(), 1U);
  EXPECT_EQ(module->graph.Main()->inputs.size(), 2U);
  const Result<ModuleCode> code = ParseModule(text);
  const Result<GraphModule> unnamed = ReadModule(WordsOf(*code), nullptr, "", {});
  ASSERT_TRUE(unnamed) << unnamed.error().message;
  EXPECT_NE(GraphText(unnamed->graph).find("(%x:i32[2],%graph_constant_4:i32[2])"),
            std::string::npos)
      << GraphText(unnamed->graph);
  const auto constant = [](int32_t length) -> GraphConstants {
    return [=](uint32_t number, const TensorType&) -> Result<std::optional<Tensor>> {
      return std::optional(Tensor::Splat(DType::kInt32, Shape({length}), number));
    };
  };
  EXPECT_NE(GraphOf(text, constant(2)).find("values=i32[2]{4,4}"), std::string::npos);
  EXPECT_EQ(GraphOf(text, constant(3)),
            "line 31: OpExtInst ADD: input2: graph constant 4 is i32[3], not i32[2]");
}

TEST(SpirvReader, ChoosesAnEntryPoint) {
  const std::string text = Replaced(kAdd, "OpGraphEndARM\n",
                                    "OpGraphEndARM\n"
                                    "OpGraphEntryPointARM %graph2 \"copy\" %x %out\n"
                                    "%graph2 = OpGraphARM %type\n"
                                    "%in2 = OpGraphInputARM %tensor %zero\n"
                                    "OpGraphSetOutputARM %in2 %zero\n"
                                    "OpGraphEndARM\n");
  EXPECT_EQ(ErrorOf(text), "which graph? the module has \"adder\", \"copy\"");
  const Result<GraphModule> none = Read(text, nullptr, "mul");
  EXPECT_EQ(none.error().message, "no graph \"mul\": the module has \"adder\", \"copy\"");
  const Result<GraphModule> copy = Read(text, nullptr, "copy");
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_TRUE(copy->graph.Main()->operators.empty());
  const Result<GraphModule> adder = Read(text, nullptr, "adder");
  ASSERT_TRUE(adder) << adder.error().message;
  EXPECT_EQ(adder->graph.Main()->operators.size(), 2U);
}

TEST(SpirvReader, ReadsOpenShapes) {
  const std::string text =
      Replaced(Replaced(kAdd, "OpTypeTensorARM %int %one %shape", "OpTypeTensorARM %int %one"),
               "%k = OpConstantComposite %tensor %two %minus", "%k = OpGraphConstantARM %tensor 0");
  const Result<GraphModule> module = Read(text);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->graph.Main()->tensors[0].type.shape, Shape({-1}));
}

TEST(SpirvReader, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view part, std::string_view by) {
    return ErrorOf(Replaced(kAdd, part, by));
  };
  EXPECT_EQ(error("ADD %in %k", "ADD %k2 %k\n%k2 = OpConstantNull %tensor"),
            "line 31: OpExtInst ADD: %k2 is used before it is defined");
  EXPECT_EQ(error("%minus = OpConstant", "%two = OpConstant"),
            "line 25: OpConstant: %two is defined twice");
  EXPECT_EQ(error("ADD %in %k", "ADD %in"), "line 31: OpExtInst ADD: too few operands");
  EXPECT_EQ(error("ADD %in %k", "ADD %in %k %k"), "line 31: OpExtInst ADD: too many operands");
  EXPECT_EQ(error("ADD %in %k", "ADD %in %two"),
            "line 31: OpExtInst ADD: input2: %two is no tensor");
  EXPECT_EQ(error("ADD %in %k", "REDUCE_SUM %k %in"),
            "line 31: OpExtInst REDUCE_SUM: axis: %k is no constant of i32");
  EXPECT_EQ(error("ADD %in %k", "RESHAPE %in %added0"),
            "line 31: OpExtInst RESHAPE: %added0 is used before it is defined");
  EXPECT_EQ(error("ADD %in %k", "RESHAPE %in %in"),
            "line 31: OpExtInst RESHAPE: shape: %in is no constant");
  EXPECT_EQ(error("%tensor %two %minus", "%tensor %two"),
            "line 31: OpExtInst ADD: input2: %k has 1 constituents instead of 2");
  EXPECT_EQ(error("%minus = OpConstant %int -5", "%minus = OpConstantTrue %int"),
            "line 31: OpExtInst ADD: input2: %minus is no constant of i32");
  EXPECT_EQ(error("OpConstant %int -5", "OpConstant %int -5.5"),
            "line 25: OpConstant: \"-5.5\" is no value of its type");
  EXPECT_EQ(error("Binding 7", "Binding BINDING"),
            "line 11: OpDecorate: \"BINDING\" is no number; a placeholder must be replaced by one");
  EXPECT_EQ(error("OpDecorate %x Binding 7", ""),
            "line 28: OpGraphEntryPointARM: %x has no DescriptorSet or no Binding");
  EXPECT_EQ(error("OpTypeInt 32 1", "OpTypeInt 4 1"),
            "line 16: OpConstant: \"1\" is no value of its type");
  EXPECT_EQ(error("%in %k\nOpGraphSetOutputARM %added %zero", "%in %k"),
            "line 28: OpGraphEntryPointARM: output 0 is not set");
  EXPECT_EQ(error("%zero\nOpGraphEndARM", "%zero"),
            "line 28: OpGraphEntryPointARM: the graph has no OpGraphEndARM");
  EXPECT_EQ(error("OpGraphInputARM %tensor %zero", "OpGraphInputARM %tensor %one"),
            "line 30: OpGraphInputARM: no such input");
  EXPECT_EQ(error("OpGraphEntryPointARM %graph \"adder\" %x %out", ""),
            "no OpGraphEntryPointARM: the module has no graph");
  EXPECT_EQ(error("\"adder\"", "\"adder"), "line 28: the text in quotes does not end");
  EXPECT_EQ(error("OpMemoryModel", "OpMemory"),
            "line 6: \"OpMemory\" is no instruction of a TOSA graph");
  EXPECT_EQ(error("%in = OpGraph", "OpGraph"),
            "line 30: OpGraphInputARM: its result needs an id: %id = ...");
  EXPECT_EQ(error("%pointer UniformConstant\n%out", "%pointer\n%out"),
            "line 23: OpVariable: too few operands");
}

// Each thing that no TOSA graph has is refused by its name, with status 3.
TEST(SpirvReader, RefusesWhatIsNotTosa) {
  const auto refused = [](std::string_view part, std::string_view by) {
    const Result<ModuleCode> code = ParseModule(Replaced(kAdd, part, by));
    const Result<GraphModule> module =
        code ? ReadModule(*code, nullptr, "", {}) : Result<GraphModule>(code.error());
    EXPECT_EQ(module.error().kind, Error::Kind::kUnsupported);
    return module.error().message;
  };
  EXPECT_EQ(refused("OpName %x \"x\"", "OpEntryPoint GLCompute %main \"main\""),
            "line 8: OpEntryPoint: a compute module, not a TOSA graph");
  EXPECT_EQ(refused("TOSA.001000.1", "Arm.MotionEngine.100"),
            "line 31: OpExtInst: \"ADD\" of \"Arm.MotionEngine.100\" is none of TOSA.001000.1");
  EXPECT_EQ(refused("%tosa ADD", "%tosa 66"),
            "line 31: OpExtInst: instruction 66 of TOSA.001000.1 is none of TOSA.001000.1");
  EXPECT_EQ(refused("OpCapability GraphARM", "OpCapability Kernel"),
            "line 2: OpCapability: \"Kernel\" is no name that TOSA graphs need");
  EXPECT_EQ(refused("OpTypeTensorARM %int %one %shape", "OpTypeArray %int %two"),
            "line 28: OpGraphEntryPointARM: %tensor is an array of tensors");
  EXPECT_EQ(ReadModule(std::vector<uint32_t>{kMagic, kVersion, 0, 9, 0, 0x0004000f, 5, 1, 0},
                       nullptr, "", {})
                .error()
                .message,
            "word 5: OpEntryPoint: a compute module, not a TOSA graph");
}

// A few words must not become much memory.
TEST(SpirvReader, LimitsWhatConstantsTake) {
  const std::string large =
      Replaced(kAdd, "%two = OpConstant %int 2", "%two = OpConstant %int 2000000000");
  EXPECT_EQ(ErrorOf(Replaced(large, "%k = OpConstantComposite %tensor %two %minus",
                             "%k = OpConstantNull %tensor")),
            "line 31: OpExtInst ADD: input2: constants of one value for all elements take more "
            "than 256 MiB");
  // A tower of composites, each of which has the one below it many times.
  std::string tower = "%k0 = OpConstantComposite %list40 %two";
  for (int i = 1; i < 40; ++i) tower += " %two";
  std::string types = "%n40 = OpConstant %int 40 %list40 = OpTypeArray %int %n40\n" + tower + "\n";
  std::string dims = " %n40";
  for (int level = 1; level < 6; ++level) {
    const std::string below = std::to_string(level - 1), own = std::to_string(level);
    types += "%a" + own + " = OpTypeArray " + (level == 1 ? "%list40" : "%a" + below) + " %n40 %k" +
             own + " = OpConstantComposite %a" + own;
    for (int i = 0; i < 40; ++i) types += " %k" + below;
    types += "\n";
    dims += " %n40";
  }
  types +=
      "%six = OpConstant %int 6 %list6 = OpTypeArray %int %six\n"
      "%shape6 = OpConstantComposite %list6" +
      dims +
      "\n%tensor = OpTypeTensorARM %int %six "
      "%shape6\n%k = OpConstantComposite %tensor";
  for (int i = 0; i < 40; ++i) types += " %k4";
  const std::string text =
      Replaced(Replaced(kAdd, "%tensor = OpTypeTensorARM %int %one %shape", types),
               "%k = OpConstantComposite %tensor %two %minus", "");
  EXPECT_NE(ErrorOf(text).find("bytes of memory, the limit for this file"), std::string::npos)
      << ErrorOf(text);
}

// Bits of all values of the narrow types, and of some of the others, are the same in text.
TEST(SpirvReader, WritesNumbersThatReadBack) {
  int count = 0;
  for (const ScalarType& row : kScalarTypes) {
    if (row.opcode == Opcode::kTypeBool) continue;
    Instruction type{row.opcode, 0, 1, {row.bits}};
    if (row.second) type.operands.push_back(*row.second);
    const uint32_t step = row.bits <= 16 ? 1 : 65521;
    const uint64_t end = row.bits <= 16 ? uint64_t{1} << row.bits : uint64_t{1} << 32;
    for (uint64_t bits = 0; bits < end; bits += step, ++count) {
      std::vector<uint32_t> words = {static_cast<uint32_t>(bits)};
      if (row.bits == 64) words.push_back(static_cast<uint32_t>(bits * 0x9e3779b9));
      const std::string text = LiteralText(&type, words);
      ASSERT_NE(text[0], '!') << text;
      ASSERT_EQ(LiteralWords(&type, text), words) << text;
    }
  }
  EXPECT_GT(count, 300000);
  const Instruction fp32{Opcode::kTypeFloat, 0, 1, {32}};
  const Instruction bf16{Opcode::kTypeFloat, 0, 1, {16, kBfloat16Encoding}};
  const Instruction i8{Opcode::kTypeInt, 0, 1, {8, 1}};
  EXPECT_EQ(LiteralText(&fp32, std::vector<uint32_t>{0x7fc00000}), "0x1.8p+128");
  EXPECT_EQ(LiteralText(&fp32, std::vector<uint32_t>{0xff800000}), "-0x1p+128");
  EXPECT_EQ(LiteralText(&fp32, std::vector<uint32_t>{0x3dcccccd}), "0.1");
  EXPECT_EQ(LiteralText(&i8, std::vector<uint32_t>{0xfffffffd}), "-3");
  EXPECT_EQ(LiteralText(&i8, std::vector<uint32_t>{0x100}), "!256");
  EXPECT_EQ(LiteralText(nullptr, std::vector<uint32_t>{1, 2}), "!1 !2");
  EXPECT_EQ(LiteralWords(&bf16, "1.0"), std::vector<uint32_t>{0x3f80});
  EXPECT_EQ(LiteralWords(&bf16, "0x1p+1"), std::vector<uint32_t>{0x4000});
  for (const char* wrong : {"1e99", "nan", "inf", "--1", "", "1x", "0x1p+200", "0x1.01p+128"}) {
    EXPECT_EQ(LiteralWords(&bf16, wrong), std::nullopt) << wrong;
  }
  for (const char* wrong : {"256", "-129", "1.0", "", "-", "0x", "0x100"}) {
    EXPECT_EQ(LiteralWords(&i8, wrong), std::nullopt) << wrong;
  }
}

TEST(SpirvReader, KeepsTextsInQuotes) {
  const std::string name = "a \"b\" \\ c\nd; %e = OpNop";
  Instruction instruction{Opcode::kName, 0, 0, TextWords(name)};
  instruction.operands.insert(instruction.operands.begin(), 1);
  ModuleCode code;
  code.instructions = {{Opcode::kTypeVoid, 0, 1, {}}, instruction};
  const Result<std::string> text = ModuleText(WordsOf(code));
  ASSERT_TRUE(text) << text.error().message;
  const Result<ModuleCode> again = ParseModule(*text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(WordsOf(*again), WordsOf(code));
  EXPECT_EQ(ParseModule(*text + "OpFoo").error().message,
            "line 6: \"OpFoo\" is no instruction of a TOSA graph");
}

}  // namespace
}  // namespace assay::spirv::spirv_reader_test
