// SPDX-License-Identifier: Apache-2.0
// Tests of the backend `vulkan` with a stand-in for the Vulkan loader (vulkan_stand_in.cc), which
// checks the calls and executes the modules.
#include <map>

#include "backend_kind.h"
#include "child_process.h"
#include "counters.h"
#include "files.h"
#include "frame.h"
#include "judge_vector.h"
#include "operator_set.h"
#include "run_assay.h"
#include "tosa_file.h"
#include "tosa_instructions.h"
#include "tvec_file.h"
#include "worked_example.h"
#include "worker_message.h"

namespace assay::vulkan_test {
namespace {

const std::string kStandIn = ASSAY_BINARY_DIR "/vulkan_stand_in.so";

Result<std::unique_ptr<Backend>> TryOpen(const std::string& fault, double cpu_seconds = 60) {
  BackendOptions options;
  options.cpu_seconds = cpu_seconds;
  options.wall_seconds = 300;
  options.environment = {"ASSAY_VULKAN_FAULT=" + fault};
  return OpenBackend("vulkan:" + kStandIn, options);
}

// Returns the vector of a valid example of an operator that a module can express, with a first
// input or output of the type.
TestVector ExampleOf(Op op, DType type) {
  for (const ops::Example& example : ops::DefinitionOf(op).examples) {
    Result<TestVector> vector = VectorOfExample(op, example);
    if (!vector || vector->steps[0].expected != OutcomeKind::kValid) continue;
    const Block& main = *vector->graphs[0].Main();
    bool ranks = true;
    for (const TensorInfo& tensor : main.tensors) ranks &= tensor.type.shape.rank() > 0;
    if (ranks && main.TypeOf(main.outputs[0]).type == type) return std::move(*vector);
  }
  ADD_FAILURE() << "no example of " << OperatorName(op);
  return {};
}

TEST(Vulkan, RunsTheExamplesOfAllOperators) {
  const auto backend = TryOpen("none");
  ASSERT_TRUE(backend) << backend.error().message;
  EXPECT_EQ((*backend)->Describe(), "vulkan (Vulkan ML stand-in)");
  std::map<std::string, int> unsupported;
  std::set<Op> agreeing;
  for (const ops::OperatorDefinition* definition : ops::AllDefinitions()) {
    for (const ops::Example& example : definition->examples) {
      const Result<TestVector> vector = VectorOfExample(definition->op, example);
      ASSERT_TRUE(vector);
      if (vector->steps[0].expected != OutcomeKind::kValid) continue;
      const std::string why = (*backend)->WhyUnsupported(*vector);
      if (!why.empty()) {
        ++unsupported[why];
        continue;
      }
      const std::vector<Outcome> outcomes = OutcomesOf(**backend, *vector);
      if (outcomes[0].kind == OutcomeKind::kUnsupported) {
        ++unsupported[outcomes[0].message];
        continue;
      }
      const Verdict verdict = JudgeVector(*vector, outcomes);
      EXPECT_EQ(verdict.kind, VerdictKind::kAgrees)
          << OperatorName(definition->op) << " " << example.inputs << ": " << outcomes[0].message;
      agreeing.insert(definition->op);
    }
  }
  for (const OperatorRow& instruction : spirv::TosaInstructions()) {
    EXPECT_TRUE(agreeing.contains(instruction.op)) << OperatorName(instruction.op);
  }
  EXPECT_GT(unsupported["a tensor of rank 0"], 0);
}

TEST(Vulkan, FaultsOfTheDriverAreFound) {
  using enum OutcomeKind;
  const struct {
    const char* fault;
    OutcomeKind kind;
    const char* message;
  } kCases[] = {
      {"crash", kCrashed, "ended with signal 6"},
      {"device-lost", kCrashed, "vkQueueWaitIdle: VkResult -4"},
      {"refuse", kError, "vkCreateDataGraphPipelinesARM: VkResult -13"},
      {"no-memory", kUnsupported, "vkAllocateMemory: VkResult -2"},
      {"hang", kTimedOut, ""},
  };
  const TestVector vector = ExampleOf(Op::kAbs, DType::kInt32);
  for (const auto& one : kCases) {
    const auto backend = TryOpen(one.fault, 1);
    ASSERT_TRUE(backend) << backend.error().message;
    const std::vector<Outcome> outcomes = OutcomesOf(**backend, vector);
    EXPECT_EQ(outcomes[0].kind, one.kind) << one.fault << ": " << outcomes[0].message;
    EXPECT_NE(outcomes[0].message.find(one.message), std::string::npos) << outcomes[0].message;
  }
  const auto wrong = TryOpen("wrong-sign");
  const TestVector exp = ExampleOf(Op::kExp, DType::kFp32);
  EXPECT_EQ(JudgeVector(exp, OutcomesOf(**wrong, exp)).kind, VerdictKind::kDisagrees);
}

TEST(Vulkan, SaysWhyItIsNotInstalled) {
  const auto error = [](const std::string& fault) {
    const auto backend = TryOpen(fault);
    EXPECT_FALSE(backend);
    EXPECT_EQ(backend.error().kind, Error::Kind::kUnsupported);
    return backend.error().message;
  };
  EXPECT_EQ(error("no-extension"),
            "vulkan: not installed: none of 2 devices has VK_ARM_tensors, VK_ARM_data_graph and a "
            "queue for TOSA.001000.1");
  EXPECT_EQ(error("old-set"), error("no-extension"));
  EXPECT_EQ(error("no-tensors"),
            "vulkan: not installed: the Vulkan loader has no vkCreateTensorARM");
  EXPECT_EQ(error("no-feature"),
            "vulkan: not installed: vkCreateDevice: VkResult -8: stand-in lacks what it has "
            "announced; if layers implement the extensions, the layer of VK_ARM_data_graph must "
            "come before the layer of VK_ARM_tensors in VK_LAYER_PATH");
  const auto missing = OpenBackend("vulkan:/no/loader.so", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Error::Kind::kUsage);
}

// The host destroys all that it makes, and compiles a graph once that is loaded twice.
TEST(Vulkan, DestroysWhatItMakes) {
  const auto folder = TemporaryDirectory::Make();
  ASSERT_TRUE(folder);
  const std::string log = folder->path() + "/log";
  std::string requests;
  uint32_t number = 0;
  const auto send = [&](worker::Body body) {
    requests += FrameOf(*EncodeWorkerMessage({++number, std::move(body)}));
  };
  send(worker::Hello{});
  for (const Op op : {Op::kAdd, Op::kAdd, Op::kMul}) {
    const TestVector vector = ExampleOf(op, DType::kInt32);
    send(worker::LoadGraph{7, WriteTosa(vector.graphs[0]), "8K"});
    send(worker::OpenContext{1});
    send(worker::Invoke{1, 7, vector.steps[0].inputs, {}});
    send(worker::Invoke{1, 7, vector.steps[0].inputs, {}});
    send(worker::CloseContext{1});
    send(worker::UnloadGraph{7});
  }
  const Result<ChildReport> report = RunChild(
      {{ASSAY_BINARY_DIR "/assay-vulkan-host", kStandIn}, "", {{"ASSAY_VULKAN_LOG", log}}, 0},
      requests, {300, size_t{64} << 20});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->Describe(), "exit status 0") << report->errors;
  EXPECT_EQ(*ReadTextFile(log), "pipeline\npipeline\n0 objects left\nend\n");
  int answers = 0;
  std::string_view replies = report->output;
  while (replies.size() > kFrameHeadBytes) {
    const size_t length = FrameLength(replies);
    const auto message = DecodeWorkerMessage(replies.substr(kFrameHeadBytes, length));
    ASSERT_TRUE(message);
    answers += std::holds_alternative<worker::Answer>(message->body);
    replies.remove_prefix(kFrameHeadBytes + length);
  }
  EXPECT_EQ(answers, 6);
}

// Returns a vector of an IDENTITY of i48, which has 64 bits in Vulkan.
TestVector VectorOfI48(const Shape& shape) {
  TestVector vector = ExampleOf(Op::kAbs, DType::kInt32);
  Block& main = *vector.graphs[0].Main();
  for (TensorInfo& tensor : main.tensors) tensor.type = {DType::kInt48, shape};
  vector.steps[0].inputs = {Tensor::Splat(DType::kInt48, shape, -5)};
  main.operators[0] = {Op::kIdentity, {}, main.operators[0].inputs, main.operators[0].outputs};
  return vector;
}

TEST(Vulkan, FindsElementsBeyondTheirType) {
  const auto backend = TryOpen("wide-i48");
  ASSERT_TRUE(backend);
  const std::vector<Outcome> outcomes = OutcomesOf(**backend, VectorOfI48({3}));
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kCrashed);
  EXPECT_NE(outcomes[0].message.find("has an element of i48 with "), std::string::npos)
      << outcomes[0].message;
}

// The stand-in has tensors of at most 2^20 elements, 4 MiB and fp8e5m2 in no graph.
TEST(Vulkan, KeepsTheLimitsOfTheDevice) {
  const auto backend = TryOpen("none");
  ASSERT_TRUE(backend);
  const std::vector<Outcome> outcomes = OutcomesOf(**backend, VectorOfI48({1024, 1024}));
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kUnsupported);
  EXPECT_EQ(outcomes[0].message, "a tensor of 8388608 bytes");
  EXPECT_EQ((*backend)->WhyUnsupported(VectorOfI48({1, 1, 1, 1, 1, 1, 2})), "a tensor of rank 7");
  std::string why = (*backend)->WhyUnsupported(VectorOfI48({1 << 17}));
  EXPECT_NE(why.find("131072"), std::string::npos) << why;
  TestVector small = VectorOfI48({2});
  for (TensorInfo& tensor : small.graphs[0].Main()->tensors) tensor.type.type = DType::kFp8e5m2;
  why = (*backend)->WhyUnsupported(small);
  EXPECT_NE(why.find("fp8e5m2"), std::string::npos) << why;
}

class VulkanCli : public Cli {};

TEST_F(VulkanCli, ConvertsAndShowsModules) {
  const TestVector vector = ExampleOf(Op::kAdd, DType::kInt32);
  Graph graph = vector.graphs[0];
  Block& main = *graph.Main();
  // The second input becomes a constant.
  const TensorIndex constant = main.inputs.back();
  main.inputs.pop_back();
  main.operators.insert(
      main.operators.begin(),
      {Op::kConst, {{AttributeId::kValues, vector.steps[0].inputs.back()}}, {}, {constant}});
  ASSERT_TRUE(WriteFileAtomically(Path("a.tosa"), WriteTosa(graph)));
  ExpectStatus(0, "convert a.tosa a.spv", "");
  EXPECT_TRUE(FileExists(Path("a.spv.0.npy")));
  // An earlier graph had three constants.
  for (const char* stale : {"a.spv.1.npy", "a.spv.2.npy"}) {
    ASSERT_TRUE(WriteFileAtomically(Path(stale), std::string_view("stale")));
  }
  ExpectStatus(0, "convert a.tosa a.spv", "");
  EXPECT_TRUE(FileExists(Path("a.spv.0.npy")));
  EXPECT_FALSE(FileExists(Path("a.spv.1.npy")) || FileExists(Path("a.spv.2.npy")));
  const Ran shown = ExpectStatus(0, "show a.spv", " ADD %");
  EXPECT_NE(shown.output.find("OpGraphConstantARM"), std::string::npos) << shown.output;
  ASSERT_TRUE(WriteFileAtomically(Path("b.spv"), std::string_view("no module")));
  ExpectStatus(2, "show b.spv", "b.spv: word 0: not a SPIR-V module");
  graph.Main()->tensors[0].type.shape = {};
  ASSERT_TRUE(WriteFileAtomically(Path("c.tosa"), WriteTosa(graph)));
  ExpectStatus(3, "convert c.tosa c.spv", "c.tosa: not expressible in SPIR-V: a tensor of rank 0");
}

TEST_F(VulkanCli, NamesAFileThatIsNoLoader) {
  ASSERT_TRUE(WriteFileAtomically(Path("text.so"), std::string_view("no library")));
  ASSERT_TRUE(
      WriteFileAtomically(Path("a.tosa"), WriteTosa(ExampleOf(Op::kAdd, DType::kInt32).graphs[0])));
  ExpectStatus(2, "verify a.tosa --backend vulkan:text.so",
               "vulkan: not a Vulkan loader: ./text.so: ");
  const std::string other = ASSAY_BINARY_DIR "/algorithm_variants.so";
  ExpectStatus(2, "verify a.tosa --backend vulkan:" + other,
               "vulkan: not a Vulkan loader: " + other + " has no vkGetInstanceProcAddr");
}

TEST_F(VulkanCli, TestsTheBackend) {
  ExpectStatus(0, "backend test vulkan:" + kStandIn, "vulkan (Vulkan ML stand-in)");
}

}  // namespace
}  // namespace assay::vulkan_test
