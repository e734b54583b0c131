#include "mlir_client.h"

#include <cxxabi.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "child_process.h"
#include "name_search.h"

extern char** environ;

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;
using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;

constexpr int kGraceSeconds = 20;  // beyond the request's own limit: start, transfer, load
constexpr uint64_t kReplyBytesMax = uint64_t{1} << 32;

bool WaitFor(int fd, short event, Clock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd source{fd, event, 0};
    const int ready = poll(&source, 1, static_cast<int>(std::min<int64_t>(left, INT_MAX)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool Send(int fd, const std::string& bytes, Clock::time_point deadline) {
  for (size_t done = 0; done < bytes.size();) {
    if (!WaitFor(fd, POLLOUT, deadline)) return false;
    const ssize_t count =
        send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

bool Receive(int fd, std::string& bytes, size_t wanted, Clock::time_point deadline) {
  bytes.clear();
  char block[1 << 16];
  while (bytes.size() < wanted) {
    if (!WaitFor(fd, POLLIN, deadline)) return false;
    const ssize_t count =
        recv(fd, block, std::min(sizeof block, wanted - bytes.size()), MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return false;
    bytes.append(block, static_cast<size_t>(count));
  }
  return true;
}

std::string HelperPath() {
  const char* named = getenv("ASSAY_MLIR_HELPER");
  return named != nullptr ? named : ProgramBesideThis("assay-mlir-helper");
}

struct Rewrite {
  std::string_view name;
  std::string_view passes;  // of a module
};
constexpr Rewrite kRewrites[] = {
    {"canonicalize", "func.func(canonicalize)"},
    {"fold", "func.func(tosa-layerwise-constant-fold)"},
    {"canonicalize-fold", "func.func(canonicalize,tosa-layerwise-constant-fold,canonicalize)"},
    {"reduce-transposes", "func.func(tosa-reduce-transposes)"},
    {"decompose", "func.func(tosa-optional-decompositions)"},
    {"broadcast", "func.func(tosa-make-broadcastable)"},
    {"infer-shapes", "func.func(tosa-infer-shapes)"},
    // Every profile and extension of 1.0 that the dialect has a name for.
    {"validate",
     "tosa-attach-target{specification_version=1.0 level=8k profiles=pro_int,pro_fp "
     "extensions=int16,int4,bf16,fp8e4m3,fp8e5m2,fft,variable,controlflow,doubleround,"
     "inexactround,dynamic},tosa-validate{strict-op-spec-alignment=true}"},
    {"all",
     "func.func(tosa-optional-decompositions,canonicalize,tosa-infer-shapes,"
     "tosa-make-broadcastable,tosa-layerwise-constant-fold{aggressive-reduce-constant=true},"
     "tosa-reduce-transposes,canonicalize)"},
};

// The innermost function of the TOSA dialect on the stack of a crash, without its parameters:
// "mlir::tosa::SliceOp::fold". "" if there is none.
std::string TosaFunctionOf(const std::string& stack) {
  std::istringstream lines(stack);
  for (std::string symbol; std::getline(lines, symbol);) {
    if (symbol.find("4tosa") == std::string::npos) continue;
    char* demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr);
    if (demangled == nullptr) continue;
    std::string name = demangled;
    free(demangled);
    return name.substr(0, name.find('('));
  }
  return "";
}

}  // namespace

Result<std::unique_ptr<MlirClient>> MlirClient::Open() {
  std::string path = HelperPath();
  if (access(path.c_str(), X_OK) != 0) {
    return Error{Error::Kind::kUnsupported, "mlir: not installed"};
  }
  return std::unique_ptr<MlirClient>(new MlirClient(std::move(path)));
}

MlirClient::~MlirClient() { Stop(); }

bool MlirClient::Start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  char* const arguments[] = {path_.data(), nullptr};
  // The helper binds the symbols of LLVM once, and not each of its children once more.
  std::string bind_now = "LD_BIND_NOW=1";
  std::vector<char*> environment = {bind_now.data()};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  const int failed =
      posix_spawn(&process_, path_.c_str(), &actions, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    process_ = -1;
    close(ends[0]);
    return false;
  }
  socket_ = ends[0];
  return true;
}

void MlirClient::Stop() {
  if (process_ < 0) return;
  close(socket_);
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  socket_ = -1;
}

Result<Reply> MlirClient::Ask(const Request& request) {
  if (process_ < 0 && !Start()) {
    return Error{Error::Kind::kResource, path_ + ": cannot be started"};
  }
  const auto deadline = Clock::now() + std::chrono::milliseconds(request.wall_ms) +
                        std::chrono::seconds(kGraceSeconds);
  const std::string payload = Encode(request);
  std::string head;
  mlir_message::PutNumber(head, payload.size());
  std::string frame;
  Reply reply;
  if (Send(socket_, head, deadline) && Send(socket_, payload, deadline) &&
      Receive(socket_, head, 8, deadline)) {
    const uint64_t length = mlir_message::Cursor{head}.Number();
    if (length <= kReplyBytesMax && Receive(socket_, frame, length, deadline) &&
        Decode(frame, reply)) {
      return reply;
    }
  }
  const bool late = Clock::now() >= deadline;
  Stop();  // the next request starts another
  reply = Reply{};
  reply.stage = late ? Stage::kTimedOut : Stage::kCrashed;
  reply.detail = late ? "the helper does not answer" : "the helper itself died";
  return reply;
}

Request NewMlirRequest(const BackendOptions& options) {
  Request request;
  request.wall_ms = static_cast<uint32_t>(std::ceil(options.wall_seconds * 1000));
  request.cpu_seconds = static_cast<uint32_t>(std::ceil(options.cpu_seconds));
  return request;
}

Outcome FailedMlirOutcome(const Reply& reply) {
  Outcome outcome;
  outcome.kind = reply.stage == Stage::kCrashed    ? OutcomeKind::kCrashed
                 : reply.stage == Stage::kTimedOut ? OutcomeKind::kTimedOut
                                                   : OutcomeKind::kError;
  outcome.rewrites = MlirRewritesOf(reply);
  outcome.message = reply.detail;
  if (reply.pass.empty()) outcome.message.insert(0, reply.phase + ": ");
  for (char& c : outcome.message) c = c == '\n' || c == '\r' ? ' ' : c;
  outcome.pass = reply.pass;
  // A refusal of a pass names no pattern: the pass tried many in vain.
  if (outcome.kind == OutcomeKind::kError) return outcome;
  const std::string function = reply.pattern.empty() ? TosaFunctionOf(reply.stack) : reply.pattern;
  if (!function.empty()) outcome.pass += ", " + function;
  if (!reply.pattern.empty()) outcome.pass += " on " + reply.operation;
  return outcome;
}

std::string MlirRewritesOf(const Reply& reply) {
  std::string rewrites = reply.applied;
  if (!rewrites.empty()) rewrites.pop_back();
  for (size_t at = 0; (at = rewrites.find('\n', at)) != std::string::npos;) {
    rewrites.replace(at, 1, "; ");
  }
  return rewrites;
}

Result<std::string> MlirRewritePipeline(std::string_view name) {
  if (name.starts_with("builtin.module(")) return std::string(name);
  std::vector<std::string_view> known;
  for (const Rewrite& rewrite : kRewrites) known.push_back(rewrite.name);
  const Result<size_t> found = FindName("rewrite", name, known);
  if (!found) return Error{found.error().kind, "mlir: " + found.error().message};
  return "builtin.module(" + std::string(kRewrites[*found].passes) + ")";
}

std::string_view MlirRewriteHelp() {
  return "canonicalize, fold, canonicalize-fold, reduce-transposes, decompose, broadcast, "
         "infer-shapes, validate, all, or a pipeline builtin.module(...)";
}

}  // namespace assay
