// SPDX-License-Identifier: Apache-2.0
#include "child_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "descriptor.h"
#include "frame.h"
#include "guardian.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the time that is `wall_seconds` from now. The clock decides only when to give up on a
// child, never a result.
Clock::time_point Deadline(double wall_seconds) {
  const double bounded = std::min(wall_seconds, 1e9);
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(bounded));
}

// Returns the milliseconds to wait in one poll. The wait never goes past the deadline. It is short,
// because a child may end while a process that it left behind keeps its pipes open.
int PollMilliseconds(Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 20));
}

void SetNonBlocking(int descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

// The time from the start of a child, or of a limit, to the first look at its process group.
constexpr Clock::duration kFirstLook = std::chrono::milliseconds(100);

// The exit status of a child that could not start its work.
constexpr int kCannotBecome = 127;

// Returns the processor time, in seconds, that a process group has used without its leader. It
// counts the other processes and all that have ended and been waited for. (It does not know
// processes that have left the group, or that ended and were inherited by init.)
double CpuSecondsOfOthers(pid_t leader) {
  DIR* const all = opendir("/proc");
  if (all == nullptr) return 0;
  uint64_t ticks = 0;
  while (const dirent* const entry = readdir(all)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const std::string path = std::string("/proc/") + entry->d_name + "/stat";
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    std::array<char, 1024> text;
    const ssize_t count = read(file, text.data(), text.size() - 1);
    close(file);
    if (count <= 0) continue;
    text[static_cast<size_t>(count)] = '\0';
    // The format is "PID (NAME) STATE PARENT GROUP ..."; the name may contain any character.
    const char* const behind_name = strrchr(text.data(), ')');
    int group = 0;
    uint64_t user = 0, system = 0, waited_user = 0, waited_system = 0;
    if (behind_name == nullptr ||
        sscanf(behind_name + 1,
               " %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64,
               &group, &user, &system, &waited_user, &waited_system) != 5 ||
        group != leader) {
      continue;
    }
    ticks += waited_user + waited_system;
    if (std::strtol(entry->d_name, nullptr, 10) != leader) ticks += user + system;
  }
  closedir(all);
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string ErrorText(int error) { return std::generic_category().message(error); }

ChildReport ReportOf(int wait_status) {
  ChildReport report;
  report.end = WIFSIGNALED(wait_status) ? ChildReport::End::kSignaled : ChildReport::End::kExited;
  report.status = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  return report;
}

// A pipe whose ends close on exec.
struct Pipe {
  Descriptor read_end, write_end;
  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
    return true;
  }
};

// Turns the new process into the program. It runs between fork and exec, so it makes only system
// calls. Reports errno on failure.
int Become(const ChildCommand& command, char* const* argv, char* const* environment, int in,
           int out, int failure) {
  setpgid(0, 0);
  GuardGroup(getpid());
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  bool good = dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0;
  if (!command.directory.empty()) good = good && chdir(command.directory.c_str()) == 0;
  if (command.cpu_seconds > 0) {
    // The hard limit of this process may be lower, and may not be raised.
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_CPU, &limit);
    const auto seconds = static_cast<rlim_t>(std::ceil(command.cpu_seconds));
    limit.rlim_max = std::min(limit.rlim_max, seconds + 1);
    limit.rlim_cur = std::min(limit.rlim_max, seconds);
    good = good && setrlimit(RLIMIT_CPU, &limit) == 0;
  }
  if (good) execvpe(argv[0], argv, environment);
  const int reason = errno;
  WriteAll(failure, &reason, sizeof(reason));
  return kCannotBecome;
}

// The beginning and the end of a stream. Errors come at the beginning, and the cause of death comes
// at the end.
class BothEnds {
 public:
  explicit BothEnds(size_t bytes_max) : half_(bytes_max / 2) {}

  void Append(std::string_view bytes) {
    const size_t room = std::min(half_ - first_.size(), bytes.size());
    first_.append(bytes.substr(0, room));
    last_.append(bytes.substr(room));
    if (last_.size() > half_ + kSlack) Shorten();
  }

  bool truncated() const { return left_out_ > 0 || last_.size() > half_; }

  // Returns both parts, with a line between them that says how many bytes are left out.
  std::string Take() {
    if (last_.size() > half_) Shorten();
    if (left_out_ == 0) return first_ + last_;
    return first_ + "\n[" + std::to_string(left_out_) + " bytes left out]\n" + last_;
  }

 private:
  static constexpr size_t kSlack = 1 << 20;  // makes moves of bytes rare
  void Shorten() {
    const size_t excess = last_.size() - half_;
    last_.erase(0, excess);
    left_out_ += excess;
  }

  size_t half_, left_out_ = 0;
  std::string first_, last_;
};

}  // namespace

Result<Child> Child::Fork(bool keep_errors, const std::function<int(int, int)>& serve) {
  const auto cannot = [](const char* what) {
    return Error{Error::Kind::kResource, std::string("cannot make a ") + what + ErrorText(errno)};
  };
  signal(SIGPIPE, SIG_IGN);
  Pipe in, out, error;
  if (!in.Open() || !out.Open() || (keep_errors && !error.Open())) return cannot("pipe: ");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return cannot("process: ");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kCannotBecome);
    if (keep_errors && dup2(error.write_end, STDERR_FILENO) < 0) _exit(kCannotBecome);
    in.write_end.Close();
    out.read_end.Close();
    _exit(serve(in.read_end, out.write_end));
  }
  Child child;
  child.pid_ = pid;
  child.in_ = std::move(in.write_end);
  child.out_ = std::move(out.read_end);
  child.error_ = std::move(error.read_end);
  for (const int descriptor : {int{child.in_}, int{child.out_}, int{child.error_}}) {
    if (descriptor >= 0) SetNonBlocking(descriptor);
  }
  return child;
}

Result<Child> Child::Start(const ChildCommand& command) {
  Check(!command.argv.empty(), "a command has a program");
  const std::string& name = command.argv[0];
  Pipe failure;
  if (!failure.Open()) {
    return Error{Error::Kind::kResource, name + ": cannot make a pipe: " + ErrorText(errno)};
  }
  std::vector<char*> argv;
  for (const std::string& word : command.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> added;
  for (const auto& [key, value] : command.environment) added.push_back(key + "=" + value);
  std::vector<char*> environment;
  for (std::string& entry : added) environment.push_back(entry.data());
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view key = std::string_view(*entry).substr(0, std::strcspn(*entry, "="));
    const auto replaces = [key](const auto& variable) { return variable.first == key; };
    // If a name has two values, some programs use the first and some the last. So only one is
    // passed on.
    if (std::ranges::none_of(command.environment, replaces)) environment.push_back(*entry);
  }
  environment.push_back(nullptr);

  StartGuardian();
  Result<Child> child = Fork(true, [&](int in, int out) {
    return Become(command, argv.data(), environment.data(), in, out, failure.write_end);
  });
  if (!child) return Error{child.error().kind, name + ": " + child.error().message};
  setpgid(child->pid_, child->pid_);
  failure.write_end.Close();
  int reason = 0;
  if (ReadAll(failure.read_end, &reason, sizeof(reason))) {
    return Unsupported(name + ": cannot run it: " + ErrorText(reason));
  }
  return child;
}

// Takes the bytes that can be read at once. Closes the descriptor at its end. Stops at a limit.
template <class Take>
void Child::Drain(Descriptor& descriptor, const Take& take) {
  std::array<char, 1 << 16> block;
  while (descriptor >= 0) {
    const ssize_t count = read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      descriptor.Close();
      return;
    }
    take(std::string_view(block.data(), static_cast<size_t>(count)));
    if (AtLimit()) return;
  }
}

ChildReport Child::Finish(std::string_view input, const ChildLimits& limits) {
  ChildReport report;
  if (input.empty()) in_.Close();
  const auto take_output = [&](std::string_view bytes) {
    const size_t room = limits.output_bytes_max - report.output.size();
    report.output.append(bytes.substr(0, room));
    report.truncated = report.truncated || bytes.size() > room;
  };
  BothEnds errors(limits.output_bytes_max);
  const auto take_errors = [&](std::string_view bytes) { errors.Append(bytes); };
  bool timed_out = false;
  // This descriptor wakes us when the child ends. Without it (poll skips -1) the poll's time-out
  // does.
  Descriptor ended(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  while (Running()) {
    if (AtLimit()) {
      timed_out = true;
      break;
    }
    std::array<pollfd, 4> polled = {
        {{ended, POLLIN, 0}, {in_, POLLOUT, 0}, {out_, POLLIN, 0}, {error_, POLLIN, 0}}};
    poll(polled.data(), polled.size(), PollMilliseconds(wall_deadline_));
    if (in_ >= 0 && polled[1].revents != 0) {
      const ssize_t count = write(in_, input.data(), input.size());
      if (count >= 0) input.remove_prefix(static_cast<size_t>(count));
      // A child may end without reading all of its input.
      const bool broken = count < 0 && errno != EINTR && errno != EAGAIN;
      if (broken || input.empty()) in_.Close();
    }
    Drain(out_, take_output);
    Drain(error_, take_errors);
  }
  const ChildReport end = Kill();
  ended.Close();
  Drain(out_, take_output);
  Drain(error_, take_errors);
  report.truncated = report.truncated || errors.truncated();
  report.errors = errors.Take();
  report.status = end.status;
  const bool at_cpu_limit = end.end == ChildReport::End::kSignaled && end.status == SIGXCPU;
  report.end = timed_out || at_cpu_limit ? ChildReport::End::kTimedOut : end.end;
  return report;
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(in_, other.in_);
  std::swap(out_, other.out_);
  std::swap(error_, other.error_);
  std::swap(wait_status_, other.wait_status_);
  std::swap(reaped_, other.reaped_);
  std::swap(wall_limit_, other.wall_limit_);
  std::swap(cpu_limit_, other.cpu_limit_);
  std::swap(wall_deadline_, other.wall_deadline_);
  std::swap(cpu_deadline_, other.cpu_deadline_);
  std::swap(others_before_, other.others_before_);
  std::swap(next_look_, other.next_look_);
  std::swap(timed_out_, other.timed_out_);
  std::swap(errors_, other.errors_);
  return *this;
}

bool Child::Running() {
  if (pid_ < 0 || reaped_) return false;
  // WNOWAIT leaves the process a zombie. So its id and its group's id cannot be reused before
  // Kill() has ended the processes that it left behind.
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
  return info.si_pid != pid_;
}

Child::~Child() { Kill(); }

ChildReport Child::Kill() {
  if (pid_ >= 0 && !reaped_) {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    ForgetGroup(pid_);
  }
  return WaitForEnd();
}

ChildReport Child::WaitForEnd() {
  if (pid_ >= 0 && !reaped_) {
    while (waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) continue;
    reaped_ = true;
  }
  return ReportOf(wait_status_);
}

void Child::SetLimits(double wall_seconds, double cpu_seconds) {
  DrainErrors();
  errors_.clear();
  StartClocks(wall_seconds, cpu_seconds);
  others_before_.reset();
  next_look_ = Clock::now() + kFirstLook;
}

void Child::StartClocks(double wall_seconds, double cpu_seconds) {
  wall_limit_ = wall_seconds;
  cpu_limit_ = cpu_seconds;
  wall_deadline_ = Deadline(wall_seconds);
  cpu_deadline_ = CpuSeconds() + cpu_seconds;
}

double Child::CpuSeconds() const {
  clockid_t clock;
  timespec used;
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

bool Child::AtLimit() {
  const Clock::time_point now = Clock::now();
  if (now >= wall_deadline_) return true;
  if (cpu_limit_ <= 0) return false;
  double left = cpu_deadline_ - CpuSeconds();
  if (left > 0 && now >= next_look_) {
    // Reading the time of the group is slow. So it is done only as often as the limit could be
    // reached in the meantime.
    const double others = CpuSecondsOfOthers(pid_);
    if (!others_before_) others_before_ = others;
    left -= others - *others_before_;
    static const auto processors = static_cast<double>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
    next_look_ = now + std::max(kFirstLook, std::chrono::duration_cast<Clock::duration>(
                                                std::chrono::duration<double>(left / processors)));
  }
  return left <= 0;
}

Error Child::Limit() {
  timed_out_ = true;
  const bool by_clock = Clock::now() >= wall_deadline_;
  const auto limit = static_cast<int64_t>(std::ceil(by_clock ? wall_limit_ : cpu_limit_));
  return {Error::Kind::kResource,
          "no answer within " + std::to_string(limit) + (by_clock ? " s" : " s of processor time")};
}

// Waits a short time until the descriptor is ready.
void Child::WaitFor(int descriptor, short event) {
  std::array<pollfd, 2> polled = {{{descriptor, event, 0}, {error_, POLLIN, 0}}};
  poll(polled.data(), polled.size(), PollMilliseconds(wall_deadline_));
  DrainErrors();
}

void Child::DrainErrors() {
  constexpr size_t kKept = 1 << 16;
  Drain(error_, [this](std::string_view bytes) {
    errors_.append(bytes);
    if (errors_.size() > 2 * kKept) errors_.erase(0, errors_.size() - kKept);
  });
}

// Returns the Error for a child that broke a pipe: how it ended, or `otherwise` if it still runs.
Error Child::Died(std::string_view otherwise) {
  // The pipe breaks a moment before the process can be waited for.
  const Clock::time_point deadline = std::min(Deadline(1), wall_deadline_);
  while (Running() && Clock::now() < deadline) poll(nullptr, 0, 1);
  if (Running()) return {Error::Kind::kResource, std::string(otherwise)};
  const ChildReport end = Kill();
  DrainErrors();
  return {Error::Kind::kResource, "ended with " + end.Describe()};
}

Result<Done> Child::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (in_ < 0) return Died("closed");
    const ssize_t count = write(in_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      continue;
    }
    if (errno == EPIPE) return Died("closed its standard input");
    if (errno != EINTR && errno != EAGAIN) return Died(ErrorText(errno));
    if (AtLimit()) return Limit();
    WaitFor(in_, POLLOUT);
  }
  return Done{};
}

std::optional<size_t> Child::ReadSome(std::string& bytes, size_t count) {
  std::array<char, 1 << 16> block;
  const ssize_t got = read(out_, block.data(), std::min(block.size(), count));
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
  if (got <= 0) return std::nullopt;
  bytes.append(block.data(), static_cast<size_t>(got));
  return static_cast<size_t>(got);
}

Result<std::string> Child::Read(size_t count) {
  std::string bytes;
  for (bool ended = false; bytes.size() < count;) {
    const std::optional<size_t> got = ReadSome(bytes, count - bytes.size());
    if (!got) return Died("closed its standard output");
    if (*got > 0) continue;
    if (ended) return Died("ended");
    if (AtLimit()) return Limit();
    ended = !Running();  // reads once more what it wrote before its end
    if (!ended) WaitFor(out_, POLLIN);
  }
  return bytes;
}

Result<Done> Child::WriteFrame(std::string_view message) {
  if (message.size() > kFrameBytesMax) {
    return Error{Error::Kind::kResource,
                 "a message of " + std::to_string(message.size()) + " bytes"};
  }
  return Write(FrameOf(message));
}

Result<std::string> Child::ReadFrame() {
  const Result<std::string> head = Read(kFrameHeadBytes);
  return head ? Read(FrameLength(*head)) : head;
}

std::string ProgramBesideThis(std::string_view name) {
  std::array<char, PATH_MAX> own;
  const ssize_t length = readlink("/proc/self/exe", own.data(), own.size());
  if (length <= 0) return {};
  const std::string_view path(own.data(), static_cast<size_t>(length));
  return std::string(path.substr(0, path.rfind('/') + 1)) + std::string(name);
}

std::string ChildReport::Describe() const {
  switch (end) {
    case End::kExited:
      return "exit status " + std::to_string(status);
    case End::kSignaled:
      return "signal " + std::to_string(status) + " (" + strsignal(status) + ")";
    case End::kTimedOut:
      return "timed out";
  }
  return "";
}

Result<ChildReport> RunChild(const ChildCommand& command, std::string_view input,
                             const ChildLimits& limits) {
  Result<Child> child = Child::Start(command);
  if (!child) return child.error();
  child->StartClocks(limits.wall_seconds, command.cpu_seconds);
  child->others_before_ = 0;
  child->next_look_ = Clock::now() + kFirstLook;
  return child->Finish(input, limits);
}

}  // namespace assay
