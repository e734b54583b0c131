// SPDX-License-Identifier: Apache-2.0
#include "worker_pool.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "child_process.h"
#include "files.h"
#include "gtest/gtest.h"
#include "interrupt.h"

namespace assay::worker_pool_test {
namespace {

// The merged results, as one line of text.
struct Log {
  std::string text;
  WorkPlan plan;

  Log(int64_t last, int jobs, Work work) {
    plan.last = last;
    plan.jobs = jobs;
    plan.start = [work]() -> Result<Work> { return work; };
    plan.merge = [this](int64_t index, std::string bytes, const Loss& loss) -> Result<Done> {
      text += std::to_string(index) + ":" + bytes;
      if (loss) text += (loss.by_itself ? "(by itself: " : "(killed: ") + loss.how + ")";
      text += " ";
      return Done{};
    };
  }
};

TEST(Workers, MergeInOrderForAnyNumberOfJobs) {
  const auto square = [](int64_t index) {
    usleep(static_cast<useconds_t>((index * 7919) % 5) * 1000);
    return std::to_string(index * index);
  };
  for (int jobs : {1, 2, 5, 100}) {
    Log log(20, jobs, square);
    log.plan.first = 17;
    const Result<int64_t> end = RunWork(log.plan);
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(*end, 20);
    EXPECT_EQ(log.text, "17:289 18:324 19:361 ") << jobs << " jobs";
  }
}

TEST(Workers, ThatDieLoseOneIndex) {
  for (int jobs : {1, 3}) {
    Log log(6, jobs, [](int64_t index) -> std::string {
      if (index == 1) raise(SIGKILL);
      if (index == 4) _exit(4);
      if (index == 5) throw std::bad_alloc();
      return "ok";
    });
    ASSERT_TRUE(RunWork(log.plan));
    EXPECT_EQ(log.text,
              "0:ok 1:(killed: signal 9 (Killed)) 2:ok 3:ok 4:(by itself: exit status 4) "
              "5:(killed: not enough memory) ");
  }
}

TEST(Workers, SayWhetherTheyDiedByThemselves) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGXCPU}) {
    Log log(1, 1, [signal](int64_t) -> std::string {
      raise(signal);
      return "ok";
    });
    ASSERT_TRUE(RunWork(log.plan));
    const bool outside = signal == SIGKILL || signal == SIGXCPU;
    EXPECT_TRUE(log.text.starts_with(outside ? "0:(killed: " : "0:(by itself: ")) << log.text;
  }
}

// Makes a file. Returns false if the file exists already.
bool IsFirst(const std::string& path) {
  const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

// Workers are killed from outside now and then. Nothing is lost: the index runs again in another
// process.
TEST(Workers, ThatDieOnceLoseNothing) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  for (int jobs : {1, 3}) {
    std::set<std::string> processes;
    Log log(300, jobs, [&](int64_t index) -> std::string {
      const std::string mark = folder->path() + "/" + std::to_string(jobs * 1000 + index);
      if (index % 50 == 7 && IsFirst(mark)) raise(index == 7 ? SIGSEGV : SIGKILL);
      return index % 50 == 7 ? std::to_string(getpid()) : "";
    });
    log.plan.merge = [&](int64_t, std::string bytes, const Loss& loss) -> Result<Done> {
      EXPECT_FALSE(loss) << loss.how;
      if (!bytes.empty()) processes.insert(bytes);
      return Done{};
    };
    const Result<int64_t> end = RunWork(log.plan);
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(*end, 300);
    EXPECT_EQ(processes.size(), 6u) << jobs << " jobs";
  }
}

TEST(Workers, AreTriedAsOftenAsThePlanSays) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  for (int tries : {1, 2, 3}) {
    int count = 0;
    Log log(2, 1, [&](int64_t index) -> std::string {
      if (index == 1) return "ok";
      while (!IsFirst(folder->path() + "/" + std::to_string(tries) + std::to_string(count)))
        ++count;
      _exit(1);
    });
    log.plan.tries = tries;
    ASSERT_TRUE(RunWork(log.plan));
    EXPECT_EQ(log.text, "0:(by itself: exit status 1) 1:ok ");
    int begun = 0;
    while (!IsFirst(folder->path() + "/" + std::to_string(tries) + std::to_string(begun))) ++begun;
    EXPECT_EQ(begun, tries);
  }
}

// The indices are so quick that a worker gets many at a time. Only the index at which it dies is
// lost, not those behind it.
TEST(Workers, ThatDieAmongManyLoseOneIndexEach) {
  const std::set<int64_t> deadly = {300, 301, 777, 1999};
  for (int jobs : {1, 2}) {
    std::vector<int64_t> merged, lost;
    Log log(2000, jobs, [&](int64_t index) -> std::string {
      if (deadly.contains(index)) raise(SIGKILL);
      return "ok";
    });
    log.plan.merge = [&](int64_t index, std::string bytes, const Loss& loss) -> Result<Done> {
      merged.push_back(index);
      if (loss) lost.push_back(index);
      EXPECT_EQ(bytes, loss ? "" : "ok");
      return Done{};
    };
    const Result<int64_t> end = RunWork(log.plan);
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(*end, 2000);
    EXPECT_EQ(lost, std::vector<int64_t>(deadly.begin(), deadly.end())) << jobs << " jobs";
    ASSERT_EQ(merged.size(), 2000u);
    for (int64_t i = 0; i < 2000; ++i) ASSERT_EQ(merged[static_cast<size_t>(i)], i);
  }
}

TEST(Workers, ThatHangLoseOneIndex) {
  Log log(400, 2, [](int64_t index) -> std::string {
    if (index == 0 || index == 200) pause();
    return "ok";
  });
  log.plan.index_seconds_max = 5;  // the others answer within it on any machine
  ASSERT_TRUE(RunWork(log.plan));
  std::string expected;
  for (int i = 0; i < 400; ++i) {
    expected += std::to_string(i) + (i == 0 || i == 200 ? ":(by itself: no answer) " : ":ok ");
  }
  EXPECT_EQ(log.text, expected);
}

// An interrupt that reaches a worker before its parent loses no index. It ends the processes that
// the worker has started.
TEST(Workers, LeaveInterruptsToTheParent) {
  Log log(2, 1, [](int64_t index) -> Result<std::string> {
    if (index == 0) {
      raise(SIGINT);
      raise(SIGTERM);
      return std::string("ok");
    }
    const Result<ChildReport> report = RunChild({{"sh", "-c", "kill -INT $$"}, "", {}, 0}, "", {});
    return report ? report->Describe() : report.error().message;
  });
  ASSERT_TRUE(RunWork(log.plan));
  EXPECT_EQ(log.text, "0:ok 1:signal 2 (Interrupt) ");
}

TEST(Workers, CarryMoreThanAPipeHolds) {
  size_t bytes = 0;
  Log log(4, 2, [](int64_t) { return std::string(1 << 20, 'x'); });
  log.plan.merge = [&bytes](int64_t, std::string result, const Loss&) -> Result<Done> {
    bytes += result.size();
    return Done{};
  };
  ASSERT_TRUE(RunWork(log.plan));
  EXPECT_EQ(bytes, size_t{4} << 20);
}

TEST(Workers, ThatCannotStartEndTheRunWithTheirError) {
  Log log(3, 2, nullptr);
  log.plan.start = []() -> Result<Work> {
    return Error{Error::Kind::kUnsupported, "mlir: not installed"};
  };
  const Result<int64_t> end = RunWork(log.plan);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, Error::Kind::kUnsupported);
  EXPECT_EQ(end.error().message, "mlir: not installed");
}

TEST(Workers, ThatCannotDoTheirWorkEndTheRunWithTheirError) {
  Log log(1000, 1, [](int64_t index) -> Result<std::string> {
    if (index == 2) return Error{Error::Kind::kResource, "disk full"};
    return std::string("ok");
  });
  const Result<int64_t> end = RunWork(log.plan);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, Error::Kind::kResource);
  EXPECT_EQ(end.error().message, "disk full");
  EXPECT_EQ(log.text, "0:ok 1:ok ");
}

TEST(Workers, StopAtAPrefix) {
  Log log(1000, 3, [](int64_t) { return std::string("ok"); });
  int asked = 0;
  log.plan.stop = [&asked] { return ++asked > 5; };
  const Result<int64_t> end = RunWork(log.plan);
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, 5);
  EXPECT_EQ(log.text, "0:ok 1:ok 2:ok 3:ok 4:ok ");
}

// The run gives up a vector that hangs. A signal that follows at once is a part of the same
// request, and one after a second takes effect at once.
TEST(Workers, StopAtASignalAndOneThatComesLaterKills) {
  const pid_t pid = fork();
  if (pid == 0) {
    const InterruptWatch watch;
    Log log(1000, 2, [](int64_t index) -> std::string {
      if (index == 3) {
        kill(getppid(), SIGTERM);
        pause();
      }
      return "ok";
    });
    const Result<int64_t> end = RunWork(log.plan);
    if (!end || *end > 3 || !Interrupted()) _exit(1);
    raise(SIGTERM);  // counts as the first
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    raise(SIGINT);
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

// A note reaches the parent even if a signal ends the work that sent it.
TEST(Workers, SendNotesBeforeTheirResults) {
  const InterruptWatch watch;
  WorkNotes notes;
  std::string taken;
  notes.take = [&taken](int64_t index, const std::string& bytes) {
    taken += std::to_string(index) + ":" + bytes + " ";
  };
  Log log(10, 1, [&notes](int64_t index) -> std::string {
    notes.Send("a" + std::to_string(index));
    notes.Send(std::string(100'000, 'b'));
    if (index == 1) {
      kill(getppid(), SIGTERM);
      pause();
    }
    return "ok";
  });
  log.plan.notes = &notes;
  const Result<int64_t> end = RunWork(log.plan);
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, 1);
  EXPECT_EQ(log.text, "0:ok ");
  const std::string large(100'000, 'b');
  EXPECT_EQ(taken, "0:a0 0:" + large + " 1:a1 1:" + large + " ");
}

TEST(Workers, ThatSendNotesDoNotHang) {
  WorkNotes notes;
  int64_t taken = 0;
  notes.take = [&taken](int64_t, const std::string&) { ++taken; };
  Log log(1, 1, [&notes](int64_t) -> std::string {
    for (int i = 0; i < 12; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      notes.Send("");
    }
    return "ok";
  });
  log.plan.notes = &notes;
  log.plan.index_seconds_max = 1;
  ASSERT_TRUE(RunWork(log.plan));
  EXPECT_EQ(log.text, "0:ok ");
  EXPECT_EQ(taken, 12);
}

TEST(Workers, StopWhenMergingFails) {
  Log log(1000, 2, [](int64_t) { return std::string("ok"); });
  log.plan.merge = [](int64_t index, std::string, const Loss&) -> Result<Done> {
    if (index == 3) return Error{Error::Kind::kResource, "disk full"};
    return Done{};
  };
  const Result<int64_t> end = RunWork(log.plan);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "disk full");
}

}  // namespace
}  // namespace assay::worker_pool_test
