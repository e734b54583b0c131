// SPDX-License-Identifier: Apache-2.0
#include "worker_client.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "arm_directory.h"
#include "cut_text.h"
#include "frame.h"
#include "program_output.h"
#include "quoted.h"
#include "target_check.h"
#include "tosa_file.h"

namespace assay {
namespace {

template <class... Bodies>
bool IsOneOf(const worker::Body& body) {
  return (std::holds_alternative<Bodies>(body) || ...);
}

// Tells whether the protocol allows this reply to this request.
bool Answers(const worker::Body& request, const worker::Body& reply) {
  if (IsOneOf<worker::Unsupported, worker::Failed>(reply)) return true;
  if (IsOneOf<worker::Hello>(request)) return IsOneOf<worker::Ready>(reply);
  if (IsOneOf<worker::LoadGraph>(request)) {
    return IsOneOf<worker::Done, worker::Refused, worker::Rejected>(reply);
  }
  if (IsOneOf<worker::Invoke>(request)) {
    return IsOneOf<worker::Answer, worker::Refused, worker::Rejected>(reply);
  }
  return IsOneOf<worker::Done>(reply);
}

Error BreakOfProtocol(const std::string& what) { return BadInput("breaks the protocol: " + what); }

// The number of bytes of text that an error shows in place of a frame.
constexpr size_t kTextShown = 80;

// Returns what a worker says as a line of a report. All of its texts but the log pass here.
std::string OnOneLine(std::string text) {
  const size_t end = text.find_last_not_of("\r\n \t");
  text.resize(end == std::string::npos ? 0 : end + 1);
  text = CutText(std::move(text));
  for (char& c : text) c = c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  return text;
}

// Returns what the backend says, with the operator that it names in front, from where the judge
// reads it.
std::string WithOperator(const std::string& op, const std::string& reason) {
  const std::string words = OnOneLine(reason);
  if (op.empty() || words.find(op) != std::string::npos) return words;
  return OnOneLine(op) + (words.empty() ? "" : ": " + words);
}

}  // namespace

// ---- WorkerConnection and WorkerProcess

Outcome WorkerConnection::OutcomeOf(const Error& error) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kCrashed;
  outcome.message = error.message;
  return outcome;
}

Result<std::unique_ptr<WorkerConnection>> WorkerProcess::Start(const ChildCommand& command) {
  Result<Child> child = Child::Start(command);
  if (!child) return child.error();
  return std::unique_ptr<WorkerConnection>(new WorkerProcess(std::move(*child)));
}

void WorkerProcess::SetLimits(const BackendOptions& options) {
  child_.SetLimits(options.wall_seconds, options.cpu_seconds);
  logs_.clear();
}

Result<WorkerMessage> WorkerProcess::Receive() {
  std::string start;
  const Result<Done> prefix = ReadUpTo(kFrameHeadBytes, start);
  if (!prefix) return NoFrame(prefix.error(), start);
  const size_t length = FrameLength(start);
  const Result<Done> possible = CheckWorkerMessageLength(length);
  if (!possible) return NoFrame(BreakOfProtocol(possible.error().message), start);
  // The length may be wrong if the program does not follow the protocol, so the head of the message
  // is checked before the rest is read.
  const Result<Done> more = ReadUpTo(kFrameHeadBytes + kWorkerHeadBytes, start);
  if (!more) return NoFrame(more.error(), start);
  std::string bytes = start.substr(kFrameHeadBytes);
  const Result<Done> head = CheckWorkerMessageHead(bytes);
  if (!head) return NoFrame(BreakOfProtocol(head.error().message), start);
  const Result<std::string> rest = child_.Read(length - kWorkerHeadBytes);
  if (!rest) {
    return Error{rest.error().kind, rest.error().message + ", within a message of " +
                                        std::to_string(length) + " bytes"};
  }
  bytes += *rest;
  Result<WorkerMessage> message = DecodeWorkerMessage(bytes);
  if (!message) return BreakOfProtocol(message.error().message);
  return message;
}

// Reads until there are `count` bytes. Keeps those that came before an Error.
Result<Done> WorkerProcess::ReadUpTo(size_t count, std::string& bytes) {
  while (bytes.size() < count) {
    const Result<std::string> byte = child_.Read(1);
    if (!byte) return byte.error();
    bytes += *byte;
    child_.ReadSome(bytes, count - bytes.size());
  }
  return Done{};
}

// Adds to an Error what the program has written in place of a frame, if that begins with text.
Error WorkerProcess::NoFrame(Error error, std::string text) {
  const auto is_text = [](unsigned char c) {
    return c >= ' ' || c == '\t' || c == '\r' || c == '\n';
  };
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  if (!std::ranges::all_of(text, is_text) || std::ranges::none_of(text, is_letter)) return error;
  child_.ReadSome(text, kTextShown);
  text.resize(std::min(text.find_first_of("\r\n"), text.size()));
  error.message += "; its standard output carried what is no frame: " + Quoted(text);
  return error;
}

Result<worker::Body> WorkerProcess::Ask(worker::Body request) {
  const WorkerMessage message{++number_, std::move(request)};
  const Result<std::string> bytes = EncodeWorkerMessage(message);
  if (!bytes) return worker::Body(worker::Unsupported{bytes.error().message});
  const std::string place = std::holds_alternative<worker::Invoke>(message.body)
                                ? ""
                                : std::string(WorkerBodyName(message.body)) + ": ";
  const auto at = [&place](const Error& error) { return Error{error.kind, place + error.message}; };
  const Result<Done> written = child_.WriteFrame(*bytes);
  if (!written) return at(written.error());
  Result<WorkerMessage> reply = Receive();
  if (!reply) return at(reply.error());
  if (!reply->log.empty()) {
    logs_ += reply->log + (reply->log.back() == '\n' ? "" : "\n");
    if (logs_.size() > 2 * kErrorBytesMax) logs_.erase(0, logs_.size() - kErrorBytesMax);
  }
  if (reply->number != number_) {
    return at(BreakOfProtocol("answers request " + std::to_string(reply->number) + " in place of " +
                              std::to_string(number_)));
  }
  if (!Answers(message.body, reply->body)) {
    return at(BreakOfProtocol("answers with " + std::string(WorkerBodyName(reply->body))));
  }
  return std::move(reply->body);
}

Outcome WorkerProcess::OutcomeOf(const Error& error) {
  Outcome outcome = WorkerConnection::OutcomeOf(error);
  if (child_.timed_out()) outcome.kind = OutcomeKind::kTimedOut;
  const std::string words = LastWordsOf(child_.errors());
  if (!words.empty()) outcome.message += ": " + words;
  return outcome;
}

// ---- WorkerBackend: its description

Result<std::unique_ptr<Backend>> WorkerBackend::Open(ChildCommand command, std::string title,
                                                     const BackendOptions& options) {
  AddEnvironment(options, command);
  return Open([command = std::move(command)] { return WorkerProcess::Start(command); },
              std::move(title), options);
}

Result<std::unique_ptr<Backend>> WorkerBackend::Open(Connect connect, std::string title,
                                                     const BackendOptions& options) {
  std::unique_ptr<WorkerBackend> backend(
      new WorkerBackend(std::move(connect), std::move(title), options));
  const Result<Done> started = backend->Start();
  if (!started) return started.error();
  backend->target_ = TargetOf(backend->ready_);
  Result<BackendDeclarations> declared = DeclarationsNamed(backend->ready_.declarations);
  if (!declared) {
    return BadInput(backend->title_ + ": " + declared.error().message);
  }
  declared->taps_used |= backend->ready_.taps_are_read;
  backend->Declare(*declared);
  return std::unique_ptr<Backend>(std::move(backend));
}

Result<worker::Body> WorkerBackend::Greet(WorkerConnection& connection) {
  Result<worker::Body> reply = connection.Ask(worker::Hello{});
  if (!reply || !IsOneOf<worker::Unsupported>(*reply)) return reply;
  const Result<worker::Body> again = connection.Ask(worker::Hello{1});
  return again && IsOneOf<worker::Ready>(*again) ? again : reply;
}

Result<Done> WorkerBackend::Start() {
  Result<std::unique_ptr<WorkerConnection>> connected = connect_();
  if (!connected) return connected.error();
  WorkerConnection& connection = **connected;
  connection.SetLimits(options_);
  const Result<worker::Body> reply = Greet(connection);
  const auto error = [this](Error::Kind kind, const std::string& what) {
    return Error{kind, title_ + ": " + what};
  };
  if (!reply) {
    const std::string words = LinesAroundLastWords(connection.Errors());
    return error(Error::Kind::kBadInput,
                 reply.error().message + (words.empty() ? "" : ": " + words));
  }
  if (const auto* failed = std::get_if<worker::Failed>(&*reply)) {
    return error(Error::Kind::kBadInput, OnOneLine(failed->reason));
  }
  if (const auto* unsupported = std::get_if<worker::Unsupported>(&*reply)) {
    return error(Error::Kind::kUnsupported, OnOneLine(unsupported->reason));
  }
  ready_ = std::get<worker::Ready>(*reply);
  if (ready_.version < 1 || ready_.version > kWorkerProtocol) {
    return error(Error::Kind::kUnsupported, "speaks version " + std::to_string(ready_.version) +
                                                " of the protocol; this build speaks 1 to " +
                                                std::to_string(kWorkerProtocol));
  }
  connection_ = std::move(*connected);
  ++started_;
  has_run_ = false;
  return Done{};
}

std::string WorkerBackend::Describe() const {
  if (ready_.name.empty()) return title_;
  std::string text = OnOneLine(ready_.name + " " + ready_.release);
  for (const std::string& line : ready_.environment) text += "; " + OnOneLine(line);
  return title_ + " (" + CutText(std::move(text)) + ")";
}

std::string WorkerBackend::WhyUnsupported(const TestVector& vector) const {
  std::set<int32_t> contexts;
  for (const Step& step : vector.steps) {
    contexts.insert(step.context);
    if (!step.state_before.empty() && !ready_.takes_state) return "variables loaded from outside";
    if (step.expected == OutcomeKind::kError && !ready_.refuses) return "declares no checks";
  }
  if (ready_.contexts_max > 0 && contexts.size() > ready_.contexts_max) {
    return std::to_string(contexts.size()) + " contexts";
  }
  for (const Graph& graph : vector.graphs) {
    if (graph.Main() == nullptr) return "a graph without a main block";
    if (!ready_.variable_tensors && !VariableTensors(graph).empty()) return "variable tensors";
  }
  const std::vector<Misfit> misfits = Misfits(target_, vector, 1);
  return misfits.empty() ? "" : misfits[0].brief;
}

// ---- WorkerBackend: running a vector

namespace {

// Runs the steps of one vector.
class VectorRun {
 public:
  VectorRun(WorkerConnection& connection, const TestVector& vector, const TapRequest& asked)
      : connection_(connection),
        vector_(vector),
        asked_(asked),
        outcomes_(vector.steps.size()),
        taps_(vector.steps.size()) {}

  // Runs the vector `times` times, with the contexts reset in between. Returns the last run.
  TappedRun Run(int times) {
    RunSteps();
    for (int i = 1; i < times && ok(); ++i) {
      for (const uint32_t context : contexts_) {
        if (ok()) Ask(worker::ResetContext{context}, outcomes_[0]);
      }
      if (ok())
        RunSteps();
      else
        Conclude(0);
    }
    if (sound_) Close();
    return {std::move(outcomes_), std::move(taps_)};
  }
  // Returns true if the connection can be used again.
  bool sound() const { return sound_; }

 private:
  bool ok() const { return sound_ && !unsupported_; }

  void RunSteps() {
    for (size_t i = 0; i < outcomes_.size() && ok(); ++i) {
      RunStep(vector_.steps[i], outcomes_[i] = {}, taps_[i] = {});
      if (!ok()) Conclude(i);
    }
  }

  // Sets the outcomes after the step that ended the run. If that step is unsupported, the whole
  // vector is unsupported; otherwise the later steps were not run.
  void Conclude(size_t step) {
    if (unsupported_) {
      const Outcome outcome = outcomes_[step];
      std::fill(outcomes_.begin(), outcomes_.end(), outcome);
    }
    for (size_t k = step + 1; k < outcomes_.size() && !unsupported_; ++k) {
      outcomes_[k] = {};
      outcomes_[k].message = "not run";
    }
  }

  using Taps = std::map<TensorIndex, Tensor>;

  void RunStep(const Step& step, Outcome& outcome, Taps& taps) {
    const auto graph = static_cast<uint32_t>(step.graph);
    const auto context = static_cast<uint32_t>(step.context);
    if (!Load(graph, outcome)) return;
    if (const auto refused = refused_.find(graph); refused != refused_.end()) {
      Refuse(step, refused->second, outcome);
      return;
    }
    if (!Open(context, outcome)) return;
    const auto reply =
        Ask(worker::Invoke{context, graph, step.inputs, step.state_before, NamesOfTaps(graph)},
            outcome);
    if (!reply) return;
    if (Refuse(step, *reply, outcome)) return;
    const auto& answer = std::get<worker::Answer>(*reply);
    if (Take(answer, outputs_of(graph), outcome)) TakeTaps(answer, graph, outcome, taps);
  }

  std::vector<std::string> NamesOfTaps(uint32_t graph) const {
    std::vector<std::string> names;
    if (asked_.empty()) return names;
    const Block& main = *vector_.graphs[graph].Main();
    for (const TensorIndex tensor : asked_[graph]) {
      names.push_back(main.tensors[static_cast<size_t>(tensor)].name);
    }
    return names;
  }

  void TakeTaps(const worker::Answer& answer, uint32_t graph, Outcome& outcome, Taps& taps) {
    const std::vector<std::string> names = NamesOfTaps(graph);
    for (const auto& [name, value] : answer.taps) {
      const auto found = std::ranges::find(names, name);
      if (found == names.end()) {
        return Lose(BreakOfProtocol("gives a tap that nobody has asked for, " + Quoted(name)),
                    outcome);
      }
      taps.emplace(asked_[graph][static_cast<size_t>(found - names.begin())], value);
    }
  }

  // Sets the outcome of a step that was refused or rejected. Returns false if it was neither. A
  // rejection for a reason of the backend's own does not show that it checks what it must refuse.
  bool Refuse(const Step& step, const worker::Body& reply, Outcome& outcome) {
    if (const auto* refused = std::get_if<worker::Refused>(&reply)) {
      outcome.kind = OutcomeKind::kError;
      outcome.message = WithOperator(refused->op, refused->reason);
      outcome.pass = OnOneLine(refused->pass);
      return true;
    }
    const auto* rejected = std::get_if<worker::Rejected>(&reply);
    if (rejected == nullptr) return false;
    outcome.message = WithOperator(rejected->op, rejected->reason);
    if (outcome.message.empty()) outcome.message = "rejected";
    outcome.pass = OnOneLine(rejected->pass);
    unsupported_ = rejected->unsupported || step.expected != OutcomeKind::kValid;
    outcome.kind = unsupported_ ? OutcomeKind::kUnsupported : OutcomeKind::kError;
    return true;
  }

  size_t outputs_of(uint32_t graph) const { return vector_.graphs[graph].Main()->outputs.size(); }

  // Takes the outputs of an answer. Returns false if their number is wrong.
  bool Take(const worker::Answer& answer, size_t outputs, Outcome& outcome) {
    if (answer.outputs.size() != outputs) {
      Lose(BreakOfProtocol(std::to_string(answer.outputs.size()) + " outputs in place of " +
                           std::to_string(outputs)),
           outcome);
      return false;
    }
    outcome.kind = OutcomeKind::kValid;
    outcome.outputs = answer.outputs;
    outcome.state = answer.state;
    return true;
  }

  // Opens the context if it is not open. Returns false if the run has ended.
  bool Open(uint32_t context, Outcome& outcome) {
    if (contexts_.contains(context)) return true;
    if (!Ask(worker::OpenContext{context}, outcome)) return false;
    contexts_.insert(context);
    return true;
  }

  // Loads the graph if it is not loaded, with the same result. A refused graph is not loaded again.
  bool Load(uint32_t graph, Outcome& outcome) {
    if (graphs_.contains(graph) || refused_.contains(graph)) return true;
    const auto reply =
        Ask(worker::LoadGraph{graph, WriteTosa(vector_.graphs[graph]), vector_.level}, outcome);
    if (!reply) return false;
    if (IsOneOf<worker::Refused, worker::Rejected>(*reply)) {
      refused_[graph] = *reply;
    } else {
      graphs_.insert(graph);
    }
    return true;
  }

  // Returns the reply if the run goes on. Otherwise `outcome` gets the outcome of the step.
  std::optional<worker::Body> Ask(worker::Body request, Outcome& outcome) {
    Result<worker::Body> reply = connection_.Ask(std::move(request));
    if (!reply) {
      Lose(reply.error(), outcome);
      return std::nullopt;
    }
    if (const auto* unsupported = std::get_if<worker::Unsupported>(&*reply)) {
      unsupported_ = true;
      outcome.message = WithOperator(unsupported->op, unsupported->reason);
      if (outcome.message.empty()) outcome.message = "unsupported";
      return std::nullopt;
    }
    if (const auto* failed = std::get_if<worker::Failed>(&*reply)) {
      sound_ = false;
      outcome.kind = OutcomeKind::kCrashed;
      outcome.message = WithOperator(failed->op, failed->reason);
      if (outcome.message.empty()) outcome.message = "failed";
      outcome.pass = OnOneLine(failed->pass);
      outcome.wrote_outside = failed->wrote_outside;
      return std::nullopt;
    }
    return std::move(*reply);
  }

  void Lose(const Error& error, Outcome& outcome) {
    sound_ = false;
    outcome = connection_.OutcomeOf(error);
  }

  // Closes everything. A crash here counts as a crash of the last step, because there is no other
  // step to blame.
  void Close() {
    Outcome outcome;
    for (const uint32_t context : contexts_) {
      if (sound_) Ask(worker::CloseContext{context}, outcome);
    }
    for (const uint32_t graph : graphs_) {
      if (sound_) Ask(worker::UnloadGraph{graph}, outcome);
    }
    if (!sound_ && !outcomes_.empty()) outcomes_.back() = outcome;
  }

  WorkerConnection& connection_;
  const TestVector& vector_;
  const TapRequest& asked_;  // empty: nothing is asked for
  std::vector<Outcome> outcomes_;
  std::vector<Taps> taps_;
  std::set<uint32_t> graphs_, contexts_;      // loaded and opened
  std::map<uint32_t, worker::Body> refused_;  // with the reply to LoadGraph
  bool sound_ = true;
  bool unsupported_ = false;
};

}  // namespace

namespace {

Result<std::vector<Outcome>> OutcomesOf(Result<TappedRun> run) {
  if (!run) return run.error();
  return std::move(run->outcomes);
}

}  // namespace

Result<std::vector<Outcome>> WorkerBackend::Run(const TestVector& vector) {
  return OutcomesOf(RunTimes(vector, 1));
}

std::optional<Result<std::vector<Outcome>>> WorkerBackend::RunAfterReset(const TestVector& vector) {
  return OutcomesOf(RunTimes(vector, 2));
}

Result<TappedRun> WorkerBackend::RunWithTaps(const TestVector& vector, const TapRequest& asked) {
  return RunTimes(vector, 1, asked);
}

Result<TappedRun> WorkerBackend::RunTimes(const TestVector& vector, int times,
                                          const TapRequest& asked) {
  errors_.clear();
  if (!connection_) {
    const Result<Done> started = Start();
    if (!started) return Error{Error::Kind::kResource, started.error().message};
  }
  has_run_ = true;
  connection_->SetLimits(options_);
  VectorRun run(*connection_, vector, asked);
  TappedRun tapped = run.Run(times);
  errors_ = EndOf(connection_->Errors(), "", kErrorBytesMax);
  if (!run.sound()) connection_.reset();
  return tapped;
}

}  // namespace assay
