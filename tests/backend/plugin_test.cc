// SPDX-License-Identifier: Apache-2.0
// Tests of backends in shared libraries: the example in C, and variants of it with one error each
// (backends/plugin_variants.c).
#include <cstdlib>

#include "backend_kind.h"
#include "child_process.h"
#include "counters.h"
#include "files.h"
#include "judge_vector.h"
#include "tosa_file.h"
#include "worked_example.h"
#include "worker_client.h"

namespace assay::plugin_test {
namespace {

const std::string kExample = "plugin:" ASSAY_BINARY_DIR "/example_backend.so";
const std::string kVariants = "plugin:" ASSAY_BINARY_DIR "/plugin_variants.so";

Result<std::unique_ptr<Backend>> TryVariant(const std::string& variant, double wall_seconds = 60) {
  setenv("ASSAY_VARIANT", variant.c_str(), 1);
  BackendOptions options;
  options.wall_seconds = wall_seconds;
  options.cpu_seconds = 1;
  return OpenBackend(kVariants, options);
}

std::unique_ptr<Backend> OpenVariant(const std::string& variant, double wall_seconds = 60) {
  auto backend = TryVariant(variant, wall_seconds);
  EXPECT_TRUE(backend) << backend.error().message;
  return std::move(*backend);
}

// Returns a small vector in which the second invocation is step 1.
TestVector Vector() {
  TestVector vector = TwoCounters();
  for (Step& step : vector.steps) step.state_after.clear();  // which plugins do not show
  return vector;
}

TEST(Plugin, KeepsStateInContexts) {
  const auto backend = OpenVariant("does-nothing-wrong");
  EXPECT_EQ(backend->Describe(), kVariants + " (C example 1)");
  for (int i = 0; i < 3; ++i) {
    const Verdict verdict = JudgeVector(Vector(), OutcomesOf(*backend, Vector()));
    EXPECT_EQ(verdict.kind, VerdictKind::kAgrees);
    EXPECT_EQ(verdict.judged_elements, 6);
  }
  const auto reset = backend->RunAfterReset(Vector());
  ASSERT_TRUE(reset && *reset);
  EXPECT_EQ(JudgeVector(Vector(), **reset).kind, VerdictKind::kAgrees);
}

TEST(Plugin, ThatBreaksDownIsReportedAsThat) {
  using enum OutcomeKind;
  const struct {
    const char* variant;
    OutcomeKind kind;
    const char* message;
    bool wrote_outside;
  } kCases[] = {
      {"crashes", kCrashed, "ended with signal 11 (Segmentation fault)", false},
      {"aborts", kCrashed, "ended with signal 6 (Aborted)", false},
      {"exits", kCrashed, "ended with exit status 0", false},
      {"spins", kTimedOut, "no answer within 1 s of processor time", false},
      {"fails", kCrashed, "lost the device", false},
      {"gives-no-status", kCrashed, "gives status 17", false},
      {"rejects-in-version-1", kCrashed, "gives status 4", false},
      {"writes-behind", kCrashed, "wrote behind output 0 \"t2\"", true},
      {"writes-behind-in-a-thread", kCrashed, "wrote behind output 0 \"t2\"", true},
      {"writes-before", kCrashed, "wrote before output 0 \"t2\"", true},
      {"writes-far-before", kCrashed, "wrote before output 0 \"t2\"", true},
      {"writes-input", kCrashed, "wrote to input 0 \"t0\"", true},
      {"says-too-much", kCrashed, "wrote behind the reason", true},
      {"reads-behind", kCrashed, "read behind input 0 \"t0\"", false},
  };
  for (const auto& row : kCases) {
    const auto backend = OpenVariant(row.variant);
    const std::vector<Outcome> outcomes = OutcomesOf(*backend, Vector());
    EXPECT_EQ(outcomes[0].kind, kValid) << row.variant;
    EXPECT_EQ(OutcomeName(outcomes[1].kind), OutcomeName(row.kind)) << row.variant;
    EXPECT_EQ(outcomes[1].message, row.message) << row.variant;
    EXPECT_EQ(outcomes[1].wrote_outside, row.wrote_outside) << row.variant;
    EXPECT_EQ(outcomes[2].message, "not run") << row.variant;
    EXPECT_EQ(JudgeVector(Vector(), outcomes).kind, VerdictKind::kDisagrees) << row.variant;
    EXPECT_EQ(OutcomesOf(*backend, Vector())[0].kind, kValid) << row.variant;
    // A write outside a tensor is a finding even if the step is unpredictable.
    TestVector open = Vector();
    open.steps[1].expected = kUnpredictable;
    open.steps[1].rule = "ADD/REQUIRE/1";
    open.steps.resize(2);
    EXPECT_EQ(JudgeVector(open, std::span(outcomes).first(2)).kind,
              row.wrote_outside ? VerdictKind::kDisagrees : VerdictKind::kAgrees)
        << row.variant;
  }
}

TEST(Plugin, ThatWaitsIsEndedByTheClock) {
  const auto backend = OpenVariant("blocks", 5);
  const std::vector<Outcome> outcomes = OutcomesOf(*backend, Vector());
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kTimedOut);
  EXPECT_EQ(outcomes[1].message, "no answer within 5 s");
}

TEST(Plugin, ThatAnswersWronglyIsFoundWrong) {
  for (const char* variant : {"gives-a-wrong-value", "leaks"}) {
    const auto backend = OpenVariant(variant);
    const Verdict verdict = JudgeVector(Vector(), OutcomesOf(*backend, Vector()));
    ASSERT_EQ(verdict.kind, VerdictKind::kDisagrees) << variant;
    EXPECT_EQ(verdict.findings[0].violation, Violation::kValue) << variant;
    EXPECT_EQ(verdict.findings[0].step, 1) << variant;
  }
  const auto outcomes = OpenVariant("never-resets")->RunAfterReset(Vector());
  ASSERT_TRUE(outcomes && *outcomes);
  EXPECT_EQ(JudgeVector(Vector(), **outcomes).kind, VerdictKind::kDisagrees);
}

TEST(Plugin, MayPrintRefuseAndDecline) {
  EXPECT_EQ(JudgeVector(Vector(), OutcomesOf(*OpenVariant("prints"), Vector())).kind,
            VerdictKind::kAgrees);
  EXPECT_EQ(OutcomesOf(*OpenVariant("declines"), Vector())[0].message, "not today");
  const std::vector<Outcome> outcomes = OutcomesOf(*OpenVariant("refuses"), Vector());
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kError);
  EXPECT_EQ(outcomes[1].message, "bad rank");
  EXPECT_EQ(outcomes[2].kind, OutcomeKind::kValid);
}

TEST(Plugin, ThatIsNoneIsNamed) {
  const struct {
    const char* variant;
    Error::Kind kind;
    const char* words;
  } kCases[] = {
      {"is-null", Error::Kind::kBadInput, "assay_backend() gives nothing"},
      {"is-small", Error::Kind::kBadInput, "its assay_backend_v1 has "},
      {"is-newer", Error::Kind::kUnsupported,
       "is of version 3 of assay_backend.h; this build loads 1 to 2"},
      {"is-small-of-version-2", Error::Kind::kBadInput, "its assay_backend_v2 has "},
      {"has-a-strange-type", Error::Kind::kBadInput, "declares type 77, which is not known"},
      {"has-a-strange-attribute", Error::Kind::kBadInput,
       "declares attribute 'pad' of CONCAT, which TOSA 1.0 does not have"},
      {"has-a-strange-capability", Error::Kind::kBadInput,
       "declares operator 'SINE', which TOSA 1.0 does not have"},
      {"lacks-a-function", Error::Kind::kBadInput, "its invoke is null"},
      {"has-strange-operators", Error::Kind::kBadInput,
       "declares operator 'ADDER', which TOSA 1.0 does not have"},
      {"crashes-at-once", Error::Kind::kBadInput, "Hello: ended with signal 6 (Aborted)"},
  };
  for (const auto& row : kCases) {
    const auto backend = TryVariant(row.variant);
    ASSERT_FALSE(backend) << row.variant;
    EXPECT_EQ(backend.error().kind, row.kind) << row.variant;
    EXPECT_EQ(backend.error().message.find(kVariants + ": " + row.words), 0u)
        << backend.error().message;
  }
  EXPECT_EQ(OpenBackend("plugin:/no/file.so", {}).error().message,
            "plugin:/no/file.so: no such file");
  EXPECT_EQ(OpenBackend("plugin:", {}).error().kind, Error::Kind::kUsage);
  const std::string text = ASSAY_SOURCE_DIR "/README.md";
  const auto backend = OpenBackend("plugin:" + text, {});
  ASSERT_FALSE(backend);
  EXPECT_NE(backend.error().message.find("invalid ELF header"), std::string::npos)
      << backend.error().message;
}

TEST(Plugin, OfVersion2DeclaresMore) {
  EXPECT_EQ(OpenVariant("does-nothing-wrong")->Declared(), Declarations());  // version 1
  const auto backend = OpenVariant("is-of-version-2");
  EXPECT_EQ(backend->Declared(), Declarations{.plain_sums = true});
  EXPECT_EQ(backend->Describe(), kVariants + " (C example 1; driver 7; device 3)");
  EXPECT_EQ(JudgeVector(Vector(), OutcomesOf(*backend, Vector())).kind, VerdictKind::kAgrees);
  const auto reason = [&backend](Op op, const ops::Example& example) {
    const Result<TestVector> vector = VectorOfExample(op, example);
    EXPECT_TRUE(vector) << vector.error().message;
    return vector ? backend->WhyUnsupported(*vector) : "";
  };
  EXPECT_EQ(reason(Op::kSin, {"fp32[1]{0}", "", "fp32[1]{0}"}), "");
  EXPECT_EQ(reason(Op::kSin, {"fp16[1]{0}", "", "fp16[1]{0}"}), "SIN of fp16 to fp16");
  EXPECT_EQ(reason(Op::kConcat, {"i8[1,1]{1} i8[1,1]{1}", "axis=1", "i8[1,2]{1,1}"}),
            "CONCAT with axis=1");
  EXPECT_EQ(reason(Op::kConcat, {"i8[1,1]{1} i8[1,1]{1}", "axis=0", "i8[2,1]{1,1}"}), "");
  EXPECT_EQ(reason(Op::kIdentity, {"i8[1,1,1,1]{1}", "", "i8[1,1,1,1]{1}"}), "a tensor of rank 4");
}

TEST(Plugin, OfVersion2SaysWhereItFailsAndWhy) {
  const auto backend = OpenVariant("rejects");
  const std::vector<Outcome> outcomes = OutcomesOf(*backend, Vector());
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kError);
  EXPECT_EQ(outcomes[1].message, "ADD: no registers left");
  EXPECT_EQ(outcomes[1].pass, "allocation, step 2");
  EXPECT_EQ(outcomes[2].kind, OutcomeKind::kValid);
  EXPECT_NE(backend->Errors().find("a line\na line\n"), std::string::npos) << backend->Errors();
  EXPECT_EQ(OutcomesOf(*OpenVariant("writes-behind-the-details"), Vector())[0].message,
            "wrote behind the details");
}

TEST(Plugin, OfVersion2GivesTheTensorsInsideAGraph) {
  setenv("ASSAY_VARIANT", "is-of-version-2", 1);
  Result<std::unique_ptr<WorkerConnection>> started = WorkerProcess::Start(
      {{ASSAY_BINARY_DIR "/assay-plugin-host", ASSAY_BINARY_DIR "/plugin_variants.so"}, "", {}, 0});
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
  invoke.taps = {"t0", "t1"};
  const auto answer = std::get<worker::Answer>(ask(invoke));
  EXPECT_EQ(answer.outputs, std::vector<Tensor>{TensorOf("fp32[2]{2,4}")});
  ASSERT_EQ(answer.taps.size(), 1u);
  EXPECT_EQ(answer.taps.at("t1"), TensorOf("fp32[2]{7,7}"));
  invoke.taps = {"none"};
  EXPECT_EQ(std::get<worker::Failed>(ask(invoke)).reason, "no tensor \"none\" to tap");
}

TEST(Plugin, OfVersion2GivesTapsToABackend) {
  setenv("ASSAY_VARIANT", "is-of-version-2", 1);
  const auto backend = OpenBackend("plugin:" ASSAY_BINARY_DIR "/plugin_variants.so", {});
  ASSERT_TRUE(backend) << backend.error().message;
  BlockBuilder b;
  const TensorIndex x = b.Input("fp32[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {x, x}, "fp32[2]");
  b.Outputs({b.Add(Op::kAbs, {sum}, "fp32[2]")});
  TestVector vector;
  vector.graphs = {GraphOf({b.block})};
  vector.steps.emplace_back().inputs = {TensorOf("fp32[2]{-1,2}")};
  EXPECT_TRUE((*backend)->OffersTaps(vector));
  const Result<TappedRun> run = (*backend)->RunWithTaps(vector, {{sum}});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->taps[0].at(sum), TensorOf("fp32[2]{7,7}"));
}

// One crashes whenever a result has one element, the other at the second invocation of a process.
TEST(Plugin, ThatCrashesIsLearnedWithStatus3) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const auto learn = [&folder](const std::string& variant) {
    const std::vector<std::string> words = {
        ASSAY_BINARY_DIR "/assay", "target", "learn", kVariants, "--out", variant, "--backend-env",
        "ASSAY_VARIANT=" + variant};
    const Result<ChildReport> report =
        RunChild({words, folder->path(), {}, 0}, "", {.wall_seconds = 300});
    EXPECT_TRUE(report);
    EXPECT_EQ(report->Describe(), "exit status 3") << report->output;
    return std::pair(report->output, report->errors);
  };
  const auto& [lines, error] = learn("crashes-on-one-element");
  EXPECT_NE(lines.find("ADD of rank 0: crashed: ended with signal 6 (Aborted)"), std::string::npos)
      << lines;
  EXPECT_NE(error.find(": crashes or times out in "), std::string::npos) << error;
  EXPECT_TRUE(ReadTextFile(JoinPath(folder->path(), "crashes-on-one-element")));
  const auto& [at_times, errors] = learn("crashes");
  EXPECT_NE(at_times.find(": answered, and when asked again crashed: ended with signal 11"),
            std::string::npos)
      << at_times;
  EXPECT_NE(errors.find(": gives two different answers to the same vector (8 seen); make it "
                        "repeat what it does. No target is written"),
            std::string::npos)
      << errors;
  EXPECT_FALSE(ReadTextFile(JoinPath(folder->path(), "crashes")));
}

// Tests the command line, with the generator's own vectors.
TEST(Plugin, ExampleAgreesOnStatefulVectors) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const auto run = [&folder](std::vector<std::string> words) {
    words.insert(words.begin(), ASSAY_BINARY_DIR "/assay");
    const Result<ChildReport> report =
        RunChild({words, folder->path(), {}, 0}, "", {.wall_seconds = 300});
    EXPECT_TRUE(report);
    EXPECT_EQ(report->Describe(), "exit status 0") << report->output << report->errors;
    return report->output;
  };
  const std::string asked = run({"backend", "test", kExample});
  EXPECT_NE(asked.find("ok             makes a context fresh by a reset"), std::string::npos)
      << asked;
  run({"gen", "--out", "suite", "--kind", "stateful", "--count", "1000", "--seed", "5"});
  const std::string text = run({"verify", "suite", "--backend", kExample});
  EXPECT_NE(text.find("1000 vectors on " + kExample), std::string::npos) << text;
  EXPECT_NE(text.find(" agrees, 0 disagrees, "), std::string::npos) << text;
  EXPECT_EQ(text.find(": 0 agrees"), std::string::npos) << text;
}

}  // namespace
}  // namespace assay::plugin_test
