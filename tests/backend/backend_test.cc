// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "backend_kind.h"
#include "block_builder.h"
#include "files.h"
#include "gtest/gtest.h"
#include "judge_vector.h"
#include "npy_file.h"
#include "tosa_file.h"
#include "worked_example.h"

namespace assay::backend_test {
namespace {

TestVector AddVector() {
  return *VectorOfExample(Op::kAdd, {"i32[2]{1,2} i32[2]{3,4}", "", "i32[2]{4,6}"});
}

std::unique_ptr<Backend> Open(const std::string& specification,
                              const BackendOptions& options = {}) {
  Result<std::unique_ptr<Backend>> backend = OpenBackend(specification, options);
  EXPECT_TRUE(backend) << backend.error().message;
  return std::move(*backend);
}

Error OpenError(const std::string& specification) {
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(specification, {});
  EXPECT_FALSE(backend) << specification;
  return backend.error();
}

TEST(Backends, HaveNamesOfTheirOwnAndHelp) {
  std::set<std::string_view> names;
  for (const BackendKind* kind : AllBackendKinds()) {
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
    EXPECT_EQ(kind->name.find(':'), std::string_view::npos);
    EXPECT_FALSE(kind->help.empty()) << kind->name;
    EXPECT_NE(kind->help.back(), '\n') << kind->name;
  }
  for (const char* name : {"reference", "canary", "exec"}) EXPECT_TRUE(names.contains(name));
}

TEST(Backends, ThatDoNotExistAreNamed) {
  for (const char* specification : {"", "bogus", "reference:bogus", "canary", "canary:none",
                                    "canary:bogus", "exec", "exec:  "}) {
    const Error error = OpenError(specification);
    EXPECT_EQ(error.kind, Error::Kind::kUsage) << specification;
    EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
  }
  EXPECT_NE(OpenError("bogus").message.find("'bogus'; there are arm, canary, exec"),
            std::string::npos);
}

TEST(Backends, OfOurOwnSayWhatTheyAreAndRun) {
  for (const char* specification : {"reference", "reference:template", "canary:ties-away"}) {
    const auto backend = Open(specification);
    EXPECT_EQ(backend->Describe().find(specification), 0u) << backend->Describe();
    EXPECT_EQ(backend->WhyUnsupported(AddVector()), "");
    const Result<std::vector<Outcome>> outcomes = backend->Run(AddVector());
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    ASSERT_EQ(outcomes->size(), 1u);
    EXPECT_EQ((*outcomes)[0].kind, OutcomeKind::kValid);
    EXPECT_EQ((*outcomes)[0].outputs[0].Integer(1), 6);
  }
}

TEST(Backends, OfOurOwnDeclineWhatTheyCannotRun) {
  TestVector vector = AddVector();
  vector.level = "9K";
  EXPECT_EQ(Open("reference")->WhyUnsupported(vector), "level 9K");
  vector = AddVector();
  vector.graphs[0].Main()->operators[0].op = Op::kCustom;
  vector.graphs[0].Main()->operators[0].attributes = {
      {AttributeId::kDomainName, std::string("a.b")},
      {AttributeId::kOperatorName, std::string("twice\n")}};
  EXPECT_EQ(Open("reference")->WhyUnsupported(vector), "CUSTOM \"twice\\x0a\" of domain \"a.b\"");
}

// Runs a shell command as the program, with the vector's folder as $1.
class ExecBackend : public testing::Test {
 protected:
  std::vector<Outcome> Run(const std::string& shell, const TestVector& vector) {
    const std::string script = JoinPath(folder_->path(), "program");
    std::ofstream(script) << "#!/bin/sh\n" << shell << "\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    BackendOptions options;
    options.wall_seconds = 60;
    options.scratch = scratch();
    const Result<std::vector<Outcome>> outcomes =
        Open("exec:" + script + " {dir}", options)->Run(vector);
    EXPECT_TRUE(outcomes) << outcomes.error().message;
    return *outcomes;
  }
  std::string scratch() const { return JoinPath(folder_->path(), "scratch"); }

 private:
  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
};

TestVector TwoSteps() {
  TestVector vector = AddVector();
  vector.steps.push_back(vector.steps[0]);
  return vector;
}

TEST_F(ExecBackend, OfATracebackOnlyTheEndSpeaks) {
  const std::vector<Outcome> outcomes =
      Run("echo 'Traceback (most recent call last):' >&2; echo '  File x' >&2\n"
          "echo 'ValueError: the reason' >&2; exit 1",
          AddVector());
  EXPECT_NE(outcomes[0].message.find("ValueError: the reason"), std::string::npos)
      << outcomes[0].message;
}

TEST_F(ExecBackend, GetsAFolderWithEverything) {
  // The answer is the first input itself.
  const auto outcomes = Run("cp $1/step-0-input-0.npy $1/step-0-output-0.npy", AddVector());
  ASSERT_EQ(outcomes.size(), 1u);
  ASSERT_EQ(outcomes[0].kind, OutcomeKind::kValid) << outcomes[0].message;
  EXPECT_EQ(outcomes[0].outputs[0], AddVector().steps[0].inputs[0]);
  const std::string folder = JoinPath(scratch(), (*ListDirectory(scratch()))[0]);
  EXPECT_EQ(*ReadTextFile(JoinPath(folder, "steps.txt")),
            "assay-steps 1\n"
            "step 0 graph-0.tosa context 0\n"
            "input step-0-input-0.npy i32[2] \"t0\"\n"
            "input step-0-input-1.npy i32[2] \"t1\"\n"
            "output step-0-output-0.npy i32[2] \"t2\"\n");
  const auto graph = ReadTosa(*ReadFile(JoinPath(folder, "graph-0.tosa")), "graph-0.tosa", nullptr);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(*graph, AddVector().graphs[0]);
}

TEST_F(ExecBackend, LosesTheFirstStepWithoutAnAnswer) {
  const std::string answer = "cp $1/step-0-input-0.npy $1/step-0-output-0.npy; ";
  auto outcomes = Run(answer + "echo why >&2; exit 3", TwoSteps());
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kValid);
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kCrashed);
  EXPECT_EQ(outcomes[1].message, "exit status 3: why");
  outcomes = Run("kill -ABRT $$", TwoSteps());
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kCrashed);
  EXPECT_EQ(outcomes[0].message, "signal 6 (Aborted)");
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kUnsupported);
  EXPECT_EQ(outcomes[1].message, "not run");
}

TEST_F(ExecBackend, MayRefuseAndDecline) {
  auto outcomes = Run("echo bad rank >$1/step-0-refused.txt", AddVector());
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kError);
  EXPECT_EQ(outcomes[0].message, "bad rank");
  outcomes = Run("echo no ADD >&2; exit 77", AddVector());
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kUnsupported);
  EXPECT_EQ(outcomes[0].message, "no ADD");
}

// The folder has another name every time, but the messages are the same.
TEST_F(ExecBackend, DoesNotNameItsFolder) {
  auto outcomes = Run("echo $1/graph-0.tosa: bad, see $1 >&2; exit 1", AddVector());
  EXPECT_EQ(outcomes[0].message, "exit status 1: {dir}/graph-0.tosa: bad, see {dir}");
  outcomes = Run("echo $1: bad >$1/step-0-refused.txt", AddVector());
  EXPECT_EQ(outcomes[0].message, "{dir}: bad");
}

// If the program leaves something else in place of its answer, the backend neither waits nor reads
// it without end.
TEST_F(ExecBackend, SurvivesAnswersThatAreNoFiles) {
  const std::string answer = "$1/step-0-output-0.npy";
  for (const auto& [shell, words] :
       {std::pair<std::string, std::string>("mkdir " + answer, "cannot read: Is a directory"),
        {"mkfifo " + answer, "is no regular file; a folder is read from regular files only"},
        {"ln -s /dev/zero " + answer,
         "is no regular file; a folder is read from regular files only"},
        {"truncate -s 1T " + answer, "is larger than 67108896 bytes"}}) {
    const auto outcomes = Run(shell, AddVector());
    EXPECT_EQ(outcomes[0].kind, OutcomeKind::kCrashed) << shell;
    EXPECT_EQ(outcomes[0].message, "{dir}/step-0-output-0.npy: " + words) << shell;
  }
  EXPECT_EQ(Run("mkfifo $1/step-0-refused.txt", AddVector())[0].kind, OutcomeKind::kError);
}

TEST_F(ExecBackend, MayAnswerWithAWrongShapeButNotWithOtherElements) {
  const std::string file = JoinPath(std::filesystem::temp_directory_path().string(),
                                    "assay-backend-test-" + std::to_string(getpid()) + ".npy");
  const auto answer = [&](const Tensor& tensor) {
    EXPECT_TRUE(WriteFileAtomically(file, WriteNpy(tensor)));
    const auto outcomes = Run("cp " + file + " $1/step-0-output-0.npy", AddVector());
    std::filesystem::remove(file);
    return outcomes[0];
  };
  const int64_t numbers[] = {1, 2, 3};
  const Tensor other = Tensor::FromIntegers(DType::kInt32, {3}, numbers);
  const Outcome wrong_shape = answer(other);
  ASSERT_EQ(wrong_shape.kind, OutcomeKind::kValid) << wrong_shape.message;
  EXPECT_EQ(wrong_shape.outputs[0], other);
  // The values of AddVector()'s type, exactly.
  const Outcome wrong_type = answer(Tensor::FromIntegers(DType::kInt16, {2}, {numbers, 2}));
  EXPECT_EQ(wrong_type.kind, OutcomeKind::kCrashed);
  EXPECT_EQ(wrong_type.message,
            "step-0-output-0.npy: has int16 elements; i32 needs int32, and other types no longer "
            "pass");
}

// Returns y = v; v = x, with a tensor with variable=true that starts as {1,2}.
Graph OlderForm() {
  BlockBuilder b;
  const TensorIndex v = b.Variable("v", "i32[2]", TensorOf("i32[2]{1,2}"));
  const TensorIndex y = b.Add(Op::kIdentity, {v}, "i32[2]");
  b.Append(Op::kIdentity, {b.Input("i32[2]")}, {v});
  b.Outputs({y});
  return GraphOf({b.block});
}

Step StepOf(int32_t context, std::string_view x, std::string_view y) {
  Step step;
  step.context = context;
  step.inputs = {TensorOf(x)};
  step.outputs = {{TensorOf(y), {}, {}, "exact"}};
  step.state_after["v"] = {TensorOf(x), {}, {}, "exact"};
  return step;
}

// A program in the style of Arm's model: a step leaves its state in the file of the variable.
TEST_F(ExecBackend, KeepsVariableTensorsInFiles) {
  TestVector vector;
  vector.graphs = {OlderForm()};
  vector.steps = {StepOf(0, "i32[2]{3,4}", "i32[2]{1,2}"), StepOf(5, "i32[2]{5,6}", "i32[2]{1,2}"),
                  StepOf(0, "i32[2]{7,8}", "i32[2]{3,4}")};
  const auto outcomes =
      Run("cd $1; run() { cp context-$2-variable-0.npy step-$1-output-0.npy; "
          "cp step-$1-input-0.npy context-$2-variable-0.npy; "
          "cp context-$2-variable-0.npy step-$1-state-0.npy; }; run 0 0; run 1 5; run 2 0",
          vector);
  const Verdict verdict = JudgeVector(vector, outcomes);
  EXPECT_EQ(verdict.kind, VerdictKind::kAgrees);
  EXPECT_EQ(verdict.judged_elements, 12);  // outputs and states
  const std::string folder = JoinPath(scratch(), (*ListDirectory(scratch()))[0]);
  EXPECT_EQ(*ReadTextFile(JoinPath(folder, "steps.txt")),
            "assay-steps 1\n"
            "step 0 graph-0.tosa context 0\n"
            "input step-0-input-0.npy i32[2] \"t2\"\n"
            "output step-0-output-0.npy i32[2] \"t1\"\n"
            "variable context-0-variable-0.npy i32[2] \"v\"\n"
            "step 1 graph-0.tosa context 5\n"
            "input step-1-input-0.npy i32[2] \"t2\"\n"
            "output step-1-output-0.npy i32[2] \"t1\"\n"
            "variable context-5-variable-0.npy i32[2] \"v\"\n"
            "step 2 graph-0.tosa context 0\n"
            "input step-2-input-0.npy i32[2] \"t2\"\n"
            "output step-2-output-0.npy i32[2] \"t1\"\n"
            "variable context-0-variable-0.npy i32[2] \"v\"\n");
  vector.steps[2].state_after["v"].value = TensorOf("i32[2]{7,9}");
  EXPECT_EQ(JudgeVector(vector, outcomes).findings[0].violation, Violation::kState);
}

TEST_F(ExecBackend, HandsOverVariablesFromOutside) {
  TestVector vector;
  vector.graphs = {OlderForm()};
  vector.steps = {StepOf(0, "i32[2]{3,4}", "i32[2]{8,9}"), StepOf(0, "i32[2]{5,6}", "i32[2]{6,6}")};
  vector.steps[0].state_before["v"] = TensorOf("i32[2]{8,9}");
  vector.steps[1].state_before["v"] = TensorOf("i32[2]{6,6}");
  EXPECT_EQ(Open("exec:true")->WhyUnsupported(vector), "");
  const auto outcomes =
      Run("cd $1; cmp context-0-variable-0.npy step-0-load-0.npy || exit 1; "
          "grep -q '^load step-1-load-0.npy i32.2. \"v\"$' steps.txt || exit 2; "
          "for i in 0 1; do cp step-$i-load-0.npy step-$i-output-0.npy; done",
          vector);
  EXPECT_EQ(JudgeVector(vector, outcomes).kind, VerdictKind::kAgrees) << outcomes[0].message;
}

}  // namespace
}  // namespace assay::backend_test
