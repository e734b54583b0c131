// SPDX-License-Identifier: Apache-2.0
// Tests parts of a computation on several threads.
#include "parallel.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "time_limit.h"

namespace assay::parallel_test {
namespace {

// Threads are started for any work, until the test ends.
class Parallel : public testing::Test {
 protected:
  void SetUp() override { SetThreads(4, 1); }
  void TearDown() override { SetThreads(1); }
};

double ProcessSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Spends processor time until the process has used `seconds` since `start`, or a limit is reached.
void Work(double start, double seconds) {
  while (ProcessSeconds() - start < seconds) Spend(kWorkBetweenChecks);
}

// Returns true if parts run on four threads at once.
bool RunsOnFourThreads() {
  std::atomic<int> waiting = 0;
  ForEachPart(4, 1e6, [&](int64_t, int64_t) {
    ++waiting;
    while (waiting < 4) std::this_thread::yield();  // would not end on three threads
  });
  return waiting == 4;
}

TEST_F(Parallel, CoversEveryIndexOnce) {
  for (const int64_t count : {0, 1, 2, 3, 17, 1000}) {
    std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
    ForEachPart(count, 1000, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
    });
    for (const auto& times : seen) EXPECT_EQ(times, 1) << count;
  }
}

// Threads sleep, are awake, and work on something else, while much and little work comes.
TEST_F(Parallel, CoversEveryIndexOnceIfCallersAlternate) {
  SetThreads(4, 1e4);
  const auto call = [] {
    for (int round = 0; round < 300; ++round) {
      std::vector<std::atomic<int>> seen(100);
      ForEachPart(100, round % 3 == 0 ? 1e6 : round, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
      });
      for (const auto& times : seen) EXPECT_EQ(times, 1) << round;
      if (round % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  std::thread other(call);
  call();
  other.join();
}

TEST_F(Parallel, RunsOnOtherThreadsOnlyIfThatPays) {
  const auto is_here = [here = std::this_thread::get_id()](int64_t, int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), here);
  };
  SetThreads(4);
  ForEachPart(100, 1, is_here);
  SetThreads(1);
  ForEachPart(100, 1e9, is_here);
}

TEST_F(Parallel, UsesAllThreadsThatItMay) { EXPECT_TRUE(RunsOnFourThreads()); }

TEST_F(Parallel, KeepsItsThreads) {
  std::mutex mutex;
  std::set<long> threads;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> waiting = 0;
    ForEachPart(4, 1e6, [&](int64_t, int64_t) {
      {
        const std::lock_guard lock(mutex);
        threads.insert(syscall(SYS_gettid));
      }
      ++waiting;
      while (waiting < 4) std::this_thread::yield();  // so that all threads take part
    });
  }
  EXPECT_EQ(threads.size(), 4u);
}

TEST_F(Parallel, StartsThreadsInAForkedProcess) {
  EXPECT_TRUE(RunsOnFourThreads());
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    _exit(RunsOnFourThreads() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(RunsOnFourThreads());
}

TEST_F(Parallel, SleepsWithoutWork) {
  EXPECT_TRUE(RunsOnFourThreads());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const double start = ProcessSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_LT(ProcessSeconds() - start, 0.02);  // threads that wait awake would take up to 1.2
}

TEST_F(Parallel, StartsNoThreadsInAPart) {
  EXPECT_EQ(Threads(), 4);
  ForEachPart(8, 1e6, [&](int64_t, int64_t) { EXPECT_EQ(Threads(), 1); });
  EXPECT_EQ(Threads(), 4);
}

TEST_F(Parallel, ThrowsWhatAPartThrows) {
  const auto fail_at = [](int64_t place) {
    ForEachPart(64, 1e6, [&](int64_t begin, int64_t end) {
      if (begin <= place && place < end) throw std::bad_alloc();
    });
  };
  EXPECT_THROW(fail_at(0), std::bad_alloc);
  EXPECT_THROW(fail_at(63), std::bad_alloc);
  EXPECT_EQ(Threads(), 4);
}

TEST_F(Parallel, CountsTheProcessorTimeOfAllThreads) {
  const double start = ProcessSeconds();
  TimeLimit limit(0.4, 0);
  EXPECT_THROW(ForEachPart(4, 1e9, [&](int64_t, int64_t) { Work(start, 60); }), OutOfTime);
  EXPECT_TRUE(limit.reached());
  EXPECT_EQ(limit.what(), "takes more than 1 s of processor time, the limit in force");
  EXPECT_GE(ProcessSeconds() - start, 0.4);
  EXPECT_LT(ProcessSeconds() - start, 0.9);  // four threads with a limit for each would take 1.6
}

TEST_F(Parallel, EndsAtTheLimitOfWallTime) {
  const double start = ProcessSeconds();
  TimeLimit limit(0, 0.2);
  EXPECT_THROW(ForEachPart(4, 1e9, [&](int64_t, int64_t) { Work(start, 60); }), OutOfTime);
  EXPECT_EQ(limit.what(), "takes more than 1 s of wall time, the limit in force");
}

TEST_F(Parallel, CountsForOuterLimitsAsWell) {
  const double start = ProcessSeconds();
  TimeLimit outer(0.4, 0);
  {
    TimeLimit inner(60, 0);
    ForEachPart(4, 1e9, [&](int64_t, int64_t) { Work(start, 0.6); });
  }
  EXPECT_THROW(TimeLimit::Check(), OutOfTime);
}

}  // namespace
}  // namespace assay::parallel_test
