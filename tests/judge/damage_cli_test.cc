// SPDX-License-Identifier: Apache-2.0
// Tests that `verify` reports the vector that damages the process of a worker, in all reports.
#include <gtest/gtest.h>

#include "block_builder.h"
#include "checked_report.h"
#include "executor.h"
#include "run_assay.h"
#include "tvec_file.h"

namespace assay::damage_cli_test {
namespace {

// Runs the example worker, which gives wrong results of ADD after ABS.
const std::string kBackend =
    " --backend 'worker:" ASSAY_PYTHON " " ASSAY_SOURCE_DIR
    "/tests/backend/damaged_worker.py " ASSAY_SOURCE_DIR
    "/src/backend/examples/backend.py ABS ADD' --backend-env PYTHONPATH=" ASSAY_BINARY_DIR
    "/python";

class DamageCli : public Cli {
 protected:
  // Writes vectors of one operator each: 0.tvec, 1.tvec, ...
  void WriteVectors(const std::vector<Op>& ops) {
    ASSERT_TRUE(MakeDirectories(Path("s")));
    for (size_t i = 0; i < ops.size(); ++i) {
      BlockBuilder b;
      TestVector vector;
      vector.name = std::to_string(i);
      vector.requirements = {"PRO-INT"};
      Step& step = vector.steps.emplace_back();
      std::vector<TensorIndex> inputs;
      for (int k = 0; k < (ops[i] == Op::kAdd ? 2 : 1); ++k) {
        inputs.push_back(b.Input("i32[2]"));
        step.inputs.push_back(TensorOf("i32[2]{-3,4}"));
      }
      b.Outputs({b.Add(ops[i], inputs, "i32[2]")});
      vector.graphs = {GraphOf({b.block})};
      ASSERT_TRUE(Expect(vector, {}));
      ASSERT_TRUE(WriteFileAtomically(Path("s/" + vector.name + ".tvec"), WriteTestVector(vector)));
    }
  }
  void ExpectDamage(const std::string& text, const std::string& earlier) {
    for (const std::string& words : {std::string("ABS i32: later vectors are wrong"),
                                     "ADD i32: wrong value, after " + earlier +
                                         " in the same process; alone, the vector is right"}) {
      EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
    }
  }
  // Returns the first replay line without its program.
  static std::string ReplayIn(const std::string& text) {
    const size_t at = text.find(" verify ", text.find("replay: "));
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at) - at - 1);
  }
};

TEST_F(DamageCli, NamesTheEarlierVectorAndReplaysBoth) {
  WriteVectors({Op::kBitwiseNot, Op::kAbs, Op::kBitwiseNot, Op::kAdd, Op::kAdd});
  const Ran ran = RunShell("$ASSAY verify s --report r --jobs 1" + kBackend);
  EXPECT_EQ(ran.status, 1) << ran.errors;
  ExpectDamage(ran.output, "s/1.tvec");
  EXPECT_NE(ran.output.find("4 agrees, 1 disagrees\n"), std::string::npos) << ran.output;
  const std::string replay = ReplayIn(ran.output);
  EXPECT_TRUE(replay.starts_with("verify s/1.tvec s/3.tvec --backend ")) << replay;
  EXPECT_TRUE(replay.ends_with(" --jobs 1")) << replay;
  const Ran again = RunShell("$ASSAY " + replay);
  EXPECT_EQ(again.status, 1);
  ExpectDamage(again.output, "s/1.tvec");
  EXPECT_EQ(ReplayIn(again.output), replay);
  const std::string html = *ReadTextFile(Path("r/report.html"));
  const std::string junit = *ReadTextFile(Path("r/report.xml"));
  for (const std::string& report : {html, junit}) {
    EXPECT_NE(report.find("after s/1.tvec in the same process"), std::string::npos);
    EXPECT_NE(report.find("verify s/1.tvec s/3.tvec"), std::string::npos);
  }
  const Result<RunHead> head = ReadCheckedReport(
      Path("r/report.jsonl"), {[](const RunHead&) { return Result<Done>(Done{}); },
                               [](const CaseResult& result, int64_t) -> Result<Done> {
                                 const bool is_victim = result.vector == "s/3.tvec";
                                 EXPECT_EQ(result.damaged_by.vectors.size(), is_victim ? 1u : 0u);
                                 return Done{};
                               }});
  EXPECT_TRUE(head) << head.error().message;
}

TEST_F(DamageCli, KeepsBothVectorsInTheReport) {
  WriteVectors({Op::kAbs, Op::kAdd});
  const Ran ran = RunShell("$ASSAY verify s --report r --minimize --jobs 1" + kBackend);
  EXPECT_EQ(ran.status, 1) << ran.errors;
  fs::remove_all(Path("s"));
  const std::string earlier = AnyFile("r/findings", ".before.tvec");
  ExpectDamage(ran.output, earlier);
  const Ran again = RunShell("$ASSAY " + ReplayIn(ran.output));
  EXPECT_EQ(again.status, 1);
  ExpectDamage(again.output, earlier);
}

// A report of merged shards has both vectors, too.
TEST_F(DamageCli, IsMergedFromShards) {
  WriteVectors({Op::kAbs, Op::kBitwiseNot, Op::kAdd});
  ASSERT_EQ(RunShell("$ASSAY verify s --report r0 --shard 0/2 --jobs 1" + kBackend).status, 1);
  ASSERT_EQ(RunShell("$ASSAY verify s --report r1 --shard 1/2 --jobs 1" + kBackend).status, 0);
  fs::remove_all(Path("s"));
  const Ran ran = Run("merge r0 r1 --report r");
  EXPECT_EQ(ran.status, 1) << ran.errors;
  ExpectDamage(ran.output, "s/0.tvec");
  EXPECT_TRUE(ReplayIn(ran.output).starts_with("verify s/0.tvec s/2.tvec "));
}

}  // namespace
}  // namespace assay::damage_cli_test
