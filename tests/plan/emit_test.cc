// SPDX-License-Identifier: Apache-2.0
// Tests models in C. The output of `assay plan --emit` is compiled as C99, linked with the kernels
// and run, and gives the bits of the reference executor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "algorithm.h"
#include "block_builder.h"
#include "child_process.h"
#include "emit_c.h"
#include "files.h"
#include "generated.h"
#include "generator_table.h"
#include "planner.h"
#include "tosa_file.h"
#include "tosa_json.h"

namespace assay::emit_test {
namespace {

const std::string kExamples = ASSAY_SOURCE_DIR "/src/plan/emit/examples";
const std::string kLibrary =
    ASSAY_BINARY_DIR "/src/format/serialization/package/libassay_kernels.a";
const std::string kInclude = ASSAY_BINARY_DIR "/gen/include";

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string BytesOf(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size()};
}

std::string BytesOf(const std::vector<Tensor>& tensors) {
  std::string bytes;
  for (const Tensor& tensor : tensors) bytes += BytesOf(tensor);
  return bytes;
}

MemoryPlan PlanBySize(const MemoryProblem& problem) {
  Result<PlanningResult> planned = PlanMemory(problem, *AlgorithmByName("greedy_by_size"), {});
  EXPECT_TRUE(planned) << planned.error().message;
  return planned->plan;
}

size_t BufferNamed(const ModelMemory& memory, std::string_view name) {
  const auto& buffers = memory.graph.problem.buffers;
  const auto found = std::ranges::find(buffers, name, &BufferInfo::name_hint);
  EXPECT_NE(found, buffers.end()) << name;
  return static_cast<size_t>(found - buffers.begin());
}

// A test with a folder in which programs are compiled and run.
class Emit : public testing::Test {
 protected:
  std::string In(const std::string& name) const { return JoinPath(folder_->path(), name); }

  ChildReport RunHere(const std::vector<std::string>& argv, std::string_view input = {}) const {
    Result<ChildReport> report =
        RunChild({argv, folder_->path(), {}, 0}, input, {300, size_t{64} << 20});
    EXPECT_TRUE(report) << report.error().message;
    return *report;
  }
  std::string Succeeds(const std::vector<std::string>& argv, std::string_view input = {}) const {
    const ChildReport report = RunHere(argv, input);
    EXPECT_TRUE(report.end == ChildReport::End::kExited && report.status == 0)
        << argv[0] << " " << argv.back() << ": " << report.Describe() << "\n"
        << report.errors;
    return report.output;
  }

  void Write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(WriteFileAtomically(In(name), text));
  }

  // Compiles a source to an object file, as C99 with every warning an error.
  void Compile(const std::string& source) const {
    std::vector<std::string> argv = Words(ASSAY_COMPILE_C);
    for (const char* flag : {"-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"}) {
      argv.push_back(flag);
    }
    argv.insert(argv.end(), {"-I", kInclude, "-I", ".", "-c", source});
    Succeeds(argv);
  }
  void Link(const std::vector<std::string>& objects) const {
    std::vector<std::string> argv = Words(ASSAY_LINK);
    argv.insert(argv.end(), objects.begin(), objects.end());
    argv.insert(argv.end(), {kLibrary, "-lcrypto", "-lmpfr", "-lgmp", "-o", In("program")});
    Succeeds(argv);
  }
  std::string RunProgram(std::string_view input) const { return Succeeds({In("program")}, input); }

  // Emits a model of an example. `arguments` are like "scale.json --pool sram:rw".
  void EmitExample(const std::string& arguments) const {
    std::vector<std::string> argv = {ASSAY_BINARY_DIR "/assay", "plan"};
    for (const std::string& word : Words(arguments)) {
      argv.push_back(word.ends_with(".json") ? JoinPath(kExamples, word) : word);
    }
    argv.insert(argv.end(), {"--emit", "."});
    Succeeds(argv);
  }
  // Compiles an example program with its models, and returns its output for `input`.
  std::string RunExample(const std::string& program, const std::vector<std::string>& models,
                         std::string_view input) const {
    Compile(JoinPath(kExamples, program + ".c"));
    std::vector<std::string> objects = {program + ".o"};
    for (const std::string& model : models) {
      Compile(model + ".c");
      objects.push_back(model + ".o");
    }
    Link(objects);
    return RunProgram(input);
  }

  std::string Read(const std::string& name) const {
    const Result<std::string> text = ReadTextFile(In(name));
    EXPECT_TRUE(text) << text.error().message;
    return text ? *text : "";
  }
  // Returns the value of a macro in a header of a model.
  int64_t Defined(const std::string& header, const std::string& macro) const {
    const std::string text = Read(header);
    std::smatch found;
    EXPECT_TRUE(std::regex_search(text, found, std::regex("#define " + macro + " ([0-9]+)")))
        << macro;
    return found.empty() ? -1 : std::stoll(found[1]);
  }

  void WriteModel(const ModelInC& model, const std::string& name) const {
    Write(name + ".h", model.header);
    Write(name + ".c", model.source);
  }

  static Graph ExampleGraph(const std::string& name) {
    const std::string path = JoinPath(kExamples, name);
    const Result<std::vector<uint8_t>> bytes = TosaFromJson(*ReadTextFile(path), path);
    EXPECT_TRUE(bytes) << bytes.error().message;
    return *ReadTosa(*bytes, path, nullptr);
  }
  // Returns the result of the reference executor on these inputs, in a new context.
  static std::string Reference(const std::string& example, const std::vector<Tensor>& inputs) {
    Context context;
    const Outcome outcome = Execute(context, ExampleGraph(example), inputs, {});
    EXPECT_EQ(outcome.kind, OutcomeKind::kValid) << outcome.message;
    return BytesOf(outcome.outputs);
  }

  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
};

// (x + w) * (x + w) - (x + w) with w = {1.5, -2, 0.25, 3}: x + w = {2.5, 0, -0.25, 2}, its square
// {6.25, 0, 0.0625, 4}, less x + w {3.75, 0, 0.3125, 2}.
const char kX[] = "fp32[4]{1,2,-0.5,-1}";
const char kY[] = "fp32[4]{3.75,0,0.3125,2}";

Tensor Image() {
  std::vector<int64_t> pixels;
  for (int64_t i = 0; i < 128; ++i) pixels.push_back((i * 37 + 11) % 255 - 127);
  return Tensor::FromIntegers(DType::kInt8, {1, 8, 8, 2}, pixels);
}

TEST_F(Emit, ModelHasItsMemoryItself) {
  EmitExample("scale.json");
  const std::string twice = BytesOf(TensorOf(kX)) + BytesOf(TensorOf(kX));
  const std::string y = BytesOf(TensorOf(kY));
  EXPECT_EQ(Reference("scale.json", {TensorOf(kX)}), y);
  EXPECT_EQ(RunExample("own_memory", {"scale"}, twice), y + y);
}

TEST_F(Emit, ModelsShareTheWorkspaceOfTheLarger) {
  EmitExample("filter.json --pool sram:rw");
  EmitExample("scale.json --pool sram:rw");
  // sums i32[1,8,8,4], an accumulator i32[4], the image with its padding i8[1,10,10,2]; a and b.
  EXPECT_EQ(Defined("filter.h", "FILTER_SRAM_WORKSPACE_BUFFER_SIZE"), 1024 + 16 + 200);
  EXPECT_EQ(Defined("scale.h", "SCALE_SRAM_WORKSPACE_BUFFER_SIZE"), 16 + 16);
  EXPECT_EQ(RunExample("shared_workspace", {"filter", "scale"}, BytesOf({Image(), TensorOf(kX)})),
            Reference("filter.json", {Image()}) + BytesOf(TensorOf(kY)));
}

TEST_F(Emit, BuffersGoToTheNextPoolWhereOneIsFull) {
  EmitExample(
      "filter.json --algorithm greedy_by_size --pool dtcm:rw:target=c:size=1000 --pool sram:rw "
      "--pool itcm:ro:target=c:size=80 --pool flash:ro");
  // The first pool has no room for the sums. The 72 bytes of weights leave no room for the 16 bytes
  // of the bias.
  EXPECT_EQ(Defined("filter.h", "FILTER_DTCM_WORKSPACE_BUFFER_SIZE"), 208 + 16);
  EXPECT_EQ(Defined("filter.h", "FILTER_SRAM_WORKSPACE_BUFFER_SIZE"), 1024);
  EXPECT_EQ(Defined("filter.h", "FILTER_ITCM_PARAMETER_BUFFER_SIZE"), 72);
  EXPECT_EQ(Defined("filter.h", "FILTER_FLASH_PARAMETER_BUFFER_SIZE"), 16 + 1);
  EXPECT_EQ(RunExample("pinned_pools", {"filter"}, BytesOf(Image())),
            Reference("filter.json", {Image()}));
  const std::string sections = Succeeds({"objdump", "-h", "filter.o"});
  EXPECT_NE(sections.find(" ITCM "), std::string::npos) << sections;
  EXPECT_NE(sections.find(" FLASH "), std::string::npos) << sections;
}

TEST_F(Emit, InputsAndOutputsAreInTheWorkspace) {
  EmitExample("filter.json --pool sram:rw --workspace-io");
  // The result takes the place of the padded image and the input. At most 1024 bytes of sums and
  // 1024 bytes of results are live at once.
  EXPECT_EQ(Defined("filter.h", "FILTER_SRAM_WORKSPACE_BUFFER_SIZE"), 1024 + 1024);
  const std::string once = Reference("filter.json", {Image()});
  EXPECT_EQ(RunExample("mapped_tensors", {"filter"}, BytesOf({Image(), Image()})), once + once);
}

// The operators cannot reach a read-only pool, so the constants lie in the workspace.
TEST_F(Emit, ConstantsInAWorkspaceAreWrittenBeforeTheFirstRun) {
  EmitExample("scale.json --pool sram:rw --pool flash:ro:target=npu");
  // w, its shift, a and b.
  EXPECT_GE(Defined("scale.h", "SCALE_SRAM_WORKSPACE_BUFFER_SIZE"), 16 + 1 + 16 + 16);
  Write("initialised.c", R"(#include <stdio.h>
#include "scale.h"
__attribute__((aligned(16))) static uint8_t sram[SCALE_SRAM_WORKSPACE_BUFFER_SIZE + 1];
int main(void) {
  float x[4], y[4];
  scale_workspaces workspaces = {sram + 1};
  const scale_inputs inputs = {x};
  const scale_outputs outputs = {y};
  assay_context context = {NULL, NULL, NULL};
  scale_set_workspaces(&context, &workspaces);
  if (scale_init(&context) != ASSAY_KERNEL_NO_POOL) return 1; /* the base is misaligned */
  workspaces.sram = sram;
  if (scale_init(&context) != ASSAY_KERNEL_OK) return 2;
  if (fread(x, sizeof x, 1, stdin) != 1) return 3;
  if (scale_run(&inputs, &outputs, &context) != ASSAY_KERNEL_OK) return 4;
  fwrite(y, sizeof y, 1, stdout);
  return 0;
}
)");
  Compile("initialised.c");
  Compile("scale.c");
  Link({"initialised.o", "scale.o"});
  EXPECT_EQ(RunProgram(BytesOf(TensorOf(kX))), BytesOf(TensorOf(kY)));
}

// The effect of a wrong plan is visible in the results.
TEST_F(Emit, PlanDecidesWhereEverythingIs) {
  const Graph graph = ExampleGraph("scale.json");
  const Result<ModelMemory> memory = MemoryOfModel(graph, {});
  ASSERT_TRUE(memory);
  MemoryPlan plan = PlanBySize(memory->graph.problem);
  plan.allocations[BufferNamed(*memory, "main/b")] =
      plan.allocations[BufferNamed(*memory, "main/a")];
  WriteModel(*EmitC(graph, *memory, plan, "scale"), "scale");
  // b lies over a, and y is b less itself.
  EXPECT_EQ(RunExample("own_memory", {"scale"}, BytesOf(TensorOf(kX))),
            BytesOf(TensorOf("fp32[4]{0,0,0,0}")));
}

TEST_F(Emit, ScratchIsWrittenByKernels) {
  const Graph graph = ExampleGraph("filter.json");
  MemoryTarget target;
  target.workspace_io = true;
  target.pools = {{.name = "sram"}};
  const Result<ModelMemory> memory = MemoryOfModel(graph, target);
  ASSERT_TRUE(memory);
  const MemoryPlan right = PlanBySize(memory->graph.problem);
  const std::string expected = Reference("filter.json", {Image()});
  const size_t scratch = BufferNamed(*memory, "main/3.CONV2D/accumulator");
  // The accumulator lies over the operand, and over the result.
  for (const char* const name : {"main/image", "main/sums"}) {
    MemoryPlan plan = right;
    plan.allocations[scratch] = plan.allocations[BufferNamed(*memory, name)];
    WriteModel(*EmitC(graph, *memory, plan, "filter"), "filter");
    EXPECT_NE(RunExample("mapped_tensors", {"filter"}, BytesOf(Image())), expected) << name;
  }
}

// The count begins with {10, -5}.
TEST_F(Emit, VariablesStayInTheirWorkspace) {
  EmitExample("counter.json --pool sram:rw");
  const std::string steps = BytesOf({TensorOf("fp32[2]{1,2}"), TensorOf("fp32[2]{0.5,-1}")});
  const std::vector<Tensor> counts = {
      TensorOf("fp32[2]{12,-1}"), TensorOf("fp32[2]{11,-3}"),    // twice {1,2}, and once
      TensorOf("fp32[2]{13,-3}"), TensorOf("fp32[2]{11.5,-4}"),  // the same of {0.5,-1}
      TensorOf("fp32[2]{10.5,-6}")};                             // anew
  EXPECT_EQ(RunExample("two_counters", {"counter"}, steps), BytesOf(counts));
}

// Models of graphs and the program that runs them. For each step the program reads the inputs, and
// writes the status and the outputs.
class Suite {
 public:
  struct Model {
    std::string name;
    const Graph* graph;
    ModelMemory memory;
    ModelInC text;
  };

  // Returns the memory layout of case `index`; `own` is true if the case has one context.
  static MemoryTarget TargetOf(size_t index, bool own) {
    MemoryTarget target;
    target.share_operands = index % 3 == 1;
    target.workspace_io = index % 4 == 3;
    if (index % 4 == 0 && own) return target;
    PoolInfo sram{.name = "sram"}, dtcm{.name = "dtcm", .size_bytes = 300};
    PoolInfo flash{.name = "flash", .targets = {{"*", PoolAccess::kReadOnly}}};
    if (index % 4 == 2) target.pools = {dtcm, sram, flash};
    if (index % 4 != 2) target.pools = {sram};
    return target;
  }

  // Adds a model of the vector's graph. Returns false and adds nothing if the graph cannot be a
  // model.
  bool Add(const TestVector& vector) {
    const bool alone = vector.graphs.size() == 1 && vector.semantics == "1.0";
    int32_t contexts = 0;
    for (const Step& step : vector.steps) {
      contexts = std::max(contexts, step.context + 1);
      if (!step.state_before.empty()) return false;
    }
    if (!alone || ExecuteVector(vector, {})[0].kind != OutcomeKind::kValid) return false;
    const std::string name = "m" + std::to_string(models_.size());
    Result<ModelMemory> memory =
        MemoryOfModel(vector.graphs[0], TargetOf(models_.size(), contexts < 2));
    if (!memory) return false;
    const MemoryPlan plan = PlanBySize(memory->graph.problem);
    Result<ModelInC> text = EmitC(vector.graphs[0], *memory, plan, name);
    EXPECT_TRUE(text) << text.error().message;
    EXPECT_EQ(EmitC(vector.graphs[0], *memory, plan, name)->source, text->source);
    models_.push_back({name, &vector.graphs[0], std::move(*memory), std::move(*text)});
    AddRunner(models_.back());
    AddSteps(vector, models_.back(), contexts);
    return true;
  }

  const std::vector<Model>& models() const { return models_; }
  const std::string& input() const { return input_; }
  const std::string& expected() const { return expected_; }

  std::string Program() const {
    std::string text = "#include <stdio.h>\n#include <string.h>\n";
    for (const Model& model : models_) text += "#include \"" + model.name + ".h\"\n";
    return text + functions_ + "int main(void) {\n" + main_ + "  return 0;\n}\n";
  }

 private:
  static bool HasPools(const Model& model) { return !model.memory.own[0]; }

  // Writes `static void run_NAME(const assay_context* context)`.
  void AddRunner(const Model& model) {
    const Block& main = *model.graph->Main();
    std::string before, in, out, after;
    const auto add = [&](const std::string& array, TensorIndex tensor, std::string& list) {
      const TensorType& type = main.TypeOf(tensor);
      const auto bytes = std::to_string(type.shape.Elements() * ElementBytes(type.type));
      if (!model.memory.workspace_io)
        functions_ += "static uint8_t " + array + "[" + bytes + "];\n";
      list += (list.empty() ? "" : ", ") + array;
      return bytes;
    };
    const auto fields = Fields(model.text.header);
    for (size_t i = 0; i < main.inputs.size(); ++i) {
      const std::string array = model.name + "_in" + std::to_string(i);
      const std::string bytes = add(array, main.inputs[i], in);
      const std::string to = model.memory.workspace_io ? "inputs." + fields[i] : array;
      before += "  if (fread(" + to + ", " + bytes + ", 1, stdin) != 1) return;\n";
    }
    for (size_t i = 0; i < main.outputs.size(); ++i) {
      const std::string array = model.name + "_out" + std::to_string(i);
      const std::string bytes = add(array, main.outputs[i], out);
      const std::string from =
          model.memory.workspace_io ? "outputs." + fields[main.inputs.size() + i] : array;
      after += "  fwrite(" + from + ", " + bytes + ", 1, stdout);\n";
    }
    const std::string& n = model.name;
    const bool mapped = model.memory.workspace_io;
    functions_ +=
        "static void run_" + n + "(const assay_context* context) {\n  const " + n +
        "_inputs inputs = " +
        (mapped ? n + "_map_inputs(context)" : "{" + (in.empty() ? "NULL" : in) + "}") +
        ";\n  const " + n + "_outputs outputs = " +
        (mapped ? n + "_map_outputs(context)" : "{" + (out.empty() ? "NULL" : out) + "}") +
        ";\n  (void)inputs;\n  (void)outputs;\n" + before + "  int32_t status = " + n + "_run(" +
        (mapped ? "context" : "&inputs, &outputs, context") +
        ");\n  fwrite(&status, 4, 1, stdout);\n" + after + "}\n";
  }

  // Returns the fields of the structs of inputs and of outputs.
  static std::vector<std::string> Fields(const std::string& header) {
    std::vector<std::string> fields;
    const std::regex field("void\\* (\\w+); /\\* \\w+\\[");
    for (std::sregex_iterator at(header.begin(), header.end(), field), end; at != end; ++at) {
      fields.push_back((*at)[1]);
    }
    return fields;
  }

  void AddSteps(const TestVector& vector, const Model& model, int32_t contexts) {
    const std::string& n = model.name;
    main_ += "  {\n";
    for (int32_t c = 0; c < contexts; ++c) main_ += ContextOf(model, std::to_string(c));
    const std::vector<Outcome> outcomes = ExecuteVector(vector, {});
    for (size_t i = 0; i < vector.steps.size(); ++i) {
      const Step& step = vector.steps[i];
      if (outcomes[i].kind != OutcomeKind::kValid) break;
      main_ += "    run_" + n + "(&context" + std::to_string(step.context) + ");\n";
      input_ += BytesOf(step.inputs);
      expected_ += std::string(4, '\0') + BytesOf(outcomes[i].outputs);
    }
    main_ += "  }\n";
  }

  // Returns the code of a context of the model, with workspaces that are filled with 0xff.
  static std::string ContextOf(const Model& model, const std::string& number) {
    const std::string& n = model.name;
    std::string upper = n;
    upper[0] = 'M';
    std::string text = "    assay_context context" + number + " = {NULL, NULL, NULL};\n";
    std::string workspaces, parameters;
    for (size_t i = 0; i < model.memory.own.size(); ++i) {
      const std::string& pool = model.memory.graph.problem.pools[i].name;
      if (model.memory.own[i]) continue;
      if (model.memory.read_only[i]) {
        const std::string array = n + "_" + pool + "_parameter_buffer";
        const bool is_there = model.text.header.find(array + "[") != std::string::npos;
        parameters += (parameters.empty() ? "" : ", ") + (is_there ? array : "NULL");
        continue;
      }
      const std::string array = n + "_" + pool + "_" + number;
      std::string macro = upper + "_" + pool + "_WORKSPACE_BUFFER_SIZE";
      for (char& c : macro) c = static_cast<char>(std::toupper(c));
      text += "    __attribute__((aligned(16))) static uint8_t " + array + "[" + macro +
              " + 1];\n    memset(" + array + ", 0xff, sizeof " + array + ");\n";
      workspaces += (workspaces.empty() ? "" : ", ") + array;
    }
    const auto set = [&](const std::string& kind, const std::string& list) {
      if (list.empty()) return;
      text += "    const " + n + "_" + kind + " " + kind + number + " = {" + list + "};\n    " + n +
              "_set_" + kind + "(&context" + number + ", &" + kind + number + ");\n";
    };
    set("workspaces", workspaces);
    set("parameters", parameters);
    if (model.text.header.find("_init(") != std::string::npos) {
      text += "    if (" + n + "_init(&context" + number + ") != 0) return 1;\n";
    }
    return text;
  }

  std::vector<Model> models_;
  std::string functions_, main_, input_, expected_;
};

// Expects that an object leaves undefined only the kernels and functions that copy bytes. None of
// them allocates.
void ExpectNoAllocation(const std::string& symbols, const std::string& source) {
  const std::regex allowed(
      "assay_kernel_\\w+|memcpy|memset|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|__(asan|ubsan)_\\w+");
  const std::regex undefined(" U (\\S+)");
  for (std::sregex_iterator at(symbols.begin(), symbols.end(), undefined), end; at != end; ++at) {
    EXPECT_TRUE(std::regex_match((*at)[1].str(), allowed)) << (*at)[1].str();
  }
  EXPECT_FALSE(std::regex_search(source, std::regex("alloc\\w*\\(|free\\(")));
}

TEST_F(Emit, GeneratedGraphsGiveTheBitsOfTheExecutor) {
  const char* const factor = std::getenv("ASSAY_MODELS");
  const uint64_t times = factor == nullptr ? 1 : std::stoull(factor);
  std::vector<TestVector> vectors;
  for (const auto& [kind, count] :
       std::map<std::string, uint64_t>{{"control-flow", 16}, {"graph", 24}, {"stateful", 12}}) {
    for (uint64_t index = 0; index < times * count; ++index) {
      auto vector = GeneratorByKind(kind)->make(Options(11), index);
      if (vector) vectors.push_back(std::move(*vector));
    }
  }
  Suite suite;
  for (const TestVector& vector : vectors) suite.Add(vector);
  EXPECT_GE(suite.models().size(), times * 35);
  RecordProperty("models", static_cast<int>(suite.models().size()));
  std::vector<std::string> objects = {"program.o"};
  for (const Suite::Model& model : suite.models()) {
    WriteModel(model.text, model.name);
    Compile(model.name + ".c");
    objects.push_back(model.name + ".o");
    ExpectNoAllocation(Succeeds({"nm", model.name + ".o"}), model.text.source);
  }
  Write("program.c", suite.Program());
  Compile("program.c");
  Link(objects);
  EXPECT_EQ(RunProgram(suite.input()), suite.expected());
}

TEST_F(Emit, NamesThatAreNoneInC) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i32[2]"), y = b.Input("i32[2]"), z = b.Input("i32[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, y}, "i32[2]");
  const TensorIndex all = b.Add(Op::kSub, {sum, z}, "i32[2]");
  b.Outputs({all, sum, x, all});
  const char* const names[] = {"int", "Int", "*/ evil\n\"", "", "9\xc3\xa9 /*\\"};
  for (size_t i = 0; i < 5; ++i) b.block.tensors[i].name = names[i];
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  Step& step = vector.steps.emplace_back();
  step.inputs = {TensorOf("i32[2]{1,2}"), TensorOf("i32[2]{30,40}"), TensorOf("i32[2]{5,7}")};
  Suite suite;
  ASSERT_TRUE(suite.Add(vector));
  const std::string& header = suite.models()[0].text.header;
  for (const char* const field :
       {"int_;", "int__2;", "tensor____evil__;", "tensor_;", "tensor_9"}) {
    EXPECT_NE(header.find(field), std::string::npos) << field << "\n" << header;
  }
  WriteModel(suite.models()[0].text, "m0");
  Write("program.c", suite.Program());
  Compile("m0.c");
  Compile("program.c");
  Link({"program.o", "m0.o"});
  EXPECT_EQ(RunProgram(suite.input()), suite.expected());
  // The header also compiles as C++.
  Write("header.cc", "#include \"m0.h\"\n#include \"m0.h\"\n");
  Succeeds({"c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", kInclude,
            "header.cc"});
}

TEST(ModelName, IsAnIdentifier) {
  EXPECT_EQ(ModelNameOf("MobileNet-v1.tosa"), "mobilenet_v1");
  EXPECT_EQ(ModelNameOf("4x4.tosa"), "model_4x4");
  EXPECT_EQ(ModelNameOf("assay_kernel.tvec"), "model_assay_kernel");
  EXPECT_EQ(ModelNameOf("while.tosa"), "while_");
  EXPECT_EQ(ModelNameOf(""), "model_");
}

std::string WhyNot(const Graph& graph, const MemoryTarget& target = {}) {
  const Result<ModelMemory> memory = MemoryOfModel(graph, target);
  if (!memory) return memory.error().message;
  const Result<ModelInC> model =
      EmitC(graph, *memory, PlanBySize(memory->graph.problem), "refused");
  return model ? "" : model.error().message;
}

TEST(EmitRefuses, WhatCannotBeAModel) {
  BlockBuilder add;
  const TensorIndex x = add.Input("i32[2]");
  add.Outputs({add.Add(Op::kAdd, {x, x}, "i32[3]")});
  EXPECT_EQ(WhyNot(GraphOf({add.block})),
            "operator 0 (ADD) of block main: i32[2], i32[2] -> i32[3] breaks ADD/ERROR_IF/1; "
            "`assay check` says all");

  BlockBuilder read;
  read.Outputs({read.Add(Op::kVariableRead, {}, "i8[2]", {{AttributeId::kName, "v"}})});
  EXPECT_EQ(WhyNot(GraphOf({read.block})), "variable \"v\" is declared by another graph");

  BlockBuilder identity;
  const TensorIndex a = identity.Add(Op::kIdentity, {identity.Input("i32[2]")}, "i32[2]");
  identity.Outputs({identity.Add(Op::kIdentity, {a}, "i32[2]")});
  MemoryTarget target;
  target.alignment = 24;
  EXPECT_EQ(WhyNot(GraphOf({identity.block}), target),
            "C aligns to powers of two up to 268435456, not to 24");
  target.alignment = 16;
  target.pools = {{.name = "npu_only", .targets = {{"npu", PoolAccess::kReadWrite}}}};
  EXPECT_EQ(WhyNot(GraphOf({identity.block}), target),
            "no pool for \"main/t1\", which is touched by \"c\"");
}

TEST_F(Emit, NothingIsHalfWritten) {
  const std::string text = "text";
  const FileText files[] = {{In("first"), text}, {In("no/second"), text}};
  const Result<Done> written = WriteFilesAtomically(files);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("no/second: cannot write"), std::string::npos);
  EXPECT_TRUE(ListDirectory(folder_->path())->empty());
}

TEST_F(Emit, SaysInOneLineWhyNothingIsWritten) {
  Write("file", "");
  Write("problem.json", R"({"format": "assay-plan", "version": 1, "buffers": []})");
  const std::string scale = JoinPath(kExamples, "scale.json");
  const struct {
    std::vector<std::string> arguments;
    int status;
    const char* words;
  } kCases[] = {
      {{scale, "--emit", "file"}, 2, "file: cannot make the folder"},
      {{scale, "--emit", "/proc/nowhere"}, 2, "/proc/nowhere: cannot make the folder"},
      {{scale, "--emit", "out", "--name", "while"}, 2, "--name \"while\": is no identifier"},
      {{scale, "--emit", "out", "--name", "a b"}, 2, "--name \"a b\": is no identifier"},
      {{scale, "--name", "model"}, 2, "--name requires --emit"},
      {{"problem.json", "--emit", "out"}, 2, "problem.json: holds no graph"},
      {{scale, "--emit", "out", "--alignment", "24"}, 3, "C aligns to powers of two"},
      {{scale, "--emit", "out", "--pool", "tiny:rw:size=8"}, 2, "main/"},
  };
  for (const auto& [arguments, status, words] : kCases) {
    std::vector<std::string> argv = {ASSAY_BINARY_DIR "/assay", "plan"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const ChildReport report = RunHere(argv);
    EXPECT_EQ(report.status, status) << words << report.errors;
    EXPECT_NE(report.errors.find(words), std::string::npos) << report.errors;
    EXPECT_EQ(std::ranges::count(report.errors, '\n'), 1) << report.errors;
    EXPECT_FALSE(FileExists(In("out"))) << words;
  }
}

}  // namespace
}  // namespace assay::emit_test
