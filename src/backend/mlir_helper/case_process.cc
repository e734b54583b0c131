// SPDX-License-Identifier: Apache-2.0
#include "case_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "frame.h"
#include "run_case.h"

namespace assay {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

// The number of cases after which a child ends. The memory of their compiled code is never freed.
constexpr int kCasesMax = 32;

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

}  // namespace

Reply CaseProcess::Run(const Request& request) {
  if (request.alone || cases_ >= kCasesMax) child_.reset();
  if (!child_) Start(Kind::kFast);
  Reply reply;
  const bool complete = Ask(request, reply);
  if (complete && reply.stage == Stage::kOk) return reply;
  if (SaysEnough(complete, reply)) return Blame(complete, request, std::move(reply));
  child_.reset();
  return RunThoroughly(request);
}

// Tells whether a failure in a fast child is known as well as a thorough child would know it.
bool CaseProcess::SaysEnough(bool complete, const Reply& reply) const {
  if (complete && reply.phase == "emitc") return true;  // no finding
  if (cases_ > 1) return false;
  const std::string_view phase = complete ? std::string_view(reply.phase) : recorder_.phase;
  if (phase == "parse" || phase == "rewrite") return true;
  // A time-out without a pass to blame, which would take as long again.
  return !complete && recorder_.pass[0] == '\0' && recorder_.signal == 0;
}

Reply CaseProcess::RunThoroughly(const Request& request) {
  Start(Kind::kThorough);
  Reply reply;
  const bool complete = Ask(request, reply);
  if (!complete || reply.stage != Stage::kOk) return Blame(complete, request, std::move(reply));
  child_.reset();
  return reply;
}

// Ends the child, whose case has failed. Returns the reply with what the flight recorder tells.
Reply CaseProcess::Blame(bool complete, const Request& request, Reply reply) {
  const ChildReport end = child_->Kill();
  const bool late = child_->timed_out();
  const std::string last = LastLine(child_->errors());
  child_.reset();
  if (recorder_.folder[0] != '\0') {
    std::error_code ignored;
    std::filesystem::remove_all(recorder_.folder, ignored);
  }
  if (complete) return reply;

  reply.phase = recorder_.phase;
  reply.pass = recorder_.pass;
  reply.pattern = recorder_.pattern;
  reply.operation = recorder_.operation;
  reply.stack = recorder_.stack;
  const int own = recorder_.signal;
  const int number = own != 0 ? own : end.end == ChildReport::End::kSignaled ? end.status : 0;
  if (own == 0 && (late || number == SIGXCPU)) {
    reply.stage = Stage::kTimedOut;
    reply.detail =
        late ? "no answer within " + std::to_string(request.wall_ms) + " ms"
             : "no answer within " + std::to_string(request.cpu_seconds) + " s of processor time";
    return reply;
  }
  reply.stage = Stage::kCrashed;
  reply.detail = number != 0 ? strsignal(number) : end.Describe();
  if (!last.empty()) reply.detail += ": " + last;
  return reply;
}

void CaseProcess::Start(Kind kind) {
  Result<Child> child = Child::Fork(
      true, [this, kind](int requests, int replies) { return Serve(kind, requests, replies); });
  if (!child) {
    fprintf(stderr, "assay-mlir-helper: %s\n", child.error().message.c_str());
    _exit(1);
  }
  child_ = std::move(*child);
  cases_ = 0;
}

// Runs the requests that the parent sends. It is called in the child.
int CaseProcess::Serve(Kind kind, int requests, int replies) {
  const int nothing = open("/dev/null", O_RDWR);  // the protocol's descriptors are not for passes
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  Limit(RLIMIT_CORE, 0);
  RecordCrashes(&recorder_);
  if (kind == Kind::kThorough) runner_.BeThorough();
  // The child sends one frame per call, then one that says how the case ended. So a crash does not
  // lose the calls that are done.
  const auto take = [replies](std::vector<std::string> results) {
    Reply partial;
    partial.stage = Stage::kCrashed;  // unless another frame follows
    partial.calls.push_back(std::move(results));
    WriteFrame(replies, Encode(partial));
  };
  for (std::string frame; ReadFrame(requests, frame);) {
    Request request;
    if (!Decode(frame, request)) return 1;
    Limit(RLIMIT_CPU, CpuSecondsUsed() + request.cpu_seconds);
    Limit(RLIMIT_AS, rlim_t{request.memory_mib} << 20);
    if (!WriteFrame(replies, Encode(runner_.Run(request, take)))) return 1;
  }
  return 0;
}

// Returns true if the child has replied in time. Otherwise `reply` holds the calls that are done.
bool CaseProcess::Ask(const Request& request, Reply& reply) {
  memset(&recorder_, 0, sizeof recorder_);
  ++cases_;
  child_->SetLimits(request.wall_ms / 1000.0, 0);
  reply.stage = Stage::kCrashed;
  if (!child_->WriteFrame(Encode(request))) return false;
  while (reply.stage == Stage::kCrashed) {
    const Result<std::string> frame = child_->ReadFrame();
    Reply next;
    if (!frame || !Decode(*frame, next)) return false;
    for (auto& results : next.calls) reply.calls.push_back(std::move(results));
    next.calls = std::move(reply.calls);
    reply = std::move(next);
  }
  return true;
}

}  // namespace assay
