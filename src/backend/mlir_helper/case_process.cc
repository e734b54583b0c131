#include "case_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "frames.h"
#include "run_case.h"

namespace assay {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

// The number of cases after which a child ends. The memory of their compiled code is never freed.
constexpr int kCasesMax = 32;
constexpr size_t kErrorBytesMax = 1 << 16;

// Sets the soft limit only, because a hard limit cannot be raised for the next case.
void Limit(decltype(RLIMIT_CPU) what, rlim_t amount) {
  rlimit limit;
  getrlimit(what, &limit);
  limit.rlim_cur = std::min(amount, limit.rlim_max);
  setrlimit(what, &limit);
}

rlim_t CpuSecondsUsed() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<rlim_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
}

std::string LastLine(const std::string& text) {
  size_t end = text.find_last_not_of("\r\n \t");
  if (end == std::string::npos) return {};
  const size_t start = text.find_last_of('\n', end);
  return text.substr(start == std::string::npos ? 0 : start + 1, end - (start + 1) + 1);
}

// Removes complete frames from `frames` and joins them to the reply. Returns true after the last
// frame of a case.
bool TakeFrames(std::string& frames, Reply& reply) {
  mlir_message::Cursor in{frames};
  size_t taken = 0;
  bool complete = false;
  while (!complete) {
    const std::string frame = in.Text();
    Reply next;
    if (!in.good || !Decode(frame, next)) break;
    taken = in.position;
    complete = next.stage != Stage::kCrashed;
    for (auto& results : next.calls) reply.calls.push_back(std::move(results));
    next.calls = std::move(reply.calls);
    reply = std::move(next);
  }
  frames.erase(0, taken);
  return complete;
}

}  // namespace

Reply CaseProcess::Run(const Request& request) {
  if (request.alone || cases_ >= kCasesMax) Stop();
  if (process_ >= 0) {
    Answer answer = Ask(request);
    if (answer.complete && answer.reply.stage == Stage::kOk) return std::move(answer.reply);
    Stop();
  }
  return RunInNew(request);
}

Reply CaseProcess::RunInNew(const Request& request) {
  Start();
  Answer answer = Ask(request);
  if (answer.complete && answer.reply.stage == Stage::kOk) return std::move(answer.reply);
  const int status = Stop();
  Reply& reply = answer.reply;
  if (answer.complete) return std::move(reply);

  reply.phase = recorder_.phase;
  reply.pass = recorder_.pass;
  reply.pattern = recorder_.pattern;
  reply.operation = recorder_.operation;
  reply.stack = recorder_.stack;
  const int own = recorder_.signal;
  const int number = own != 0 ? own : WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (own == 0 && (answer.late || number == SIGXCPU || number == SIGALRM)) {
    reply.stage = Stage::kTimedOut;
    reply.detail = answer.late ? "no answer within " + std::to_string(request.wall_ms) + " ms"
                               : "no answer within " + std::to_string(request.cpu_seconds) +
                                     " s of processor time";
    return std::move(reply);
  }
  reply.stage = Stage::kCrashed;
  reply.detail =
      number != 0 ? strsignal(number) : "exit status " + std::to_string(WEXITSTATUS(status));
  const std::string last = LastLine(answer.errors);
  if (!last.empty()) reply.detail += ": " + last;
  return std::move(reply);
}

void CaseProcess::Start() {
  int request_pipe[2], reply_pipe[2], error_pipe[2];
  for (int* both : {request_pipe, reply_pipe, error_pipe}) {
    if (pipe2(both, O_CLOEXEC) == 0) continue;
    perror("assay-mlir-helper: pipe");
    _exit(1);
  }
  process_ = fork();
  if (process_ < 0) {
    perror("assay-mlir-helper: fork");
    _exit(1);
  }
  if (process_ == 0) {
    close(request_pipe[1]);
    Serve(request_pipe[0], reply_pipe[1], error_pipe[1]);
  }
  close(request_pipe[0]);
  close(reply_pipe[1]);
  close(error_pipe[1]);
  request_fd_ = request_pipe[1];
  reply_fd_ = reply_pipe[0];
  error_fd_ = error_pipe[0];
  cases_ = 0;
}

int CaseProcess::Stop() {
  int status = 0;
  if (process_ < 0) return status;
  for (const int fd : {request_fd_, reply_fd_, error_fd_}) close(fd);
  kill(process_, SIGKILL);  // unless it has ended by itself
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

// Runs the requests that the parent sends, until the parent closes the pipe. Called in the child.
void CaseProcess::Serve(int request_fd, int reply_fd, int error_fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(error_fd, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDWR);  // the protocol's descriptors are not for passes
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  Limit(RLIMIT_CORE, 0);
  RecordCrashes(&recorder_);
  // One frame per call, then one that says how it ended: what was done is not lost in a crash.
  const auto take = [reply_fd](std::vector<std::string> results) {
    Reply partial;
    partial.stage = Stage::kCrashed;  // unless another frame follows
    partial.calls.push_back(std::move(results));
    WriteFrame(reply_fd, Encode(partial));
  };
  for (std::string frame; ReadFrame(request_fd, frame);) {
    Request request;
    if (!Decode(frame, request)) break;
    Limit(RLIMIT_CPU, CpuSecondsUsed() + request.cpu_seconds);
    Limit(RLIMIT_AS, rlim_t{request.memory_mib} << 20);
    alarm(request.wall_ms / 1000 + 2);  // should the parent be gone
    WriteFrame(reply_fd, Encode(RunCase(context_, request, take, recorder_)));
    alarm(0);
  }
  _exit(0);
}

CaseProcess::Answer CaseProcess::Ask(const Request& request) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(request.wall_ms);
  memset(&recorder_, 0, sizeof recorder_);
  ++cases_;
  Answer answer;
  answer.complete = WriteFrame(request_fd_, Encode(request)) && Listen(deadline, answer);
  return answer;
}

// Reads from the child until it has replied, has closed its pipes, or is late. Returns true if the
// reply is complete.
bool CaseProcess::Listen(Clock::time_point deadline, Answer& answer) {
  pollfd sources[2] = {{reply_fd_, POLLIN, 0}, {error_fd_, POLLIN, 0}};
  std::string frames;
  std::string* sinks[2] = {&frames, &answer.errors};
  answer.reply.stage = Stage::kCrashed;
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      answer.late = true;
      return false;
    }
    if (poll(sources, 2, static_cast<int>(left)) < 0 && errno != EINTR) return false;
    for (int i = 0; i < 2; ++i) {
      if (sources[i].fd < 0 || sources[i].revents == 0) continue;
      char block[1 << 16];
      const ssize_t count = read(sources[i].fd, block, sizeof block);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        sources[i].fd = -1;
        continue;
      }
      sinks[i]->append(block, static_cast<size_t>(count));
    }
    if (TakeFrames(frames, answer.reply)) return true;
    if (answer.errors.size() > kErrorBytesMax) answer.errors.erase(0, kErrorBytesMax / 2);
  }
  return false;
}

}  // namespace assay
