#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "flight_recorder.h"
#include "mlir_message.h"

namespace mlir {
class MLIRContext;
}

namespace assay {

// A child process that runs cases one after the other. A new process is most of the cost of a small
// case, because it has to map the code of LLVM again. A case that crashes, times out or is refused
// in a child that has run other cases is run again in a new child.
class CaseProcess {
 public:
  // `context` and `recorder` must outlive the object.
  CaseProcess(mlir::MLIRContext& context, FlightRecorder& recorder)
      : context_(context), recorder_(recorder) {}
  ~CaseProcess() { Stop(); }
  CaseProcess(const CaseProcess&) = delete;
  CaseProcess& operator=(const CaseProcess&) = delete;

  // Runs a case. Never fails: the reply says how the case ended.
  mlir_message::Reply Run(const mlir_message::Request& request);

 private:
  using Clock = std::chrono::steady_clock;

  // The answer of a child to one request.
  struct Answer {
    mlir_message::Reply reply;
    bool complete = false;  // false: the child died or is late; `reply` has only finished calls
    bool late = false;      // the child did not answer before the deadline
    std::string errors;     // the end of what the child printed
  };

  mlir_message::Reply RunInNew(const mlir_message::Request& request);
  void Start();
  int Stop();  // returns the wait status of the child
  [[noreturn]] void Serve(int request_fd, int reply_fd, int error_fd);
  Answer Ask(const mlir_message::Request& request);
  bool Listen(Clock::time_point deadline, Answer& answer);

  mlir::MLIRContext& context_;
  FlightRecorder& recorder_;
  pid_t process_ = -1;
  int cases_ = 0;  // the number of cases that the child has run
  int request_fd_ = -1, reply_fd_ = -1, error_fd_ = -1;
};

}  // namespace assay
