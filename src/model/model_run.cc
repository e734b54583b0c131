// SPDX-License-Identifier: Apache-2.0
#include "model_run.h"

#include <algorithm>
#include <utility>

#include "backend_kind.h"
#include "ensemble_run.h"
#include "judge_case.h"
#include "model_limits.h"
#include "model_values.h"
#include "quoted.h"
#include "report_files.h"
#include "reported_findings.h"
#include "time_limit.h"

namespace assay {
namespace {

constexpr char kInterruptedGap[] =
    "interrupted: the layers that were left did not run, and the wrong one is not minimized; the "
    "same command judges the model again";

// The bounds of samples that are added: their number, and the multiply-accumulates of all of them.
constexpr int64_t kSamplesMost = 8;
constexpr int64_t kWorkOfSamples = int64_t{1} << 30;

Result<ModelSource> LoadModel(const std::string& path, const ModelOptions& options) {
  Result<ModelSource> model = ModelSource::Load(path, options);
  if (!model) return model.error();
  const TestVector& vector = model->vector();
  if (vector.graphs.size() != 1 || vector.steps.empty()) {
    return UsageError(path + ": has " + std::to_string(vector.graphs.size()) + " graphs and " +
                      std::to_string(vector.steps.size()) +
                      " steps; a model is one graph that runs at least once");
  }
  if (vector.graphs[0].Main() == nullptr) {
    return BadInput(path + ": the graph has no block \"main\"");
  }
  return model;
}

ModelEnding EndingOfVerdict(const ModelVerdict& verdict, bool strict) {
  const auto any_of = [](const std::vector<Layer>& layers, auto holds) {
    return std::ranges::any_of(layers, holds,
                               [](const Layer& layer) { return layer.result.state; });
  };
  const auto any = [&](auto holds) {
    return holds(verdict.whole.state) || any_of(verdict.layers, holds);
  };
  const auto is = [](CaseState wanted) {
    return [wanted](CaseState state) { return state == wanted; };
  };
  const auto is_judged = [](CaseState state) {
    return state == CaseState::kAgrees || state == CaseState::kKnown;
  };
  if (any(is(CaseState::kDefect))) return ModelEnding::kDefect;
  const bool names_a_layer = verdict.wrong && !verdict.wrong->is_suspect;
  const auto disagrees = is(CaseState::kDisagrees);
  if (any(disagrees) || any_of(verdict.made, disagrees) || names_a_layer) {
    return ModelEnding::kFinding;
  }
  const bool stays_open = strict && any([&](CaseState state) { return !is_judged(state); });
  return !any(is_judged) || stays_open ? ModelEnding::kUndecided : ModelEnding::kClean;
}

// Gives the steps of a sample one context if the backend takes no second one, and leaves all but
// the first out if it takes no sequence.
void FitSteps(const Backend& backend, ModelSource::Sample& sample) {
  TestVector& vector = sample.vector;
  if (vector.steps.size() < 2 || !sample.is_drawn || backend.WhyUnsupported(vector).empty()) return;
  for (Step& step : vector.steps) step.context = 0;
  CutInvalidSteps(vector);
  const bool takes_several = backend.WhyUnsupported(vector).empty();
  if (!takes_several) vector.steps.resize(1);
  sample.inputs += takes_several ? "; the backend takes one context, so all are in one"
                                 : "; the backend takes no sequence, so only the first runs";
}

// Takes over what a further sample, which is clean, has shown of layers that the first one has not
// run.
void TakeReached(ModelVerdict&& more, ModelVerdict& verdict) {
  for (size_t i = 0; i < std::min(more.layers.size(), verdict.layers.size()); ++i) {
    const bool is_more = more.layers[i].is_run && !verdict.layers[i].is_run;
    if (is_more) verdict.layers[i] = std::move(more.layers[i]);
  }
}

// Judges the model on one sample of inputs. Returns `report` with the verdicts.
Result<ModelReport> JudgeSample(Backend& backend, Backend* other, const ModelSource::Sample& sample,
                                ModelJudging judging, ModelReport report) {
  const auto judge = [&](Backend& on, BackendOnModel& result) -> Result<Done> {
    Result<ModelVerdict> verdict = JudgeModel(on, sample.vector, report.path, judging);
    if (!verdict) return verdict.error();
    result.verdict = std::move(*verdict);
    return Done{};
  };
  report.inputs = sample.inputs;
  Result<Done> judged = judge(backend, report.backend);
  if (Interrupted()) other = nullptr;
  judging.power = nullptr;  // it is a matter of the vectors, not of the backend
  if (judged && other != nullptr) judged = judge(*other, *report.against);
  if (!judged) return judged.error();
  if (Interrupted()) {
    report.against.reset();
    report.gaps.emplace_back(kInterruptedGap);
  } else if (other != nullptr) {
    report.comparison = CompareBackends(backend, report.backend.verdict, *other,
                                        report.against->verdict, sample.vector);
  }
  return report;
}

}  // namespace

Result<ModelRun> ModelRun::Open(ModelRunOptions options) {
  Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return targets.error();
  std::optional<FolderLock> lock;
  if (!options.report.empty()) {
    Result<FolderLock> locked = OpenReportFolder(options.report);
    if (!locked) return locked.error();
    lock = std::move(*locked);
  }
  Result<KnownFailures> known = LoadKnown(options.known, options.backend);
  if (!known) return known.error();
  Result<ModelSource> model = LoadModel(options.model, options.inputs);
  if (!model) return model.error();
  return ModelRun(std::move(options), std::move(*targets), std::move(*known), std::move(*model),
                  std::move(lock));
}

ModelRun::ModelRun(ModelRunOptions options, ChosenTargets targets, KnownFailures known,
                   ModelSource model, std::optional<FolderLock> lock)
    : options_(std::move(options)),
      targets_(std::move(targets)),
      known_(std::move(known)),
      model_(std::move(model)),
      lock_(std::move(lock)) {}

ModelEnding ModelRun::EndingOf(const ModelReport& report) const {
  ModelEnding ending = EndingOfVerdict(report.backend.verdict, options_.strict);
  if (report.against) {
    ending = std::max(ending, EndingOfVerdict(report.against->verdict, options_.strict));
  }
  if (report.lattice && report.lattice->why_not.empty()) {
    ending = std::max(ending, EndingOfVerdict(report.lattice->backend.verdict, options_.strict));
  }
  const bool is_weak = report.power && report.power->Percent() < options_.power_min;
  return report.gaps.empty() && !is_weak ? ending : std::max(ending, ModelEnding::kUndecided);
}

std::string ModelRun::Command() const {
  const std::string against =
      options_.against.empty() ? "" : " --against " + ShellWord(options_.against);
  return "assay model " + ShellWord(options_.model) + " " +
         BackendWords(options_.backend, options_.limits) + against + ModelWords(options_.inputs) +
         (options_.inputs.steps == 1 ? " --steps 1" : "") + TargetWords(options_.target) +
         KnownWords(options_.known);
}

bool ModelRun::AddsSamples() const {
  const ModelOptions& inputs = options_.inputs;
  return model_.is_graph() && inputs.inputs.empty() && inputs.samples == 0 &&
         inputs.weights.empty() && !MainOf(model_.vector()).inputs.empty();
}

Result<ModelReport> ModelRun::Judge() {
  watch_ = std::make_unique<InterruptWatch>();
  Result<ModelReport> report = JudgeSamples();
  if (!report) return report;
  Result<Done> worked_up = WorkUpLayer(options_.backend, "findings", report->backend);
  if (worked_up && report->against) {
    worked_up = WorkUpLayer(options_.against, "findings-against", *report->against);
  }
  if (worked_up && report->lattice) {
    worked_up = WorkUpLayer(options_.backend, "findings", report->lattice->backend);
  }
  if (!worked_up) return worked_up.error();
  if (Interrupted() && report->gaps.empty()) report->gaps.emplace_back(kInterruptedGap);
  return report;
}

Result<ModelReport> ModelRun::JudgeSamples() const {
  ModelReport report;
  report.path = options_.model;
  report.command = Command();
  report.constant_bytes = ConstantBytesOf(model_.vector());
  ModelJudging judging = {LimitsOfModel(model_.vector(), options_.limits), targets_.targets(),
                          !options_.against.empty(), known_};
  const BackendOptions& limits = judging.limits;
  const TimeLimit limit(limits.cpu_seconds * 100, limits.wall_seconds * 100);
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(options_.backend, limits);
  if (!backend) return backend.error();
  report.backend.title = (*backend)->Describe();
  std::unique_ptr<Backend> other;
  if (!options_.against.empty()) {
    Result<std::unique_ptr<Backend>> opened = OpenBackend(options_.against, limits);
    if (!opened) return opened.error();
    other = std::move(*opened);
    report.against = BackendOnModel{other->Describe(), {}, {}};
  }
  ModelPower power((*backend)->Declared());
  judging.power = &power;
  std::optional<ModelSource::Sample> reported;
  const int64_t work = std::max<int64_t>(1, MultiplyAccumulates(model_.vector()));
  const int64_t most = AddsSamples() ? std::clamp<int64_t>(kWorkOfSamples / work, 1, kSamplesMost)
                                     : model_.samples();
  int64_t judged_samples = 0;
  int idle = 0;  // samples in a row that showed nothing new
  while (judged_samples < most && idle < 2) {
    Result<ModelSource::Sample> sample = model_.At(judged_samples);
    if (!sample) return sample.error();
    FitSteps(**backend, *sample);
    Result<ModelReport> judged = JudgeSample(**backend, other.get(), *sample, judging, report);
    if (!judged) return judged.error();
    const bool is_clean = IsClean(*judged);
    if (judged_samples > 0 && is_clean) {
      TakeReached(std::move(judged->backend.verdict), report.backend.verdict);
      if (report.against) {
        TakeReached(std::move(judged->against->verdict), report.against->verdict);
      }
    }
    if (judged_samples++ == 0 || !is_clean) {
      report = std::move(*judged);
      reported = std::move(*sample);
    }
    if (!is_clean) return report;
    idle = power.TakeNew() > 0 || !AddsSamples() ? 0 : idle + 1;
  }
  if (judged_samples > 1) {
    report.inputs += "; as clean: " + std::to_string(judged_samples - 1) + " more samples";
  }
  // Control flow and variables are judged with the whole model only.
  const std::vector<Layer>& layers = report.backend.verdict.layers;
  const bool whole_agrees = report.backend.verdict.whole.state == CaseState::kAgrees;
  const auto agrees = [&](size_t number) {
    const auto& [op, type] = layers[number - 1].use;
    const CaseState state = layers[number - 1].result.state;
    const bool is_in_whole = IsControlFlow(op) || IsVariableOperator(op);
    return state == CaseState::kAgrees ||
           (is_in_whole && whole_agrees && state == CaseState::kUndecided);
  };
  std::vector<MadeOperands> made =
      power.Make(options_.inputs.seed, agrees, ModelPower::kMadeMost, true);
  std::ranges::move(
      power.MakeInWindows(reported->vector, PartOf(reported->vector), options_.inputs.seed, agrees),
      std::back_inserter(made));
  AddMade(**backend, reported->vector, made, judging, report.backend.verdict);
  if (other != nullptr) AddMade(*other, reported->vector, made, judging, report.against->verdict);
  if (IsClean(report) && AddsSamples()) {
    report.lattice = JudgeOnLattice(**backend, reported->vector, report.path, options_.inputs.seed,
                                    judging, power);
  }
  if (IsClean(report)) report.power = power.Summary(layers.size(), agrees);
  return report;
}

Result<Done> ModelRun::WorkUpLayer(const std::string& name, const char* folder,
                                   BackendOnModel& backend) const {
  if (Interrupted() || !backend.verdict.wrong || options_.report.empty()) return Done{};
  const WrongLayer& wrong = *backend.verdict.wrong;
  if (wrong.is_suspect || !wrong.vector) return Done{};
  FindingPlan plan;
  plan.backend = name;
  plan.options = options_.limits;
  plan.minimize = true;
  plan.folder = JoinPath(options_.report, folder);
  const Result<Done> made = MakeDirectories(plan.folder);
  if (!made) return made.error();
  plan.load = [&wrong](int64_t) -> Result<LoadedCase> { return LoadedCase{*wrong.vector, {}}; };
  plan.path = [this](int64_t) { return options_.model; };
  plan.takes = [this](const TestVector& vector) { return targets_.Takes(vector); };
  CaseResult found = wrong.result;
  for (Finding& finding : found.verdict.findings) finding.window.clear();
  Result<WorkedUp> worked_up = WorkUp(GroupFindings({found}, Representative::kFirst), plan);
  if (!worked_up) return worked_up.error();
  if (!worked_up->findings.empty()) backend.finding = std::move(worked_up->findings[0].finding);
  return Done{};
}

Result<Done> ModelRun::Write(const ModelReport& report) const {
  if (options_.report.empty()) return Done{};
  const Result<Done> written =
      WriteFileAtomically(JoinPath(options_.report, "model.html"), ModelToHtml(report));
  if (!written) return written;
  return WriteFileAtomically(JoinPath(options_.report, "model.json"), ModelToJson(report));
}

}  // namespace assay
