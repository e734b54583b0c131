#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend_kind.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "files.h"
#include "graph_inputs.h"
#include "graph_source.h"
#include "judge_case.h"
#include "model_inputs.h"
#include "model_limits.h"
#include "model_report.h"
#include "model_verdict.h"
#include "quoted.h"
#include "report_files.h"
#include "reported_findings.h"
#include "terminal.h"
#include "time_limit.h"

namespace assay::cli {
namespace {

struct Options {
  std::string model;
  std::string backend;
  std::string function;
  std::vector<std::string> inputs;
  uint64_t seed = 1;
  int samples = 1;
  std::string level = "8K";
  std::string report;
  BackendOptions limits;
  bool strict = false;
  bool json = false;
};
Options options;

void Declare(CommandLine& line) {
  line.Add("MODEL", options.model, kGraphOrVectorHelp).Required();
  AddBackendOptions(line, options.backend, options.limits);
  AddFunctionOption(line, options.function);
  line.Add("--input", options.inputs,
           "NAME=FILE.npy for each input of the model (default: values drawn from --seed, in the "
           "range that keeps the values inside the model most informative)");
  line.Add("--seed", options.seed, "the same seed draws the same inputs").ShowDefault();
  line.Add("--samples", options.samples,
           "number of inputs to draw; the first wrong one ends the run")
      .Between(1, 1000)
      .ShowDefault();
  line.Add("--level", options.level, "for graphs: level, 8K or none").ShowDefault();
  line.Add("--report", options.report,
           "folder for model.html, model.json and the smallest vector that shows what is wrong");
  line.AddFlag("--strict", options.strict,
               "exit with status 3 if the model or a layer is suspect, undecided or unsupported");
  line.AddFlag("--json", options.json, "print JSON");
}

std::string CommandLineOf() {
  std::string line = "assay model " + ShellWord(options.model) + " " +
                     BackendWords(options.backend, options.limits);
  for (const std::string& input : options.inputs) line += " --input " + ShellWord(input);
  if (options.inputs.empty()) line += " --seed " + std::to_string(options.seed);
  if (options.samples != 1) line += " --samples " + std::to_string(options.samples);
  if (options.level != "8K") line += " --level " + options.level;
  if (!options.function.empty()) line += " --function " + ShellWord(options.function);
  return line;
}

// A model, and whether it brings its own inputs.
struct LoadedModel {
  TestVector vector;  // one graph and one step; a graph's step has no inputs yet
  bool has_inputs = false;
};

Result<LoadedModel> LoadModel() {
  Result<GraphOrVector> loaded = LoadGraphOrVector(options.model, options.function);
  if (!loaded) return loaded.error();
  LoadedModel model{std::move(loaded->vector), !loaded->is_graph};
  TestVector& vector = model.vector;
  if (model.has_inputs) {
    if (!options.inputs.empty()) {
      return Error{Error::Kind::kUsage,
                   options.model + ": holds its own inputs; --input is for graphs"};
    }
    if (vector.graphs.size() != 1 || vector.steps.size() != 1) {
      return Error{Error::Kind::kUsage, options.model + ": has " +
                                            std::to_string(vector.graphs.size()) + " graphs and " +
                                            std::to_string(vector.steps.size()) +
                                            " steps; a model is one graph that runs once"};
    }
  } else {
    vector.steps.assign(1, {});
    vector.level = options.level;
  }
  if (vector.graphs[0].Main() == nullptr) {
    return BadInput(options.model + ": the graph has no block \"main\"");
  }
  if (vector.name.empty()) vector.name = std::string(FileNameOf(options.model));
  return model;
}

// Sets the inputs of a model for a sample. Returns one line on where they come from.
Result<std::string> SetInputs(LoadedModel& model, int64_t sample) {
  if (model.has_inputs) return std::string("inputs of the vector");
  TestVector& vector = model.vector;
  if (!options.inputs.empty()) {
    Result<std::vector<Tensor>> inputs = LoadInputs(vector.graphs[0], options.inputs);
    if (!inputs) {
      Error error = inputs.error();
      error.message = options.model + ": " + error.message;
      return error;
    }
    vector.steps[0].inputs = std::move(*inputs);
    return std::string("inputs of --input");
  }
  const NeededPart part = PartNeededBy(MainOf(vector), MainOf(vector).outputs);
  Result<DrawnInputs> drawn = DrawModelInputs(vector, part, options.seed, sample);
  if (!drawn) {
    Error error = drawn.error();
    error.message = options.model + ": " + error.message;
    return error;
  }
  vector.steps[0].inputs = std::move(drawn->inputs);
  if (vector.steps[0].inputs.empty()) return std::string("no inputs");
  return "inputs drawn with seed " + std::to_string(options.seed) +
         (sample > 0 ? ", sample " + std::to_string(sample) : "") + ": " + drawn->range;
}

// Minimizes the vector of the wrong layer, and writes it to the report's folder.
Result<std::optional<ReportedFinding>> WorkUpLayer(const WrongLayer& wrong) {
  if (wrong.is_suspect || !wrong.vector || options.report.empty()) {
    return std::optional<ReportedFinding>();
  }
  FindingPlan plan;
  plan.backend = options.backend;
  plan.options = options.limits;
  plan.minimize = true;
  plan.folder = JoinPath(options.report, "findings");
  const Result<Done> made = MakeDirectories(plan.folder);
  if (!made) return made.error();
  plan.load = [&wrong](int64_t) -> Result<LoadedCase> { return LoadedCase{*wrong.vector, {}}; };
  plan.path = [](int64_t) { return options.model; };
  CaseResult found = wrong.result;
  for (Finding& finding : found.verdict.findings) finding.window.clear();
  Result<WorkedUp> worked_up = WorkUp(GroupFindings({found}, Representative::kFirst), plan);
  if (!worked_up) return worked_up.error();
  if (worked_up->findings.empty()) return std::optional<ReportedFinding>();
  return std::optional(std::move(worked_up->findings[0].finding));
}

int StatusOf(const ModelVerdict& verdict) {
  if (verdict.whole.state == CaseState::kDefect) return kExitDefect;
  const bool is_wrong =
      verdict.whole.state == CaseState::kDisagrees || (verdict.wrong && !verdict.wrong->is_suspect);
  if (is_wrong) return kExitFinding;
  bool is_open = verdict.whole.state != CaseState::kAgrees;
  bool any_agrees = !is_open;
  for (const Layer& layer : verdict.layers) {
    if (layer.result.state == CaseState::kDefect) return kExitDefect;
    is_open |= layer.result.state != CaseState::kAgrees;
    any_agrees |= layer.result.state == CaseState::kAgrees;
  }
  return !any_agrees || (options.strict && is_open) ? kExitUndecided : kExitClean;
}

Result<Done> WriteModelReport(const ModelReport& report) {
  Result<Done> written =
      WriteFileAtomically(JoinPath(options.report, "model.html"), ModelToHtml(report));
  if (!written) return written;
  return WriteFileAtomically(JoinPath(options.report, "model.json"), ModelToJson(report));
}

// Judges the model on samples of inputs until one is wrong or suspect.
Result<ModelReport> Judge(LoadedModel& model) {
  ModelReport report;
  report.path = options.model;
  report.command = CommandLineOf();
  report.constant_bytes = ConstantBytesOf(model.vector);
  const BackendOptions limits = LimitsOfModel(model.vector, options.limits);
  const TimeLimit limit(limits.cpu_seconds * 100, limits.wall_seconds * 100);
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(options.backend, limits);
  if (!backend) return backend.error();
  report.title = (*backend)->Describe();
  for (int64_t sample = 0; sample < options.samples; ++sample) {
    const Result<std::string> inputs = SetInputs(model, sample);
    if (!inputs) return inputs.error();
    report.inputs = *inputs;
    Result<ModelVerdict> verdict = JudgeModel(**backend, model.vector, options.model, limits);
    if (!verdict) return verdict.error();
    report.verdict = std::move(*verdict);
    if (report.verdict.wrong || model.has_inputs || !options.inputs.empty()) break;
  }
  return report;
}

int Run() {
  if (!LevelByName(options.level)) {
    return Fail({Error::Kind::kUsage, "--level " + options.level + ": no such level"});
  }
  std::optional<Result<FolderLock>> lock;
  if (!options.report.empty()) {
    lock = OpenReportFolder(options.report);
    if (!*lock) return Fail(lock->error());
  }
  Result<LoadedModel> model = LoadModel();
  if (!model) return Fail(model.error());
  Result<ModelReport> report = Judge(*model);
  if (!report) return Fail(report.error());
  if (report->verdict.wrong) {
    Result<std::optional<ReportedFinding>> finding = WorkUpLayer(*report->verdict.wrong);
    if (!finding) return Fail(finding.error());
    report->finding = std::move(*finding);
  }
  Write(options.json ? ModelToJson(*report) : ModelToText(*report));
  if (!options.report.empty()) {
    const Result<Done> written = WriteModelReport(*report);
    if (!written) return Fail(written.error());
  }
  return StatusOf(report->verdict);
}

}  // namespace

extern const Command model_command = {
    .name = "model",
    .summary = "judges a model on a backend, layer by layer, and names the layer that is wrong",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli
