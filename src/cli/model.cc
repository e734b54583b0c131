// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend_kind.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "files.h"
#include "graph_source.h"
#include "interrupt.h"
#include "judge_case.h"
#include "known_options.h"
#include "model_limits.h"
#include "model_report.h"
#include "model_source.h"
#include "model_verdict.h"
#include "parallel.h"
#include "quoted.h"
#include "report_files.h"
#include "reported_findings.h"
#include "run_options.h"
#include "target_options.h"
#include "terminal.h"
#include "time_limit.h"

namespace assay::cli {
namespace {

struct ModelCommandOptions {
  std::string model;
  std::string backend, against;
  ModelOptions model_options;
  TargetOptions target;
  KnownOptions known;
  std::string report;
  BackendOptions limits;
  bool strict = false;
  int threads = 1;
  bool json = false;
};

void DeclareModel(CommandLine& line, ModelCommandOptions& options) {
  line.Add("MODEL", options.model, kGraphOrVectorHelp).Required();
  AddBackendOptions(line, options.backend, options.limits);
  line.Add("--against", options.against,
           "another backend: say where the two part, and which is outside the specification")
      .ShowValueAs("BACKEND");
  AddModelOptions(line, options.model_options);
  AddTargetOptions(line, options.target);
  AddKnownOptions(line, options.known);
  line.Add("--report", options.report,
           "folder for model.html, model.json and the smallest vector that shows what is wrong");
  line.AddFlag("--strict", options.strict,
               "exit with status 3 if the model or a layer is suspect, undecided or unsupported");
  AddThreadsOption(line, options.threads);
  line.AddFlag("--json", options.json, "print JSON");
}

std::string CommandLineOf(const ModelCommandOptions& options) {
  const std::string against =
      options.against.empty() ? "" : " --against " + ShellWord(options.against);
  return "assay model " + ShellWord(options.model) + " " +
         BackendWords(options.backend, options.limits) + against +
         ModelWords(options.model_options) + TargetWords(options.target) +
         KnownWords(options.known);
}

Result<ModelSource> LoadModel(const std::string& path, const ModelOptions& options) {
  Result<ModelSource> model = ModelSource::Load(path, options);
  if (!model) return model.error();
  const TestVector& vector = model->vector();
  if (vector.graphs.size() != 1 || vector.steps.size() != 1) {
    return UsageError(path + ": has " + std::to_string(vector.graphs.size()) + " graphs and " +
                      std::to_string(vector.steps.size()) +
                      " steps; a model is one graph that runs once");
  }
  if (vector.graphs[0].Main() == nullptr) {
    return BadInput(path + ": the graph has no block \"main\"");
  }
  return model;
}

// Minimizes the vector of the layer that is wrong on a backend, and writes it to a folder of the
// report.
Result<Done> WorkUpLayer(const ModelCommandOptions& options, const std::string& name,
                         const char* folder, const ChosenTargets& targets,
                         BackendOnModel& backend) {
  if (Interrupted() || !backend.verdict.wrong || options.report.empty()) return Done{};
  const WrongLayer& wrong = *backend.verdict.wrong;
  if (wrong.is_suspect || !wrong.vector) return Done{};
  FindingPlan plan;
  plan.backend = name;
  plan.options = options.limits;
  plan.minimize = true;
  plan.folder = JoinPath(options.report, folder);
  const Result<Done> made = MakeDirectories(plan.folder);
  if (!made) return made.error();
  plan.load = [&wrong](int64_t) -> Result<LoadedCase> { return LoadedCase{*wrong.vector, {}}; };
  plan.path = [&options](int64_t) { return options.model; };
  plan.takes = [&targets](const TestVector& vector) { return targets.Takes(vector); };
  CaseResult found = wrong.result;
  for (Finding& finding : found.verdict.findings) finding.window.clear();
  Result<WorkedUp> worked_up = WorkUp(GroupFindings({found}, Representative::kFirst), plan);
  if (!worked_up) return worked_up.error();
  if (!worked_up->findings.empty()) backend.finding = std::move(worked_up->findings[0].finding);
  return Done{};
}

int StatusOfModel(const ModelVerdict& verdict, bool strict) {
  const auto any = [&verdict](CaseState state) {
    return verdict.whole.state == state ||
           std::ranges::any_of(verdict.layers,
                               [state](const Layer& layer) { return layer.result.state == state; });
  };
  if (any(CaseState::kDefect)) return kExitDefect;
  const bool names_a_layer = verdict.wrong && !verdict.wrong->is_suspect;
  if (any(CaseState::kDisagrees) || names_a_layer) return kExitFinding;
  const auto is_open = [](const Layer& layer) {
    return layer.result.state != CaseState::kAgrees && layer.result.state != CaseState::kKnown;
  };
  const bool open =
      verdict.whole.state != CaseState::kAgrees && verdict.whole.state != CaseState::kKnown;
  const bool stays_open = strict && (open || std::ranges::any_of(verdict.layers, is_open));
  const bool is_judged = any(CaseState::kAgrees) || any(CaseState::kKnown);
  return !is_judged || stays_open ? kExitUndecided : kExitClean;
}

// Returns the one of two statuses that the help names first.
int FirstOf(int a, int b) {
  for (const int status : {kExitDefect, kExitFinding, kExitUndecided}) {
    if (a == status || b == status) return status;
  }
  return kExitClean;
}

int StatusOfModel(const ModelReport& report, bool strict) {
  const int status = StatusOfModel(report.backend.verdict, strict);
  if (!report.gaps.empty()) return FirstOf(status, kExitUndecided);
  return report.against ? FirstOf(status, StatusOfModel(report.against->verdict, strict)) : status;
}

Result<Done> WriteModelReport(const ModelReport& report, const std::string& folder) {
  Result<Done> written = WriteFileAtomically(JoinPath(folder, "model.html"), ModelToHtml(report));
  if (!written) return written;
  return WriteFileAtomically(JoinPath(folder, "model.json"), ModelToJson(report));
}

constexpr char kInterruptedGap[] =
    "interrupted: the layers that were left did not run, and the wrong one is not minimized; the "
    "same command judges the model again";

// Judges the model on one sample of inputs. Returns `report` with the verdicts.
Result<ModelReport> JudgeSample(Backend& backend, Backend* other, const ModelSource::Sample& sample,
                                const ModelJudging& judging, ModelReport report,
                                const std::string& path) {
  const auto judge = [&](Backend& on, BackendOnModel& result) -> Result<Done> {
    Result<ModelVerdict> verdict = JudgeModel(on, sample.vector, path, judging);
    if (!verdict) return verdict.error();
    result.verdict = std::move(*verdict);
    return Done{};
  };
  report.inputs = sample.inputs;
  Result<Done> judged = judge(backend, report.backend);
  if (Interrupted()) other = nullptr;
  if (judged && other != nullptr) judged = judge(*other, *report.against);
  if (!judged) return judged.error();
  if (Interrupted()) {
    report.against.reset();
    report.gaps.emplace_back(kInterruptedGap);
    return report;
  }
  if (other != nullptr) {
    report.comparison = CompareBackends(backend, report.backend.verdict, *other,
                                        report.against->verdict, sample.vector);
  }
  return report;
}

// Judges the model on samples of inputs until one is not clean. Reports that one, or the first.
Result<ModelReport> Judge(const ModelCommandOptions& options, const ModelSource& model,
                          const ChosenTargets& targets, const KnownFailures& known) {
  ModelReport report;
  report.path = options.model;
  report.command = CommandLineOf(options);
  report.constant_bytes = ConstantBytesOf(model.vector());
  const ModelJudging judging = {LimitsOfModel(model.vector(), options.limits), targets.targets(),
                                !options.against.empty(), known};
  const BackendOptions& limits = judging.limits;
  const TimeLimit limit(limits.cpu_seconds * 100, limits.wall_seconds * 100);
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(options.backend, limits);
  if (!backend) return backend.error();
  report.backend.title = (*backend)->Describe();
  std::unique_ptr<Backend> other;
  if (!options.against.empty()) {
    Result<std::unique_ptr<Backend>> opened = OpenBackend(options.against, limits);
    if (!opened) return opened.error();
    other = std::move(*opened);
    report.against = BackendOnModel{other->Describe(), {}, {}};
  }
  for (int64_t i = 0; i < model.samples(); ++i) {
    Result<ModelSource::Sample> sample = model.At(i);
    if (!sample) return sample.error();
    Result<ModelReport> judged =
        JudgeSample(**backend, other.get(), *sample, judging, report, options.model);
    if (!judged) return judged.error();
    if (i > 0 && StatusOfModel(*judged, options.strict) == kExitClean) continue;
    report = std::move(*judged);
    if (StatusOfModel(report, options.strict) != kExitClean) return report;
  }
  if (model.samples() > 1) {
    report.inputs += "; as clean: " + std::to_string(model.samples() - 1) + " more samples";
  }
  return report;
}

int RunModel(ModelCommandOptions options) {
  SetThreads(options.threads);
  const Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return Fail(targets.error());
  std::optional<Result<FolderLock>> lock;
  if (!options.report.empty()) {
    lock = OpenReportFolder(options.report);
    if (!*lock) return Fail(lock->error());
  }
  const Result<KnownFailures> known = LoadKnown(options.known, options.backend);
  if (!known) return Fail(known.error());
  const Result<ModelSource> model = LoadModel(options.model, options.model_options);
  if (!model) return Fail(model.error());
  const InterruptWatch watch;
  Result<ModelReport> report = Judge(options, *model, *targets, *known);
  if (!report) return Fail(report.error());
  Result<Done> worked_up =
      WorkUpLayer(options, options.backend, "findings", *targets, report->backend);
  if (worked_up && report->against) {
    worked_up =
        WorkUpLayer(options, options.against, "findings-against", *targets, *report->against);
  }
  if (!worked_up) return Fail(worked_up.error());
  if (Interrupted() && report->gaps.empty()) report->gaps.emplace_back(kInterruptedGap);
  options.json ? Write(ModelToJson(*report)) : WriteReport(ModelToText(*report));
  if (!options.report.empty()) {
    const Result<Done> written = WriteModelReport(*report, options.report);
    if (!written) return Fail(written.error());
  }
  return StatusOfModel(*report, options.strict);
}

}  // namespace

extern const Command model_command = {
    .name = "model",
    .summary = "judges a model on a backend, layer by layer, and names the layer that is wrong",
    .declare = DeclareWith<ModelCommandOptions, DeclareModel, RunModel>,
};

}  // namespace assay::cli
