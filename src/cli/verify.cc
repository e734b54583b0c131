#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "apply_known.h"
#include "backend_kind.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "console.h"
#include "files.h"
#include "finding_text.h"
#include "interrupt.h"
#include "json_lines.h"
#include "judge_case.h"
#include "judge_in_depth.h"
#include "known_options.h"
#include "match.h"
#include "model_source.h"
#include "path_kind.h"
#include "quoted.h"
#include "report_files.h"
#include "reported_findings.h"
#include "run_cases.h"
#include "run_journal.h"
#include "run_status.h"
#include "suite_coverage.h"
#include "target_options.h"
#include "terminal.h"
#include "worker_pool.h"

namespace assay::cli {
namespace {

struct Options {
  std::vector<std::string> suites;
  ModelOptions model;
  std::string backend;
  BackendOptions limits;
  int repeats = 1;
  int jobs = 1;
  std::string shard = "0/1";
  std::string match;
  TargetOptions target;
  KnownOptions known;
  std::string report;
  std::string kernels;
  bool minimize = false;
  bool resume = false;
  bool strict = false;
  bool implied_errors = false;
  bool json = false;
};
Options options;

void Declare(CommandLine& line) {
  line.Add(
          "SUITE", options.suites,
          "suites, .tvec files, Arm test directories, or folders of them; or graphs (.tosa, .json, "
          ".mlir, .mlirbc), each of which becomes a vector with the inputs that the options below "
          "name. Below folders, graphs are skipped")
      .Required();
  AddModelOptions(line, options.model);
  AddBackendOptions(line, options.backend, options.limits);
  AddJobsOption(line, options.jobs);
  AddRepeatOption(line, options.repeats);
  line.Add("--shard", options.shard,
           "I/N: run only every N-th vector, starting with vector I, from 0");
  AddMatchOption(line, options.match);
  AddTargetOptions(line, options.target);
  AddKnownOptionsWithUpdate(line, options.known);
  line.Add("--report", options.report,
           "folder for report.html, report.xml (JUnit), summary.md, report.jsonl and report.txt");
  line.AddFlag("--resume", options.resume,
               "go on with the unfinished run in the folder of --report, if there is one");
  line.AddFlag("--minimize", options.minimize,
               "reduce each finding to the smallest vector; needs --report");
  line.Add("--kernels", options.kernels, "kernels of the backend `reference`: fast or template")
      .OneOf({"fast", "template"});
  line.AddFlag("--implied-errors", options.implied_errors,
               "also judge vectors that demand an error that no ERROR_IF of the specification "
               "states; report them apart");
  line.AddFlag("--strict", options.strict,
               "exit with status 3 if any vector is suspect, undecided or unsupported");
  line.AddFlag("--json", options.json, "print JSON lines");
}

// Returns the command that gives the same report, for any number of workers. Without
// `for_report`, leaves out the options that change the report, but no result of a vector.
std::string CommandLine(bool for_report = true) {
  std::string line = "assay verify";
  for (const std::string& suite : options.suites) line += " " + ShellWord(suite);
  line += ModelWords(options.model) + " " + BackendWords(options.backend, options.limits);
  if (options.shard != "0/1") line += " --shard " + options.shard;
  if (!options.match.empty()) line += " --match " + ShellWord(options.match);
  line += TargetWords(options.target);
  if (for_report) line += KnownWords(options.known);
  if (for_report && options.minimize) line += " --minimize";
  if (options.implied_errors) line += " --implied-errors";
  if (options.repeats != 1) line += " --repeat " + std::to_string(options.repeats);
  return line;
}

// The reply for a vector that --match does not choose, as JSON.
constexpr char kNotChosen[] = R"({"left_out":"not chosen"})";
// The reply for a vector outside the target, as JSON.
constexpr char kOutside[] = R"({"left_out":"outside the target"})";

// The vectors that a run takes, and the findings that do not fail it.
struct Choice {
  Match match;
  ChosenTargets targets;
  KnownFailures known;
};

// Verifies one vector, in a worker. Returns the result, or kOutside or kNotChosen.
std::variant<CaseResult, std::string> VerifyOne(Backend& backend, const Choice& choice,
                                                const RunCases& all, int64_t index) {
  const std::string path = all.Name(index);
  const Result<LoadedCase> loaded = all.Load(index);
  if (loaded && !choice.match.Chooses(loaded->vector)) return std::string(kNotChosen);
  if (loaded && !choice.targets.Takes(loaded->vector)) return std::string(kOutside);
  if (loaded) {
    const std::string implied = options.implied_errors ? "" : ImpliedErrorOf(*loaded);
    return implied.empty() ? JudgeInDepth(backend, *loaded, path, options.repeats)
                           : ExcludedCase(loaded->vector, path, implied);
  }
  // Some of Arm's negative tests break a graph rule that no Graph of Assay can express.
  const bool inexpressible =
      IsDirectory(path) && loaded.error().message.find("(graph/ERROR_IF/") != std::string::npos;
  const bool unsupported = inexpressible || loaded.error().kind == Error::Kind::kUnsupported;
  CaseResult result;
  result.vector = path;
  result.state = unsupported ? CaseState::kUnsupported : CaseState::kBadInput;
  result.note = loaded.error().message;
  return result;
}

// The vectors of a run that were judged, and their results.
struct Judged {
  int64_t visited = 0;            // vectors, those that are left out included
  int64_t not_chosen = 0;         // by --match
  int64_t outside = 0;            // outside the target
  std::vector<int64_t> indices;   // of the others, in the cases of the run
  std::vector<CaseResult> cases;  // one for each of them
};

// Judges the vectors. Takes the replies that `journal` has, and records the others, if it is set. A
// vector whose worker was killed from outside is not recorded, and gets another chance.
Result<Judged> VerifyAll(const Choice& choice, const RunCases& all, FirstAnswers& first_answers,
                         RunJournal* journal) {
  Judged judged;
  Progress progress("verify", all.size());
  int64_t findings = 0;
  WorkPlan plan;
  plan.last = all.size();
  plan.jobs = options.jobs;
  plan.start = [&]() -> Result<Work> {
    Result<std::unique_ptr<Backend>> opened = OpenBackend(options.backend, options.limits);
    if (!opened) return opened.error();
    std::shared_ptr<Backend> backend = std::move(*opened);
    return Work([backend, &choice, &all, journal](int64_t index) -> Result<std::string> {
      if (journal != nullptr && journal->Has(index)) return journal->Read(index);
      const auto result = VerifyOne(*backend, choice, all, index);
      if (const auto failure = backend->MachineFailure()) return *failure;
      if (const auto* left_out = std::get_if<std::string>(&result)) return *left_out;
      return CaseToJson(std::get<CaseResult>(result), true);
    });
  };
  plan.merge = [&](int64_t index, std::string line, const Loss& loss) -> Result<Done> {
    judged.visited = index + 1;
    const bool left_out = line == kNotChosen || line == kOutside;
    if (left_out) {
      ++(line == kOutside ? judged.outside : judged.not_chosen);
    } else {
      Result<CaseResult> result = CaseFromJson(line);
      judged.cases.push_back(result ? std::move(*result) : LostCase(all.Name(index), loss));
      judged.indices.push_back(index);
      findings += judged.cases.back().state == CaseState::kDisagrees ? 1 : 0;
      if (line.empty()) line = CaseToJson(judged.cases.back(), true);
    }
    if (journal != nullptr && journal->Has(index)) {
      progress.Skip(index + 1);
    } else if (journal != nullptr && (!loss || loss.by_itself)) {
      const Result<Done> recorded = journal->Add(index, line);
      if (!recorded) return recorded;
    }
    progress.Show(index + 1, findings);
    return left_out ? Done{} : first_answers.Add(judged.cases.back());
  };
  const Result<int64_t> done = RunWork(plan);
  if (!done) return done.error();
  return judged;
}

Result<RunReport> Verify(const Choice& choice, const RunCases& all, std::string title,
                         FirstAnswers& first_answers, RunJournal* journal) {
  RunReport run;
  run.title = std::move(title);
  run.backend = options.backend;
  run.command = CommandLine();
  run.suites = options.suites;
  run.folder = options.report;
  run.gaps = all.gaps();
  Result<Judged> judged = VerifyAll(choice, all, first_answers, journal);
  if (!judged) return judged.error();
  if (!choice.match.ChoosesAll()) run.counts["left out by --match"] = judged->not_chosen;
  if (!choice.targets.TakesAll()) run.counts["outside the target"] = judged->outside;
  run.cases = std::move(judged->cases);
  int64_t windows = 0, tapped = 0, by_spread = 0;
  for (const CaseResult& result : run.cases) {
    windows += result.windows;
    tapped += result.tapped;
    by_spread += result.spread.elements;
  }
  if (windows > 0) run.counts["windows judged"] = windows;
  if (tapped > 0) run.counts["operators judged by taps"] = tapped;
  if (by_spread > 0) run.counts["elements judged by spread only"] = by_spread;
  if (judged->visited < all.size()) {
    run.gaps.push_back("interrupted after " + std::to_string(judged->visited) + " of " +
                       std::to_string(all.size()) + " vectors, the next is " +
                       all.Name(judged->visited) +
                       (journal == nullptr ? "; the same command judges all of them"
                                           : "; the same command with --resume judges the rest"));
  }
  FindingPlan plan;
  plan.backend = options.backend;
  plan.options = options.limits;
  plan.jobs = options.jobs;
  plan.minimize = options.minimize;
  plan.repeats = options.repeats;
  if (!options.report.empty()) plan.folder = JoinPath(options.report, "findings");
  const std::vector<int64_t>& indices = judged->indices;
  const auto at = [&indices](int64_t index) { return indices[static_cast<size_t>(index)]; };
  plan.load = [&all, at](int64_t index) { return all.Load(at(index)); };
  plan.path = [&all, at](int64_t index) { return all.Name(at(index)); };
  plan.words = [&all, at](int64_t index) { return all.Words(at(index)); };
  plan.takes = [&choice](const TestVector& vector) { return choice.targets.Takes(vector); };
  for (size_t i = 0; i < run.cases.size(); ++i) {
    const CaseResult& result = run.cases[i];
    if (result.state != CaseState::kDisagrees) continue;
    run.replays[result.vector] = ReplayLine(plan.words(static_cast<int64_t>(i)), plan.backend,
                                            plan.options, result.verdict.findings[0]);
  }
  const std::vector<Suspicion> suspicions = GroupFindings(run.cases, Representative::kSmallest);
  Result<WorkedUp> worked_up = WorkUp(suspicions, plan);
  if (!worked_up) return worked_up.error();
  const bool interrupted = Interrupted();
  if (interrupted) {
    run.gaps.emplace_back("interrupted: findings are as first seen, and coverage is not counted");
  }
  for (WorkedUp::Entry& entry : worked_up->findings) {
    run.findings.push_back(std::move(entry.finding));
  }
  ApplyKnown(choice.known, suspicions, *worked_up, run);
  for (const CaseResult& result : run.cases) run.tally.Add(result);
  ImpliedErrorsLast(run.findings);
  if (!options.report.empty() && !interrupted) {
    std::vector<std::string> names;
    for (const int64_t index : indices) names.push_back(all.Name(index));
    Result<std::vector<CoverageGroup>> coverage =
        CoverageOf(names, plan.load, options.limits, true, choice.targets);
    if (!coverage) return coverage.error();
    run.coverage = std::move(*coverage);
  }
  return run;
}

// Checks everything that can be wrong with the command line, before the first vector runs.
Result<RunCases> Prepare() {
  const Result<Shard> shard = ParseShard(options.shard);
  if (!shard) return shard.error();
  if (options.minimize && options.report.empty()) {
    return Error{Error::Kind::kUsage, "--minimize: needs --report DIR for the vectors"};
  }
  if (options.resume && options.report.empty()) {
    return Error{Error::Kind::kUsage, "--resume: needs --report DIR, which has the run"};
  }
  if (!options.kernels.empty()) {
    const Result<const BackendKind*> kind = FindBackendKind(options.backend);
    if (!kind) return kind.error();
    if ((*kind)->name != "reference" || options.backend.find(':') != std::string::npos) {
      return Error{Error::Kind::kUsage, "--kernels: only the backend reference has them"};
    }
    options.backend += ":" + options.kernels;
  }
  Result<RunCases> cases = RunCases::List(options.suites, options.model, options.limits, Note);
  if (!cases) return cases.error();
  cases->Keep([&shard](int64_t index) { return shard->Holds(index); });
  options.limits = cases->limits();
  return cases;
}

// Reports vectors in the findings folder that are not of this run. They are kept, because somebody
// may need them.
void TellOfOtherFindings(const RunReport& run) {
  const std::string folder = JoinPath(options.report, "findings");
  const Result<std::vector<std::string>> names = ListDirectory(folder);
  if (!names) return;
  const auto is_other = [&](const std::string& name) {
    const std::string path = JoinPath(folder, name);
    const auto is_it = [&](const ReportedFinding& finding) { return finding.vector == path; };
    return KindOfFile(name) == PathKind::kVector && std::ranges::none_of(run.findings, is_it);
  };
  const auto others = std::ranges::count_if(*names, is_other);
  if (others > 0) {
    Note(folder + ": " + std::to_string(others) + (others == 1 ? " vector" : " vectors") +
         " of another run");
  }
}

// Opens the journal of the run, if it writes a report.
Result<std::optional<RunJournal>> OpenJournal(const Choice& choice, const RunCases& cases,
                                              const std::string& title) {
  std::optional<RunJournal> journal;
  if (options.report.empty()) return journal;
  const RunIdentity identity = {CommandLine(false), title,
                                cases.ContentHash() + choice.targets.Hash()};
  Result<RunJournal> opened = RunJournal::Open(options.report, identity, options.resume);
  if (!opened) return opened.error();
  journal = std::move(*opened);
  if (journal->recorded() > 0) {
    Note(options.report + ": goes on behind " + std::to_string(journal->recorded()) + " vectors");
  }
  return journal;
}

int Run() {
  const Result<Match> match = options.match.empty() ? Match() : Match::Parse(options.match);
  if (!match) return Fail(match.error());
  const Result<ChosenTargets> targets = ChosenTargets::Make(options.target);
  if (!targets) return Fail(targets.error());
  const Result<KnownFailures> known = LoadKnown(options.known, options.backend);
  if (!known) return Fail(known.error());
  const Choice choice = {*match, *targets, *known};
  const Result<RunCases> cases = Prepare();
  if (!cases) return Fail(cases.error());
  std::optional<Result<FolderLock>> lock;
  if (!options.report.empty()) {
    lock = OpenReportFolder(options.report);
    if (!*lock) return Fail(lock->error());
    const Result<Done> made = options.minimize
                                  ? MakeDirectories(JoinPath(options.report, "findings"))
                                  : Result<Done>(Done{});
    if (!made) return Fail(made.error());
  }
  const Result<std::string> title = DescribeBackend(options.backend, options.limits);
  if (!title) return Fail(title.error());
  Result<std::optional<RunJournal>> opened = OpenJournal(choice, *cases, *title);
  if (!opened) return Fail(opened.error());
  RunJournal* journal = *opened ? &**opened : nullptr;
  const InterruptWatch watch;
  FirstAnswers first_answers(options.backend);
  const Result<RunReport> run = Verify(choice, *cases, *title, first_answers, journal);
  const bool interrupted = Interrupted();
  if (!run) {
    // The replies of a backend that never answered are worth nothing.
    if (first_answers.gave_up() && journal != nullptr) (void)journal->Remove();
    const int status = Fail(run.error());
    return first_answers.found() ? kExitFinding : status;
  }
  if (options.json) {
    Write(RunToJsonLines(*run));
  } else {
    WriteReport(RunToText(*run));
  }
  if (!options.report.empty()) {
    const Result<Done> written = WriteReports(*run, options.report);
    if (!written) return Fail(written.error());
    const Result<Done> finished = interrupted ? Done{} : journal->Remove();
    if (!finished) return Fail(finished.error());
    TellOfOtherFindings(*run);
  }
  const Result<Done> updated =
      UpdateKnown(options.known, choice.known, options.backend, run->findings);
  if (!updated) return Fail(updated.error());
  return StatusOf(*run, options.strict);
}

}  // namespace

extern const Command verify_command = {
    .name = "verify",
    .summary = "runs vectors, or graphs, on a backend and judges every step",
    .declare = Declare,
    .run = Run,
};

}  // namespace assay::cli
