// SPDX-License-Identifier: Apache-2.0
// Tests that no operator is blamed for a fault of another one that shows in it. The faults are
// those of tests/backend/careless_worker.py, whose operators are right alone, but
// for one that crashes.
#include <gtest/gtest.h>

#include "block_builder.h"
#include "executor.h"
#include "run_assay.h"
#include "tvec_file.h"

namespace assay::together_cli_test {
namespace {

constexpr char kType[] = "i32[2]";

class TogetherCli : public Cli {
 protected:
  // Writes v.tvec with the input {-3,4}.
  void Write(const Block& block) {
    TestVector vector;
    vector.name = "v";
    vector.requirements = {"PRO-INT"};
    vector.graphs = {GraphOf({block})};
    vector.steps.emplace_back().inputs = {TensorOf("i32[2]{-3,4}")};
    std::string reason;
    ASSERT_TRUE(Expect(vector, {}, &reason)) << reason;
    ASSERT_TRUE(WriteFileAtomically(Path("v.tvec"), WriteTestVector(vector)));
  }

  // Expects the headline of the first finding, and no headline that begins with an operator alone.
  void ExpectFinding(const std::string& options, const std::string& headline) {
    const Ran ran = RunShell(
        "$ASSAY verify v.tvec" + options +
        " --backend 'worker:" ASSAY_PYTHON " " ASSAY_SOURCE_DIR
        "/tests/backend/careless_worker.py " ASSAY_SOURCE_DIR
        "/src/backend/examples/backend.py' --backend-env PYTHONPATH=" ASSAY_BINARY_DIR "/python");
    EXPECT_EQ(ran.status, 1) << ran.errors;
    EXPECT_NE(ran.output.find("FAIL  " + headline + "\n"), std::string::npos) << ran.output;
    EXPECT_EQ(ran.output.find("judged by taps"), std::string::npos) << ran.output;
  }
};

TEST_F(TogetherCli, NamesTheOperatorThatChangesAnOperandWithTheOneThatMadeIt) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  const TensorIndex abs = b.Add(Op::kAbs, {x}, kType);
  const TensorIndex changed = b.Add(Op::kBitwiseOr, {abs, x}, kType);
  b.Outputs({b.Add(Op::kBitwiseNot, {changed}, kType), b.Add(Op::kSub, {abs, x}, kType)});
  Write(b.block);
  ExpectFinding("", "ABS, BITWISE_OR i32: wrong value");
  ExpectFinding(" --minimize --report r", "ABS, BITWISE_OR i32: wrong value");
}

TEST_F(TogetherCli, NamesTheOperatorThatStoresWhatNoAnswerShows) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  const TensorIndex equal = b.Add(Op::kEqual, {x, b.Constant("i32[2]{-3,5}")}, "bool[2]");
  const TensorIndex inverse = b.Add(Op::kLogicalNot, {equal}, "bool[2]");
  b.Outputs({b.Add(Op::kSelect, {inverse, x, b.Constant("i32[2]{7,8}")}, kType)});
  Write(b.block);
  ExpectFinding("", "EQUAL, LOGICAL_NOT i32: wrong value");
  ExpectFinding(" --minimize --report r", "EQUAL, LOGICAL_NOT i32: wrong value");
}

TEST_F(TogetherCli, NamesTheOperatorThatCrashesAloneAndChangesAnotherInAGraph) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  const TensorIndex changed = b.Add(Op::kBitwiseXor, {x, b.Constant("i32[2]{5,6}")}, kType);
  b.Outputs({b.Add(Op::kSub, {changed, b.Add(Op::kAbs, {x}, kType)}, kType)});
  Write(b.block);
  ExpectFinding("", "BITWISE_XOR i32: crash");
}

TEST_F(TogetherCli, NamesNoOperatorThatCrashesOnlyBehindOthers) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  const TensorIndex zero = b.Constant("i32[1]{0}");
  const TensorIndex damage = b.Add(Op::kNegate, {x, zero, zero}, kType);
  b.Outputs({b.Add(Op::kAdd, {b.Add(Op::kAbs, {damage}, kType), x}, kType)});
  Write(b.block);
  ExpectFinding("", "whole graph: crash");
  ExpectFinding(" --minimize --report r", "NEGATE, ADD i32: crash");
}

}  // namespace
}  // namespace assay::together_cli_test
