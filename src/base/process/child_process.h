// SPDX-License-Identifier: Apache-2.0
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

#include "descriptor.h"
#include "result.h"

namespace assay {

// Child processes, which are killed if this process is killed. A program gets a process group of
// its own, which is killed as a whole (guardian.h). It inherits no descriptor but its standard
// streams. Starting a child makes this process ignore SIGPIPE. No function here waits longer than
// the wall limit that it is given.

struct ChildCommand {
  std::vector<std::string> argv;                                 // argv[0] is looked up in PATH
  std::string directory;                                         // to run in; "": the current one
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  double cpu_seconds = 0;  // of the child and all processes that it starts, together; 0: no limit
};

struct ChildLimits {
  double wall_seconds = 60;
  // The number of bytes that are kept of each stream. Standard output keeps the first bytes.
  // Standard error keeps half from its beginning and half from its end. The rest is read and
  // dropped.
  size_t output_bytes_max = 1 << 20;
};

// Returns the path of another Assay program in the folder of this one. Returns "" if that folder is
// unknown.
std::string ProgramBesideThis(std::string_view name);

// The end of a child: its status and output.
struct ChildReport {
  enum class End { kExited, kSignaled, kTimedOut };  // kTimedOut: CPU or wall limit
  End end = End::kExited;
  int status = 0;  // exit status or signal
  std::string output, errors;
  bool truncated = false;

  std::string Describe() const;  // "exit status 3", "signal 11 (Segmentation fault)", "timed out"
};

// Runs a child to its end. `input` is its standard input; its standard output and error are
// captured. Processes that it started and left behind are killed as well. Error kUnsupported if the
// program cannot be run, kResource if no process can be made.
Result<ChildReport> RunChild(const ChildCommand& command, std::string_view input,
                             const ChildLimits& limits);

// A child that communicates over two pipes. There are no limits until SetLimits().
class Child {
 public:
  // Starts a program. The pipes are its standard input and output. The end of its standard error is
  // kept. Errors are those of RunChild().
  static Result<Child> Start(const ChildCommand& command);

  // Starts a copy of this process in the same process group. The copy calls `serve` with its ends
  // of the pipes and exits with the status that `serve` returns. Its standard error is that of this
  // process, or is kept as in Start() if `keep_errors`. Error kResource if no process can be made.
  static Result<Child> Fork(bool keep_errors,
                            const std::function<int(int requests, int replies)>& serve);

  Child(Child&& other) noexcept { *this = std::move(other); }
  Child& operator=(Child&& other) noexcept;
  ~Child();

  // Limits the Read() and Write() calls from now on, by wall time and by the processor time that
  // the child's process group uses from now on. 0 is no limit. The processor time of the first
  // tenth of a second may not be counted. Clears errors().
  void SetLimits(double wall_seconds, double cpu_seconds);

  // Write or read all bytes. Error kResource if the child closes its end, dies, or reaches a limit
  // first: `ended with signal 11 (...)`, `no answer within 60 s`.
  Result<Done> Write(std::string_view bytes);
  Result<std::string> Read(size_t count);
  // Do the same for a frame.
  Result<Done> WriteFrame(std::string_view message);
  Result<std::string> ReadFrame();
  // Appends the bytes that can be read at once, at most `count`. Returns their number, or nothing
  // after the child has closed its end.
  std::optional<size_t> ReadSome(std::string& bytes, size_t count);
  // Returns the descriptor that ReadSome() reads, so that it can be polled.
  int output() const { return out_; }
  // Tells whether a limit was reached.
  bool timed_out() const { return timed_out_; }
  const std::string& errors() {
    DrainErrors();
    return errors_;
  }

  // Returns true if the child has not ended yet.
  bool Running();
  // Kills the child and all processes that it started. Returns how it ended, without its output.
  ChildReport Kill();
  // Waits without a limit for a child that was asked to end. Returns the same.
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
  void Drain(Descriptor& descriptor, const Take& take);
  void DrainErrors();

  friend Result<ChildReport> RunChild(const ChildCommand&, std::string_view, const ChildLimits&);
  using Clock = std::chrono::steady_clock;
  pid_t pid_ = -1;
  Descriptor in_, out_, error_;
  int wait_status_ = 0;
  bool reaped_ = false;
  double wall_limit_ = 0, cpu_limit_ = 0;  // as given; 0: none
  Clock::time_point wall_deadline_ = Clock::time_point::max();
  double cpu_deadline_ = 0;              // of the child itself
  std::optional<double> others_before_;  // used by the rest of its group before, once known
  Clock::time_point next_look_;          // when the rest of the group is examined again
  bool timed_out_ = false;
  std::string errors_;
};

}  // namespace assay
