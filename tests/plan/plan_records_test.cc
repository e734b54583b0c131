// SPDX-License-Identifier: Apache-2.0
// Tests memory plans in `.tvec` files: generated, judged, and on the command line.
#include <gtest/gtest.h>

#include <string>

#include "child_process.h"
#include "files.h"
#include "generator_table.h"
#include "planned_case.h"
#include "recorded_plans.h"
#include "tvec_file.h"

namespace assay::plan_records_test {
namespace {

TestVector Generated(uint64_t index, uint64_t seed = 1) {
  GeneratorOptions options;
  options.seed = seed;
  options.level = *LevelByName("8K");
  return *GeneratorByKind("plan")->make(options, index);
}

TEST(PlanVector, OfEveryFaultIsJudgedAsItSays) {
  const auto turns = static_cast<uint64_t>(AllPlanFaults().size()) + 1;
  for (uint64_t index = 0; index < 3 * turns; ++index) {
    const TestVector vector = Generated(index);
    const Result<TestVector> read = ReadTestVector(WriteTestVector(vector), "v.tvec");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, vector);
    const Verdict verdict = JudgePlanRecords(*read);
    EXPECT_EQ(verdict.kind, VerdictKind::kAgrees) << vector.name;
    EXPECT_TRUE(verdict.findings.empty()) << vector.name;
  }
}

TEST(PlanVector, IsAFunctionOfSeedAndIndex) {
  for (uint64_t index = 0; index < 20; ++index) {
    EXPECT_EQ(Generated(index), Generated(index));
    EXPECT_NE(Generated(index), Generated(index, 2));
  }
}

// Returns the verdict on the generated plan of this number, after `change` has changed its record.
template <class Change>
Verdict Changed(uint64_t index, Change change) {
  TestVector vector = Generated(index);
  change(vector.plans[0]);
  return JudgePlanRecords(vector);
}

TEST(PlanVector, ThatIsNotAsItSaysDisagrees) {
  // 0 is sound, 1 an overlap.
  ASSERT_EQ(Generated(1).plans[0].broken, "overlap");
  const Verdict sound = Changed(0, [](PlanRecord& record) { record.broken = "overlap"; });
  ASSERT_EQ(sound.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(sound.findings[0].expected, "overlap");
  EXPECT_EQ(sound.findings[0].got, "sound");
  EXPECT_EQ(sound.findings[0].message, "no rule is broken");
  const Verdict broken = Changed(1, [](PlanRecord& record) { record.broken = ""; });
  ASSERT_EQ(broken.kind, VerdictKind::kDisagrees);
  EXPECT_EQ(broken.findings[0].got, "overlap");
  const Verdict other = Changed(1, [](PlanRecord& record) { record.broken = "bounds"; });
  EXPECT_EQ(other.kind, VerdictKind::kDisagrees);
  const Verdict none = Changed(0, [](PlanRecord& record) { record.planned.plan.reset(); });
  EXPECT_EQ(none.kind, VerdictKind::kUndecided);
}

// One buffer of 8 bytes at 0: the smallest peak is 8.
TEST(PlanVector, OptimumLiesBetweenBoundAndPeak) {
  TestVector vector;
  PlanRecord& record = vector.plans.emplace_back();
  record.planned.problem.pools = {{.name = "p"}};
  record.planned.problem.buffers = {{.name_hint = "b", .size_bytes = 8, .live = {{0, 1}}}};
  record.planned.plan = MemoryPlan{{PoolAllocation{0, 0}}};
  const auto verdict = [&](int64_t optimum) {
    record.optimum = optimum;
    return JudgePlanRecords(vector).kind;
  };
  EXPECT_EQ(verdict(7), VerdictKind::kDisagrees);
  EXPECT_EQ(verdict(8), VerdictKind::kAgrees);
  EXPECT_EQ(verdict(9), VerdictKind::kDisagrees);
}

class PlanVectorCli : public testing::Test {
 protected:
  ChildReport Run(const std::string& arguments) {
    const ChildCommand command{
        {"sh", "-c", ASSAY_BINARY_DIR "/assay " + arguments}, folder_->path(), {}, 0};
    return *RunChild(command, "", {300, size_t{64} << 20});
  }
  void Expect(int status, const std::string& arguments, const std::string& words) {
    const ChildReport report = Run(arguments);
    EXPECT_EQ(report.status, status) << arguments << "\n" << report.output << report.errors;
    EXPECT_NE((report.output + report.errors).find(words), std::string::npos)
        << arguments << "\n"
        << report.output << report.errors;
  }
  std::string Path(const std::string& name) const { return JoinPath(folder_->path(), name); }

  Result<TemporaryDirectory> folder_ = TemporaryDirectory::Make();
};

TEST_F(PlanVectorCli, ASuiteIsGeneratedAndVerified) {
  Expect(0, "gen --kind plan --out suite --seed 3", "39 plan");
  Expect(0, "verify suite --backend reference", "39 agree");
  // No other backend checks plans. Such a vector is counted, and does not pass.
  Expect(3, "verify suite --backend exec:true", "checks no memory plans");
  Expect(0, "show suite/plan/plan-000001.tvec", "breaks overlap (ends-a-tick-early)");
  Expect(1, "plan check suite/plan/plan-000001.tvec", "the plan is broken in 1 place");
  Expect(0, "plan check suite/plan/plan-000000.tvec", "the plan is sound");
  Expect(0, "plan generate --out plans --count 3 --seed 3", "3 plans");
  EXPECT_EQ(*ReadTextFile(Path("plans/0000001-ends-a-tick-early.tvec")),
            *ReadTextFile(Path("suite/plan/plan-000001.tvec")));
}

TEST_F(PlanVectorCli, AWrongRecordIsAFinding) {
  TestVector vector = Generated(1);
  vector.plans[0].broken = "bounds";
  ASSERT_TRUE(WriteFileAtomically(Path("wrong.tvec"), WriteTestVector(vector)));
  Expect(1, "verify wrong.tvec --backend reference", "wrong plan (bounds)");
}

TEST_F(PlanVectorCli, AGraphIsWrittenWithItsPlan) {
  Expect(0, "gen --kind graph --count 1 --out suite", "1 graph");
  Expect(0, "plan suite/graph/graph-000000.tvec --out planned.tvec", "bytes for buffers");
  Result<TestVector> planned = ReadTestVector(*ReadFile(Path("planned.tvec")), "planned.tvec");
  const Result<TestVector> graph =
      ReadTestVector(*ReadFile(Path("suite/graph/graph-000000.tvec")), "graph.tvec");
  ASSERT_TRUE(planned && graph);
  ASSERT_EQ(planned->plans.size(), 1u);
  EXPECT_EQ(planned->plans[0].graph, 0);
  EXPECT_TRUE(planned->plans[0].planned.plan);
  Expect(0, "plan check planned.tvec --graph planned.tvec", "the plan is sound");
  Expect(0, "verify planned.tvec --backend reference", "1 agree");
  Expect(2, "plan check planned.tvec --plan 1", "has 1 plans; --plan takes the number of one");
  planned->plans.clear();
  // Nothing else has changed. The bytes are compared, because expectations may hold NaNs.
  EXPECT_EQ(WriteTestVector(*planned), WriteTestVector(*graph));
  Expect(0, "plan suite/graph/graph-000000.tvec --out planned.json", "bytes for buffers");
  Expect(0, "plan check planned.json", "the plan is sound");
  Expect(2, "plan suite/graph/graph-000000.tvec --out planned.txt", "neither .json nor .tvec");
}

}  // namespace
}  // namespace assay::plan_records_test
