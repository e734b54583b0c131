// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "clean_text.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "executor.h"
#include "files.h"
#include "graph_source.h"
#include "graph_text.h"
#include "json_fields.h"
#include "json_text.h"
#include "model_limits.h"
#include "model_source.h"
#include "npy_file.h"
#include "parallel.h"
#include "run_options.h"
#include "terminal.h"
#include "time_limit.h"

namespace assay::cli {
namespace {

// The executor's memory for an element: 8 bytes in a tensor, 8 as a scalar, and 8 that an operator
// needs while it runs.
constexpr int64_t kBytesPerElement = 24;

struct RunOptions {
  std::string file;
  ModelOptions model;
  std::string out;
  int repeat = 1;
  std::string kernels = "fast";
  std::string semantics;
  int64_t bytes_max = int64_t{2} << 30;
  BackendOptions limits;
  int threads = 1;
  bool json = false;
};

void DeclareRun(CommandLine& line, RunOptions& options) {
  line.Add("FILE", options.file, kGraphOrVectorHelp).Required();
  AddModelOptions(line, options.model);
  line.Add("--out", options.out, "folder for the outputs, as .npy files");
  line.Add("--repeat", options.repeat,
           "number of invocations of a graph in one context; each sample has a context")
      .Between(1, 1'000'000)
      .ShowDefault();
  line.Add("--kernels", options.kernels,
           "fast, or template: every operator as the specification writes it")
      .OneOf({"fast", "template"})
      .ShowDefault();
  line.Add("--semantics", options.semantics,
           "rules for variables: 1.0, nested-keeps-seen or rfc (default: the rules of the "
           "vector)")
      .OneOf({"1.0", "nested-keeps-seen", "rfc"});
  line.Add("--max-bytes", options.bytes_max,
           "maximum memory for the results of operators, in bytes")
      .Between(1, std::numeric_limits<int64_t>::max())
      .ShowDefault();
  AddTimeOptions(line, options.limits);
  AddThreadsOption(line, options.threads);
  line.AddFlag("--json", options.json, "print JSON");
}

// The vector to execute, and one line on its inputs.
using VectorToRun = ModelSource::Sample;

// Loads the vector to execute: a vector as it is, or a graph as a vector with a context for each
// sample of inputs.
Result<VectorToRun> LoadVectorToRun(const RunOptions& options) {
  const Result<ModelSource> source = ModelSource::Load(options.file, options.model);
  if (!source) return source.error();
  if (!source->is_graph() && options.repeat != 1) {
    return UsageError(options.file + ": holds its own inputs and steps; --repeat is for graphs");
  }
  // Inputs are drawn by several executions.
  constexpr double kExecutions = 20;
  const double executions = kExecutions * static_cast<double>(source->samples());
  const BackendOptions limits =
      source->is_graph() ? LimitsOfModel(source->vector(), options.limits) : options.limits;
  const TimeLimit limit(limits.cpu_seconds * executions, limits.wall_seconds * executions);
  Result<VectorToRun> work = source->At(0);
  if (!work || !source->is_graph()) return work;
  std::vector<Step> steps;
  for (int64_t i = 0; i < source->samples(); ++i) {
    Result<VectorToRun> sample = source->At(i);
    if (!sample) return sample.error();
    Step& step = sample->vector.steps[0];
    step.context = static_cast<int32_t>(i);
    steps.insert(steps.end(), static_cast<size_t>(options.repeat), step);
  }
  work->vector.steps = std::move(steps);
  return work;
}

const std::string& OutputName(const TestVector& vector, const Step& step, size_t output) {
  const Block& main = *vector.GraphOf(step).Main();
  return main.tensors[static_cast<size_t>(main.outputs[output])].name;
}

// Returns a tensor's name as a file name, which cannot lead out of the folder.
std::string OutputFileName(const TestVector& vector, size_t step, size_t output) {
  std::string name;
  for (char c : OutputName(vector, vector.steps[step], output)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.';
    name += plain ? c : '_';
  }
  if (name.empty() || name[0] == '.') name = "_" + name;
  name = name.substr(0, 100);
  return vector.steps.size() == 1 ? name : "step-" + std::to_string(step) + "-" + name;
}

// Returns the path of each output of each step. Error kUsage if one of them is an input.
Result<std::vector<std::vector<std::string>>> OutputPaths(const TestVector& vector,
                                                          const RunOptions& options) {
  std::set<std::string> taken;
  std::vector<std::vector<std::string>> paths(vector.steps.size());
  for (size_t i = 0; i < paths.size(); ++i) {
    const Block* main = vector.GraphOf(vector.steps[i]).Main();
    for (size_t k = 0; main != nullptr && k < main->outputs.size(); ++k) {
      std::string name = OutputFileName(vector, i, k);
      if (!taken.insert(name).second) name += "-" + std::to_string(k);
      taken.insert(name);
      paths[i].push_back(JoinPath(options.out, name + ".npy"));
      for (const std::string& input : options.model.inputs) {
        std::error_code none;
        const std::string file = FileExists(input) ? input : input.substr(input.find('=') + 1);
        if (!std::filesystem::equivalent(file, paths[i].back(), none)) continue;
        return UsageError(paths[i].back() +
                          ": is an input of this command; choose another folder for the output");
      }
    }
  }
  return paths;
}

Result<Done> WriteOutputs(const std::vector<Outcome>& outcomes, const std::string& out,
                          const std::vector<std::vector<std::string>>& paths) {
  const Result<Done> made = MakeDirectories(out);
  if (!made) return made.error();
  for (size_t i = 0; i < outcomes.size(); ++i) {
    for (size_t k = 0; k < outcomes[i].outputs.size(); ++k) {
      const Result<Done> written =
          WriteFileAtomically(paths[i][k], WriteNpy(outcomes[i].outputs[k]));
      if (!written) return written.error();
    }
  }
  return Done{};
}

std::string Words(const Outcome& outcome) {
  std::string words(OutcomeName(outcome.kind));
  if (!outcome.rule.empty() && outcome.kind != OutcomeKind::kValid) words += ", " + outcome.rule;
  if (!outcome.message.empty()) words += ", " + outcome.message;
  return OneLine(words);
}

void PrintOutcomes(const VectorToRun& work, const std::vector<Outcome>& outcomes) {
  const TestVector& vector = work.vector;
  if (work.is_drawn) Print("{}\n", work.inputs);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    Print("step {}: {}\n", i, Words(outcomes[i]));
    for (size_t k = 0; k < outcomes[i].outputs.size(); ++k) {
      Print("  {} = {}\n", CleanText(OutputName(vector, vector.steps[i], k)),
            TensorText(outcomes[i].outputs[k]));
    }
    for (const auto& [name, value] : outcomes[i].state) {
      Print("  state {} = {}\n", CleanText(name), TensorText(value));
    }
  }
}

Json TensorJson(const Tensor& tensor, const std::string& name) {
  Json elements = Json::array();
  for (int64_t i = 0; i < tensor.elements(); ++i) elements.push_back(tensor.ElementText(i));
  const auto dims = tensor.shape().dims();
  return {{"name", CleanText(name)},
          {"type", TypeName(tensor.type())},
          {"shape", std::vector<int32_t>(dims.begin(), dims.end())},
          {"elements", std::move(elements)}};
}

void PrintOutcomesJson(const VectorToRun& work, const std::vector<Outcome>& outcomes) {
  const TestVector& vector = work.vector;
  Json steps = Json::array();
  for (size_t i = 0; i < outcomes.size(); ++i) {
    Json outputs = Json::array(), state = Json::array();
    for (size_t k = 0; k < outcomes[i].outputs.size(); ++k) {
      outputs.push_back(TensorJson(outcomes[i].outputs[k], OutputName(vector, vector.steps[i], k)));
    }
    for (const auto& [name, value] : outcomes[i].state) state.push_back(TensorJson(value, name));
    steps.push_back({{"outcome", OutcomeName(outcomes[i].kind)},
                     {"rule", outcomes[i].rule},
                     {"message", CleanText(outcomes[i].message)},
                     {"outputs", std::move(outputs)},
                     {"state", std::move(state)}});
  }
  Print("{}\n", JsonText(Json{{"inputs", work.inputs}, {"steps", std::move(steps)}}, 2));
}

ExitStatus StatusOfOutcomes(const std::vector<Outcome>& outcomes) {
  bool unsupported = outcomes.empty();
  for (const Outcome& outcome : outcomes) {
    if (outcome.kind == OutcomeKind::kError || outcome.kind == OutcomeKind::kUnpredictable) {
      return kExitFinding;
    }
    unsupported = unsupported || outcome.kind == OutcomeKind::kUnsupported;
  }
  return unsupported ? kExitUndecided : kExitClean;
}

int RunVector(const RunOptions& options) {
  SetThreads(options.threads);
  Result<VectorToRun> work = LoadVectorToRun(options);
  if (!work) return Fail(work.error());
  TestVector& vector = work->vector;
  if (!options.semantics.empty()) vector.semantics = options.semantics;
  std::vector<std::vector<std::string>> paths;
  if (!options.out.empty()) {
    Result<std::vector<std::vector<std::string>>> named = OutputPaths(vector, options);
    if (!named) return Fail(named.error());
    paths = std::move(*named);
  }
  ExecutionOptions execution;
  execution.kernels = options.kernels == "template" ? Kernels::kTemplate : Kernels::kFast;
  execution.elements_max = std::max<int64_t>(options.bytes_max / kBytesPerElement, 1);
  const std::vector<Outcome> outcomes = [&] {
    const TimeLimit limit(options.limits.cpu_seconds, options.limits.wall_seconds);
    return ExecuteVector(vector, execution);
  }();
  if (!options.out.empty()) {
    const Result<Done> written = WriteOutputs(outcomes, options.out, paths);
    if (!written) return Fail(written.error());
  }
  if (options.json) {
    PrintOutcomesJson(*work, outcomes);
  } else {
    PrintOutcomes(*work, outcomes);
  }
  return StatusOfOutcomes(outcomes);
}

}  // namespace

extern const Command run_command = {
    .name = "run",
    .summary = "executes a graph, a vector or an Arm test directory with the reference executor",
    .declare = DeclareWith<RunOptions, DeclareRun, RunVector>,
};

}  // namespace assay::cli
