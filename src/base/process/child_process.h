#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "result.h"

namespace assay {

// Child processes, which are killed if this process is. A program gets a process group of its own,
// which is killed as a whole (guardian.h), and inherits no descriptor but its standard streams.
// Starting a child makes this process ignore SIGPIPE. Nothing here waits longer than the wall limit
// that it is given.

struct ChildCommand {
  std::vector<std::string> argv;                                 // argv[0] is looked up in PATH
  std::string directory;                                         // to run in; "" is the present one
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  double cpu_seconds = 0;  // of the child and all that it starts together; 0 is no limit
};

struct ChildLimits {
  double wall_seconds = 60;
  // Bytes that are kept of each stream: the first ones of standard output; half of them from the
  // beginning and half from the end of standard error. The rest is read and dropped.
  size_t output_bytes_max = 1 << 20;
};

// The path of another program of ours, which lies beside this one. "" if that cannot be told.
std::string ProgramBesideThis(std::string_view name);

// How a child ended.
struct ChildReport {
  enum class End { kExited, kSignaled, kTimedOut };  // kTimedOut: CPU or wall limit
  End end = End::kExited;
  int status = 0;  // exit status or signal
  std::string output, errors;
  bool truncated = false;

  std::string Describe() const;  // "exit status 3", "signal 11 (Segmentation fault)", "timed out"
};

// Runs a child to its end: `input` on its standard input, its standard output and error captured.
// Whatever it started and left behind is killed as well. Error kUnsupported if the program cannot
// be run, kResource if no process can be made.
Result<ChildReport> RunChild(const ChildCommand& command, std::string_view input,
                             const ChildLimits& limits);

// A child that we talk to over two pipes. There are no limits until SetLimits().
class Child {
 public:
  // Starts a program; the pipes are its standard input and output. The end of what it writes to its
  // standard error is kept. Errors as those of RunChild.
  static Result<Child> Start(const ChildCommand& command);

  // Starts a copy of this process in the same process group. The copy calls `serve` with its ends
  // of the pipes and exits with the status that `serve` returns. Its standard error is ours, or
  // kept as above if `keep_errors`. Error kResource if no process can be made.
  static Result<Child> Fork(bool keep_errors,
                            const std::function<int(int requests, int replies)>& serve);

  Child(Child&& other) noexcept { *this = std::move(other); }
  Child& operator=(Child&& other) noexcept;
  ~Child();

  // From now on Read() and Write() give up once so much time has passed, or the processes of the
  // child's group together have used so much more of a processor (0: no limit; what they use in the
  // first tenth of a second may not be counted). Forgets errors().
  void SetLimits(double wall_seconds, double cpu_seconds);

  // Error kResource if the child closed its end, died, or reached a limit before it took or gave
  // all bytes: `ended with signal 11 (...)`, `no answer within 60 s`.
  Result<Done> Write(std::string_view bytes);
  Result<std::string> Read(size_t count);
  // The same for frames.
  Result<Done> WriteFrame(std::string_view message);
  Result<std::string> ReadFrame();
  // Appends what can be read at once, at most `count` bytes. Returns the number of bytes; nothing
  // once the child has closed its end.
  std::optional<size_t> ReadSome(std::string& bytes, size_t count);
  // The descriptor that ReadSome() reads, to be polled.
  int output() const { return out_; }
  // Whether a limit was reached.
  bool timed_out() const { return timed_out_; }
  const std::string& errors() {
    DrainErrors();
    return errors_;
  }

  // Whether it has not ended yet.
  bool Running();
  // Ends the child and all it has started. Returns how it ended, without what it wrote.
  ChildReport Kill();
  // Waits, as long as that takes, for a child that was asked to end. Returns the same.
  ChildReport WaitForEnd();

 private:
  Child() = default;
  ChildReport Finish(std::string_view input, const ChildLimits& limits);
  Error Died(std::string_view otherwise);
  void StartClocks(double wall_seconds, double cpu_seconds);
  bool AtLimit();
  Error Limit();
  double CpuSeconds() const;
  void WaitFor(int descriptor, short event);
  template <class Take>
  void Drain(int& descriptor, const Take& take);
  void DrainErrors();

  friend Result<ChildReport> RunChild(const ChildCommand&, std::string_view, const ChildLimits&);
  using Clock = std::chrono::steady_clock;
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, error_ = -1;
  int wait_status_ = 0;
  bool reaped_ = false;
  double wall_limit_ = 0, cpu_limit_ = 0;  // as given; 0: none
  Clock::time_point wall_deadline_ = Clock::time_point::max();
  double cpu_deadline_ = 0;      // of the child itself
  double others_before_ = -1;    // what the rest of its group had used; negative: not known yet
  Clock::time_point next_look_;  // at the rest of the group
  bool timed_out_ = false;
  std::string errors_;
};

}  // namespace assay
