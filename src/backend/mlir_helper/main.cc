// assay-mlir-helper: a fork server. Requests come as frames on standard input, one reply frame for
// each goes to standard output; every request runs in a child of its own. See message.h.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>

#include "llvm/Support/TargetSelect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/MLIRContext.h"
#include "registration.h"
#include "run_case.h"

namespace assay {
namespace {

using mlir_message::Reply;
using mlir_message::Request;
using mlir_message::Stage;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kFrameBytesMax = uint64_t{1} << 32;
constexpr size_t kErrorBytesMax = 1 << 16;

bool WriteAll(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

bool WriteFrame(int fd, const std::string& payload) {
  std::string frame;
  mlir_message::PutNumber(frame, payload.size());
  return WriteAll(fd, frame) && WriteAll(fd, payload);
}

bool ReadExactly(int fd, std::string& bytes, size_t wanted) {
  bytes.clear();
  char block[1 << 16];
  while (bytes.size() < wanted) {
    const ssize_t count = read(fd, block, std::min(sizeof block, wanted - bytes.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.append(block, static_cast<size_t>(count));
  }
  return true;
}

bool ReadFrame(int fd, std::string& payload) {
  std::string head;
  if (!ReadExactly(fd, head, 8)) return false;
  const uint64_t length = mlir_message::Cursor{head}.Number();
  return length <= kFrameBytesMax && ReadExactly(fd, payload, length);
}

void Limit(decltype(RLIMIT_CPU) what, rlim_t amount) {
  const rlimit limit{amount, amount};
  setrlimit(what, &limit);
}

[[noreturn]] void RunChild(mlir::MLIRContext& context, const Request& request, int reply_fd,
                           int error_fd, FlightRecorder& recorder) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(error_fd, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDWR);  // the protocol's descriptors are not for passes
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_CPU, request.cpu_seconds);
  Limit(RLIMIT_AS, rlim_t{request.memory_mib} << 20);
  alarm(request.wall_ms / 1000 + 2);  // should the parent be gone
  RecordCrashes(&recorder);
  // One frame per call, then one that says how it ended: what was done is not lost in a crash.
  const auto take = [reply_fd](std::vector<std::string> results) {
    Reply partial;
    partial.stage = Stage::kCrashed;  // unless another frame follows
    partial.calls.push_back(std::move(results));
    WriteFrame(reply_fd, Encode(partial));
  };
  WriteFrame(reply_fd, Encode(RunCase(context, request, take, recorder)));
  _exit(0);
}

std::string LastLine(const std::string& text) {
  size_t end = text.find_last_not_of("\r\n \t");
  if (end == std::string::npos) return {};
  const size_t start = text.find_last_of('\n', end);
  return text.substr(start == std::string::npos ? 0 : start + 1, end - (start + 1) + 1);
}

// Collects what the child writes until both its pipes are closed; false: the deadline passed.
bool Collect(int reply_fd, int error_fd, Clock::time_point deadline, std::string& reply,
             std::string& errors) {
  pollfd sources[2] = {{reply_fd, POLLIN, 0}, {error_fd, POLLIN, 0}};
  std::string* sinks[2] = {&reply, &errors};
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
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
      if (i == 1 && errors.size() > kErrorBytesMax) errors.erase(0, errors.size() / 2);
    }
  }
  return true;
}

// Waits for the child until the deadline, then kills it. Returns its wait status.
int Reap(pid_t child, Clock::time_point deadline) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() >= deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    usleep(500);
  }
  return status;
}

// Joins the frames a child wrote. False if the last one is missing or incomplete; the calls before
// it are there.
bool ReadFrames(const std::string& frames, Reply& reply) {
  reply.stage = Stage::kCrashed;
  mlir_message::Cursor in{frames};
  while (in.position < frames.size()) {
    const std::string frame = in.Text();
    Reply next;
    if (!in.good || !Decode(frame, next)) return false;
    for (auto& results : next.calls) reply.calls.push_back(std::move(results));
    next.calls = std::move(reply.calls);
    reply = std::move(next);
  }
  return reply.stage != Stage::kCrashed;
}

Reply Serve(mlir::MLIRContext& context, const Request& request, FlightRecorder& recorder) {
  memset(&recorder, 0, sizeof recorder);
  Reply reply;
  int reply_pipe[2];
  int error_pipe[2];
  if (pipe2(reply_pipe, O_CLOEXEC) != 0 || pipe2(error_pipe, O_CLOEXEC) != 0) {
    perror("assay-mlir-helper: pipe");
    _exit(1);
  }
  const auto deadline = Clock::now() + std::chrono::milliseconds(request.wall_ms);
  const pid_t child = fork();
  if (child < 0) {
    perror("assay-mlir-helper: fork");
    _exit(1);
  }
  if (child == 0) RunChild(context, request, reply_pipe[1], error_pipe[1], recorder);
  close(reply_pipe[1]);
  close(error_pipe[1]);
  std::string frames;
  std::string errors;
  const bool finished = Collect(reply_pipe[0], error_pipe[0], deadline, frames, errors);
  close(reply_pipe[0]);
  close(error_pipe[0]);
  const int status = Reap(child, finished ? deadline : Clock::now());
  if (ReadFrames(frames, reply)) return reply;

  reply.phase = recorder.phase;
  reply.pass = recorder.pass;
  reply.pattern = recorder.pattern;
  reply.operation = recorder.operation;
  reply.stack = recorder.stack;
  const int own = recorder.signal;
  const int number = own != 0 ? own : WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (own == 0 && (!finished || number == SIGXCPU || number == SIGALRM)) {
    reply.stage = Stage::kTimedOut;
    reply.detail = finished ? "no answer within " + std::to_string(request.cpu_seconds) +
                                  " s of processor time"
                            : "no answer within " + std::to_string(request.wall_ms) + " ms";
    return reply;
  }
  reply.stage = Stage::kCrashed;
  reply.detail =
      number != 0 ? strsignal(number) : "exit status " + std::to_string(WEXITSTATUS(status));
  const std::string last = LastLine(errors);
  if (!last.empty()) reply.detail += ": " + last;
  return reply;
}

// Runs a small case in this process, so that what LLVM makes once (dialects, tables, types, loaded
// libraries) is there in every child: a fifth of the time of a small case.
void WarmUp(mlir::MLIRContext& context, FlightRecorder& recorder) {
  Request request;
  request.module =
      "func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {\n"
      "  %b = tosa.exp %a : (tensor<1xf32>) -> tensor<1xf32>\n"
      "  return %b : tensor<1xf32>\n"
      "}\n";
  request.rewrite = "builtin.module(canonicalize)";
  request.calls = {{std::string(4, '\0')}};
  RunCase(
      context, request, [](const std::vector<std::string>&) {}, recorder);
}

int Main() {
  signal(SIGPIPE, SIG_IGN);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  RegisterPasses();
  mlir::DialectRegistry registry;
  RegisterDialects(registry);
  // One thread: forking a process with others is not safe.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  // Loaded here, so that the children need not.
  context.loadDialect<mlir::func::FuncDialect, mlir::tosa::TosaDialect, mlir::LLVM::LLVMDialect>();
  FlightRecorder* recorder = MakeFlightRecorder();
  if (recorder == nullptr) {
    perror("assay-mlir-helper: mmap");
    return 1;
  }
  WarmUp(context, *recorder);
  for (std::string frame; ReadFrame(STDIN_FILENO, frame);) {
    Request request;
    Reply reply;
    if (Decode(frame, request)) {
      reply = Serve(context, request, *recorder);
    } else {
      reply.stage = Stage::kData;
      reply.detail = "not a request";
    }
    if (!WriteFrame(STDOUT_FILENO, Encode(reply))) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace assay

int main() { return assay::Main(); }
