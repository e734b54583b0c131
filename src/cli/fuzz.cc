// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>

#include "apply_known.h"
#include "backend_kind.h"
#include "campaign.h"
#include "case_guide.h"
#include "case_judge.h"
#include "case_source.h"
#include "clean_text.h"
#include "code_guide.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "console.h"
#include "files.h"
#include "finding_text.h"
#include "interrupt.h"
#include "json_lines.h"
#include "judge_case.h"
#include "known_options.h"
#include "past_options.h"
#include "report_files.h"
#include "reported_findings.h"
#include "reported_suspects.h"
#include "run_journal.h"
#include "run_status.h"
#include "run_timing.h"
#include "terminal.h"
#include "work_share.h"
#include "worker_pool.h"

namespace assay::cli {
namespace {

using Clock = std::chrono::steady_clock;

// The number of cases between two writes of the progress file. Findings are minimized then. After a
// kill, a round begins again with the results that its journal has.
constexpr int64_t kRound = CaseGuide::kRoundCases;
static_assert(CodeGuide::kRoundCases == kRound && WorkShare::kRoundCases == kRound);

// The note of a case whose vector is outside the target. It is counted apart and does not run.
constexpr char kOutsideNote[] = "outside the target";
// The note of a case for which the generator finds no valid vector. It is counted apart as well.
constexpr char kInvalidNote[] = "no valid case found";

struct FuzzOptions {
  std::string backend;
  BackendOptions limits;
  std::string budget;
  CampaignOptions campaign;
  std::string out;
  std::string shard = "0/1";
  KnownOptions known;
  PastOptions past;
  int repeats = 1;
  int jobs = 1;
  bool guided = false;
  bool guided_by_backend = false;
  bool resume = false;
  bool reproducible = false;
  bool json = false;
};

void DeclareFuzz(CommandLine& line, FuzzOptions& options) {
  AddBackendOptions(line, options.backend, options.limits);
  line.Add("--budget", options.budget, "a time (30s, 10m, 2h) or a number of cases").Required();
  line.Add("--out", options.out,
           "folder for findings, suspects (no findings: no sound rule decides them), report and "
           "progress")
      .Required();
  AddCampaignOptions(line, options.campaign);
  AddKnownOptionsWithUpdate(line, options.known);
  AddPastOptions(line, options.past);
  AddJobsOption(line, options.jobs);
  AddRepeatOption(line, options.repeats);
  line.AddFlag("--guided", options.guided,
               "choose the cases: of every 1,024, run those 256 that reach most of the "
               "specification that no case before has reached");
  line.AddFlag("--guided-by-backend", options.guided_by_backend,
               "choose the cases by the code of the backend that they reach, and change those that "
               "reach new code: for a plugin that clang compiled with "
               "-fsanitize-coverage=inline-8bit-counters, or a worker with counters. Another run "
               "may choose other cases");
  line.Add("--shard", options.shard, "I/N: run only every N-th case, starting with case I, from 0");
  line.AddFlag("--resume", options.resume, "go on with the run in --out");
  line.AddFlag("--reproducible", options.reproducible,
               "leave the clock and the name of the folder out of all reports: no timing.json, no "
               "times in report.html, and $REPORT for the folder in replay lines");
  line.AddFlag("--json", options.json, "print JSON lines");
}

std::string ProgressFile(const std::string& out) { return JoinPath(out, "progress.json"); }

// Returns the identity of a run: everything that its cases and verdicts depend on.
std::string CampaignText(const FuzzOptions& options, const Campaign& campaign) {
  std::string text = "assay fuzz " + BackendWords(options.backend, options.limits) +
                     CampaignWords(options.campaign, campaign);
  if (options.guided) text += " --guided";
  if (options.guided_by_backend) text += " --guided-by-backend";
  if (options.shard != "0/1") text += " --shard " + options.shard;
  return text;
}

// Returns the progress of the run that --out holds, or of a new one.
Result<RunProgress> StartOrResume(const std::string& campaign, const std::string& out,
                                  bool resume) {
  const bool exists = FileExists(ProgressFile(out));
  if (!exists) {
    RunProgress fresh;
    fresh.campaign = campaign;
    return fresh;
  }
  if (!resume) return UsageError(out + ": holds a run already; --resume goes on with it");
  const Result<std::string> text = ReadOwnTextFile(ProgressFile(out));
  if (!text) return text.error();
  const Result<RunProgress> progress = ProgressFromJson(*text);
  if (!progress) return BadInput(ProgressFile(out) + ": " + progress.error().message);
  if (progress->campaign != campaign) {
    return UsageError(out + ": holds another run: " + OneLine(progress->campaign));
  }
  return progress;
}

class Fuzzer {
 public:
  // `guide` and `code_guide` are null if they choose no cases.
  Fuzzer(const FuzzOptions& options, const Campaign& campaign, CaseGuide* guide,
         CodeGuide* code_guide, const KnownFailures& known_failures, Shard shard,
         const Budget& budget, RunProgress progress, RunJournal journal, RunClock& clock)
      : options_(options),
        campaign_(campaign),
        guide_(guide),
        code_guide_(code_guide),
        known_failures_(known_failures),
        shard_(shard),
        budget_(budget),
        progress_(std::move(progress)),
        journal_(std::move(journal)),
        clock_(clock) {
    bar_.Skip(progress_.next);
    plan_.backend = options.backend;
    plan_.options = options.limits;
    plan_.jobs = options.jobs;
    plan_.minimize = true;
    plan_.repeats = options.repeats;
    plan_.folder = JoinPath(options.out, "findings");
    plan_.keep_smaller = true;
    plan_.load = [this](int64_t index) -> Result<LoadedCase> {
      std::optional<TestVector> vector =
          code_guide_ ? code_guide_->Make(index) : campaign_.Make(NumberOf(index));
      if (!vector) return BadInput(kInvalidNote);
      if (!campaign_.Takes(*vector)) return BadInput(kOutsideNote);
      return LoadedCase{std::move(*vector), {}};
    };
    plan_.path = [this](int64_t index) {
      return code_guide_ ? code_guide_->NameOf(index) : campaign_.NameOf(NumberOf(index));
    };
    // A process of the backend runs no cases of an earlier round.
    plan_.find = [this](const std::string& name) -> std::optional<int64_t> {
      for (int64_t i = progress_.next; i < round_end_; ++i) {
        if (plan_.path(i) == name) return i;
      }
      return std::nullopt;
    };
    plan_.takes = [this](const TestVector& vector) { return campaign_.chosen.Takes(vector); };
    plan_.tell = [this](int64_t number, int64_t of, int64_t runs) {
      bar_.ShowMinimizing(number, of, runs);
    };
  }

  Result<Done> Run() {
    const int64_t last = budget_.cases > 0 ? budget_.cases : std::numeric_limits<int64_t>::max();
    while (progress_.next < last && !TimeIsUp()) {
      is_partial_ = Interrupted();
      if (is_partial_) return Done{};
      const Result<int64_t> end = EndOfRound();
      if (!end) return end.error();
      if (Interrupted()) continue;
      const Result<Done> round = RunRound(std::min(last, *end));
      if (!round) return round.error();
      if (is_partial_) return Done{};
    }
    return journal_.Remove();  // the progress file has all
  }

  const RunProgress& progress() const { return progress_; }
  // Returns true if a signal has ended the run before its budget was spent.
  bool is_partial() const { return is_partial_; }
  // Returns the cases of the round that the signal has ended.
  const std::vector<CaseResult>& unfinished() const { return unfinished_; }
  const FirstAnswers& first_answers() const { return first_answers_; }

 private:
  int64_t NumberOf(int64_t index) const {
    return shard_.At(guide_ == nullptr ? share_.CaseAt(index) : guide_->CaseAt(index));
  }

  // Returns the end of the round that begins with the next case, whose cases are chosen then.
  Result<int64_t> EndOfRound() {
    const int64_t round = progress_.next / kRound;
    Result<Done> chosen = Done{};
    if (code_guide_) chosen = code_guide_->Choose(round);
    if (guide_) chosen = guide_->Choose(round);
    if (!guide_ && !code_guide_) share_.Choose(round);
    if (!chosen) return chosen.error();
    return (round + 1) * kRound;
  }

  bool TimeIsUp() const {
    return budget_.seconds > 0 &&
           std::chrono::duration<double>(Clock::now() - started_).count() >= budget_.seconds;
  }

  // Runs a case, in a worker.
  CaseResult RunCase(CaseJudge& judge, int64_t index) const {
    const Result<LoadedCase> loaded = plan_.load(index);
    if (loaded) {
      CaseResult result = judge.Judge(index, *loaded);
      result.work = WorkOf(loaded->vector);
      return result;
    }
    CaseResult none;
    none.vector = plan_.path(index);
    none.note = loaded.error().message;
    return none;
  }

  // Runs cases up to `last`, or until the time is up. Then processes the findings and records
  // everything.
  // After a signal, records nothing: a round is minimized as a whole, so that the run that goes on
  // has the same findings.
  Result<Done> RunRound(int64_t last) {
    round_end_ = last;
    std::vector<CaseResult> cases;
    WorkPlan work;
    work.first = progress_.next;
    work.last = last;
    work.jobs = options_.jobs;
    work.start = [this]() -> Result<Work> {
      Result<std::unique_ptr<Backend>> opened = OpenBackend(options_.backend, options_.limits);
      if (!opened) return opened.error();
      std::shared_ptr<Backend> backend = std::move(*opened);
      const auto judge =
          std::make_shared<CaseJudge>(*backend, plan_.load, plan_.path, options_.repeats);
      return Work([this, backend, judge](int64_t index) -> Result<std::string> {
        if (journal_.Has(index)) return journal_.Read(index);
        const auto started = Clock::now();
        const CaseResult result = RunCase(*judge, index);
        if (const auto failure = backend->MachineFailure()) return *failure;
        std::string json = CaseToJson(result, true);
        if (code_guide_) json = code_guide_->WithEdges(std::move(json), *backend);
        return WithSeconds(std::move(json), started);
      });
    };
    work.merge = [&](int64_t index, std::string line, const Loss& loss) -> Result<Done> {
      if (const auto seconds = TakeSeconds(line)) clock_.Add(plan_.path(index), *seconds);
      if (!options_.reproducible) clock_.Save(options_.out);
      Result<CaseResult> result = CaseFromJson(line);
      cases.push_back(result ? std::move(*result) : LostCase(plan_.path(index), loss));
      if (line.empty()) line = CaseToJson(cases.back(), true);
      if (code_guide_) code_guide_->Learn(index, line);
      if (journal_.Has(index)) {
        bar_.Skip(index + 1);
      } else if (!loss || loss.by_itself) {
        const Result<Done> recorded = journal_.Add(index, line);
        if (!recorded) return recorded;
      }
      bar_.Show(index + 1, std::ssize(progress_.findings));
      return resumed_ ? Done{} : first_answers_.Add(cases.back());
    };
    work.stop = [this] { return TimeIsUp(); };
    const Result<int64_t> end = RunWork(work);
    if (!end) {
      // The replies of a backend that never answered are worth nothing.
      if (first_answers_.gave_up()) (void)journal_.Remove();
      return end.error();
    }
    const RunProgress before = progress_;
    if (!guide_ && !code_guide_) {
      for (size_t i = 0; i < cases.size(); ++i) {
        share_.Add(progress_.next + static_cast<int64_t>(i), cases[i].work);
      }
    }
    Result<Done> recorded = Done{};
    if (!Interrupted()) recorded = Record(cases);
    if (recorded && !Interrupted()) recorded = RecordSuspects(cases);
    if (!recorded) return recorded.error();
    if (Interrupted()) {
      is_partial_ = true;
      progress_ = before;
      unfinished_ = std::move(cases);
      return Done{};
    }
    // Saved first: the guide skips cases that it knows, if a kill makes them run again.
    const Result<Done> saved = code_guide_ ? code_guide_->Save() : Done{};
    if (!saved) return saved;
    progress_.next = *end;
    const Result<Done> written = WriteFileAtomically(ProgressFile(options_.out),
                                                     std::string_view(ProgressToJson(progress_)));
    return written ? journal_.Clear() : written;
  }

  // A case counts for the first of its findings that the file of known failures does not name. It
  // may name a finding as soon as that has been minimized, so cases are looked at until all count
  // for the right one.
  Result<Done> Record(std::vector<CaseResult>& cases) {
    std::vector<size_t> open;
    for (size_t i = 0; i < cases.size(); ++i) {
      if (int64_t* const skipped = SkippedLike(cases[i])) {
        ++*skipped;
        continue;
      }
      progress_.tally.Add(cases[i]);
      if (cases[i].state == CaseState::kDisagrees) open.push_back(i);
    }
    const std::vector<size_t> disagree = open;
    const KnownReports before(known_failures_, progress_.signatures, progress_.findings);
    for (const size_t i : open) before.PutNewFirst(cases[i]);
    while (!open.empty()) {
      FindingGrouper grouper(Representative::kFirst);
      for (const size_t i : open) grouper.Add(cases[i], static_cast<int64_t>(i));
      const Result<Done> recorded = RecordGroups(grouper.Suspicions());
      if (!recorded || Interrupted()) return recorded;
      const KnownReports now(known_failures_, progress_.signatures, progress_.findings);
      std::erase_if(open, [&](size_t i) { return !MoveToNew(now, cases[i]); });
    }
    for (const size_t i : disagree) {
      const std::string signature = cases[i].verdict.findings[0].Signature();
      progress_.tallies[progress_.signatures.at(signature)].Add(cases[i]);
    }
    return Done{};
  }

  // Returns the count of the cases that did not run for the same reason; null if the case ran.
  int64_t* SkippedLike(const CaseResult& result) {
    if (result.note == kOutsideNote) return &progress_.outside;
    return result.note == kInvalidNote ? &progress_.invalid : nullptr;
  }

  // Makes a case that has been recorded count for another finding, if that is new and its own is
  // not. Returns true if it does.
  bool MoveToNew(const KnownReports& known, CaseResult& result) {
    const std::string signature = result.verdict.findings[0].Signature();
    if (!known.PutNewFirst(result)) return false;
    ReportedFinding& before = progress_.findings.at(progress_.signatures.at(signature));
    before.seen_with_new = std::min(before.seen_with_new + 1, before.seen);
    return true;
  }

  // Minimizes the groups that no earlier finding is for, and counts the others.
  Result<Done> RecordGroups(std::vector<Suspicion> groups) {
    std::vector<Suspicion> fresh;
    for (Suspicion& suspicion : groups) {
      if (ReportedFinding* known = Known(suspicion)) {
        known->seen += suspicion.seen;
        AddBlamed(FirstBlamedBy(suspicion), *known);
        continue;
      }
      suspicion.representative.case_index += progress_.next;
      for (Suspicion::Member& other : suspicion.others) other.case_index += progress_.next;
      fresh.push_back(std::move(suspicion));
    }
    if (fresh.empty()) return Done{};
    Result<WorkedUp> worked_up = WorkUp(fresh, plan_);
    if (!worked_up) return worked_up.error();
    for (size_t i = 0; i < fresh.size(); ++i) {
      progress_.signatures[fresh[i].representative.finding.Signature()] = worked_up->signatures[i];
    }
    std::vector<std::string> keys;
    for (WorkedUp::Entry& entry : worked_up->findings) {
      std::string key = KeyOf(entry.finding);
      if (Keep(std::move(entry))) keys.push_back(std::move(key));
    }
    Tell(keys);
    return Done{};
  }

  Result<Done> RecordSuspects(const std::vector<CaseResult>& cases) {
    std::vector<SuspectGroup> fresh;
    for (SuspectGroup& group : GroupSuspects(cases)) {
      const auto known = progress_.suspects.find(group.signature);
      if (known != progress_.suspects.end() && known->second.repeats) {
        known->second.seen += group.seen;
        continue;
      }
      if (known != progress_.suspects.end()) group.seen += known->second.seen;
      group.case_index += progress_.next;
      fresh.push_back(std::move(group));
    }
    FindingPlan plan = plan_;
    plan.folder = JoinPath(options_.out, "suspects");
    Result<std::vector<ReportedSuspect>> suspects = WorkUpSuspects(fresh, plan);
    if (!suspects) return suspects.error();
    for (ReportedSuspect& suspect : *suspects) {
      std::string signature = suspect.signature;
      progress_.suspects.insert_or_assign(std::move(signature), std::move(suspect));
    }
    return Done{};
  }

  // Returns the earlier finding for the suspicion. Returns null if there is none, or if it cannot
  // be repeated.
  ReportedFinding* Known(const Suspicion& suspicion) {
    const auto signature = progress_.signatures.find(suspicion.representative.finding.Signature());
    if (signature == progress_.signatures.end()) return nullptr;
    const auto finding = progress_.findings.find(signature->second);
    const bool known = finding != progress_.findings.end() && finding->second.repeats;
    return known ? &finding->second : nullptr;
  }

  // Prints new findings as they come. Their groups are only known at the end, and so is whether a
  // file of known failures names them.
  void Tell(const std::vector<std::string>& keys) {
    if (!keys.empty()) bar_.Clear();
    if (options_.json) return;
    for (const std::string& key : keys) {
      const ReportedFinding& finding = progress_.findings.at(key);
      Print("{}  {}\n  replay: {}\n", known_failures_.is_given() ? "FOUND" : "FAIL",
            ReportedHeadline(finding), AsCalled(finding.replay));
    }
    std::fflush(stdout);
  }

  // Returns true if there was no finding with the same key.
  bool Keep(WorkedUp::Entry entry) {
    ReportedFinding& finding = entry.finding;
    const auto [known, is_new] = progress_.findings.try_emplace(KeyOf(finding), finding);
    if (!is_new) {
      finding.seen += known->second.seen;
      finding.seen_with_new = known->second.seen_with_new;
      const std::vector<OperatorUse> before = known->second.first_blamed;
      AddBlamed({before.begin(), before.end()}, finding);
      if (entry.superseded || (known->second.repeats && !finding.repeats)) {
        known->second.seen = finding.seen;
        known->second.first_blamed = finding.first_blamed;
      } else {
        known->second = std::move(finding);
      }
    }
    return is_new;
  }

  const FuzzOptions& options_;
  const Campaign& campaign_;
  CaseGuide* guide_;
  CodeGuide* code_guide_;
  const KnownFailures& known_failures_;
  Shard shard_;
  Budget budget_;
  RunProgress progress_;
  WorkShare share_{campaign_, shard_, progress_.work};
  RunJournal journal_;  // of the current round
  RunClock& clock_;
  int64_t round_end_ = 0;
  bool is_partial_ = false;
  std::vector<CaseResult> unfinished_;
  FindingPlan plan_;
  bool resumed_ = progress_.next > 0;
  FirstAnswers first_answers_{options_.backend};
  Progress bar_{"fuzz", budget_.cases, budget_.seconds};
  Clock::time_point started_ = Clock::now();
};

// Adds the cases of an interrupted round, whose findings are not minimized, to a report.
void AddUnfinished(std::vector<CaseResult> cases, const KnownFailures& known, RunReport& run) {
  int64_t disagree = 0;
  for (CaseResult& result : cases) {
    if (result.note == kOutsideNote || result.note == kInvalidNote) {
      ++run.counts[result.note];
      continue;
    }
    if (known.is_given()) MarkKnown(known, {}, result);
    disagree += result.state == CaseState::kDisagrees ? 1 : 0;
    run.tally.Add(result);
  }
  if (cases.empty()) {
    run.gaps.emplace_back("interrupted; the same command with --resume goes on");
    return;
  }
  run.gaps.push_back("interrupted: the findings of the last " + std::to_string(cases.size()) +
                     " cases, of which " + std::to_string(disagree) +
                     " disagree, are not listed; the same command with --resume goes on");
}

RunReport ReportOf(const FuzzOptions& options, const RunProgress& progress, std::string title) {
  RunReport run;
  run.title = std::move(title);
  run.backend = options.backend;
  run.folder = options.out;
  run.command = progress.campaign + " --budget " + std::to_string(progress.next) +
                KnownWords(options.known) + PastWords(options.past, options.known);
  run.facts = FactsOf(options.limits, std::to_string(options.campaign.seed));
  run.tally = progress.tally;
  if (progress.outside > 0) run.counts[kOutsideNote] = progress.outside;
  if (progress.invalid > 0) run.counts[kInvalidNote] = progress.invalid;
  for (const auto& [signature, finding] : progress.findings) run.findings.push_back(finding);
  ImpliedErrorsLast(run.findings);
  for (const auto& [signature, suspect] : progress.suspects) run.suspects.push_back(suspect);
  return run;
}

// Opens the backend in a worker, and tells what it supports.
Result<SupportedVectors> OpenSupport(const std::string& name, const BackendOptions& limits) {
  Result<std::unique_ptr<Backend>> opened = OpenBackend(name, limits);
  if (!opened) return opened.error();
  return SupportedVectors(
      [backend = std::shared_ptr<Backend>(std::move(*opened))](const TestVector& vector) {
        return backend->WhyNotTaken(vector).empty();
      });
}

int RunFuzz(FuzzOptions options) {
  if (options.guided && options.guided_by_backend) {
    return Fail(UsageError("--guided-by-backend: excludes --guided"));
  }
  const Result<Campaign> campaign = MakeCampaign(options.campaign);
  if (!campaign) return Fail(campaign.error());
  const Result<Budget> budget = ParseBudget(options.budget);
  if (!budget) return Fail(budget.error());
  const Result<Shard> shard = ParseShard(options.shard);
  if (!shard) return Fail(shard.error());
  const Result<PastRuns> past = LoadPast(options.past, options.out, options.backend, options.known);
  if (!past) return Fail(past.error());
  const Result<KnownFailures> known = LoadKnown(options.known, options.backend);
  if (!known) return Fail(known.error());
  const Result<std::string> title = DescribeBackend(options.backend, options.limits);
  if (!title) return Fail(title.error());
  const Result<FolderLock> lock = OpenReportFolder(options.out);
  if (!lock) return Fail(lock.error());
  const Result<Done> folder = MakeDirectories(JoinPath(options.out, "findings"));
  if (!folder) return Fail(folder.error());
  Result<RunProgress> progress =
      StartOrResume(CampaignText(options, *campaign), options.out, options.resume);
  if (!progress) return Fail(progress.error());
  if (!options.json) {
    Print("seed {}, backend {}, from case {}\n", options.campaign.seed, *title, progress->next);
    std::fflush(stdout);
  }
  const RunIdentity identity = {CampaignText(options, *campaign), *title, ""};
  // A run that has ended its first round is known by its progress file.
  Result<RunJournal> journal = RunJournal::Open(options.out, identity, options.resume);
  if (!journal) return Fail(journal.error());
  std::optional<CaseGuide> guide;
  if (options.guided) {
    Result<CaseGuide> opened = CaseGuide::Open(
        *campaign, *shard, options.out,
        [&options] { return OpenSupport(options.backend, options.limits); }, options.jobs);
    if (!opened) return Fail(opened.error());
    guide.emplace(std::move(*opened));
  }
  std::optional<CodeGuide> code_guide;
  if (options.guided_by_backend) {
    Result<CodeGuide> opened =
        CodeGuide::Open(*campaign, *shard, options.out, options.backend, options.limits);
    if (!opened) return Fail(opened.error());
    code_guide.emplace(std::move(*opened));
  }
  const InterruptWatch watch;
  RunClock clock(*title);
  if (progress->next > 0 || journal->recorded() > 0) clock.GoOn(options.out);
  Fuzzer fuzzer(options, *campaign, guide ? &*guide : nullptr, code_guide ? &*code_guide : nullptr,
                *known, *shard, *budget, std::move(*progress), std::move(*journal), clock);
  const Result<Done> done = fuzzer.Run();
  if (!done) {
    const int status = Fail(done.error());
    return fuzzer.first_answers().found() ? kExitFinding : status;
  }
  RunReport run = ReportOf(options, fuzzer.progress(), *title);
  run.past = *past;
  if (code_guide) code_guide->AddFacts(run.facts);
  ApplyKnown(*known, fuzzer.progress().tallies, run);
  if (fuzzer.is_partial()) {
    AddUnfinished(fuzzer.unfinished(), *known, run);
  } else {
    AddThisRun(options.known, run);
  }
  if (!fuzzer.is_partial() && run.tally.cases == 0 && fuzzer.progress().outside > 0) {
    return Fail(Unsupported(TargetWords(options.campaign.target).substr(1) + ": no vector: all " +
                            std::to_string(fuzzer.progress().outside) +
                            " cases are outside the target"));
  }
  const Result<Done> printed = PrintRun(run, options.json);
  if (!printed) return Fail(printed.error());
  if (code_guide && !options.json) {
    Print("{} of the backend; another run may choose other cases\n", code_guide->ReachedText());
  }
  run.names_folder = !options.reproducible;
  if (!options.reproducible) run.timing = clock.Timing();
  const Result<Done> written = WriteReports(run, options.out);
  if (!written) return Fail(written.error());
  const Result<Done> saved = fuzzer.is_partial() ? Done{} : SaveHistory(options.past, run.past);
  if (!saved) return Fail(saved.error());
  const Result<Done> updated = UpdateKnown(options.known, *known, options.backend, run.findings);
  if (!updated) return Fail(updated.error());
  return StatusOf(run, false);
}

}  // namespace

extern const Command fuzz_command = {
    .name = "fuzz",
    .summary =
        "generates and judges vectors, minimizes and records findings, and suspects apart from "
        "them, until a budget is spent",
    .declare = DeclareWith<FuzzOptions, DeclareFuzz, RunFuzz>,
};

}  // namespace assay::cli
