// SPDX-License-Identifier: Apache-2.0
// Modules of SPIR-V: the words of every operator, and the way there and back.
#include <gtest/gtest.h>

#include <map>

#include "check_graph.h"
#include "executor.h"
#include "generated.h"
#include "generator_table.h"
#include "golden.h"
#include "joined.h"
#include "operator_set.h"
#include "sha256.h"
#include "spirv_instructions.h"
#include "spirv_reader.h"
#include "spirv_text.h"
#include "spirv_writer.h"
#include "tosa_instructions.h"
#include "worked_example.h"

namespace assay::spirv::spirv_test {
namespace {

GraphConstants From(const std::vector<Tensor>& constants) {
  return [&constants](uint32_t number, const TensorType&) -> Result<std::optional<Tensor>> {
    if (number >= constants.size()) return BadInput("no constant " + std::to_string(number));
    return std::optional(constants[number]);
  };
}

Result<Graph> ReadGraph(std::span<const uint32_t> words, const GraphConstants& constants) {
  Result<GraphModule> module = ReadModule(words, constants, "", {});
  if (!module) return module.error();
  return std::move(module->graph);
}

std::string MustShow(const std::vector<uint32_t>& words) {
  const Result<std::string> text = ModuleText(words);
  return text ? *text : text.error().message;
}

// Returns the module of the first example of an operator that a module can express.
std::optional<Module> ExampleModule(Op op) {
  for (const ops::Example& example : ops::DefinitionOf(op).examples) {
    const Result<TestVector> vector = VectorOfExample(op, example);
    if (!vector || vector->steps[0].expected != OutcomeKind::kValid) continue;
    Result<Module> module = WriteModule(vector->graphs[0]);
    if (module) return std::move(*module);
  }
  return std::nullopt;
}

// The golden file has the hash of the words of a module for each operator, and the line of its
// extended instruction. Two modules are there as a whole.
TEST(Spirv, WritesTheWordsOfEveryOperator) {
  std::string text;
  for (const OperatorRow& instruction : TosaInstructions()) {
    const std::string name(OperatorName(instruction.op));
    const std::optional<Module> module = ExampleModule(instruction.op);
    ASSERT_TRUE(module) << name;
    const std::string shown = MustShow(module->words);
    const size_t found = shown.find("OpExtInst %");
    ASSERT_NE(found, std::string::npos) << shown;
    const size_t line = shown.rfind('\n', found) + 1;
    text += Sha256(ModuleBytes(module->words)).substr(0, 16) + " " +
            shown.substr(line, shown.find('\n', line) + 1 - line);
  }
  for (const Op op : {Op::kRescale, Op::kFft2d}) text += "\n" + MustShow(ExampleModule(op)->words);
  ExpectGolden("spirv_modules.txt", text);
}

TEST(Spirv, NumbersTheOperatorsOfTheInstructionSet) {
  ASSERT_EQ(TosaInstructions().size(), 66U);
  EXPECT_EQ(NumberOf(Op::kArgmax), 0U);
  EXPECT_EQ(NumberOf(Op::kRescale), 65U);
  EXPECT_EQ(NumberOf(Op::kIdentity), std::nullopt);
}

// Attributes come first. Written by hand from the extended instruction set.
TEST(Spirv, OrdersOperandsAsTheInstructionSetDoes) {
  const auto names = [](Op op) {
    return Joined(OperandsOf(RowOf(op)), " ",
                  [](const TosaOperand& x) { return x.argument->name; });
  };
  EXPECT_EQ(names(Op::kClamp), "min_val max_val nan_mode input");
  EXPECT_EQ(names(Op::kConcat), "axis input1");
  EXPECT_EQ(names(Op::kConv2d),
            "pad stride dilation acc_type local_bound input weight bias input_zp weight_zp");
  EXPECT_EQ(names(Op::kRescale),
            "scale32 rounding_mode per_channel input_unsigned output_unsigned input multiplier "
            "shift input_zp output_zp");
}

std::vector<Outcome> Outcomes(const TestVector& vector, const std::vector<Graph>& graphs) {
  std::vector<Outcome> outcomes;
  for (const Step& step : vector.steps) {
    Context context;
    outcomes.push_back(Execute(context, graphs[static_cast<size_t>(step.graph)], step.inputs, {}));
  }
  return outcomes;
}

// All generated vectors that can be written keep their words and their results.
TEST(Spirv, ReadsBackWhatItWrites) {
  int same = 0;
  std::map<std::string, int> refused;
  for (const Generator* generator : AllGenerators()) {
    for (uint64_t index = 0; index < 60; ++index) {
      const std::optional<TestVector> vector = generator->make(Options(3), index);
      if (!vector) continue;
      std::vector<Graph> read;
      for (const Graph& graph : vector->graphs) {
        const Result<Module> module = WriteModule(graph);
        if (!module) {
          ++refused[module.error().message];
          break;
        }
        const Result<Graph> back = ReadGraph(module->words, From(module->constants));
        ASSERT_TRUE(back) << vector->name << ": " << back.error().message << "\n"
                          << MustShow(module->words);
        const Result<ModuleCode> code = ParseModule(MustShow(module->words));
        ASSERT_TRUE(code) << vector->name << ": " << code.error().message;
        ASSERT_EQ(WordsOf(*code), module->words) << vector->name << "\n" << MustShow(module->words);
        const Result<Module> again = WriteModule(*back);
        ASSERT_TRUE(again) << vector->name << ": " << again.error().message;
        ASSERT_EQ(MustShow(again->words), MustShow(module->words)) << vector->name;
        ASSERT_EQ(again->constants, module->constants) << vector->name;
        read.push_back(*back);
      }
      if (read.size() != vector->graphs.size()) continue;
      const std::vector<Outcome> before = Outcomes(*vector, vector->graphs);
      const std::vector<Outcome> after = Outcomes(*vector, read);
      for (size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(after[i].kind, before[i].kind) << vector->name;
        EXPECT_EQ(after[i].outputs, before[i].outputs) << vector->name;
      }
      ++same;
    }
  }
  EXPECT_GT(same, 300);
  EXPECT_GT(refused["a tensor of rank 0"], 0);
  EXPECT_GT(refused["a tensor of i4"], 0);
  std::cout << same << " vectors the same\n";
  for (const auto& [why, count] : refused)
    std::cout << "  " << count << " refused: " << why << "\n";
}

// Whatever the words are, the reader answers with a graph or an error.
TEST(Spirv, ReadsDamagedModules) {
  for (const Op op : {Op::kFft2d, Op::kClamp, Op::kRescale, Op::kPad, Op::kConcat, Op::kConv2d}) {
    const std::optional<Module> module = ExampleModule(op);
    ASSERT_TRUE(module);
    const GraphConstants constants = From(module->constants);
    const auto read = [&](const std::vector<uint32_t>& words) {
      const Result<Graph> graph = ReadGraph(words, constants);
      EXPECT_TRUE(graph || !graph.error().message.empty());
      (void)ModuleText(words);
      return static_cast<bool>(graph);
    };
    const std::vector<uint32_t>& words = module->words;
    EXPECT_TRUE(read(words));
    for (size_t i = 0; i < words.size(); ++i) {
      EXPECT_FALSE(read({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i)})) << i;
      for (const uint32_t word : {uint32_t{0}, words[i] + 1, words[i] ^ 0x10000U, ~uint32_t{0},
                                  words[i] + 3, uint32_t{1} << 31, words[i] - 1}) {
        std::vector<uint32_t> damaged = words;
        damaged[i] = word;
        read(damaged);
      }
    }
  }
}

TEST(Spirv, SaysWhatIsWrongWithAModule) {
  const auto error = [](const std::vector<uint8_t>& bytes) {
    const Result<std::vector<uint32_t>> words = ModuleWords(bytes);
    return words ? MustShow(*words) : words.error().message;
  };
  EXPECT_EQ(error({}), "word 0: not a SPIR-V module");
  EXPECT_EQ(error({7, 0x23, 2, 3}), "word 0: a SPIR-V module of the other byte order");
  std::vector<uint8_t> bytes = ModuleBytes(ExampleModule(Op::kAbs)->words);
  bytes.push_back(0);
  EXPECT_NE(error(bytes).find("the file ends inside of a word"), std::string::npos);
  EXPECT_EQ(error(ModuleBytes(std::vector<uint32_t>{kMagic, kVersion, 0, 2, 0, 0x00010001})),
            "word 5: instruction 1 is none of a TOSA graph");
  EXPECT_EQ(error(ModuleBytes(std::vector<uint32_t>{kMagic, kVersion, 0, 2, 0, 0x00020014, 2})),
            "word 5: id 2 in OpTypeBool");
  EXPECT_EQ(error(ModuleBytes(std::vector<uint32_t>{kMagic, kVersion, 0, 2, 0, 0x00030014, 1})),
            "word 5: OpTypeBool has 3 words");
}

// A graph with an input "x" and a constant "c" of i8, which are multiplied with the shift "s".
Graph MulGraph() {
  Graph graph = EmptyGraph();
  Block& block = *graph.Main();
  const auto add = [&](const char* name, Shape shape) {
    TensorInfo& info = block.tensors.emplace_back();
    info.name = name;
    info.type = {DType::kInt8, shape};
    return static_cast<TensorIndex>(block.tensors.size() - 1);
  };
  const TensorIndex x = add("x", {2}), c = add("c", {2}), s = add("s", {1}), y = add("y", {2});
  block.tensors[3].type.type = DType::kInt32;
  block.inputs = {x};
  block.outputs = {y};
  const int64_t numbers[] = {3, -3};
  block.operators = {
      {Op::kConst,
       {{AttributeId::kValues, Tensor::FromIntegers(DType::kInt8, {2}, numbers)}},
       {},
       {c}},
      {Op::kConst, {{AttributeId::kValues, Tensor::Splat(DType::kInt8, {1}, 0)}}, {}, {s}},
      {Op::kMul, {}, {x, c, s}, {y}}};
  return graph;
}

TEST(Spirv, PutsConstantsWhereTheyBelong) {
  const Result<Module> module = WriteModule(MulGraph());
  ASSERT_TRUE(module) << module.error().message;
  ASSERT_EQ(module->constants.size(), 1U);
  EXPECT_EQ(module->constants[0].Integer(1), -3);
  const std::string text = MustShow(module->words);
  EXPECT_NE(text.find("OpGraphConstantARM"), std::string::npos) << text;
  EXPECT_EQ(ReadGraph(module->words, From({})).error().message,
            "word 155: OpExtInst MUL: input2: no constant 0");
}

// An element of i48 takes two words.
TEST(Spirv, KeepsConstantsOfI48) {
  Graph graph = MulGraph();
  graph.Main()->tensors[2].type.type = DType::kInt48;
  const Tensor value = Tensor::Splat(DType::kInt48, {1}, -(int64_t{1} << 40) + 5);
  graph.Main()->operators[1].attributes.Set(AttributeId::kValues, value);
  const Result<Module> module = WriteModule(graph);
  ASSERT_TRUE(module) << module.error().message;
  const Result<Graph> back = ReadGraph(module->words, From(module->constants));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->Main()->operators[1].attributes.Value(AttributeId::kValues), value);
}

TEST(Spirv, RefusesWhatAModuleCannotSay) {
  const auto error = [](const auto& change) {
    Graph graph = MulGraph();
    change(*graph.Main());
    const Result<Module> module = WriteModule(graph);
    return module ? "" : module.error().message;
  };
  EXPECT_EQ(error([](Block&) {}), "");
  EXPECT_EQ(error([](Block& block) { block.outputs.clear(); }), "a graph without outputs");
  EXPECT_EQ(error([](Block& block) { block.tensors[0].type.type = DType::kInt4; }),
            "a tensor of i4");
  EXPECT_EQ(error([](Block& block) { block.tensors[0].type.shape = {}; }), "a tensor of rank 0");
  EXPECT_EQ(error([](Block& block) { block.tensors[0].variable = true; }), "variable tensors");
  EXPECT_EQ(error([](Block& block) {
              block.inputs.push_back(2);
              block.operators.erase(block.operators.begin() + 1);
            }),
            "MUL: shift is no constant");
  EXPECT_EQ(error([](Block& block) { block.operators.back().op = Op::kCustom; }), "CUSTOM");
  EXPECT_EQ(error([](Block& block) {  // 16 bits have the length of an instruction
              block.operators.back() = {Op::kConcat,
                                        {{AttributeId::kAxis, int32_t{0}}},
                                        std::vector<TensorIndex>(65536, 0),
                                        {3}};
            }),
            "an instruction with more words than it can have");
  EXPECT_EQ(error([](Block& block) { block.operators.back().op = Op::kReduceSum; }),
            "REDUCE_SUM with a wrong number of operands");
  EXPECT_EQ(error([](Block& block) {
              block.operators.back().op = Op::kIdentity;
              block.operators.back().inputs.clear();
            }),
            "IDENTITY with a wrong number of operands");
  EXPECT_EQ(error([](Block& block) {
              block.operators.back().op = Op::kIdentity;
              block.operators.back().inputs = {0};
            }),
            "IDENTITY to another type");
}

}  // namespace
}  // namespace assay::spirv::spirv_test
