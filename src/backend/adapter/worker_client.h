#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend.h"
#include "capabilities.h"
#include "child_process.h"
#include "worker_message.h"

namespace assay {

// A process that answers requests of the worker protocol. No function waits beyond the limits,
// whatever the process does. After an Error the process is not used again.
class WorkerProcess {
 public:
  // Starts the process. Errors as those of Child::Start().
  static Result<WorkerProcess> Start(const ChildCommand& command);

  // Sets the limits of all requests until the next call.
  void SetLimits(const BackendOptions& options);

  // Sends a request and returns a reply that the request may have. An Error says what went wrong:
  // kBadInput if the process breaks the protocol, kResource otherwise.
  Result<worker::Body> Ask(worker::Body request);

  // Returns the outcome of a request that ended with an Error: crashed or timed out, with the last
  // line of standard error.
  Outcome OutcomeOf(const Error& error);

  // Returns the log texts of the replies since SetLimits(), and then the end of what the process
  // wrote to its standard error.
  std::string Errors() { return logs_ + child_.errors(); }

 private:
  explicit WorkerProcess(Child child) : child_(std::move(child)) {}
  Result<WorkerMessage> Receive();

  Child child_;
  std::string logs_;
  uint32_t number_ = 0;
};

// A backend in such a process, which serves many vectors and is restarted after a crash. Contexts
// are opened and graphs loaded for one vector, and closed after it.
class WorkerBackend : public Backend {
 public:
  // Starts the process and asks for its description. `title` ("worker:./backend") names it in
  // errors and in the report. The Error is kUnsupported if there is no such program or it has
  // another version of the protocol, kBadInput if it does not follow the protocol.
  static Result<std::unique_ptr<WorkerBackend>> Open(ChildCommand command, std::string title,
                                                     const BackendOptions& options);

  bool Supports(const TestVector& vector, std::string* why) const override;
  Result<std::vector<Outcome>> Run(const TestVector& vector) override;
  bool OffersTaps(const TestVector&) const override { return ready_.taps; }
  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override;
  std::string Describe() const override;
  std::string Errors() override { return errors_; }
  std::optional<Result<std::vector<Outcome>>> RunAfterReset(const TestVector& vector) override;

 private:
  WorkerBackend(ChildCommand command, std::string title, const BackendOptions& options)
      : command_(std::move(command)), title_(std::move(title)), options_(options) {}
  Result<Done> Start();
  // Runs a vector `times` times, with the contexts reset in between, and asks for taps each time.
  // Returns the last run.
  Result<TappedRun> RunTimes(const TestVector& vector, int times, const TapRequest& asked = {});
  // Asks for the description. A worker that does not know version 2 may answer that with
  // Unsupported, and is then asked for version 1.
  static Result<worker::Body> Greet(WorkerProcess& process);

  ChildCommand command_;
  std::string title_;
  BackendOptions options_;
  std::optional<WorkerProcess> process_;
  std::string errors_;  // of the last vector
  worker::Ready ready_;
  Capabilities capabilities_;
};

}  // namespace assay
