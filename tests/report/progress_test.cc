// SPDX-License-Identifier: Apache-2.0
// Tests the pace and the lines of a running command.
#include <gtest/gtest.h>

#include "console.h"

namespace assay::progress_test {
namespace {

TEST(Progress, TellsPaceAndTheTimeThatIsLeft) {
  EXPECT_EQ(PaceText({}), "");
  EXPECT_EQ(PaceText({.done = 200, .total = 700, .seconds = 10}), "20 a second, about 25 s left");
  EXPECT_EQ(PaceText({.done = 6, .total = 100, .seconds = 60}), "6 a minute, about 16 min left");
  EXPECT_EQ(PaceText({.done = 10, .seconds = 10, .seconds_total = 7200 + 310}),
            "60 a minute, about 2 h 5 min left");
  EXPECT_EQ(PaceText({.done = 10, .seconds = 10}), "60 a minute");
  // Cases of an earlier run took no time.
  EXPECT_EQ(PaceText({.done = 1000, .total = 2000, .recorded = 990, .seconds = 10}),
            "60 a minute, about 17 min left");
  EXPECT_EQ(PaceText({.done = 1000, .total = 2000, .recorded = 1000, .seconds = 10}), "");
}

TEST(Progress, SaysALineEachMinuteIfThereIsNoTerminal) {
  double now = 100;
  testing::internal::CaptureStderr();
  {
    Progress progress("verify", 5000, 0, [&now] { return now; });
    progress.Skip(400);
    for (int64_t done = 401; done <= 1000; ++done) {
      now += 0.25;
      progress.Show(done, done > 700 ? 3 : 0);
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "assay: verify: 640 of 5000 cases, 240 a minute, about 18 min left\n"
            "assay: verify: 880 of 5000 cases, 3 disagree, 240 a minute, about 17 min left\n");
}

TEST(Progress, SaysWhichVectorIsMinimized) {
  double now = 100;
  testing::internal::CaptureStderr();
  {
    Progress progress("verify", 0, 0, [&now] { return now; });
    progress.SetTotal(12);
    progress.Show(12, 7);
    for (int64_t runs = 1; runs <= 214; ++runs) {
      now += 0.5;
      progress.ShowMinimizing(runs < 200 ? 1 : 2, 7, runs);
    }
    now += 60;
    progress.ShowMinimizing(1, 1, 1);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "assay: verify: minimizing 1 of 7, 120 runs\n"
            "assay: verify: minimizing 1 of 1, 1 run\n");
}

}  // namespace
}  // namespace assay::progress_test
