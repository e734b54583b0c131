// SPDX-License-Identifier: Apache-2.0
// arm:PATH: Arm's reference model, one process per step, with an Arm test directory. README.md
// lists the outcome for each exit status.
#include <algorithm>
#include <csignal>
#include <map>
#include <string>

#include "arm_directory.h"
#include "backend_kind.h"
#include "child_process.h"
#include "exec_folder.h"
#include "files.h"
#include "program_output.h"
#include "scratch_folder.h"

namespace assay::backend {
namespace {

// The exit statuses of the model.
constexpr int kUnpredictableStatus = 1;
constexpr int kErrorStatus = 2;
constexpr int kVersionMismatchStatus = 6;
// A shell between us and the model reports signal N as status 128 + N.
constexpr int kShellSignal = 128;

using State = std::map<std::string, Tensor>;  // of a context: its variables by name

// Returns the outcome kind for a process that gave no answer.
OutcomeKind KindOfEnd(const ChildReport& report) {
  if (report.end == ChildReport::End::kTimedOut) return OutcomeKind::kTimedOut;
  if (report.end == ChildReport::End::kSignaled) return OutcomeKind::kCrashed;
  switch (report.status) {
    case kUnpredictableStatus:
      return OutcomeKind::kUnpredictable;
    case kErrorStatus:
      return OutcomeKind::kError;
    case kVersionMismatchStatus:
      return OutcomeKind::kUnsupported;
    default:
      return OutcomeKind::kCrashed;
  }
}

std::string DescribeEnd(ChildReport report) {
  if (report.end == ChildReport::End::kExited && report.status > kShellSignal &&
      report.status < kShellSignal + NSIG) {
    report.end = ChildReport::End::kSignaled;
    report.status -= kShellSignal;
  }
  return report.Describe();
}

class ArmBackend : public Backend {
 public:
  ArmBackend(std::string path, const BackendOptions& options, ScratchFolder scratch)
      : path_(std::move(path)), options_(options), scratch_(std::move(scratch)) {}

  std::string WhyUnsupported(const TestVector& vector) const override {
    for (const Step& step : vector.steps) {
      const Graph& graph = vector.GraphOf(step);
      if (graph.Main() == nullptr) return "a graph without a main block";
      // The model lacks operators on variables: it keeps state only in variable tensors.
      for (const auto& [block, op] : graph.Operators()) {
        if (IsVariableOperator(op.op)) return std::string(OperatorName(op.op));
      }
    }
    return {};
  }

  std::string Describe() const override { return "arm:" + path_; }

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    return scratch_.Run([&](const std::string& folder) { return RunIn(folder, vector); });
  }

  std::optional<Error> MachineFailure() const override { return scratch_.failure(); }

 private:
  Result<std::vector<Outcome>> RunIn(const std::string& scratch, const TestVector& vector) const {
    std::map<int32_t, State> contexts;
    std::vector<Outcome> outcomes(vector.steps.size());
    for (size_t i = 0; i < outcomes.size(); ++i) {
      const std::string folder = JoinPath(scratch, "step-" + std::to_string(i));
      State& state = contexts[vector.steps[i].context];
      Result<Outcome> outcome = RunStep(vector, i, folder, state);
      if (!outcome) return outcome.error();
      outcomes[i] = std::move(*outcome);
      if (outcomes[i].kind <= OutcomeKind::kUnpredictable) continue;
      for (size_t k = i + 1; k < outcomes.size(); ++k) outcomes[k].message = "not run";
      break;
    }
    return outcomes;
  }

  // Runs one step in a fresh process; `state` is what the context holds before and after.
  Result<Outcome> RunStep(const TestVector& vector, size_t index, const std::string& folder,
                          State& state) const {
    TestVector one = vector;
    Step& step = one.steps[index];
    for (const auto& [name, value] : step.state_before) state[name] = value;
    const auto variables = VariableTensors(vector.GraphOf(step));
    step.state_before.clear();
    step.state_after.clear();
    step.outputs.clear();  // the model does not get the expected outputs
    for (const auto& [name, type] : variables) {
      const auto known = state.find(name);
      if (known != state.end()) step.state_before[name] = known->second;
    }
    Outcome outcome;
    if (!step.state_before.empty() && step.state_before.size() < variables.size()) {
      outcome.message = "some variables have a value, and some have none";
      return outcome;
    }
    const Result<Done> written = WriteArmDirectory(folder, one, index);
    if (!written) return written.error();
    const Result<ChildReport> report = Start(vector, folder, !step.state_before.empty());
    // The program exists. If this machine cannot run it, that says nothing about the vector.
    if (!report) return Error{Error::Kind::kResource, report.error().message};
    const bool valid = report->end == ChildReport::End::kExited && report->status == 0;
    if (valid && ReadAnswer(folder, vector.GraphOf(step), variables, outcome)) {
      for (const auto& [name, value] : outcome.state) state[name] = value;
      return outcome;
    }
    outcome.outputs.clear();
    outcome.state.clear();
    outcome.kind = valid ? KindWithoutAnswer(*report) : KindOfEnd(*report);
    if (outcome.message.empty()) {
      const std::string line = WordsOf(report->errors, folder);
      outcome.message = DescribeEnd(*report) + (valid ? ", but no answer" : "") +
                        (line.empty() ? "" : ": " + line);
    }
    return outcome;
  }

  Result<ChildReport> Start(const TestVector& vector, const std::string& folder,
                            bool with_variables) const {
    const std::string results = JoinPath(folder, "results");
    const Result<Done> made = MakeDirectories(results);
    if (!made) return made.error();
    ChildCommand command;
    command.argv = {path_, "--test_desc=" + JoinPath(folder, "desc.json"),
                    "--output_dir=" + results,
                    vector.level == "none" ? "--tosa_level=NONE" : "--tosa_level=EIGHTK"};
    if (with_variables) command.argv.emplace_back("--initialize_variable_tensor_from_numpy=1");
    command.cpu_seconds = options_.cpu_seconds;
    AddEnvironment(options_, command);
    ChildLimits limits;
    limits.wall_seconds = options_.wall_seconds;
    return RunChild(command, "", limits);
  }

  // Returns the outcome kind if there is no answer. The model also ends with status 0, without an
  // output, if its check before execution finds the graph invalid.
  static OutcomeKind KindWithoutAnswer(const ChildReport& report) {
    const bool refused = report.errors.find("Failed to validate graph") != std::string::npos ||
                         report.output.find("Failed to validate graph") != std::string::npos;
    return refused ? OutcomeKind::kError : OutcomeKind::kCrashed;
  }

  // Reads the outputs and variables. Returns false if one is missing, with a message if there is
  // more to report.
  static bool ReadAnswer(const std::string& folder, const Graph& graph,
                         const std::vector<std::pair<std::string, TensorType>>& variables,
                         Outcome& outcome) {
    const std::string results = JoinPath(folder, "results");
    const auto read = [&](const std::string& name, const TensorType& type, Tensor& to) {
      const std::string path = JoinPath(results, name);
      if (!FileExists(path)) return false;
      const Result<Tensor> tensor = ReadAnswerFile(path, name, type);
      if (!tensor) {
        outcome.message = WordsOf(tensor.error().message, folder);
        return false;
      }
      to = *tensor;
      return true;
    };
    const Block& main = *graph.Main();
    for (size_t i = 0; i < main.outputs.size(); ++i) {
      const std::string name = "output-" + std::to_string(i) + ".npy";
      if (!read(name, main.TypeOf(main.outputs[i]), outcome.outputs.emplace_back())) return false;
    }
    // WriteArmDirectory() numbers them by name.
    const std::map<std::string, TensorType> sorted(variables.begin(), variables.end());
    size_t number = 0;
    for (const auto& [name, type] : sorted) {
      const std::string file = "variable-" + std::to_string(number++) + ".npy";
      if (!read(file, type, outcome.state[name])) return false;
    }
    outcome.kind = OutcomeKind::kValid;
    return true;
  }

  std::string path_;
  BackendOptions options_;
  ScratchFolder scratch_;
};

Result<std::unique_ptr<Backend>> OpenArm(std::string_view argument, const BackendOptions& options) {
  if (argument.empty()) {
    return UsageError("arm: a path is missing, as in arm:./tosa_reference_model");
  }
  const Result<Done> found = CheckProgram("arm", std::string(argument));
  if (!found) return found.error();
  Result<ScratchFolder> scratch = ScratchFolder::Open("");
  if (!scratch) return scratch.error();
  return std::unique_ptr<Backend>(
      std::make_unique<ArmBackend>(std::string(argument), options, std::move(*scratch)));
}

}  // namespace

extern const BackendKind arm_backend = {
    .name = "arm",
    .argument = "PATH",
    .help =
        "Arm's tosa_reference_model at PATH, started once per step on an Arm test directory.\n"
        "Exit status: 0 valid, 1 unpredictable, 2 error, 6 another version (unsupported). Any\n"
        "other status, a signal or 128 + N is a crash. Files keep the values of variable tensors\n"
        "between steps. The VARIABLE operators are unsupported, because the model lacks them.",
    .open = OpenArm,
};
}  // namespace assay::backend
