#pragma once

#include <optional>

#include "child_process.h"
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

  // Runs a case. Never fails: the reply says how the case ended.
  mlir_message::Reply Run(const mlir_message::Request& request);

 private:
  mlir_message::Reply RunInNew(const mlir_message::Request& request);
  void Start();
  int Serve(int requests, int replies);
  bool Ask(const mlir_message::Request& request, mlir_message::Reply& reply);

  mlir::MLIRContext& context_;
  FlightRecorder& recorder_;
  std::optional<Child> child_;
  int cases_ = 0;  // the number of cases that the child has run
};

}  // namespace assay
