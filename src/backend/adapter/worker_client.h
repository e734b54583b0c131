// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "capabilities.h"
#include "child_process.h"
#include "worker_message.h"

namespace assay {

// The backend's end of the worker protocol: a process, or code in this process. After an Error, or
// the reply Failed, it is not used again.
class WorkerConnection {
 public:
  virtual ~WorkerConnection() = default;

  // Sets the limits of all requests until the next call.
  virtual void SetLimits(const BackendOptions& options) = 0;

  // Sends a request and returns a reply that the request may have. An Error says what went wrong:
  // kBadInput if the backend breaks the protocol, kResource otherwise.
  virtual Result<worker::Body> Ask(worker::Body request) = 0;

  // Returns the outcome of a request that ended with an Error: crashed, with the Error's message.
  // A process may also have timed out, and adds the last line of its standard error.
  virtual Outcome OutcomeOf(const Error& error);

  // Returns the log texts of the replies since SetLimits(), and then the end of what the backend
  // wrote to its standard error.
  virtual std::string Errors() = 0;
};

// Starts the backend's end.
using Connect = std::function<Result<std::unique_ptr<WorkerConnection>>()>;

// A process that answers requests. No function waits beyond the limits, whatever the process does.
class WorkerProcess : public WorkerConnection {
 public:
  // Starts the process. Errors as those of Child::Start().
  static Result<std::unique_ptr<WorkerConnection>> Start(const ChildCommand& command);

  void SetLimits(const BackendOptions& options) override;
  Result<worker::Body> Ask(worker::Body request) override;
  Outcome OutcomeOf(const Error& error) override;
  std::string Errors() override { return logs_ + child_.errors(); }

 private:
  explicit WorkerProcess(Child child) : child_(std::move(child)) {}
  Result<WorkerMessage> Receive();
  Result<Done> ReadUpTo(size_t count, std::string& bytes);
  Error NoFrame(Error error, std::string text);

  Child child_;
  std::string logs_;
  uint32_t number_ = 0;
};

// A backend behind such a connection, which serves many vectors and is started again after a crash.
// Contexts are opened and graphs loaded for one vector, and closed after it.
class WorkerBackend : public Backend {
 public:
  // Starts the process and asks for its description. `title` ("worker:./backend") names it in
  // errors and in the report. The Error is kUnsupported if there is no such program or it has
  // another version of the protocol, kBadInput if it does not follow the protocol.
  static Result<std::unique_ptr<Backend>> Open(ChildCommand command, std::string title,
                                               const BackendOptions& options);
  // Does the same for any connection.
  static Result<std::unique_ptr<Backend>> Open(Connect connect, std::string title,
                                               const BackendOptions& options);

  std::string WhyUnsupported(const TestVector& vector) const override;
  Result<std::vector<Outcome>> Run(const TestVector& vector) override;
  void RunNextAlone() override {
    if (has_run_) connection_.reset();
  }
  int64_t Process() const override { return started_; }
  bool OffersTaps(const TestVector&) const override { return ready_.taps; }
  Result<TappedRun> RunWithTaps(const TestVector& vector, const TapRequest& asked) override;
  std::string Describe() const override;
  std::string Errors() override { return errors_; }
  std::optional<Result<std::vector<Outcome>>> RunAfterReset(const TestVector& vector) override;

 private:
  WorkerBackend(Connect connect, std::string title, const BackendOptions& options)
      : connect_(std::move(connect)), title_(std::move(title)), options_(options) {}
  Result<Done> Start();
  // Runs a vector `times` times, with the contexts reset in between, and asks for taps each time.
  // Returns the last run.
  Result<TappedRun> RunTimes(const TestVector& vector, int times, const TapRequest& asked = {});
  // Asks for the description. A worker that does not know version 2 may answer that with
  // Unsupported, and is then asked for version 1.
  static Result<worker::Body> Greet(WorkerConnection& connection);

  Connect connect_;
  std::string title_;
  BackendOptions options_;
  std::unique_ptr<WorkerConnection> connection_;
  int64_t started_ = 0;   // connections
  bool has_run_ = false;  // the current connection has run a vector
  std::string errors_;    // of the last vector
  worker::Ready ready_;
  Target target_;  // that it declares
};

}  // namespace assay
