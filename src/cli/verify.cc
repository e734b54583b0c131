// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backend_kind.h"
#include "case_judge.h"
#include "check.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "conformance_package.h"
#include "console.h"
#include "files.h"
#include "finding_text.h"
#include "interrupt.h"
#include "json_lines.h"
#include "judge_case.h"
#include "judged_run.h"
#include "kept_vectors.h"
#include "known_options.h"
#include "match.h"
#include "model_source.h"
#include "open_vectors.h"
#include "pack_stream.h"
#include "past_options.h"
#include "quoted.h"
#include "recorded_options.h"
#include "report_files.h"
#include "reported_findings.h"
#include "result_journal.h"
#include "run_cases.h"
#include "run_hints.h"
#include "run_status.h"
#include "run_timing.h"
#include "shard_results.h"
#include "suite_coverage.h"
#include "target_options.h"
#include "terminal.h"
#include "verify_and_compare.h"
#include "worker_pool.h"

namespace assay::cli {
namespace {

struct VerifyOptions {
  std::vector<std::string> suites;
  ModelOptions model;
  std::vector<std::string> backends;
  std::string backend;           // the one of these that runs
  std::string reported_backend;  // in reports: ReportedBackend()
  BackendOptions limits;
  int repeats = 1;
  int jobs = 1;
  std::string shard;
  std::string match;
  TargetOptions target;
  KnownOptions known;
  PastOptions past;
  std::string report;
  std::string kernels;
  bool minimize = false;
  bool resume = false;
  bool force = false;
  bool strict = false;
  bool implied_errors = false;
  bool reproducible = false;
  bool json = false;

  bool IsStream() const { return suites == std::vector<std::string>{"-"}; }
};

void DeclareVerify(CommandLine& line, VerifyOptions& options) {
  line.Add(
          "SUITE", options.suites,
          "suites, .tvec files, Arm test directories, or folders of them; or graphs (.tosa, .json, "
          ".mlir, .mlirbc), each of which becomes a vector with the inputs that the options below "
          "name. Below folders, graphs are skipped. - reads the vectors of `assay gen --out -` "
          "from standard input, also of several streams, as `cat a b` makes them")
      .Required();
  AddModelOptions(line, options.model);
  AddBackendOptions(line, options.backends, options.limits);
  AddJobsOption(line, options.jobs);
  AddRepeatOption(line, options.repeats);
  line.Add("--shard", options.shard,
           "I/N: run only every N-th vector, starting with vector I, from 0. `assay merge` makes "
           "one report of the reports of all shards");
  AddMatchOption(line, options.match);
  AddTargetOptions(line, options.target);
  AddKnownOptionsWithUpdate(line, options.known);
  AddPastOptions(line, options.past);
  line.Add("--report", options.report,
           "folder for report.html, report.xml (JUnit), summary.md, report.jsonl and report.txt; "
           "must be empty, not exist yet, or hold an earlier report, which is replaced");
  line.AddFlag("--force", options.force,
               "write the report to a folder that has other files, too; they stay");
  line.AddFlag("--resume", options.resume,
               "go on with the unfinished run in the folder of --report, if there is one");
  AddRecordedOptions(line, options.limits);
  line.AddFlag("--minimize", options.minimize,
               "reduce each finding to the smallest vector; needs --report");
  line.Add("--kernels", options.kernels, "kernels of the backend `reference`: fast or template")
      .OneOf({"fast", "template"});
  line.AddFlag("--implied-errors", options.implied_errors,
               "also judge vectors that demand an error that no ERROR_IF of the specification "
               "states; report them apart");
  line.AddFlag(
      "--reproducible", options.reproducible,
      "leave the clock and the name of the folder out of all reports: no timing.json, no "
      "times in report.xml and report.html, and $REPORT for the folder in replay lines. The "
      "same run on a deterministic backend then gives the same bytes on every machine");
  line.AddFlag("--strict", options.strict,
               "exit with status 3 if any vector is suspect, undecided or unsupported");
  line.AddFlag("--json", options.json, "print JSON lines");
}

Result<Done> CheckFolder(const std::string& report, bool force) {
  return force ? Done{} : CheckReportFolder(report, "choose another, or --force");
}

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

// The vectors that a run takes, and the findings that do not fail it.
struct Choice {
  Match match;
  ChosenTargets targets;
  KnownFailures known;
  PastRuns past;
};

// Verifies one vector, in a worker. Returns the result, or kOutside or kNotChosen.
std::variant<CaseResult, std::string> VerifyOne(CaseJudge& judge, const Choice& choice,
                                                const RunCases& all, int64_t index,
                                                bool implied_errors) {
  const std::string path = all.Name(index);
  const Result<LoadedCase> loaded = all.Load(index);
  if (loaded && !choice.match.Chooses(loaded->vector)) return std::string(kNotChosen);
  if (loaded && !choice.targets.Takes(loaded->vector)) return std::string(kOutside);
  if (loaded) {
    const std::string implied = implied_errors ? "" : ImpliedErrorOf(*loaded);
    return implied.empty() ? judge.Judge(index, *loaded) : ExcludedCase(*loaded, path, implied);
  }
  // Some of Arm's negative tests break a graph rule that no Graph of Assay can express.
  const bool inexpressible = IsDirectory(path) && !loaded.error().rule.empty();
  const bool unsupported = inexpressible || loaded.error().kind == Error::Kind::kUnsupported;
  CaseResult result;
  result.vector = path;
  result.state = unsupported ? CaseState::kUnsupported : CaseState::kBadInput;
  result.note = loaded.error().message;
  return result;
}

// A run while it goes on.
class Verification {
 public:
  Verification(const VerifyOptions& options, const Choice& choice, ResultJournal& journal,
               RunClock& clock)
      : options_(options),
        choice_(choice),
        journal_(journal),
        clock_(clock),
        coverage_(choice.targets, options.limits, true),
        first_answers_(options.backend),
        progress_("verify", 0) {}

  // Judges cases, which follow those before. The results are in `journal`, or are added to it. A
  // vector whose worker was killed from outside is not recorded, and gets another chance.
  Result<Done> Judge(const RunCases& all) {
    const int64_t first = visited_;
    if (!options_.IsStream()) progress_.SetTotal(all.size());
    WorkPlan plan;
    plan.last = all.size();
    plan.jobs = options_.jobs;
    plan.start = [&]() -> Result<Work> {
      Result<std::unique_ptr<Backend>> opened = OpenBackend(options_.backend, options_.limits);
      if (!opened) return opened.error();
      std::shared_ptr<Backend> backend = std::move(*opened);
      const auto judge = std::make_shared<CaseJudge>(
          *backend, [&all](int64_t index) { return all.Load(index); },
          [&all](int64_t index) { return all.Name(index); }, options_.repeats);
      return Work([this, backend, judge, &all, first](int64_t index) -> Result<std::string> {
        if (journal_.Has(first + index)) return journal_.Read(first + index);
        const auto started = std::chrono::steady_clock::now();
        const auto result = VerifyOne(*judge, choice_, all, index, options_.implied_errors);
        if (const auto failure = backend->MachineFailure()) return *failure;
        if (const auto* left_out = std::get_if<std::string>(&result)) return *left_out;
        return WithSeconds(CaseToJson(std::get<CaseResult>(result), true), started);
      });
    };
    plan.merge = [&](int64_t index, std::string line, const Loss& loss) {
      return Take(all, index, first + index, std::move(line), loss);
    };
    const Result<int64_t> done = RunWork(plan);
    if (!done) return done.error();
    visited_ = first + *done;
    // A signal leaves no time to count, and the report says so.
    for (int64_t i = 0; NeedsCoverage() && i < all.size() && !Interrupted(); ++i) {
      const Result<LoadedCase> loaded = all.Load(i);
      if (loaded && !choice_.match.Chooses(loaded->vector)) continue;
      const Result<Done> counted = coverage_.Add(all.Name(i), loaded);
      if (!counted) return counted;
    }
    return Done{};
  }

  // Completes the report. `plan` has all but the functions that give vectors.
  Result<RunReport> Report(const RunCases* all, const std::string& title);

  // Writes what `assay merge` needs.
  Result<Done> Write(const RunCases& all, const std::string& title);

  void TellHints() const {
    if (options_.limits.next.empty()) TellOfUnanswered(options_.backend, judged_.unanswered());
    unchecked_.Tell(options_.backend);
  }

  const FirstAnswers& first_answers() const { return first_answers_; }
  int64_t visited() const { return visited_; }

 private:
  bool NeedsCoverage() const { return !options_.report.empty(); }

  Result<Done> Take(const RunCases& all, int64_t index, int64_t number, std::string line,
                    const Loss& loss) {
    visited_ = number + 1;
    if (const auto seconds = TakeSeconds(line)) clock_.Add(all.Name(index), *seconds);
    if (!options_.reproducible) clock_.Save(options_.report);
    const bool left_out = line == kNotChosen || line == kOutside;
    std::optional<CaseResult> result;
    if (left_out) {
      ++(line == kOutside ? outside_ : not_chosen_);
    } else {
      Result<CaseResult> read = CaseFromJson(line);
      result = read ? std::move(*read) : LostCase(all.Name(index), loss);
      if (line.empty()) line = CaseToJson(*result, true);
    }
    if (journal_.Has(number)) progress_.Skip(number + 1);
    const Result<Done> recorded = journal_.Add(number, std::move(line), loss && !loss.by_itself);
    if (!recorded) return recorded;
    Result<Done> answered = Done{};
    if (result) {
      answered = first_answers_.Add(*result);
      unchecked_.Add(*result);
      if (result->unanswered && unanswered_++ == 0) first_unanswered_ = result->vector;
      const std::vector<std::string> before = result->damaged_by.vectors;
      if (judged_.Add(number, std::move(*result)) && KeepsVectors(all)) {
        KeepVector(all, index, number);
        for (const std::string& name : before) {
          if (const auto at = all.IndexOf(name)) KeepVector(all, *at, number - index + *at);
        }
      }
    }
    progress_.Show(number + 1, judged_.disagreeing());
    return answered;
  }

  void KeepVector(const RunCases& all, int64_t index, int64_t number) {
    const Result<LoadedCase> loaded = all.Load(index);
    if (loaded) kept_.Add(number, all.Name(index), all.Words(index), *loaded);
  }
  bool KeepsVectors(const RunCases& all) const {
    return options_.IsStream() || (all.OwnShard() && !options_.report.empty());
  }
  FindingPlan PlanOf(const RunCases* all) const;

  const VerifyOptions& options_;
  const Choice& choice_;
  ResultJournal& journal_;
  RunClock& clock_;
  SuiteCoverage coverage_;
  FirstAnswers first_answers_;
  Progress progress_;
  JudgedRun judged_;
  KeptVectors kept_;
  UncheckedGraphs unchecked_;
  int64_t visited_ = 0;     // vectors, those that are left out included
  int64_t not_chosen_ = 0;  // by --match
  int64_t outside_ = 0;     // outside the target
  int64_t unanswered_ = 0;  // to which the backend `recorded` has no answer
  std::string first_unanswered_;
};

// The file with the vectors of findings of a stream, in the folder of the report.
constexpr char kStreamedFile[] = "vectors.tvecs";

FindingPlan Verification::PlanOf(const RunCases* all) const {
  FindingPlan plan;
  plan.backend = options_.backend;
  plan.reported_backend = options_.reported_backend;
  plan.options = options_.limits;
  plan.jobs = options_.jobs;
  plan.minimize = options_.minimize;
  plan.repeats = options_.repeats;
  if (!options_.report.empty()) plan.folder = JoinPath(options_.report, "findings");
  plan.takes = [this](const TestVector& vector) { return choice_.targets.Takes(vector); };
  if (all != nullptr) {
    plan.load = [all](int64_t index) { return all->Load(index); };
    plan.path = [all](int64_t index) { return all->Name(index); };
    plan.words = [all](int64_t index) { return all->Words(index); };
    plan.find = [all](const std::string& name) { return all->IndexOf(name); };
    return plan;
  }
  plan.load = [this](int64_t index) { return kept_.Load(index); };
  plan.path = [this](int64_t index) {
    const std::string file = JoinPath(options_.report, kStreamedFile);
    if (options_.report.empty() || !kept_.Has(index)) return std::string("-");
    return JoinPath(file, kept_.Name(index));
  };
  plan.words = [path = plan.path](int64_t index) { return ShellWord(path(index)); };
  plan.find = [this](const std::string& name) { return kept_.IndexOf(name); };
  return plan;
}

Result<RunReport> Verification::Report(const RunCases* all, const std::string& title) {
  progress_.Clear();
  RunReport run;
  run.title = title;
  run.backend = options_.reported_backend;
  run.command = ReportCommand(options_);
  run.suites = options_.suites;
  run.suite_hashes = PackageHashes(options_.suites);
  run.folder = options_.report;
  run.past = choice_.past;
  run.facts = FactsOf(options_.limits, "");
  if (all != nullptr) run.gaps = all->gaps();
  if (!choice_.match.ChoosesAll()) run.counts["left out by --match"] = not_chosen_;
  if (!choice_.targets.TakesAll()) run.counts["outside the target"] = outside_;
  if (all != nullptr && visited_ < all->size()) {
    const bool resumes = !options_.report.empty() && options_.backends.size() == 1;
    run.gaps.push_back("interrupted after " + std::to_string(visited_) + " of " +
                       std::to_string(all->size()) + " vectors, the next is " +
                       all->Name(visited_) + "; the same command " +
                       (resumes ? "with --resume judges the rest" : "judges all of them"));
  } else if (all == nullptr && Interrupted()) {
    run.gaps.push_back("interrupted after " + std::to_string(visited_) + " vectors of a stream");
  }
  if (unanswered_ > 0) {
    run.gaps.push_back(options_.backend + ": " + std::to_string(unanswered_) + " of " +
                       std::to_string(visited_ - not_chosen_ - outside_) +
                       " vectors without an answer, the first is " + first_unanswered_);
  }
  const CaseVisitor each = [this](const CaseSink& sink) {
    return journal_.EachResult([&](int64_t, std::string_view reply) -> Result<Done> {
      const Result<CaseResult> result = CaseFromJson(reply);
      return result ? sink(*result) : result.error();
    });
  };
  if (all == nullptr && !options_.report.empty()) {
    const Result<Done> written = kept_.WriteByName(JoinPath(options_.report, kStreamedFile));
    if (!written) return written.error();
  }
  FindingPlan plan = PlanOf(all);
  plan.tell = [this](int64_t number, int64_t of, int64_t runs) {
    progress_.ShowMinimizing(number, of, runs);
  };
  const Result<Done> finished = judged_.Finish(plan, choice_.known, each, run);
  progress_.Clear();
  if (!finished) return finished.error();
  if (!Interrupted()) AddThisRun(options_.known, run);
  const Result<std::string> open = OpenVectorsOf(options_.limits.next);
  if (!open) return open.error();
  if (!open->empty()) run.gaps.push_back(*open);
  if (NeedsCoverage() && !Interrupted()) run.coverage = coverage_.Table();
  return run;
}

Result<Done> Verification::Write(const RunCases& all, const std::string& title) {
  ShardResults results;
  results.run = RunOfOptions(options_);
  results.run.title = title;
  results.run.inputs = all.HashOfShards() + choice_.targets.Hash();
  results.shard = *all.OwnShard();
  results.suite_hashes = PackageHashes(options_.suites);
  results.not_chosen = not_chosen_;
  results.outside = outside_;
  results.gaps = all.gaps();
  results.coverage = coverage_.ToJson();
  return WriteShard(
      options_.report, std::move(results),
      [this](const ReplySink& sink) { return journal_.EachResult(sink); }, kept_,
      [&all](int64_t index) { return all.Position(index); });
}

// Judges the vectors of all streams on standard input, pack by pack.
Result<Done> JudgeStream(Verification& verification, const BackendOptions& limits) {
  PackStream stream(STDIN_FILENO, "standard input", Interrupted);
  while (true) {
    Result<std::optional<VectorPack>> pack = stream.Next();
    if (!pack) return pack.error();
    if (!*pack) return Done{};
    const RunCases cases = RunCases::OfPack(std::move(**pack), stream.folder(), limits);
    const Result<Done> judged = verification.Judge(cases);
    if (!judged) return judged;
  }
}

Error NeedsReport() { return UsageError("--minimize: needs --report DIR for the vectors"); }

// Checks everything that can be wrong with the command line, before the first vector runs.
// Completes the options.
Result<RunCases> Prepare(VerifyOptions& options) {
  const Result<Shard> shard = options.shard.empty() ? Shard() : ParseShard(options.shard);
  if (!shard) return shard.error();
  if (options.minimize && options.report.empty()) return NeedsReport();
  if (options.resume && options.report.empty()) {
    return UsageError("--resume: needs --report DIR, which has the run");
  }
  if (!options.kernels.empty()) {
    const Result<const BackendKind*> kind = FindBackendKind(options.backend);
    if (!kind) return kind.error();
    if ((*kind)->name != "reference" || options.backend.find(':') != std::string::npos) {
      return UsageError("--kernels: only the backend reference has them");
    }
    options.backend += ":" + options.kernels;
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

// Opens the journal of the run if it writes a report, or needs the results of more cases than are
// kept in memory.
Result<ResultJournal> OpenJournal(const VerifyOptions& options, const Choice& choice,
                                  const RunCases& cases, const std::string& title) {
  const bool are_many = options.IsStream() || cases.size() > JudgedRun::kCasesKept;
  const bool are_needed = options.json || choice.known.is_given();
  if (options.report.empty() && !(are_many && are_needed)) return ResultJournal();
  const RunIdentity identity = {ReportCommand(options, false), title,
                                cases.ContentHash() + choice.targets.Hash()};
  if (options.report.empty()) return ResultJournal::OpenTemporary(identity);
  Result<ResultJournal> journal = ResultJournal::Open(options.report, identity, options.resume);
  if (journal && journal->recorded() > 0) {
    Note(options.report + ": goes on behind " + std::to_string(journal->recorded()) + " vectors");
  }
  return journal;
}

// Writes the report, and what `assay merge` needs if the run is a shard. A finished run leaves no
// journal.
Result<Done> WriteResults(const VerifyOptions& options, const RunReport& run, const RunCases& cases,
                          const std::string& title, Verification& verification,
                          ResultJournal& journal) {
  const bool interrupted = Interrupted();
  const Result<Done> written = WriteReports(run, options.report);
  if (!written) return written;
  if (cases.OwnShard() && !interrupted) {
    const Result<Done> shard = verification.Write(cases, title);
    if (!shard) return shard;
  }
  const bool is_kept = interrupted && !options.IsStream();  // nobody can give the same stream again
  const Result<Done> finished = is_kept ? Done{} : journal.Remove();
  if (!finished) return finished;
  TellOfOtherFindings(run);
  return Done{};
}

// Verifies on options.backend.
int RunOne(VerifyOptions options) {
  const Result<Match> match = options.match.empty() ? Match() : Match::Parse(options.match);
  if (!match) return Fail(match.error());
  const Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return Fail(targets.error());
  const Result<RunCases> cases = Prepare(options);
  if (!cases) return Fail(cases.error());
  const Result<PastRuns> past =
      LoadPast(options.past, options.report, options.reported_backend, options.known);
  if (!past) return Fail(past.error());
  const Result<KnownFailures> known = LoadKnown(options.known, options.reported_backend);
  if (!known) return Fail(known.error());
  const Choice choice = {*match, *targets, *known, *past};
  std::optional<Result<FolderLock>> lock;
  if (!options.report.empty()) {
    const Result<Done> fits = CheckFolder(options.report, options.force);
    if (!fits) return Fail(fits.error());
    lock = OpenReportFolder(options.report, options.force);
    if (!*lock) return Fail(lock->error());
    const std::string findings = JoinPath(options.report, "findings");
    Result<Done> made = options.minimize ? MakeDirectories(findings) : Result<Done>(Done{});
    if (made && options.minimize && options.resume) made = RemoveNotMinimized(findings);
    if (!made) return Fail(made.error());
    // The results of an earlier shard are not those of this one.
    const std::string stale = JoinPath(options.report, ShardResults::kHeadFile);
    const Result<Done> removed = FileExists(stale) ? Remove(stale) : Result<Done>(Done{});
    if (!removed) return Fail(removed.error());
  }
  const Result<std::string> title = DescribeBackend(options.backend, options.limits);
  if (!title) return Fail(title.error());
  const Result<Done> belong = CheckAnswers(options.backend, *cases);
  if (!belong) return Fail(belong.error());
  Result<ResultJournal> journal = OpenJournal(options, choice, *cases, *title);
  if (!journal) return Fail(journal.error());
  const InterruptWatch watch;
  RunClock clock(*title);
  if (journal->recorded() > 0) clock.GoOn(options.report);
  Verification verification(options, choice, *journal, clock);
  const Result<Done> judged =
      options.IsStream() ? JudgeStream(verification, options.limits) : verification.Judge(*cases);
  Result<RunReport> run = judged
                              ? verification.Report(options.IsStream() ? nullptr : &*cases, *title)
                              : Result<RunReport>(judged.error());
  if (!run) {
    // The replies of a backend that never answered are worth nothing, and no stream comes again.
    const bool is_void = verification.first_answers().gave_up() || options.IsStream();
    if (is_void) (void)journal->Remove();
    const int status = Fail(run.error());
    return verification.first_answers().found() ? kExitFinding : status;
  }
  const Result<Done> printed = PrintRun(*run, options.json);
  if (!printed) return Fail(printed.error());
  verification.TellHints();
  if (!options.report.empty()) {
    run->names_folder = !options.reproducible;
    if (!options.reproducible) run->timing = clock.Timing();
    const Result<Done> written =
        WriteResults(options, *run, *cases, *title, verification, *journal);
    if (!written) return Fail(written.error());
  }
  const Result<Done> saved = Interrupted() ? Done{} : SaveHistory(options.past, run->past);
  if (!saved) return Fail(saved.error());
  const Result<Done> updated =
      UpdateKnown(options.known, choice.known, options.reported_backend, run->findings);
  if (!updated) return Fail(updated.error());
  return StatusOf(*run, options.strict);
}

// Refuses, before the first run, what only one backend can take.
Result<Done> CheckSeveral(const VerifyOptions& options) {
  if (options.minimize && options.report.empty()) return NeedsReport();
  const std::pair<const char*, bool> only_one[] = {
      {"--resume", options.resume},
      {"--kernels", !options.kernels.empty()},
      {"--record", !options.limits.record.empty()},
      {"--next", !options.limits.next.empty()},
      {"--since", !options.past.since.empty()},
      {"--history", !options.past.history.empty()},
      {"--update-known", options.known.update},
      {"-", options.IsStream()},
  };
  for (const auto& [option, is_given] : only_one) {
    if (!is_given) continue;
    return UsageError(std::string(option) +
                      ": takes one backend; run each of them alone, and compare the reports with "
                      "`assay compare`");
  }
  const Result<Done> fits = CheckFolder(options.report, options.force);
  if (!fits) return fits;
  for (const std::string& backend : options.backends) {
    const Result<std::string> title = DescribeBackend(backend, options.limits);
    // One that is not installed does not keep the others from running.
    if (!title && StatusOf(title.error()) == kExitUsage) return title.error();
  }
  return Done{};
}

int RunVerify(const VerifyOptions& given) {
  const auto run_one = [&given](const std::string& backend, const std::string& report) {
    VerifyOptions options = given;
    options.backend = backend;
    options.report = report;
    return RunOne(std::move(options));
  };
  if (given.backends.size() == 1) return run_one(given.backends[0], given.report);
  const Result<Done> checked = CheckSeveral(given);
  if (!checked) return Fail(checked.error());
  return VerifyAndCompare(given.backends, given.report, given.json, run_one);
}

}  // namespace

extern const Command verify_command = {
    .name = "verify",
    .summary = "runs vectors, or graphs, on a backend and judges every step",
    .declare = DeclareWith<VerifyOptions, DeclareVerify, RunVerify>,
};

}  // namespace assay::cli
