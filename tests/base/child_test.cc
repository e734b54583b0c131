// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <sstream>
#include <string>

#include "child_process.h"
#include "files.h"
#include "frame.h"
#include "gtest/gtest.h"
#include "process_state.h"

namespace assay::child_test {
namespace {

ChildCommand Shell(std::string script) { return {{"sh", "-c", std::move(script)}, "", {}, 0}; }

ChildReport RunToEnd(const ChildCommand& command, std::string_view input = "",
                     const ChildLimits& limits = {}) {
  Result<ChildReport> report = RunChild(command, input, limits);
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

TEST(Child, GivesBackWhatItWritesAndHowItEnds) {
  const ChildReport report = RunToEnd(Shell("cat; echo oops >&2; exit 3"), "hello");
  EXPECT_EQ(report.output, "hello");
  EXPECT_EQ(report.errors, "oops\n");
  EXPECT_EQ(report.Describe(), "exit status 3");
  EXPECT_EQ(RunToEnd(Shell("kill -SEGV $$")).Describe(), "signal 11 (Segmentation fault)");
}

TEST(Child, SeesItsDirectoryAndEnvironment) {
  ChildCommand command = Shell("pwd; echo $ASSAY_TEST");
  command.directory = "/";
  command.environment = {{"ASSAY_TEST", "yes"}};
  EXPECT_EQ(RunToEnd(command).output, "/\nyes\n");
}

TEST(Child, ThatCannotBeRunIsNamed) {
  const Result<ChildReport> report = RunChild({{"/no/such/program"}, "", {}, 0}, "", {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, Error::Kind::kUnsupported);
  EXPECT_EQ(report.error().message, "/no/such/program: cannot run it: No such file or directory");
}

TEST(Child, MayLeaveItsInputUnread) {
  EXPECT_EQ(RunToEnd(Shell("exit 0"), std::string(1 << 20, 'x')).Describe(), "exit status 0");
}

TEST(Child, PassesMoreThanAPipeHolds) {
  const std::string input(3 << 20, 'x');
  EXPECT_EQ(RunToEnd(Shell("cat"), input, {60, 4 << 20}).output, input);
}

TEST(Child, OutputBeyondTheLimitIsDropped) {
  const ChildReport report = RunToEnd(Shell("head -c 100000 /dev/zero"), "", {60, 1000});
  EXPECT_EQ(report.output.size(), 1000u);
  EXPECT_TRUE(report.truncated);
}

TEST(Child, KeepsTheBeginningAndTheEndOfWhatItSays) {
  const ChildReport report = RunToEnd(
      Shell("echo first >&2; head -c 5000000 /dev/zero >&2; echo last >&2"), "", {60, 1000});
  EXPECT_EQ(report.errors.substr(0, 6), "first\n");
  EXPECT_TRUE(report.errors.ends_with("last\n"));
  EXPECT_NE(report.errors.find("\n[4999011 bytes left out]\n"), std::string::npos);
  EXPECT_EQ(report.errors.size(), 1000 + std::string("\n[4999011 bytes left out]\n").size());
  EXPECT_TRUE(report.truncated);
  const ChildReport whole = RunToEnd(Shell("head -c 1000 /dev/zero >&2"), "", {60, 1000});
  EXPECT_EQ(whole.errors, std::string(1000, '\0'));
  EXPECT_FALSE(whole.truncated);
}

TEST(Child, IsKilledAtItsLimits) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(RunToEnd(Shell("sleep 60"), "", {0.1, 1000}).Describe(), "timed out");
  ChildCommand busy = Shell("while :; do :; done");
  busy.cpu_seconds = 1;
  EXPECT_EQ(RunToEnd(busy).Describe(), "timed out");
  EXPECT_LT(Seconds(start), 30);
}

TEST(Child, IsNotWaitedForThroughWhatItLeavesBehind) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(RunToEnd(Shell("sleep 60 & echo done")).output, "done\n");
  EXPECT_LT(Seconds(start), 30);
}

Child Start(std::string script) {
  Result<Child> child = Child::Start(Shell(std::move(script)));
  EXPECT_TRUE(child) << child.error().message;
  return std::move(*child);
}

TEST(Child, AnswersWhileItRuns) {
  Child child = Start("head -c 4; cat >/dev/null; exit 7");
  child.SetLimits(10, 0);
  EXPECT_TRUE(child.Write("ping"));
  Result<std::string> answer = child.Read(4);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*answer, "ping");
  child.SetLimits(0.05, 0);
  answer = child.Read(1);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "no answer within 1 s");
  EXPECT_TRUE(child.timed_out());
}

TEST(Child, MayUseSoMuchOfAProcessor) {
  const auto start = std::chrono::steady_clock::now();
  Child child = Start("while :; do :; done");
  child.SetLimits(600, 0.1);
  const Result<std::string> answer = child.Read(1);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "no answer within 1 s of processor time");
  EXPECT_TRUE(child.timed_out());
  EXPECT_LT(Seconds(start), 30);
}

// A script that starts one process after the other, none of which takes long.
constexpr char kWaitsForOthers[] =
    "while :; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; done";

TEST(Child, IsChargedForAllThatItStarts) {
  const auto start = std::chrono::steady_clock::now();
  Child child = Start(kWaitsForOthers);
  child.SetLimits(600, 0.3);
  const Result<std::string> answer = child.Read(1);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "no answer within 1 s of processor time");
  ChildCommand command = Shell(kWaitsForOthers);
  command.cpu_seconds = 0.3;
  EXPECT_EQ(RunToEnd(command, "", {600, 1000}).Describe(), "timed out");
  EXPECT_LT(Seconds(start), 100);
}

bool Becomes(const std::function<bool()>& condition) {
  const auto start = std::chrono::steady_clock::now();
  while (!condition() && Seconds(start) < 30) usleep(10'000);
  return condition();
}

TEST(Child, MayBeACopyOfThisProcess) {
  Result<Child> child = Child::Fork(true, [](int requests, int replies) {
    for (std::string frame; ReadFrame(requests, frame);) {
      if (frame == "end") break;
      WriteFrame(replies, frame + "!");
    }
    std::fprintf(stderr, "last words\n");
    return 7;
  });
  ASSERT_TRUE(child) << child.error().message;
  child->SetLimits(60, 0);
  for (const size_t size : {size_t{0}, size_t{1}, size_t{3'000'000}}) {
    const std::string message(size, 'x');
    ASSERT_TRUE(child->WriteFrame(message));
    const Result<std::string> answer = child->ReadFrame();
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(*answer, message + "!");
  }
  ASSERT_TRUE(child->WriteFrame("end"));
  EXPECT_EQ(child->WaitForEnd().Describe(), "exit status 7");
  EXPECT_EQ(child->errors(), "last words\n");
}

TEST(Child, KeepsItsLimitsAsACopyOfThisProcess) {
  Result<Child> child = Child::Fork(false, [](int, int) { return pause(); });
  ASSERT_TRUE(child) << child.error().message;
  child->SetLimits(0.05, 0);
  const Result<std::string> answer = child->ReadFrame();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "no answer within 1 s");
  EXPECT_TRUE(child->timed_out());
  EXPECT_EQ(child->Kill().Describe(), "signal 9 (Killed)");
}

TEST(Child, EndsAsACopyOfThisProcessIfThisProcessIsKilled) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string notes = JoinPath(folder->path(), "notes");
  const pid_t pid = fork();
  if (pid == 0) {
    const Result<Child> child = Child::Fork(false, [&](int, int) {
      (void)WriteFileAtomically(notes, std::string_view(std::to_string(getpid())));
      return pause();
    });
    pause();
  }
  ASSERT_TRUE(Becomes([&] { return FileExists(notes); }));
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  const pid_t copy = std::stoi(*ReadTextFile(notes));
  ASSERT_GT(copy, 1);
  EXPECT_TRUE(Becomes([&] { return !ProcessRuns(copy); }));
}

// Nothing can be done in a process that is killed: somebody else must do it.
TEST(Child, EndsWithAllItHasStartedIfThisProcessIsKilled) {
  const Result<TemporaryDirectory> folder = TemporaryDirectory::Make();
  const std::string notes = JoinPath(folder->path(), "notes");
  const pid_t pid = fork();
  if (pid == 0) {
    const Result<TemporaryDirectory> scratch = TemporaryDirectory::Make();
    (void)RunChild(Shell("sleep 300 & echo $! " + scratch->path() + " > " + notes + ".new; mv " +
                         notes + ".new " + notes + "; wait"),
                   "", {});
    _exit(0);
  }
  ASSERT_TRUE(Becomes([&] { return FileExists(notes); }));
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  std::istringstream text(*ReadTextFile(notes));
  pid_t sleeper = 0;
  std::string scratch;
  text >> sleeper >> scratch;
  ASSERT_GT(sleeper, 1);
  EXPECT_TRUE(Becomes([&] { return !ProcessRuns(sleeper); }));
  EXPECT_TRUE(Becomes([&] { return !FileExists(scratch); }));
}

// The limit of this process may be lower than the requested one.
TEST(Child, KeepsToAHardLimitOfThisProcess) {
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit low{100, 100};
    setrlimit(RLIMIT_CPU, &low);
    ChildCommand command = Shell("exit 7");
    command.cpu_seconds = 1000;
    const Result<ChildReport> report = RunChild(command, "", {});
    _exit(report ? report->status : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Child, ThatDiedIsDescribed) {
  Child child = Start("echo early >&2; kill -SEGV $$");
  const Result<std::string> answer = child.Read(1);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "ended with signal 11 (Segmentation fault)");
  EXPECT_EQ(child.errors(), "early\n");
  EXPECT_FALSE(child.timed_out());
}

TEST(Child, ThatClosesItsOutputIsNotWaitedFor) {
  const auto start = std::chrono::steady_clock::now();
  Child child = Start("exec >&-; sleep 60");
  child.SetLimits(50, 0);
  const Result<std::string> answer = child.Read(1);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "closed its standard output");
  EXPECT_LT(Seconds(start), 30);
}

TEST(Child, MayWriteErrorsWithoutEnd) {
  Child child = Start("head -c 1000000 /dev/zero >&2; echo last words >&2; echo done");
  child.SetLimits(60, 0);
  const Result<std::string> answer = child.Read(5);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*answer, "done\n");
  EXPECT_LT(child.errors().size(), 200000u);
  EXPECT_TRUE(child.errors().ends_with("last words\n"));
}

}  // namespace
}  // namespace assay::child_test
