// exec:COMMAND: one process per vector, with all data in a folder of files. The protocol is
// described in README.md and, in short, in the help text below.
#include <algorithm>
#include <map>
#include <string>

#include "arm_directory.h"
#include "backend_kind.h"
#include "child_process.h"
#include "files.h"
#include "npy_file.h"
#include "program_output.h"
#include "quoted.h"
#include "scratch_folder.h"
#include "tosa_file.h"

namespace assay {
namespace {

constexpr int kUnsupportedStatus = 77;
constexpr char kFolderWord[] = "{dir}";
constexpr int64_t kRefusalBytesMax = int64_t{1} << 20;

std::string StepFile(size_t step, const std::string& what) {
  return "step-" + std::to_string(step) + "-" + what;
}
std::string TensorFile(size_t step, const char* direction, size_t index) {
  return StepFile(step, std::string(direction) + "-" + std::to_string(index) + ".npy");
}

const Graph& GraphOf(const TestVector& vector, const Step& step) {
  return vector.graphs[static_cast<size_t>(step.graph)];
}

const Block& MainOf(const TestVector& vector, const Step& step) {
  return *GraphOf(vector, step).Main();
}

// The variable tensors of each context, by name, in the order in which its steps use them. The
// value is the one before the first step: given by the first step that uses the variable, else by
// its graph.
struct ContextVariable {
  std::string name;
  Tensor value;  // may be absent
};
using ContextVariables = std::map<int32_t, std::vector<ContextVariable>>;

Tensor InitialValue(const Graph& graph, const std::string& name) {
  for (const Block& block : graph.Blocks()) {
    for (const TensorInfo& tensor : block.tensors) {
      const bool is_meant = tensor.variable && tensor.name == name;
      if (is_meant && tensor.initial_value.has_value()) return tensor.initial_value;
    }
  }
  return {};
}

size_t NumberOf(const std::vector<ContextVariable>& variables, const std::string& name) {
  const auto is_meant = [&name](const ContextVariable& variable) { return variable.name == name; };
  return static_cast<size_t>(std::find_if(variables.begin(), variables.end(), is_meant) -
                             variables.begin());
}

ContextVariables VariablesOf(const TestVector& vector) {
  ContextVariables contexts;
  for (const Step& step : vector.steps) {
    const Graph& graph = GraphOf(vector, step);
    std::vector<ContextVariable>& variables = contexts[step.context];
    for (const auto& [name, type] : VariableTensors(graph)) {
      const size_t number = NumberOf(variables, name);
      if (number < variables.size()) continue;
      const auto given = step.state_before.find(name);
      const bool is_given = given != step.state_before.end();
      variables.push_back({name, is_given ? given->second : InitialValue(graph, name)});
    }
  }
  return contexts;
}

std::string VariableFile(int32_t context, size_t number) {
  return "context-" + std::to_string(context) + "-variable-" + std::to_string(number) + ".npy";
}

// Returns the request to the program: a line for each step and each file.
std::string StepsText(const TestVector& vector, const ContextVariables& contexts) {
  std::string text = "assay-steps 1\n";
  const auto line = [&text](const char* word, const std::string& file, const TensorType& type,
                            const std::string& name) {
    text += std::string(word) + " " + file + " " + type.ToString() + " " + Quoted(name) + "\n";
  };
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    const Step& step = vector.steps[i];
    const Block& main = MainOf(vector, step);
    text += "step " + std::to_string(i) + " graph-" + std::to_string(step.graph) +
            ".tosa context " + std::to_string(step.context) + "\n";
    const auto add = [&](const char* direction, const std::vector<TensorIndex>& tensors) {
      for (size_t k = 0; k < tensors.size(); ++k) {
        const TensorInfo& info = main.tensors[static_cast<size_t>(tensors[k])];
        line(direction, TensorFile(i, direction, k), info.type, info.name);
      }
    };
    size_t loaded = 0;
    for (const auto& [name, value] : step.state_before) {
      line("load", TensorFile(i, "load", loaded++), value.tensor_type(), name);
    }
    add("input", main.inputs);
    add("output", main.outputs);
    for (const auto& [name, type] : VariableTensors(GraphOf(vector, step))) {
      const size_t number = NumberOf(contexts.at(step.context), name);
      line("variable", VariableFile(step.context, number), type, name);
    }
  }
  return text;
}

Result<Done> WriteFolder(const TestVector& vector, const std::string& folder) {
  const auto write = [&folder](const std::string& name, std::span<const uint8_t> bytes) {
    return WriteFileAtomically(JoinPath(folder, name), bytes);
  };
  for (size_t i = 0; i < vector.graphs.size(); ++i) {
    const auto written = write("graph-" + std::to_string(i) + ".tosa", WriteTosa(vector.graphs[i]));
    if (!written) return written.error();
  }
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    for (size_t k = 0; k < vector.steps[i].inputs.size(); ++k) {
      const auto written = write(TensorFile(i, "input", k), WriteNpy(vector.steps[i].inputs[k]));
      if (!written) return written.error();
    }
    size_t loaded = 0;
    for (const auto& [name, value] : vector.steps[i].state_before) {
      const auto written = write(TensorFile(i, "load", loaded++), WriteNpy(value));
      if (!written) return written.error();
    }
  }
  const ContextVariables contexts = VariablesOf(vector);
  for (const auto& [context, variables] : contexts) {
    for (size_t k = 0; k < variables.size(); ++k) {
      if (!variables[k].value.has_value()) continue;
      const auto written = write(VariableFile(context, k), WriteNpy(variables[k].value));
      if (!written) return written.error();
    }
  }
  return WriteFileAtomically(JoinPath(folder, "steps.txt"),
                             std::string_view(StepsText(vector, contexts)));
}

class ExecBackend : public Backend {
 public:
  ExecBackend(std::string command, const BackendOptions& options, ScratchFolder scratch)
      : command_(std::move(command)), options_(options), scratch_(std::move(scratch)) {}

  bool Supports(const TestVector& vector, std::string* why) const override {
    for (const Step& step : vector.steps) {
      if (vector.graphs[static_cast<size_t>(step.graph)].Main() == nullptr) {
        *why = "a graph without a main block";
        return false;
      }
    }
    return true;
  }

  std::string Describe() const override { return "exec:" + command_; }

  std::string Errors() override { return errors_; }

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    errors_.clear();
    return scratch_.Run([&](const std::string& folder) { return RunIn(folder, vector); });
  }

  std::optional<Error> MachineFailure() const override { return scratch_.failure(); }

 private:
  // Returns the words of the command. The folder replaces {dir}, or is the last word.
  ChildCommand CommandFor(const std::string& folder) const {
    ChildCommand command;
    bool named = false;
    for (std::string& word : CommandWords(command_)) {
      for (size_t found = word.find(kFolderWord); found != std::string::npos;
           found = word.find(kFolderWord, found + folder.size())) {
        word.replace(found, sizeof(kFolderWord) - 1, folder);
        named = true;
      }
      command.argv.push_back(std::move(word));
    }
    if (!named) command.argv.push_back(folder);
    command.cpu_seconds = options_.cpu_seconds;
    AddEnvironment(options_, command);
    return command;
  }

  Result<std::vector<Outcome>> RunIn(const std::string& folder, const TestVector& vector) {
    const Result<Done> written = WriteFolder(vector, folder);
    if (!written) return scratch_.Fail(written.error());
    ChildLimits limits;
    limits.wall_seconds = options_.wall_seconds;
    const Result<ChildReport> report = RunChild(CommandFor(folder), "", limits);
    // The program exists. If this machine cannot run it, that says nothing about the vector.
    if (!report) return Error{Error::Kind::kResource, report.error().message};
    errors_ = EndOf(report->errors, folder, kErrorBytesMax);
    std::vector<Outcome> outcomes(vector.steps.size());
    const bool ended = report->end == ChildReport::End::kExited;
    if (ended && report->status == kUnsupportedStatus) {
      const std::string line = WordsOf(report->errors, folder);
      for (Outcome& outcome : outcomes) outcome.message = line.empty() ? "unsupported" : line;
      return outcomes;
    }
    const bool sound = ended && report->status == 0;
    for (size_t i = 0; i < outcomes.size(); ++i) {
      const bool answers_in_files = !MainOf(vector, vector.steps[i]).outputs.empty();
      if ((sound || answers_in_files) && ReadAnswer(folder, vector, i, outcomes[i])) continue;
      outcomes[i].kind = report->end == ChildReport::End::kTimedOut ? OutcomeKind::kTimedOut
                                                                    : OutcomeKind::kCrashed;
      // An error in the answer is not reported if the program did not end normally.
      if (!sound || outcomes[i].message.empty()) {
        const std::string line = WordsOf(report->errors, folder);
        outcomes[i].message = report->Describe() + (sound ? ", but no answer" : "") +
                              (line.empty() ? "" : ": " + line);
      }
      for (size_t k = i + 1; k < outcomes.size(); ++k) outcomes[k].message = "not run";
      break;
    }
    return outcomes;
  }

  // Reads the answer to a step. Returns false if there is none, with a message if there is more to
  // report.
  static bool ReadAnswer(const std::string& folder, const TestVector& vector, size_t step,
                         Outcome& outcome) {
    const std::string refusal = JoinPath(folder, StepFile(step, "refused.txt"));
    if (FileExists(refusal)) {
      const Result<std::vector<uint8_t>> words = ReadRegularFile(refusal, kRefusalBytesMax);
      outcome.kind = OutcomeKind::kError;
      if (words) outcome.message = WordsOf(std::string(words->begin(), words->end()), folder);
      return true;
    }
    const auto read = [&](const std::string& name, const TensorType& type, Tensor& to) {
      const std::string path = JoinPath(folder, name);
      const Result<Tensor> tensor = ReadAnswerFile(path, name, type);
      if (tensor) {
        to = *tensor;
      } else {
        outcome.message = WordsOf(tensor.error().message, folder);
      }
      return static_cast<bool>(tensor);
    };
    const Block& main = MainOf(vector, vector.steps[step]);
    for (size_t i = 0; i < main.outputs.size(); ++i) {
      const std::string name = TensorFile(step, "output", i);
      if (!FileExists(JoinPath(folder, name))) return false;
      if (!read(name, main.TypeOf(main.outputs[i]), outcome.outputs.emplace_back())) return false;
    }
    size_t shown = 0;
    for (const auto& [variable, type] : VariableTensors(GraphOf(vector, vector.steps[step]))) {
      const std::string name = TensorFile(step, "state", shown++);
      if (!FileExists(JoinPath(folder, name))) continue;
      if (!read(name, type, outcome.state[variable])) return false;
    }
    outcome.kind = OutcomeKind::kValid;
    return true;
  }

  std::string command_;
  BackendOptions options_;
  ScratchFolder scratch_;
  std::string errors_;  // of the last run
};

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions& options) {
  const std::vector<std::string> words = CommandWords(argument);
  if (words.empty()) {
    return Error{Error::Kind::kUsage, "exec: a command is missing, as in exec:'./run {dir}'"};
  }
  const Result<Done> found = CheckProgram("exec:" + std::string(argument), words[0]);
  if (!found) return found.error();
  Result<ScratchFolder> scratch = ScratchFolder::Open(options.scratch);
  if (!scratch) return scratch.error();
  return std::unique_ptr<Backend>(
      std::make_unique<ExecBackend>(std::string(argument), options, std::move(*scratch)));
}

}  // namespace

namespace backend {
extern const BackendKind exec_backend = {
    .name = "exec",
    .argument = "COMMAND",
    .help =
        "your program, started once per vector. {dir} in COMMAND is replaced by the vector's\n"
        "directory; without {dir}, the directory is the last argument. It holds steps.txt,\n"
        "graph-N.tosa and step-N-input-K.npy. The program writes step-N-output-K.npy, or\n"
        "step-N-refused.txt with the reason for refusing a step. Exit status: 0 if all steps are\n"
        "answered, 77 if the vector is unsupported. Any other status, a signal or a time-out\n"
        "fails the first step without an answer.",
    .open = Open,
};
}  // namespace backend
}  // namespace assay
