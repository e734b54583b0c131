// SPDX-License-Identifier: Apache-2.0
// Tests of the backend that runs Arm's reference model, with a program that replaces the model
// (arm_model_stand_in.cc).
#include <gtest/gtest.h>

#include <cstdlib>

#include "backend_kind.h"
#include "block_builder.h"
#include "judge_vector.h"
#include "worked_example.h"

namespace assay::arm_backend_test {
namespace {

class ArmBackend : public testing::Test {
 protected:
  ~ArmBackend() override { unsetenv("STAND_IN"); }

  static std::vector<Outcome> Run(const TestVector& vector, const char* mode = nullptr,
                                  const BackendOptions& options = {}) {
    if (mode == nullptr) {
      unsetenv("STAND_IN");
    } else {
      setenv("STAND_IN", mode, 1);
    }
    Result<std::unique_ptr<Backend>> backend = OpenBackend("arm:" ASSAY_STAND_IN, options);
    EXPECT_TRUE(backend) << backend.error().message;
    EXPECT_EQ((*backend)->WhyUnsupported(vector), "");
    const Result<std::vector<Outcome>> outcomes = (*backend)->Run(vector);
    EXPECT_TRUE(outcomes) << outcomes.error().message;
    return outcomes ? *outcomes : std::vector<Outcome>();
  }

  static TestVector Example(Op op, const ops::Example& example) {
    Result<TestVector> vector = VectorOfExample(op, example);
    EXPECT_TRUE(vector) << vector.error().message;
    return *vector;
  }

  static TestVector Sum() {
    return Example(Op::kAdd, {"i32[2]{1,2} i32[2]{3,4}", "", "i32[2]{4,6}"});
  }
};

TEST_F(ArmBackend, Answers) {
  const TestVector vector = Sum();
  const std::vector<Outcome> outcomes = Run(vector);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kValid) << outcomes[0].message;
  EXPECT_EQ(outcomes[0].outputs, std::vector<Tensor>{TensorOf("i32[2]{4,6}")});
  EXPECT_EQ(JudgeVector(vector, outcomes).kind, VerdictKind::kAgrees);
}

// Elements of every type are written to files and read back.
TEST_F(ArmBackend, PassesEveryType) {
  for (const char* value :
       {"bool[2]{true,false}", "i8[2]{-128,127}", "i16[2]{-32768,1}", "i32[2]{-2147483648,1}",
        "fp32[3]{1.5,nan,-inf}", "fp16[2]{65504,-0}", "bf16[2]{1.5,-2}", "fp8e4m3[2]{448,nan}",
        "fp8e5m2[2]{-inf,2}", "i48[2]{-140737488355328,1}", "i4[2]{-7,7}"}) {
    const TestVector vector = Example(Op::kIdentity, {value, "", value});
    const std::vector<Outcome> outcomes = Run(vector);
    ASSERT_EQ(outcomes[0].kind, OutcomeKind::kValid) << value << ": " << outcomes[0].message;
    EXPECT_EQ(outcomes[0].outputs, ExecuteVector(vector, {})[0].outputs) << value;
  }
}

TEST_F(ArmBackend, SaysWhatTheExitStatusMeans) {
  const TestVector overflow = Example(
      Op::kAdd, {"i32[1]{2147483647} i32[1]{1}", "output=i32[1]", "unpredictable ADD/REQUIRE/1"});
  EXPECT_EQ(Run(overflow)[0].kind, OutcomeKind::kUnpredictable);
  const TestVector wrong_axis =
      Example(Op::kReverse, {"i32[1]{1}", "axis=1 output=i32[1]", "error REVERSE/ERROR_IF/1"});
  EXPECT_EQ(Run(wrong_axis)[0].kind, OutcomeKind::kError);
  EXPECT_EQ(JudgeVector(wrong_axis, Run(wrong_axis)).kind, VerdictKind::kAgrees);
  struct Row {
    const char* mode;
    OutcomeKind kind;
    const char* message;
  };
  const Row rows[] = {
      {"status=1", OutcomeKind::kUnpredictable, "exit status 1: as told"},
      {"status=2", OutcomeKind::kError, "exit status 2: as told"},
      {"status=6", OutcomeKind::kUnsupported, "exit status 6: as told"},
      {"status=3", OutcomeKind::kCrashed, "exit status 3: as told"},
      {"status=134", OutcomeKind::kCrashed, "signal 6 (Aborted): as told"},
      {"status=136", OutcomeKind::kCrashed, "signal 8 (Floating point exception): as told"},
      {"status=139", OutcomeKind::kCrashed, "signal 11 (Segmentation fault): as told"},
      {"abort", OutcomeKind::kCrashed, "signal 6 (Aborted)"},
      {"fpe", OutcomeKind::kCrashed, "signal 8 (Floating point exception)"},
      {"segv", OutcomeKind::kCrashed, "signal 11 (Segmentation fault)"},
      {"unvalidated", OutcomeKind::kError,
       "exit status 0, but no answer: Failed to validate graph."},
      {"silent", OutcomeKind::kCrashed, "exit status 0, but no answer"},
  };
  for (const Row& row : rows) {
    const Outcome outcome = Run(Sum(), row.mode)[0];
    EXPECT_EQ(OutcomeName(outcome.kind), OutcomeName(row.kind)) << row.mode;
    EXPECT_EQ(outcome.message, row.message) << row.mode;
    EXPECT_TRUE(outcome.outputs.empty()) << row.mode;
  }
}

TEST_F(ArmBackend, NamesWhatIsNoAnswer) {
  const Outcome outcome = Run(Sum(), "garbage")[0];
  EXPECT_EQ(outcome.kind, OutcomeKind::kCrashed);
  EXPECT_EQ(outcome.message.find("output-0.npy: "), 0u) << outcome.message;
}

TEST_F(ArmBackend, EndsAtTheTimeLimit) {
  TestVector vector = Sum();
  vector.steps.push_back(vector.steps[0]);
  BackendOptions options;
  options.wall_seconds = 0.3;
  const std::vector<Outcome> outcomes = Run(vector, "hang", options);
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kTimedOut);
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kUnsupported);
  EXPECT_EQ(outcomes[1].message, "not run");
}

// A counter in a variable tensor: a read returns the sum of everything added before.
TestVector Counter(bool with_initial_value) {
  BlockBuilder b;
  const TensorIndex state =
      b.Variable("state", "i32[2]", with_initial_value ? TensorOf("i32[2]{1,2}") : Tensor());
  const TensorIndex x = b.Input("i32[2]");
  const TensorIndex old = b.Add(Op::kIdentity, {state}, "i32[2]");
  const TensorIndex sum = b.Add(Op::kAdd, {old, x}, "i32[2]");
  b.Append(Op::kIdentity, {sum}, {state});
  b.Outputs({old});
  TestVector vector;
  vector.graphs = {EmptyGraph()};
  *vector.graphs[0].Main() = b.block;
  for (const int32_t context : {0, 0, 1, 0}) {
    Step step;
    step.context = context;
    step.inputs = {TensorOf("i32[2]{10,20}")};
    vector.steps.push_back(step);
  }
  return vector;
}

TEST_F(ArmBackend, KeepsVariablesBetweenStepsByContext) {
  TestVector vector = Counter(true);
  std::string reason;
  ASSERT_TRUE(Expect(vector, {}, &reason)) << reason;
  const std::vector<Outcome> outcomes = Run(vector);
  ASSERT_EQ(outcomes.size(), 4u);
  const char* const read[] = {"i32[2]{1,2}", "i32[2]{11,22}", "i32[2]{1,2}", "i32[2]{21,42}"};
  for (size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(outcomes[i].kind, OutcomeKind::kValid) << outcomes[i].message;
    EXPECT_EQ(outcomes[i].outputs[0], TensorOf(read[i])) << i;
  }
  EXPECT_EQ(outcomes[3].state.at("state"), TensorOf("i32[2]{31,62}"));
  EXPECT_EQ(JudgeVector(vector, outcomes).kind, VerdictKind::kAgrees);
}

TEST_F(ArmBackend, LoadsVariablesFromOutside) {
  TestVector vector = Counter(false);
  vector.steps.resize(2);
  vector.steps[0].state_before["state"] = TensorOf("i32[2]{5,6}");
  const std::vector<Outcome> outcomes = Run(vector);
  EXPECT_EQ(outcomes[0].outputs.at(0), TensorOf("i32[2]{5,6}"));
  EXPECT_EQ(outcomes[1].outputs.at(0), TensorOf("i32[2]{15,26}"));
}

TEST_F(ArmBackend, DeclinesWhatTheModelLacks) {
  TestVector vector = Sum();
  vector.graphs[0].Main()->operators[0].op = Op::kVariableRead;
  const auto backend = OpenBackend("arm:" ASSAY_STAND_IN, {});
  EXPECT_EQ((*backend)->WhyUnsupported(vector), "VARIABLE_READ");
}

TEST_F(ArmBackend, NamesWhatIsNotThere) {
  EXPECT_EQ(OpenBackend("arm", {}).error().kind, Error::Kind::kUsage);
  const auto backend = OpenBackend("arm:/nowhere/model", {});
  ASSERT_FALSE(backend);
  EXPECT_EQ(backend.error().kind, Error::Kind::kUsage);
  EXPECT_EQ(backend.error().message, "arm: no such program: /nowhere/model");
}

}  // namespace
}  // namespace assay::arm_backend_test
