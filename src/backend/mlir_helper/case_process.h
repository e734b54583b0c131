#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "flight_recorder.h"
#include "message.h"

namespace mlir {
class MLIRContext;
}

namespace assay {

// A child of this process that runs cases, one after the other: most of what a small case costs is
// that of a new process, which has to map the code of LLVM again. Only a child that has run nothing
// else may fail: what fails in another, or is refused there, is run again in a new one.
class CaseProcess {
 public:
  // Both must outlive it.
  CaseProcess(mlir::MLIRContext& context, FlightRecorder& recorder)
      : context_(context), recorder_(recorder) {}
  ~CaseProcess() { Stop(); }
  CaseProcess(const CaseProcess&) = delete;
  CaseProcess& operator=(const CaseProcess&) = delete;

  mlir_message::Reply Run(const mlir_message::Request& request);

 private:
  using Clock = std::chrono::steady_clock;

  // How a child took a request.
  struct Answer {
    mlir_message::Reply reply;
    bool complete = false;  // else the child is gone or late, and the reply has what it had done
    bool late = false;
    std::string errors;  // what it printed
  };

  mlir_message::Reply RunInNew(const mlir_message::Request& request);
  void Start();
  int Stop();  // the wait status
  [[noreturn]] void Serve(int request_fd, int reply_fd, int error_fd);
  Answer Ask(const mlir_message::Request& request);
  bool Listen(Clock::time_point deadline, Answer& answer);

  mlir::MLIRContext& context_;
  FlightRecorder& recorder_;
  pid_t process_ = -1;
  int cases_ = 0;  // that it has run
  int request_fd_ = -1, reply_fd_ = -1, error_fd_ = -1;
};

}  // namespace assay
