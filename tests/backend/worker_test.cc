// SPDX-License-Identifier: Apache-2.0
// Tests of the worker protocol, and of backends that break it: the example in Python, and variants
// of it with one error each (backends/worker_variants.py).
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "backend_kind.h"
#include "child_process.h"
#include "counters.h"
#include "declaration_names.h"
#include "files.h"
#include "judge_vector.h"
#include "program_output.h"
#include "tosa_file.h"
#include "worked_example.h"
#include "worker_client.h"
#include "worker_message.h"

namespace assay::worker_test {
namespace {

const std::string kExample = ASSAY_SOURCE_DIR "/src/backend/examples/backend.py";
const std::string kVariants = ASSAY_SOURCE_DIR "/tests/backend/worker_variants.py";

// ---- Messages

std::string BytesOf(worker::Body body) {
  const Result<std::string> bytes = EncodeWorkerMessage({7, std::move(body)});
  EXPECT_TRUE(bytes);
  return *bytes;
}

worker::Body RoundTrip(worker::Body body) {
  const std::string bytes = BytesOf(std::move(body));
  EXPECT_TRUE(CheckWorkerMessageLength(bytes.size()));
  EXPECT_TRUE(CheckWorkerMessageHead(bytes));
  const auto message = DecodeWorkerMessage(bytes);
  EXPECT_TRUE(message) << message.error().message;
  EXPECT_EQ(message->number, 7u);
  return message->body;
}

TEST(WorkerMessages, ComeBackAsTheyWere) {
  const auto load = std::get<worker::LoadGraph>(RoundTrip(worker::LoadGraph{3, {1, 2}, "8K"}));
  EXPECT_EQ(load.graph, 3u);
  EXPECT_EQ(load.tosa, (std::vector<uint8_t>{1, 2}));
  EXPECT_EQ(load.level, "8K");
  worker::Invoke invoke{1, 2, {TensorOf("i48[2]{-1,5}"), TensorOf("bool[]{true}")}, {}};
  invoke.state["v"] = TensorOf("fp16[1,2]{1.5,nan}");
  const auto invoked = std::get<worker::Invoke>(RoundTrip(invoke));
  EXPECT_EQ(invoked.context, 1u);
  EXPECT_EQ(invoked.graph, 2u);
  EXPECT_EQ(invoked.inputs, invoke.inputs);
  EXPECT_EQ(invoked.state, invoke.state);
  const worker::Ready ready{1, "name", "2.0", {{Op::kAdd, {DType::kInt32}}, {Op::kConst, {}}},
                            4, true,   false, true};
  const auto said = std::get<worker::Ready>(RoundTrip(ready));
  EXPECT_EQ(said.name + said.release, "name2.0");
  ASSERT_EQ(said.operators.size(), 2u);
  EXPECT_EQ(said.operators[0].op, Op::kAdd);
  EXPECT_EQ(said.operators[0].types, std::vector<DType>{DType::kInt32});
  EXPECT_TRUE(said.operators[1].types.empty());
  EXPECT_EQ(said.contexts_max, 4u);
  EXPECT_TRUE(said.refuses && !said.variable_tensors && said.takes_state);
  EXPECT_TRUE(std::get<worker::Failed>(RoundTrip(worker::Failed{"why", true})).wrote_outside);
  EXPECT_EQ(std::get<worker::Refused>(RoundTrip(worker::Refused{"why"})).reason, "why");
}

TEST(WorkerMessages, OfVersion2ComeBackAsTheyWere) {
  worker::Ready ready{2, "name", "", {}};
  ready.capabilities = {{Op::kReverse,
                         {DType::kInt8, DType::kUnknown},
                         {DType::kInt8},
                         {{AttributeId::kAxis, -3, 4, {}}, {AttributeId::kAxis, 0, 9, {1, 7}}}}};
  ready.limits = {6, 1000, uint64_t{1} << 40, 77, 3};
  ready.declarations = {"plain-sums"};
  ready.environment = {"driver 7", "device 3"};
  ready.taps = true;
  const auto said = std::get<worker::Ready>(RoundTrip(ready));
  ASSERT_EQ(said.capabilities.size(), 1u);
  EXPECT_EQ(said.capabilities[0].op, Op::kReverse);
  EXPECT_EQ(said.capabilities[0].inputs, ready.capabilities[0].inputs);
  EXPECT_EQ(said.capabilities[0].outputs, ready.capabilities[0].outputs);
  ASSERT_EQ(said.capabilities[0].attributes.size(), 2u);
  EXPECT_EQ(said.capabilities[0].attributes[0].min, -3);
  EXPECT_EQ(said.capabilities[0].attributes[0].max, 4);
  EXPECT_EQ(said.capabilities[0].attributes[1].values, (std::vector<int64_t>{1, 7}));
  EXPECT_EQ(said.limits.rank, 6u);
  EXPECT_EQ(said.limits.dimension, 1000u);
  EXPECT_EQ(said.limits.elements, uint64_t{1} << 40);
  EXPECT_EQ(said.limits.constant_bytes, 77u);
  EXPECT_EQ(said.limits.graphs, 3u);
  EXPECT_EQ(said.declarations, ready.declarations);
  EXPECT_EQ(said.environment, ready.environment);
  EXPECT_TRUE(said.taps && !said.taps_are_read);
  // Fields of version 2 are not read from a worker that has picked version 1.
  ready.version = 1;
  const auto older = std::get<worker::Ready>(RoundTrip(ready));
  EXPECT_TRUE(older.capabilities.empty() && older.declarations.empty() && !older.taps);
  worker::Invoke invoke{1, 2, {}, {}};
  invoke.taps = {"a", "b"};
  EXPECT_EQ(std::get<worker::Invoke>(RoundTrip(invoke)).taps, invoke.taps);
  const worker::Answer answer{{}, {}, {{"a", TensorOf("i8[1]{3}")}}};
  EXPECT_EQ(std::get<worker::Answer>(RoundTrip(answer)).taps, answer.taps);
  const auto rejected =
      std::get<worker::Rejected>(RoundTrip(worker::Rejected{"why", true, "ADD", "pass"}));
  EXPECT_TRUE(rejected.unsupported);
  EXPECT_EQ(rejected.reason + rejected.op + rejected.pass, "whyADDpass");
  const auto failed = std::get<worker::Failed>(RoundTrip(worker::Failed{"a", false, "b", "c"}));
  EXPECT_EQ(failed.reason + failed.op + failed.pass, "abc");
  const auto refused = std::get<worker::Refused>(RoundTrip(worker::Refused{"a", "b", "c"}));
  EXPECT_EQ(refused.reason + refused.op + refused.pass, "abc");
  const Result<std::string> bytes = EncodeWorkerMessage({7, worker::Done{}, "log"});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(DecodeWorkerMessage(*bytes)->log, "log");
}

// Any bytes give a message or an Error.
TEST(WorkerMessages, MayBeDamagedAnywhere) {
  worker::Ready ready{2, "name", "2.0", {{Op::kAdd, {DType::kInt32}}}};
  ready.capabilities = {{Op::kReverse, {DType::kInt8}, {}, {{AttributeId::kAxis, 0, 9, {1, 7}}}}};
  ready.limits.elements = 7;
  ready.declarations = {"plain-sums"};
  worker::Answer answer{{TensorOf("i32[2]{1,2}")}, {{"v", TensorOf("i8[1]{3}")}}};
  answer.taps["t"] = TensorOf("i8[1]{3}");
  for (const std::string& whole :
       {BytesOf(answer), BytesOf(ready), BytesOf(worker::Rejected{"why", true, "ADD", "pass"})}) {
    int64_t errors = 0;
    for (size_t at = 0; at < whole.size(); ++at) {
      for (const char value : {'\0', '\x7f', '\xff'}) {
        std::string bytes = whole;
        bytes[at] = value;
        errors += DecodeWorkerMessage(bytes) ? 0 : 1;
      }
      errors += DecodeWorkerMessage(whole.substr(0, at)) ? 0 : 1;
    }
    EXPECT_GT(errors, std::ssize(whole));
  }
}

// An answer of one large tensor and many small ones. Its list is changed to name the large one many
// times: a megabyte or two that would become twenty gigabytes.
TEST(WorkerMessages, MayNotRepeatATensorWithoutEnd) {
  constexpr uint32_t kTensors = 20'000;
  worker::Answer answer;
  answer.outputs.assign(kTensors, TensorOf("i8[1]{1}"));
  answer.outputs[0] = Tensor::Splat(DType::kInt8, {1 << 20}, 1);
  std::string bytes = BytesOf(answer);
  EXPECT_TRUE(DecodeWorkerMessage(bytes));
  // The list has its length and, for each tensor, the distance from that place to the tensor.
  const size_t list = bytes.find(std::string(reinterpret_cast<const char*>(&kTensors), 4));
  ASSERT_NE(list, std::string::npos);
  uint32_t large = 0;
  memcpy(&large, &bytes[list + 4], 4);
  for (uint32_t i = 0; i < kTensors; ++i) {
    const uint32_t distance = large - 4 * i;
    ASSERT_GT(large, 4 * i);
    memcpy(&bytes[list + 4 + 4 * size_t{i}], &distance, 4);
  }
  const Result<WorkerMessage> message = DecodeWorkerMessage(bytes);
  ASSERT_FALSE(message);
  EXPECT_NE(message.error().message.find("bytes of tensors"), std::string::npos)
      << message.error().message;
}

TEST(WorkerMessages, HaveALengthThatCanBe) {
  for (const size_t length : {size_t{UINT32_MAX}, size_t{INT32_MAX} + 1, size_t{7}}) {
    EXPECT_FALSE(CheckWorkerMessageLength(length)) << length;
  }
  for (const size_t length : {size_t{INT32_MAX}, size_t{8}}) {
    EXPECT_TRUE(CheckWorkerMessageLength(length)) << length;
  }
}

// ---- Backends

class Worker : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("PYTHONPATH", ASSAY_BINARY_DIR "/python", 1); }

  static Result<std::unique_ptr<Backend>> Open(const std::string& program,
                                               double wall_seconds = 60) {
    BackendOptions options;
    options.wall_seconds = wall_seconds;
    options.cpu_seconds = 3;  // Python takes a third of one to start on an idle machine
    return OpenBackend("worker:" ASSAY_PYTHON " " + program, options);
  }
  static std::unique_ptr<Backend> OpenVariant(const std::string& variant,
                                              double wall_seconds = 60) {
    auto backend = Open(kVariants + " " + kExample + " " + variant, wall_seconds);
    EXPECT_TRUE(backend) << backend.error().message;
    return std::move(*backend);
  }
};

TEST_F(Worker, KeepsStateInContexts) {
  const auto backend = OpenVariant("does-nothing-wrong");
  EXPECT_NE(backend->Describe().find("numpy example"), std::string::npos);
  for (int i = 0; i < 3; ++i) {  // each time in fresh contexts
    const Verdict verdict = JudgeVector(TwoCounters(), OutcomesOf(*backend));
    EXPECT_EQ(verdict.kind, VerdictKind::kAgrees);
    EXPECT_EQ(verdict.judged_elements, 12);  // outputs and state
  }
  const auto reset = backend->RunAfterReset(TwoCounters());
  ASSERT_TRUE(reset && *reset);
  EXPECT_EQ(JudgeVector(TwoCounters(), **reset).kind, VerdictKind::kAgrees);
}

TEST_F(Worker, DeclaresWhatItSupports) {
  const auto backend = OpenVariant("does-nothing-wrong");
  const auto reason = [&backend](const TestVector& vector) {
    return backend->WhyUnsupported(vector);
  };
  TestVector vector = *VectorOfExample(Op::kErf, {"fp32[1]{0}", "", "fp32[1]{0}"});
  EXPECT_EQ(reason(vector), "ERF");
  vector = *VectorOfExample(Op::kTable, {"i8[1]{-128} i8[256]{7}", "", "i8[1]{7}"});
  EXPECT_EQ(reason(vector), "");
  vector.graphs[0].Main()->tensors[0].type.type = DType::kInt16;
  EXPECT_EQ(reason(vector), "TABLE of i16");
  vector.steps[0].expected = OutcomeKind::kError;
  EXPECT_EQ(reason(vector), "declares no checks");
  vector.graphs[0].Main()->name = "other";
  vector.steps[0].expected = OutcomeKind::kValid;
  EXPECT_EQ(reason(vector), "a graph without a main block");
}

TEST_F(Worker, TakesVariablesFromOutside) {
  const auto backend = OpenVariant("does-nothing-wrong");
  TestVector vector = TwoCounters();
  vector.steps.resize(1);
  vector.steps[0].state_before["v"] = TensorOf("fp32[2]{5,6}");
  EXPECT_EQ(OutcomesOf(*backend, vector)[0].outputs[0], TensorOf("fp32[2]{6,8}"));  // 5+1, 6+2
}

// Checks the outcome of the second step, and that the backend works again for the next vector.
TEST_F(Worker, ThatBreaksDownIsReportedAsThat) {
  using enum OutcomeKind;
  const struct {
    const char* variant;
    OutcomeKind kind;
    const char* message;
  } kCases[] = {
      {"crashes", kCrashed, "ended with signal 11 (Segmentation fault)"},
      {"exits", kCrashed, "ended with exit status 0"},
      {"raises", kCrashed, "KeyError: 'v'"},
      {"spins", kTimedOut, "no answer within 3 s of processor time"},
      {"says-garbage", kCrashed, "breaks the protocol: no message, since it has"},
      {"is-damaged", kCrashed, "breaks the protocol: a damaged message"},
      {"is-too-long", kCrashed, "breaks the protocol: a message of 4294967295 bytes"},
      {"breaks-off", kCrashed, "ended with exit status 0, within a message of"},
      {"closes", kCrashed, "closed its standard output"},
      {"answers-another", kCrashed, "breaks the protocol: answers request 5 in place of 6"},
      {"answers-otherwise", kCrashed, "breaks the protocol: answers with Done"},
      {"gives-too-few-bytes", kCrashed, "breaks the protocol: output 0: "},
      {"gives-too-many", kCrashed, "breaks the protocol: 2 outputs in place of 1"},
  };
  for (const auto& row : kCases) {
    const auto backend = OpenVariant(row.variant);
    const std::vector<Outcome> outcomes = OutcomesOf(*backend);
    EXPECT_EQ(outcomes[0].kind, kValid) << row.variant;
    EXPECT_EQ(OutcomeName(outcomes[1].kind), OutcomeName(row.kind)) << row.variant;
    EXPECT_EQ(outcomes[1].message.find(row.message), 0u)
        << row.variant << ": " << outcomes[1].message;
    EXPECT_EQ(outcomes[1].message.find('\n'), std::string::npos);
    EXPECT_EQ(outcomes[2].message, "not run") << row.variant;
    const bool is_traced = backend->Errors().find("Traceback (most recent") != std::string::npos;
    EXPECT_EQ(is_traced, std::string_view(row.variant) == "raises") << backend->Errors();
    EXPECT_EQ(JudgeVector(TwoCounters(), outcomes).kind, VerdictKind::kDisagrees);
    EXPECT_EQ(OutcomesOf(*backend)[0].kind, kValid) << row.variant;
  }
}

// Workers that wait use no processor time. The wall limit ends them.
TEST_F(Worker, ThatWaitsIsEndedByTheClock) {
  for (const char* variant : {"blocks", "stops"}) {
    const auto start = std::chrono::steady_clock::now();
    const auto backend = OpenVariant(variant, 5);
    const std::vector<Outcome> outcomes = OutcomesOf(*backend);
    EXPECT_EQ(outcomes[1].kind, OutcomeKind::kTimedOut) << variant;
    EXPECT_EQ(outcomes[1].message, "no answer within 5 s") << variant;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  }
}

TEST_F(Worker, ThatAnswersWronglyIsFoundWrong) {
  const struct {
    const char* variant;
    Violation violation;
    int32_t step;
  } kCases[] = {
      {"gives-a-wrong-value", Violation::kValue, 1},
      {"gives-a-wrong-shape", Violation::kType, 1},
      {"gives-a-wrong-type", Violation::kType, 1},
      {"leaks", Violation::kValue, 1},  // 11+1 in the context that was not touched
  };
  for (const auto& row : kCases) {
    const auto backend = OpenVariant(row.variant);
    const Verdict verdict = JudgeVector(TwoCounters(), OutcomesOf(*backend));
    ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees) << row.variant;
    EXPECT_EQ(verdict.findings[0].violation, row.violation) << row.variant;
    EXPECT_EQ(verdict.findings[0].step, row.step) << row.variant;
  }
}

// The variant is wrong at the second request of a process, so a process is new if it is wrong.
TEST_F(Worker, RunsAVectorAloneInANewProcess) {
  const auto backend = OpenVariant("gives-a-wrong-value");
  const auto is_wrong = [&backend] {
    return JudgeVector(TwoCounters(), OutcomesOf(*backend)).kind == VerdictKind::kDisagrees;
  };
  backend->RunNextAlone();  // the process has run nothing
  EXPECT_EQ(backend->Process(), 1);
  EXPECT_TRUE(is_wrong());
  EXPECT_FALSE(is_wrong());
  EXPECT_EQ(backend->Process(), 1);
  backend->RunNextAlone();
  EXPECT_TRUE(is_wrong());
  EXPECT_EQ(backend->Process(), 2);
}

TEST_F(Worker, ThatDoesNotResetIsFoundWrong) {
  const auto backend = OpenVariant("never-resets");
  const auto outcomes = backend->RunAfterReset(TwoCounters());
  ASSERT_TRUE(outcomes && *outcomes);
  const Verdict verdict = JudgeVector(TwoCounters(), **outcomes);
  ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(verdict.findings[0].step, 0);
  EXPECT_EQ(verdict.findings[0].got, "13");  // 12+1
}

TEST_F(Worker, MayPrintAndDecline) {
  EXPECT_EQ(JudgeVector(TwoCounters(), OutcomesOf(*OpenVariant("prints"))).kind,
            VerdictKind::kAgrees);
  for (const Outcome& outcome : OutcomesOf(*OpenVariant("declines"))) {
    EXPECT_EQ(outcome.kind, OutcomeKind::kUnsupported);
    EXPECT_EQ(outcome.message, "not today");
  }
}

TEST_F(Worker, ThatIsNoneIsNamed) {
  const struct {
    std::string program;
    Error::Kind kind;
    std::string words;
  } kCases[] = {
      {kVariants + " " + kExample + " is-of-another-version", Error::Kind::kUnsupported,
       "speaks version 3 of the protocol; this build speaks 1 to 2"},
      {kVariants + " " + kExample + " declares-what-is-unknown", Error::Kind::kBadInput,
       "no declaration is named 'rounds-result'; the nearest is rounds-results"},
      {kVariants + " " + kExample + " has-a-strange-attribute", Error::Kind::kBadInput,
       "declares attribute \"axis\" of ADD, which TOSA 1.0 does not have"},
      {"-c pass", Error::Kind::kBadInput, "Hello: ended with exit status 0"},
      {"-c print('hello,world',flush=True);input()", Error::Kind::kBadInput,
       "Hello: breaks the protocol"},
      {"-c print('ok')", Error::Kind::kBadInput,
       "Hello: ended with exit status 0; its standard output carried what is no frame: \"ok\""},
      {"-c print('ready',flush=True)", Error::Kind::kBadInput,
       "Hello: ended with exit status 0; its standard output carried what is no frame: \"ready\""},
      {"/no/program.py", Error::Kind::kBadInput, "/no/program.py"},
  };
  for (const auto& row : kCases) {
    const auto backend = Open(row.program);
    ASSERT_FALSE(backend) << row.program;
    EXPECT_EQ(backend.error().kind, row.kind) << row.program;
    EXPECT_NE(backend.error().message.find(row.words), std::string::npos)
        << backend.error().message;
    EXPECT_EQ(backend.error().message.find("worker:"), 0u) << backend.error().message;
    EXPECT_EQ(backend.error().message.find('\n'), std::string::npos);
  }
  EXPECT_EQ(OpenBackend("worker:", {}).error().kind, Error::Kind::kUsage);
  EXPECT_EQ(OpenBackend("worker:/no/program", {}).error().kind, Error::Kind::kUsage);
}

// node writes an error, the call stack, and then its own version.
TEST_F(Worker, ThatCannotStartShowsTheLinesAroundItsError) {
  const std::string node =
      "/w/backend.js:3\nfoo.bar();\n    ^\n\nTypeError: no such thing\n    at Object.<anonymous> "
      "(/w/backend.js:3:5)\n    at Module._compile\n\nNode.js v18.19.0\n";
  EXPECT_EQ(LastWordsOf(node), "TypeError: no such thing");
  EXPECT_EQ(LinesAroundLastWords(node),
            "/w/backend.js:3 | foo.bar(); | TypeError: no such thing | at Object.<anonymous> "
            "(/w/backend.js:3:5) | at Module._compile");
  EXPECT_EQ(LastWordsOf("one\n\n  two  \n"), "  two");
  EXPECT_EQ(LastWordsOf("\n \n"), "");
  EXPECT_EQ(LinesAroundLastWords(""), "");
  const auto backend = Open("-c import/**/no_such_module");
  ASSERT_FALSE(backend);
  EXPECT_NE(backend.error().message.find("ended with exit status 1: File "), std::string::npos)
      << backend.error().message;
  EXPECT_NE(backend.error().message.find(" | SyntaxError: "), std::string::npos)
      << backend.error().message;
}

// A worker of version 1 gets the messages of version 1 and declares nothing.
TEST_F(Worker, OfVersion1WorksAsBefore) {
  for (const char* variant : {"speaks-version-1", "knows-only-version-1"}) {
    const auto backend = OpenVariant(variant);
    EXPECT_EQ(backend->Declared(), Declarations()) << variant;
    EXPECT_EQ(backend->Describe().find("Python 3"), std::string::npos) << backend->Describe();
    EXPECT_EQ(JudgeVector(TwoCounters(), OutcomesOf(*backend)).kind, VerdictKind::kAgrees);
  }
}

TEST_F(Worker, DeclaresItsFloatingPointAndDescribesItsRuntime) {
  const auto backend = OpenVariant("does-nothing-wrong");
  EXPECT_EQ(backend->Declared(), (Declarations{.rounds_results = true, .taps_used = true}));
  EXPECT_NE(backend->Describe().find("; Python 3."), std::string::npos) << backend->Describe();
}

TEST_F(Worker, FillsNoReportWithWhatItSaysOfItself) {
  const auto about = [](const char* variant) {
    const std::string text = OpenVariant(variant)->Describe();
    const size_t start = text.find(" (");
    return text.substr(std::min(start + 2, text.size()));
  };
  EXPECT_EQ(about("says-very-much"), std::string(1000, 'n') + "...)");
  const std::string lines = about("says-very-much-in-lines");
  EXPECT_TRUE(lines.starts_with("numpy")) << lines;
  EXPECT_TRUE(lines.ends_with("é...)")) << lines << ": cut between two characters";
  EXPECT_EQ(std::ranges::count_if(lines, [](char c) { return (c & 0xc0) != 0x80; }), 1004);
  const std::string reason = OutcomesOf(*OpenVariant("declines-at-length"))[0].message;
  EXPECT_TRUE(reason.starts_with("not today, ") && reason.ends_with("...")) << reason;
  EXPECT_EQ(reason.size(), 1003u);
}

TEST_F(Worker, MayRejectAGraphForAReasonOfItsOwn) {
  const auto backend = OpenVariant("rejects");
  const std::vector<Outcome> outcomes = OutcomesOf(*backend);
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kValid);
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kError);
  EXPECT_EQ(outcomes[1].message, "ADD: no registers left");
  EXPECT_EQ(outcomes[1].pass, "allocation, step 2");
  EXPECT_EQ(outcomes[2].kind, OutcomeKind::kValid) << "the worker stays";
  const Verdict verdict = JudgeVector(TwoCounters(), outcomes);
  ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(verdict.findings[0].violation, Violation::kOutcome);
  EXPECT_EQ(verdict.findings[0].op, Op::kAdd);
  // If the backend says so, the vector is unsupported.
  for (const Outcome& outcome : OutcomesOf(*OpenVariant("rejects-as-unsupported"))) {
    EXPECT_EQ(outcome.kind, OutcomeKind::kUnsupported);
    EXPECT_EQ(outcome.message, "no registers left");
  }
  // It does not count as the refusal that a step demands.
  TestVector invalid = TwoCounters();
  invalid.steps[1].expected = OutcomeKind::kError;
  const Result<std::vector<Outcome>> refused = OpenVariant("rejects")->Run(invalid);
  ASSERT_TRUE(refused);
  EXPECT_EQ((*refused)[1].kind, OutcomeKind::kUnsupported);
}

TEST_F(Worker, SaysWhereItFailsAndWhy) {
  const auto failing = OpenVariant("fails-in-a-pass");
  const std::vector<Outcome> outcomes = OutcomesOf(*failing);
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kCrashed);
  EXPECT_EQ(outcomes[1].message, "ADD: Failing: no registers left");
  EXPECT_EQ(outcomes[1].pass, "allocation, step 2");
  const auto logging = OpenVariant("logs");
  OutcomesOf(*logging);
  EXPECT_NE(logging->Errors().find("invoked 1 times\ninvoked 2 times\n"), std::string::npos)
      << logging->Errors();
}

TEST_F(Worker, GetsNoGraphBeyondItsLimits) {
  const auto backend = OpenVariant("has-limits");
  const auto reason = [&backend](std::string_view type, size_t graphs = 1) {
    BlockBuilder b;
    const TensorIndex x = b.Input(type);
    b.Outputs({b.Add(Op::kIdentity, {x}, type)});
    TestVector vector;
    vector.graphs.assign(graphs, GraphOf({b.block}));
    return backend->WhyUnsupported(vector);
  };
  EXPECT_EQ(reason("i32[10,10,10]"), "");
  EXPECT_EQ(reason("i32[1,1,1,1]"), "a tensor of rank 4");
  EXPECT_EQ(reason("i32[101]"), "a dimension of 101");
  EXPECT_EQ(reason("i32[10,10,11]"), "a tensor of 1100 elements");
  EXPECT_EQ(reason("i32[1]", 2), "");
  EXPECT_EQ(reason("i32[1]", 3), "3 graphs");
  BlockBuilder b;
  b.Outputs({b.Constant("i32[4]{1,2,3,4}"), b.Constant("i32[4]{1,2,3,4}"),
             b.Constant("i32[4]{1,2,3,4}"), b.Constant("i32[4]{1,2,3,4}")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  EXPECT_EQ(backend->WhyUnsupported(vector), "");
  b.Constant("i8[1]{1}");
  vector.graphs = {GraphOf({b.block})};
  EXPECT_EQ(backend->WhyUnsupported(vector), "constants of 65 bytes");
}

TEST_F(Worker, DeclaresTypesOfAllOperandsAndValuesOfAttributes) {
  const auto backend = OpenVariant("has-capabilities");
  const auto reason = [&backend](Op op, const ops::Example& example) {
    const Result<TestVector> vector = VectorOfExample(op, example);
    EXPECT_TRUE(vector) << vector.error().message;
    return vector ? backend->WhyUnsupported(*vector) : "";
  };
  EXPECT_EQ(reason(Op::kAdd, {"i32[1]{1} i32[1]{2}", "", "i32[1]{3}"}), "");
  EXPECT_EQ(reason(Op::kAdd, {"fp32[1]{1} fp32[1]{2}", "", "fp32[1]{3}"}),
            "ADD of fp32, fp32 to fp32");
  EXPECT_EQ(reason(Op::kMul, {"i8[1]{1} i8[1]{2} i8[1]{0}", "", "i32[1]{2}"}), "");
  EXPECT_EQ(reason(Op::kMul, {"i16[1]{1} i16[1]{2} i8[1]{0}", "", "i32[1]{2}"}),
            "MUL of i16, i16, i8 to i32");
  EXPECT_EQ(reason(Op::kReverse, {"i8[1,1]{1}", "axis=1", "i8[1,1]{1}"}), "");
  EXPECT_EQ(reason(Op::kReverse, {"i8[1,1,1]{1}", "axis=2", "i8[1,1,1]{1}"}),
            "REVERSE with axis=2");
  EXPECT_EQ(reason(Op::kSub, {"i32[1]{1} i32[1]{2}", "", "i32[1]{-1}"}), "SUB");
}

TEST_F(Worker, GivesTheTensorsInsideAGraph) {
  ChildCommand command{{ASSAY_PYTHON, kExample}, "", {}, 0};
  Result<std::unique_ptr<WorkerConnection>> started = WorkerProcess::Start(command);
  ASSERT_TRUE(started) << started.error().message;
  const std::unique_ptr<WorkerConnection> process = std::move(*started);
  process->SetLimits({});
  const auto ask = [&process](worker::Body request) {
    Result<worker::Body> reply = process->Ask(std::move(request));
    EXPECT_TRUE(reply) << reply.error().message;
    return std::move(*reply);
  };
  EXPECT_TRUE(std::get<worker::Ready>(ask(worker::Hello{})).taps);
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, x}, "fp32[2]");
  b.Outputs({b.Add(Op::kAbs, {sum}, "fp32[2]")});
  ask(worker::LoadGraph{1, WriteTosa(GraphOf({b.block})), "8K"});
  ask(worker::OpenContext{1});
  worker::Invoke invoke{1, 1, {TensorOf("fp32[2]{-1,2}")}, {}};
  invoke.taps = {"t1", "other"};
  const auto answer = std::get<worker::Answer>(ask(invoke));
  EXPECT_EQ(answer.outputs, std::vector<Tensor>{TensorOf("fp32[2]{2,4}")});
  ASSERT_EQ(answer.taps.size(), 1u);
  EXPECT_EQ(answer.taps.at("t1"), TensorOf("fp32[2]{-2,4}"));
}

// Returns ABS(x + x) as a vector. The sum is tensor 1.
TestVector SumAndAbs() {
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, x}, "fp32[2]");
  b.Outputs({b.Add(Op::kAbs, {sum}, "fp32[2]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.resize(2);
  vector.steps[0].inputs = {TensorOf("fp32[2]{-1,2}")};
  vector.steps[1].inputs = {TensorOf("fp32[2]{3,-4}")};
  return vector;
}

TEST_F(Worker, GivesTapsByStep) {
  const auto backend = Open(kExample);
  ASSERT_TRUE(backend) << backend.error().message;
  const TestVector vector = SumAndAbs();
  EXPECT_TRUE((*backend)->OffersTaps(vector));
  EXPECT_TRUE((*backend)->Declared().taps_used);
  const Result<TappedRun> run = (*backend)->RunWithTaps(vector, {{1}});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->outcomes[1].outputs, std::vector<Tensor>{TensorOf("fp32[2]{6,8}")});
  ASSERT_EQ(run->taps.size(), 2u);
  EXPECT_EQ(run->taps[0].at(1), TensorOf("fp32[2]{-2,4}"));
  EXPECT_EQ(run->taps[1].at(1), TensorOf("fp32[2]{6,-8}"));
}

TEST_F(Worker, MustNotGiveATapThatNobodyHasAskedFor) {
  const auto backend = Open(kVariants + " " + kExample + " gives-other-taps");
  ASSERT_TRUE(backend) << backend.error().message;
  const Result<TappedRun> run = (*backend)->RunWithTaps(SumAndAbs(), {{1}});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->outcomes[0].kind, OutcomeKind::kCrashed);
  EXPECT_EQ(run->outcomes[0].message.find(
                "breaks the protocol: gives a tap that nobody has asked for, \"other\""),
            0u)
      << run->outcomes[0].message;
}

// Tests the command line, with the generator's own vectors.
// Runs `assay` in a folder. Expects exit status 0, and returns what it prints.
std::string RunAssay(const std::string& folder, std::vector<std::string> words) {
  words.insert(words.begin(), ASSAY_BINARY_DIR "/assay");
  const Result<ChildReport> report = RunChild({words, folder, {}, 0}, "", {.wall_seconds = 300});
  EXPECT_TRUE(report);
  EXPECT_EQ(report->Describe(), "exit status 0") << report->output << report->errors;
  return report->output;
}

TEST_F(Worker, ExampleAgreesOnStatefulVectors) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string backend = "worker:" ASSAY_PYTHON " " + kExample;
  const std::string asked = RunAssay(folder->path(), {"backend", "test", backend});
  EXPECT_NE(asked.find("ok             makes a context fresh by a reset"), std::string::npos)
      << asked;
  RunAssay(folder->path(),
           {"gen", "--out", "suite", "--kind", "stateful", "--count", "200", "--seed", "5"});
  const std::string text = RunAssay(folder->path(), {"verify", "suite", "--backend", backend});
  EXPECT_NE(text.find(" agrees, 0 disagrees"), std::string::npos) << text;
}

TEST_F(Worker, ExampleInJavaScriptAgrees) {
  if (!CheckProgram("worker", "node")) GTEST_SKIP() << "node is not installed";
  const std::string name = "worker:node " ASSAY_SOURCE_DIR "/src/backend/examples/backend.js";
  // CONST_SHAPE comes behind the operator that reads it.
  TestVector late =
      *VectorOfExample(Op::kReshape, {"i32[2]{7,8} shape[2]{1,2}", "", "i32[1,2]{7,8}"});
  std::vector<Operator>& operators = late.graphs[0].Main()->operators;
  ASSERT_EQ(operators.size(), 2u);
  std::swap(operators[0], operators[1]);
  ASSERT_EQ(operators[0].op, Op::kReshape);
  const auto backend = OpenBackend(name, {});
  ASSERT_TRUE(backend) << backend.error().message;
  EXPECT_EQ(OutcomesOf(**backend, late)[0].outputs[0], TensorOf("i32[1,2]{7,8}"));
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string asked = RunAssay(folder->path(), {"backend", "test", name});
  EXPECT_NE(asked.find("ok             takes and gives a million elements"), std::string::npos);
  RunAssay(folder->path(), {"gen", "--out", "suite", "--kind", "operator", "--kind", "graph",
                            "--op", "ABS,ADD,CLAMP,CONST,CONST_SHAPE,IDENTITY,RESHAPE", "--type",
                            "i8,i32,fp32", "--count", "150"});
  const std::string text = RunAssay(folder->path(), {"verify", "suite", "--backend", name});
  EXPECT_NE(text.find(" agrees, 0 disagrees"), std::string::npos) << text;
  EXPECT_EQ(text.find(": 0 agrees"), std::string::npos) << text;
}

// The help prints AllDeclarations(). One page explains them, and no other place lists some of them.
TEST(Declarations, AreListedInOnePlace) {
  const std::string root = ASSAY_SOURCE_DIR "/src/";
  const std::string page = *ReadTextFile(root + "backend/README.md");
  const size_t begin = page.find("\n## Declarations\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  size_t rows = 0;
  for (size_t at = section.find("\n| `"); at != section.npos; at = section.find("\n| `", at + 1)) {
    ++rows;
  }
  EXPECT_EQ(rows, AllDeclarations().size());
  for (const DeclarationRow& row : AllDeclarations()) {
    EXPECT_NE(section.find("\n| `" + std::string(row.name) + "` |"), section.npos) << row.name;
  }
  for (const char* file : {"format/worker/worker_message.fbs",
                           "backend/plugin_host/assay_backend.h", "python/assay/worker.py"}) {
    EXPECT_EQ(ReadTextFile(root + file)->find("flushes-subnormals"), std::string::npos) << file;
  }
}

}  // namespace
}  // namespace assay::worker_test
