// SPDX-License-Identifier: Apache-2.0
// Tests algorithms as shared libraries: the example in C, and variants with one mistake each
// (backends/algorithm_variants.c).
#include "plugin_algorithm.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "child_process.h"
#include "files.h"
#include "pairwise_plan.h"
#include "planned_case.h"
#include "planning_task.h"
#include "random.h"

namespace assay::plugin_algorithm_test {
namespace {

const std::string kExample = ASSAY_BINARY_DIR "/example_algorithm.so";
const std::string kVariants = ASSAY_BINARY_DIR "/algorithm_variants.so";

MemoryProblem TwoBuffers() {
  MemoryProblem problem;
  problem.pools = {{"p", 4096, 0, 16, {}}};
  problem.buffers = {{"a", 100, 4, {{0, 2}}, {}, {}, {}}, {"b", 200, 64, {{1, 3}}, {}, {}, {}}};
  return problem;
}

// b is larger and comes first, at the next multiple of 64 from 16 on. a does not fit below it (16 +
// 100 > 64), so it lies behind, at 264.
TEST(PlanPlugin, GivesThePlanOfTheExample) {
  const Result<PlanningResult> result = PlanWithPlugin(TwoBuffers(), kExample, std::nullopt, 60);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->plan.allocations[1], (PoolAllocation{0, 64}));
  EXPECT_EQ(result->plan.allocations[0], (PoolAllocation{0, 264}));
  EXPECT_EQ(result->total_bytes, 264 + 100 - 16);
  EXPECT_EQ(result->bound_bytes, 300);
}

TEST(PlanPlugin, KeepsTheDefinitionOnRandomProblems) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const MemoryProblem problem = MakeSoundPlan(random, 20).record.planned.problem;
    const Result<PlanningResult> result = PlanWithPlugin(problem, kExample, std::nullopt, 60);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(WrongInPlan(problem, result->plan), "") << seed;
  }
}

TEST(PlanPlugin, WhatGoesWrongIsSaidInOneLine) {
  const struct {
    const char* variant;
    Error::Kind kind;
    const char* message;
  } kCases[] = {
      {"crashes", Error::Kind::kBadInput, "ended with signal 11 (Segmentation fault)"},
      {"aborts", Error::Kind::kBadInput, "ended with signal 6 (Aborted)"},
      {"exits", Error::Kind::kBadInput, "ended with exit status 0"},
      {"blocks", Error::Kind::kBadInput, "gives no plan within 1 s"},
      {"fails", Error::Kind::kBadInput, "failed with status 2: \"out of ideas\\x0a\""},
      {"gives-up", Error::Kind::kResource, "no plan found: \"too full\""},
      {"leaves-out", Error::Kind::kBadInput, "places \"a\" in pool -1, which there is none of"},
      {"no-such-pool", Error::Kind::kBadInput, "places \"a\" in pool 1, which there is none of"},
      {"negative", Error::Kind::kBadInput, "places \"a\" at offset -8"},
      {"overflows", Error::Kind::kBadInput, "places \"a\" at offset 9223372036854775807"},
      {"nothing", Error::Kind::kBadInput, "assay_plan_algorithm() gives nothing"},
      {"short", Error::Kind::kBadInput, "its assay_plan_algorithm_v1 has 4 bytes"},
      {"newer", Error::Kind::kUnsupported,
       "is of version 2 of assay_plan_algorithm.h; this build loads 1"},
      {"no-function", Error::Kind::kBadInput, "its assay_plan_algorithm_v1 has no function plan"},
  };
  for (const auto& [variant, kind, message] : kCases) {
    setenv("ASSAY_VARIANT", variant, 1);
    // The other variants get so much time that a loaded machine can describe a crash.
    const double seconds = variant == std::string_view("blocks") ? 1 : 60;
    const Result<PlanningResult> result =
        PlanWithPlugin(TwoBuffers(), kVariants, std::nullopt, seconds);
    ASSERT_FALSE(result) << variant;
    const std::string prefix = "plugin:" + kVariants + ": ";
    // AddressSanitizer turns a crash into an exit status.
    const bool crashed = std::string(message).find("signal") != std::string::npos &&
                         result.error().message == prefix + "ended with exit status 1";
    if (!crashed) {
      EXPECT_EQ(result.error().message, prefix + message);
    }
    EXPECT_EQ(result.error().kind, kind) << variant;
  }
  unsetenv("ASSAY_VARIANT");
  EXPECT_TRUE(PlanWithPlugin(TwoBuffers(), kVariants, std::nullopt, 60));
}

TEST(PlanPlugin, WhatIsNoPluginIsRefused) {
  const MemoryProblem problem = TwoBuffers();
  const auto refused = [&](const std::string& file) {
    return PlanWithPlugin(problem, file, std::nullopt, 60).error();
  };
  EXPECT_EQ(refused("/nowhere.so").message, "plugin:/nowhere.so: no such file");
  EXPECT_EQ(refused("/nowhere.so").kind, Error::Kind::kUsage);
  const std::string backend = ASSAY_BINARY_DIR "/example_backend.so";
  EXPECT_EQ(refused(backend).message,
            "plugin:" + backend + ": exports no function assay_plan_algorithm");
  EXPECT_EQ(refused(ASSAY_SOURCE_DIR "/README.md").kind, Error::Kind::kBadInput);
}

// Runs `assay plan` on a problem file, with a variant.
ChildReport Plan(const std::string& variant, const std::string& arguments) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string file = JoinPath(folder->path(), "two.csv");
  EXPECT_TRUE(WriteFileAtomically(file, std::string_view("id,lower,upper,size,alignment\n"
                                                         "a,0,2,100,4\nb,1,3,200,64\n")));
  ChildCommand command;
  command.argv = {"sh", "-c",
                  ASSAY_BINARY_DIR "/assay plan " + file + " --algorithm plugin:" + kVariants +
                      " " + arguments};
  command.environment = {{"ASSAY_VARIANT", variant}};
  return *RunChild(command, "", {});
}

TEST(PlanPlugin, APlanIsCheckedBeforeItIsTaken) {
  const ChildReport good = Plan("prints", "--json");
  EXPECT_EQ(good.status, 0) << good.errors;
  EXPECT_EQ(good.output.find("a line of its own"), std::string::npos);
  EXPECT_NE(good.errors.find("a line of its own"), std::string::npos);
  EXPECT_NE(good.errors.find("assay: note: plugin:"), std::string::npos) << good.errors;
  const ChildReport flood = Plan("floods", "");
  EXPECT_EQ(flood.status, 0);
  EXPECT_LT(flood.errors.size(), 10'000u);
  EXPECT_EQ(flood.errors.find('\x1b'), std::string::npos);
  EXPECT_NE(flood.errors.find(" more lines\n"), std::string::npos) << flood.errors;
  const ChildReport overlap = Plan("overlaps", "");
  EXPECT_EQ(overlap.status, 1);
  EXPECT_EQ(overlap.output, "");
  EXPECT_NE(overlap.errors.find("algorithm_variants.so: its plan is broken: overlap: "),
            std::string::npos)
      << overlap.errors;
  EXPECT_NE(Plan("misaligned", "").errors.find("its plan is broken: alignment: "),
            std::string::npos);
  EXPECT_EQ(Plan("crashes", "").status, 2);
  EXPECT_EQ(Plan("newer", "").status, 3);
  EXPECT_EQ(Plan("blocks", "--plugin-seconds 1").status, 2);
}

}  // namespace
}  // namespace assay::plugin_algorithm_test
