// SPDX-License-Identifier: Apache-2.0
#include "verification.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "backend_kind.h"
#include "conformance_package.h"
#include "finding_text.h"
#include "json_lines.h"
#include "note.h"
#include "open_vectors.h"
#include "pack_stream.h"
#include "path_kind.h"
#include "quoted.h"
#include "recorded_options.h"
#include "vector_power.h"

namespace assay {
namespace {

// The file with the vectors of findings of a stream, in the folder of the report.
constexpr char kStreamedFile[] = "vectors.tvecs";

// Returns everything that determines the results.
VerifyRun RunOfOptions(const VerifyOptions& options) {
  VerifyRun run;
  run.suites = options.suites;
  run.model_words = ModelWords(options.model);
  run.backend = options.reported_backend;
  run.limits = options.limits;
  run.match = options.match;
  run.target = options.target;
  run.implied_errors = options.implied_errors;
  run.repeats = options.repeats;
  return run;
}

// Returns the command that gives the same report, for any number of workers. Without
// `for_report`, leaves out the options that change the report, but no result of a vector.
std::string ReportCommand(const VerifyOptions& options, bool for_report = true) {
  std::string reported;
  if (for_report) reported += KnownWords(options.known) + PastWords(options.past, options.known);
  if (for_report && options.minimize) reported += " --minimize";
  return RunOfOptions(options).Command(options.shard.empty() ? "" : " --shard " + options.shard,
                                       reported);
}

// Completes the options, and lists the cases.
Result<RunCases> ListCasesOf(VerifyOptions& options) {
  const Result<Shard> shard = options.shard.empty() ? Shard() : ParseShard(options.shard);
  if (!shard) return shard.error();
  if (options.minimize && options.report.empty()) {
    return UsageError("--minimize: needs --report DIR for the vectors");
  }
  if (options.resume && options.report.empty()) {
    return UsageError("--resume: needs --report DIR, which has the run");
  }
  Result<std::string> reported = ReportedBackend(options.backend, options.limits, options.resume);
  if (!reported) return reported.error();
  options.reported_backend = std::move(*reported);
  if (options.IsStream()) {
    if (options.resume || !options.shard.empty()) {
      return UsageError(
          "-: a stream takes neither --resume nor --shard; `assay gen --shard` "
          "makes the stream of a shard");
    }
    return RunCases();
  }
  Result<RunCases> cases = RunCases::List(options.suites, options.model, options.limits, Note);
  if (!cases) return cases.error();
  if (!options.shard.empty()) {
    const Result<Done> kept = cases->Keep(*shard);
    if (!kept) return kept.error();
  }
  options.limits = cases->limits();
  return cases;
}

// Returns the plan without the functions that give cases.
FindingPlan VerifyPlan(const VerifyOptions& options) {
  FindingPlan plan;
  plan.backend = options.backend;
  plan.reported_backend = options.reported_backend;
  plan.options = options.limits;
  plan.jobs = options.jobs;
  plan.minimize = options.minimize;
  plan.repeats = options.repeats;
  if (!options.report.empty()) plan.folder = JoinPath(options.report, "findings");
  return plan;
}

// Notes vectors in the findings folder of a run's report that are not of this run. They are kept,
// because somebody may need them.
void TellOfOtherFindings(const RunReport& run) {
  const std::string folder = JoinPath(run.folder, "findings");
  const Result<std::vector<std::string>> names = ListDirectory(folder);
  if (!names) return;
  const auto is_other = [&](const std::string& name) {
    const std::string path = JoinPath(folder, name);
    const auto is_it = [&](const ReportedFinding& finding) {
      return finding.vector == path || std::ranges::count(finding.damaged_by.vectors, path) > 0;
    };
    return KindOfFile(name) == PathKind::kVector && std::ranges::none_of(run.findings, is_it);
  };
  const auto others = std::ranges::count_if(*names, is_other);
  if (others > 0) {
    Note(folder + ": " + std::to_string(others) + (others == 1 ? " vector" : " vectors") +
         " of another run");
  }
}

}  // namespace

void UncheckedGraphs::Add(const CaseResult& result) {
  if (result.state == CaseState::kAgrees && result.outcome == OutcomeKind::kError) ++refused_;
  if (result.verdict.findings.empty()) return;
  if (IsAccepted(result.verdict.findings[0])) ++accepted_;
}

std::string UncheckedGraphs::Hint(const std::string& backend) const {
  if (accepted_ == 0 || refused_ > 0) return "";
  return backend + ": ran all " + std::to_string(accepted_) +
         " graphs for which an ERROR_IF holds; if it checks no graphs, --declare no-checks leaves "
         "them out";
}

Result<std::unique_ptr<Verification>> Verification::Open(VerifyOptions options) {
  const Result<Match> match = options.match.empty() ? Match() : Match::Parse(options.match);
  if (!match) return match.error();
  const Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return targets.error();
  Result<RunCases> cases = ListCasesOf(options);
  if (!cases) return cases.error();
  const Result<PastRuns> past =
      LoadPast(options.past, options.report, options.reported_backend, options.known);
  if (!past) return past.error();
  const Result<KnownFailures> known = LoadKnown(options.known, options.reported_backend);
  if (!known) return known.error();
  std::optional<FolderLock> lock;
  if (!options.report.empty()) {
    Result<FolderLock> locked = LockFolder(options);
    if (!locked) return locked.error();
    lock = std::move(*locked);
  }
  Result<std::string> title = DescribeBackend(options.backend, options.limits);
  if (!title) return title.error();
  const Result<Done> belong = CheckAnswers(options.backend, *cases);
  if (!belong) return belong.error();
  std::unique_ptr<Verification> run(new Verification(
      std::move(options), {*match, *targets, *known, *past}, std::move(*cases), std::move(*title)));
  run->lock_ = std::move(lock);
  const Result<Done> opened = run->OpenJournal();
  if (!opened) return opened.error();
  return run;
}

Result<Done> Verification::CheckFolder(const VerifyOptions& options) {
  return options.force ? Done{} : CheckReportFolder(options.report, "choose another, or --force");
}

Result<FolderLock> Verification::LockFolder(const VerifyOptions& options) {
  const Result<Done> fits = CheckFolder(options);
  if (!fits) return fits.error();
  Result<FolderLock> lock = OpenReportFolder(options.report, options.force);
  if (!lock) return lock;
  const std::string findings = JoinPath(options.report, "findings");
  Result<Done> made = options.minimize ? MakeDirectories(findings) : Result<Done>(Done{});
  if (made && options.minimize && options.resume) made = RemoveNotMinimized(findings);
  if (!made) return made.error();
  // The results of an earlier shard are not those of this one.
  const std::string stale = JoinPath(options.report, ShardResults::kHeadFile);
  const Result<Done> removed = FileExists(stale) ? Remove(stale) : Result<Done>(Done{});
  if (!removed) return removed.error();
  return lock;
}

Verification::Verification(VerifyOptions options, Choice choice, RunCases cases, std::string title)
    : options_(std::move(options)),
      choice_(std::move(choice)),
      cases_(std::move(cases)),
      title_(std::move(title)),
      plan_(VerifyPlan(options_)) {
  plan_.takes = [this](const TestVector& vector) { return choice_.targets.Takes(vector); };
  plan_.tell = [this](int64_t number, int64_t of, int64_t runs) {
    progress_.ShowMinimizing(number, of, runs);
  };
}

void Verification::LoadFrom(const RunCases& cases, int64_t first) {
  plan_.load = [&cases, first](int64_t index) { return cases.Load(index - first); };
  plan_.path = [&cases, first](int64_t index) { return cases.Name(index - first); };
  plan_.words = [&cases, first](int64_t index) { return cases.Words(index - first); };
  plan_.find = [&cases, first](const std::string& name) {
    std::optional<int64_t> index = cases.IndexOf(name);
    if (index) *index += first;
    return index;
  };
}

void Verification::LoadFromKept() {
  plan_.load = [this](int64_t index) { return kept_.Load(index); };
  plan_.path = [this](int64_t index) {
    const std::string file = JoinPath(options_.report, kStreamedFile);
    if (options_.report.empty() || !kept_.Has(index)) return std::string("-");
    return JoinPath(file, kept_.Name(index));
  };
  plan_.words = [this](int64_t index) { return ShellWord(plan_.path(index)); };
  plan_.find = [this](const std::string& name) { return kept_.IndexOf(name); };
}

// Opens the journal of the run if it writes a report, or needs the results of more cases than are
// kept in memory.
Result<Done> Verification::OpenJournal() {
  const bool are_many = options_.IsStream() || cases_.size() > JudgedRun::kCasesKept;
  const bool are_needed = options_.keeps_results || choice_.known.is_given();
  if (options_.report.empty() && !(are_many && are_needed)) return Done{};
  const RunIdentity identity = {ReportCommand(options_, false), title_,
                                cases_.ContentHash() + choice_.targets.Hash()};
  Result<ResultJournal> journal =
      options_.report.empty() ? ResultJournal::OpenTemporary(identity)
                              : ResultJournal::Open(options_.report, identity, options_.resume);
  if (!journal) return journal.error();
  journal_ = std::move(*journal);
  if (journal_.recorded() == 0) return Done{};
  Note(options_.report + ": goes on behind " + std::to_string(journal_.recorded()) + " vectors");
  clock_.GoOn(options_.report);
  return Done{};
}

Result<RunReport> Verification::Judge() {
  watch_.emplace();
  const Result<Done> judged = options_.IsStream() ? JudgeStream() : JudgeCases(cases_);
  progress_.Clear();
  Result<RunReport> run = judged ? Report() : Result<RunReport>(judged.error());
  // The replies of a backend that never answered are worth nothing, and no stream comes again.
  if (!run && (loop_.first_answers().gave_up() || options_.IsStream())) (void)journal_.Remove();
  return run;
}

Result<Done> Verification::JudgeStream() {
  PackStream stream(STDIN_FILENO, "standard input", Interrupted);
  while (true) {
    Result<std::optional<VectorPack>> pack = stream.Next();
    if (!pack) return pack.error();
    if (!*pack) return Done{};
    const RunCases cases = RunCases::OfPack(std::move(**pack), stream.folder(), options_.limits);
    const Result<Done> judged = JudgeCases(cases);
    if (!judged) return judged;
  }
}

Result<Done> Verification::JudgeCases(const RunCases& cases) {
  const int64_t first = visited_;
  if (!options_.IsStream()) progress_.SetTotal(cases.size());
  LoadFrom(cases, first);
  CaseLoop::Steps steps;
  steps.judge = [&](CaseJudge& judge, int64_t index) -> std::string {
    const Result<LoadedCase> loaded = plan_.load(index);
    if (loaded && !choice_.match.Chooses(loaded->vector)) return kNotChosen;
    if (loaded && !choice_.targets.Takes(loaded->vector)) return kOutside;
    return CaseToJson(judge.JudgeLoaded(index, loaded, options_.implied_errors), true);
  };
  steps.take = [&](int64_t index, const std::string& reply, std::optional<CaseResult> result) {
    visited_ = index + 1;
    if (!result) ++(reply == kOutside ? outside_ : not_chosen_);
    if (!result) return judged_.disagreeing();
    unchecked_.Add(*result);
    if (result->state == CaseState::kAgrees && cases.IsGraph(index - first)) {
      agreeing_graphs_.push_back(index);
    }
    if (result->unanswered && unanswered_++ == 0) first_unanswered_ = result->vector;
    const std::vector<std::string> before = result->damaged_by.vectors;
    if (judged_.Add(index, std::move(*result)) && KeepsVectors(cases)) {
      KeepVectors(cases, first, index, before);
    }
    return judged_.disagreeing();
  };
  const Result<int64_t> end = loop_.Judge(first, first + cases.size(), steps);
  if (!end) return end.error();
  visited_ = *end;
  // A signal leaves no time to count, and the report says so.
  for (int64_t i = 0; NeedsCoverage() && i < cases.size() && !Interrupted(); ++i) {
    const Result<LoadedCase> loaded = cases.Load(i);
    if (loaded && !choice_.match.Chooses(loaded->vector)) continue;
    const Result<Done> counted = coverage_.Add(cases.Name(i), loaded);
    if (!counted) return counted;
  }
  return Done{};
}

void Verification::KeepVectors(const RunCases& cases, int64_t first, int64_t index,
                               const std::vector<std::string>& before) {
  std::vector<int64_t> kept = {index};
  for (const std::string& name : before) {
    if (const auto at = plan_.find(name)) kept.push_back(*at);
  }
  for (const int64_t each : kept) {
    const Result<LoadedCase> loaded = plan_.load(each);
    if (loaded) kept_.Add(each, plan_.path(each), cases.Words(each - first), *loaded);
  }
}

Result<RunReport> Verification::Report() {
  RunReport run;
  run.title = title_;
  run.backend = options_.reported_backend;
  run.command = ReportCommand(options_);
  run.suites = options_.suites;
  run.suite_hashes = PackageHashes(options_.suites);
  run.folder = options_.report;
  run.past = choice_.past;
  run.facts = FactsOf(options_.limits, "");
  if (!choice_.match.ChoosesAll()) run.counts["left out by --match"] = not_chosen_;
  if (!choice_.targets.TakesAll()) run.counts["outside the target"] = outside_;
  AddGaps(run);
  if (options_.IsStream()) {
    LoadFromKept();
    const Result<Done> written = options_.report.empty()
                                     ? Done{}
                                     : kept_.WriteByName(JoinPath(options_.report, kStreamedFile));
    if (!written) return written.error();
  }
  const CaseVisitor each = [this](const CaseSink& sink) {
    return journal_.EachResult([&](int64_t, std::string_view reply) -> Result<Done> {
      const Result<CaseResult> result = CaseFromJson(reply);
      return result ? sink(*result) : result.error();
    });
  };
  const Result<Done> finished = judged_.Finish(plan_, choice_.known, each, run);
  progress_.Clear();
  if (!finished) return finished.error();
  if (!Interrupted()) AddThisRun(options_.known, run);
  const Result<std::string> open = OpenVectorsOf(options_.limits.next);
  if (!open) return open.error();
  if (!open->empty()) run.gaps.push_back(*open);
  if (NeedsCoverage() && !Interrupted()) run.coverage = coverage_.Table();
  run.power = PowerOfGraphs();
  run.power_min = options_.power_min;
  return run;
}

std::optional<PowerSummary> Verification::PowerOfGraphs() const {
  if (agreeing_graphs_.empty() || !options_.shard.empty()) return std::nullopt;
  VectorPower power;
  for (const int64_t index : agreeing_graphs_) {
    const Result<LoadedCase> loaded = cases_.Load(index);
    if (loaded) power.Add(loaded->vector);
  }
  return power.Summary();
}

void Verification::AddGaps(RunReport& run) const {
  run.gaps = cases_.gaps();
  if (options_.IsStream() && Interrupted()) {
    run.gaps.push_back("interrupted after " + std::to_string(visited_) + " vectors of a stream");
  } else if (!options_.IsStream() && visited_ < cases_.size()) {
    const bool resumes = !options_.report.empty() && !options_.is_one_of_several;
    run.gaps.push_back("interrupted after " + std::to_string(visited_) + " of " +
                       std::to_string(cases_.size()) + " vectors, the next is " +
                       cases_.Name(visited_) + "; the same command " +
                       (resumes ? "with --resume judges the rest" : "judges all of them"));
  }
  if (unanswered_ == 0) return;
  run.gaps.push_back(options_.backend + ": " + std::to_string(unanswered_) + " of " +
                     std::to_string(visited_ - not_chosen_ - outside_) +
                     " vectors without an answer, the first is " + first_unanswered_);
}

std::vector<std::string> Verification::Hints() const {
  std::vector<std::string> hints;
  const int64_t count = options_.limits.next.empty() ? judged_.unanswered() : 0;
  if (count > 0) {
    hints.push_back(std::to_string(count) + (count == 1 ? " finding is" : " findings are") +
                    " not at the smallest: " + options_.backend +
                    " has no answers to smaller vectors; --next DIR writes these vectors, to be "
                    "run there");
  }
  std::string unchecked = unchecked_.Hint(options_.backend);
  if (!unchecked.empty()) hints.push_back(std::move(unchecked));
  return hints;
}

// A finished run leaves no journal.
Result<Done> Verification::Write(RunReport& report) {
  if (!options_.report.empty()) {
    report.names_folder = !options_.reproducible;
    if (!options_.reproducible) report.timing = clock_.Timing();
    Result<Done> written = WriteReports(report, options_.report);
    if (written && cases_.OwnShard() && !Interrupted()) written = WriteAsShard();
    if (!written) return written;
    const bool is_kept = Interrupted() && !options_.IsStream();  // nobody can give it again
    const Result<Done> finished = is_kept ? Done{} : journal_.Remove();
    if (!finished) return finished;
    TellOfOtherFindings(report);
  }
  const Result<Done> saved = Interrupted() ? Done{} : SaveHistory(options_.past, report.past);
  if (!saved) return saved;
  return UpdateKnown(options_.known, choice_.known, options_.reported_backend, report.findings);
}

Result<Done> Verification::WriteAsShard() {
  ShardResults results;
  results.run = RunOfOptions(options_);
  results.run.title = title_;
  results.run.inputs = cases_.HashOfShards() + choice_.targets.Hash();
  results.shard = *cases_.OwnShard();
  results.suite_hashes = PackageHashes(options_.suites);
  results.not_chosen = not_chosen_;
  results.outside = outside_;
  results.gaps = cases_.gaps();
  results.coverage = coverage_.ToJson();
  return WriteShard(
      options_.report, std::move(results),
      [this](const ReplySink& sink) { return journal_.EachResult(sink); }, kept_,
      [this](int64_t index) { return cases_.Position(index); });
}

}  // namespace assay
