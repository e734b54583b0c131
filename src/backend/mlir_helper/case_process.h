// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "child_process.h"
#include "flight_recorder.h"
#include "mlir_message.h"

namespace assay {

class CaseRunner;

// A child process that runs cases one after the other. A new process is most of the cost of a small
// case, because it has to map the code of LLVM again. A case that crashes, times out or is refused
// in a child that has run other cases is run again in a new child. A case that fails after its
// rewrite is run again in a thorough child, which takes longer and says what is to blame.
class CaseProcess {
 public:
  // `runner` and `recorder` must outlive the object.
  CaseProcess(CaseRunner& runner, FlightRecorder& recorder)
      : runner_(runner), recorder_(recorder) {}

  // Runs a case. Never fails: the reply says how the case ended.
  mlir_message::Reply Run(const mlir_message::Request& request);

 private:
  enum class Kind { kFast, kThorough };

  mlir_message::Reply RunThoroughly(const mlir_message::Request& request);
  bool SaysEnough(bool complete, const mlir_message::Reply& reply) const;
  mlir_message::Reply Blame(bool complete, const mlir_message::Request& request,
                            mlir_message::Reply reply);
  void Start(Kind kind);
  int Serve(Kind kind, int requests, int replies);
  bool Ask(const mlir_message::Request& request, mlir_message::Reply& reply);

  CaseRunner& runner_;
  FlightRecorder& recorder_;
  std::optional<Child> child_;
  int cases_ = 0;  // the number of cases that the child has run
};

}  // namespace assay
