// SPDX-License-Identifier: Apache-2.0
#include "fuzzing.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "apply_known.h"
#include "backend_kind.h"
#include "clean_text.h"
#include "finding_text.h"
#include "json_lines.h"
#include "parse_number.h"

namespace assay {
namespace {

// The number of cases between two writes of the progress file.
constexpr int64_t kRound = CaseGuide::kRoundCases;
static_assert(WorkShare::kRoundCases == kRound);

// The case numbers of all shards stay far below 2^63.
constexpr int64_t kCasesMax = 1'000'000'000'000;

// Opens the backend in a worker, and tells what it supports.
Result<SupportedVectors> OpenSupport(const std::string& name, const BackendOptions& limits) {
  Result<std::unique_ptr<Backend>> opened = OpenBackend(name, limits);
  if (!opened) return opened.error();
  return SupportedVectors(
      [backend = std::shared_ptr<Backend>(std::move(*opened))](const TestVector& vector) {
        return backend->WhyNotTaken(vector).empty();
      });
}

// Returns the plan without the functions that give cases.
FindingPlan FuzzPlan(const FuzzOptions& options) {
  FindingPlan plan;
  plan.backend = options.backend;
  plan.options = options.limits;
  plan.jobs = options.jobs;
  plan.minimize = true;
  plan.repeats = options.repeats;
  plan.folder = JoinPath(options.out, "findings");
  plan.keep_smaller = true;
  return plan;
}

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

}  // namespace

Result<Budget> ParseBudget(std::string_view text) {
  constexpr int64_t kDay = 24 * 60 * 60;
  const char unit = text.empty() ? '\0' : text.back();
  const int64_t scale = unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 60 * 60 : 0;
  int64_t number = 0;
  const std::string_view digits = scale == 0 ? text : text.substr(0, text.size() - 1);
  const int64_t most = scale > 0 ? 365 * kDay / scale : kCasesMax;
  if (!ParseNumber(digits, number) || number <= 0 || number > most) {
    return UsageError("--budget " + std::string(text) +
                      ": not a time (30s, 10m, 2h) or a number of cases, at most 10^12");
  }
  Budget budget;
  if (scale == 0) {
    budget.cases = number;
  } else {
    budget.seconds = static_cast<double>(number * scale);
  }
  return budget;
}

Result<std::unique_ptr<Fuzzing>> Fuzzing::Open(FuzzOptions options) {
  Result<Campaign> campaign = MakeCampaign(options.campaign);
  if (!campaign) return campaign.error();
  const Result<Budget> budget = ParseBudget(options.budget);
  if (!budget) return budget.error();
  const Result<Shard> shard = ParseShard(options.shard);
  if (!shard) return shard.error();
  Result<PastRuns> past = LoadPast(options.past, options.out, options.backend, options.known);
  if (!past) return past.error();
  Result<KnownFailures> known = LoadKnown(options.known, options.backend);
  if (!known) return known.error();
  Result<std::string> title = DescribeBackend(options.backend, options.limits);
  if (!title) return title.error();
  Result<FolderLock> lock = OpenReportFolder(options.out);
  if (!lock) return lock.error();
  std::unique_ptr<Fuzzing> run(
      new Fuzzing(std::move(options),
                  {std::move(*campaign), *budget, *shard, std::move(*past), std::move(*known)},
                  std::move(*title)));
  run->lock_ = std::move(*lock);
  Result<Done> opened = run->OpenProgress();
  if (opened) opened = run->OpenGuide();
  if (!opened) return opened.error();
  return run;
}

Fuzzing::Fuzzing(FuzzOptions options, Named named, std::string title)
    : options_(std::move(options)),
      named_(std::move(named)),
      title_(std::move(title)),
      plan_(FuzzPlan(options_)),
      loop_(plan_, journal_, {clock_, options_.reproducible ? "" : options_.out}, bar_),
      record_(progress_, plan_, JoinPath(options_.out, "suspects"), named_.known,
              [this](const std::vector<ReportedFinding>& found) {
                bar_.Clear();
                if (options_.tell) options_.tell(found);
              }) {
  plan_.load = [this](int64_t index) { return Load(index); };
  plan_.path = [this](int64_t index) { return NameOf(index); };
  // A process of the backend runs no cases of an earlier round.
  plan_.find = [this](const std::string& name) -> std::optional<int64_t> {
    for (int64_t i = progress_.next; i < round_end_; ++i) {
      if (NameOf(i) == name) return i;
    }
    return std::nullopt;
  };
  plan_.takes = [this](const TestVector& vector) { return named_.campaign.chosen.Takes(vector); };
  plan_.tell = [this](int64_t number, int64_t of, int64_t runs) {
    bar_.ShowMinimizing(number, of, runs);
  };
}

std::string Fuzzing::CampaignText() const {
  std::string text = "assay fuzz " + BackendWords(options_.backend, options_.limits) +
                     CampaignWords(options_.campaign, named_.campaign);
  if (options_.guided) text += " --guided";
  if (options_.shard != "0/1") text += " --shard " + options_.shard;
  return text;
}

Result<Done> Fuzzing::OpenProgress() {
  const std::string& out = options_.out;
  const Result<Done> folder = MakeDirectories(JoinPath(out, "findings"));
  if (!folder) return folder;
  progress_.campaign = CampaignText();
  if (IsThere(ProgressFile())) {
    if (!options_.resume)
      return UsageError(out + ": holds a run already; --resume goes on with it");
    const Result<std::string> text = ReadOwnTextFile(ProgressFile());
    if (!text) return text.error();
    Result<RunProgress> read = ProgressFromJson(*text);
    if (!read) return BadInput(ProgressFile() + ": " + read.error().message);
    if (read->campaign != progress_.campaign) {
      return UsageError(out + ": holds another run: " + OneLine(read->campaign));
    }
    progress_ = std::move(*read);
  }
  bar_.Skip(progress_.next);
  if (progress_.next > 0) loop_.HasAnswered();
  // A run that has ended its first round is known by its progress file.
  Result<ResultJournal> journal =
      ResultJournal::Open(out, {progress_.campaign, title_, ""}, options_.resume);
  if (!journal) return journal.error();
  journal_ = std::move(*journal);
  if (progress_.next > 0 || journal_.recorded() > 0) clock_.GoOn(out);
  return Done{};
}

Result<Done> Fuzzing::OpenGuide() {
  if (options_.guided) {
    Result<CaseGuide> opened = CaseGuide::Open(
        named_.campaign, named_.shard, options_.out,
        [this] { return OpenSupport(options_.backend, options_.limits); }, options_.jobs);
    if (!opened) return opened.error();
    guide_.emplace(std::move(*opened));
  }
  return Done{};
}

Result<LoadedCase> Fuzzing::Load(int64_t index) {
  std::optional<TestVector> vector = named_.campaign.Make(NumberOf(index));
  if (!vector) return BadInput(kInvalidNote);
  if (!named_.campaign.Takes(*vector)) return BadInput(kOutsideNote);
  return LoadedCase{std::move(*vector), {}};
}

std::string Fuzzing::NameOf(int64_t index) const { return named_.campaign.NameOf(NumberOf(index)); }

int64_t Fuzzing::NumberOf(int64_t index) const {
  return named_.shard.At(guide_ ? guide_->CaseAt(index) : share_.CaseAt(index));
}

bool Fuzzing::TimeIsUp() const {
  return named_.budget.seconds > 0 &&
         std::chrono::duration<double>(Clock::now() - started_).count() >= named_.budget.seconds;
}

Result<RunReport> Fuzzing::Judge() {
  watch_.emplace();
  started_ = Clock::now();
  const Result<Done> done = RunRounds();
  bar_.Clear();
  if (!done) return done.error();
  RunReport run = Report();
  if (!is_partial_ && run.tally.cases == 0 && progress_.outside > 0) {
    return Unsupported(TargetWords(options_.campaign.target).substr(1) + ": no vector: all " +
                       std::to_string(progress_.outside) + " cases are outside the target");
  }
  return run;
}

Result<Done> Fuzzing::RunRounds() {
  const int64_t last =
      named_.budget.cases > 0 ? named_.budget.cases : std::numeric_limits<int64_t>::max();
  while (progress_.next < last && !TimeIsUp()) {
    is_partial_ = Interrupted();
    if (is_partial_) return Done{};
    const Result<int64_t> end = EndOfRound();
    if (!end) return end.error();
    if (Interrupted()) continue;
    const Result<Done> round = RunRound(std::min(last, *end));
    if (!round) return round;
    if (is_partial_) return Done{};
  }
  return journal_.Remove();  // the progress file has all
}

Result<int64_t> Fuzzing::EndOfRound() {
  const int64_t round = progress_.next / kRound;
  Result<Done> chosen = Done{};
  if (guide_) chosen = guide_->Choose(round);
  if (!guide_) share_.Choose(round);
  if (!chosen) return chosen.error();
  return (round + 1) * kRound;
}

Result<Done> Fuzzing::RunRound(int64_t last) {
  round_end_ = last;
  std::vector<CaseResult> cases;
  CaseLoop::Steps steps;
  steps.judge = [this](CaseJudge& judge, int64_t index) {
    const Result<LoadedCase> loaded = plan_.load(index);
    CaseResult result;
    if (loaded) {
      result = judge.Judge(index, *loaded);
      result.work = WorkOf(loaded->vector);
    } else {
      result.vector = plan_.path(index);
      result.note = loaded.error().message;
    }
    return CaseToJson(result, true);
  };
  steps.take = [&](int64_t, const std::string&, std::optional<CaseResult> result) {
    cases.push_back(std::move(*result));
    return std::ssize(progress_.findings);
  };
  steps.stop = [this] { return TimeIsUp(); };
  const Result<int64_t> end = loop_.Judge(progress_.next, last, steps);
  if (!end) {
    // The replies of a backend that never answered are worth nothing.
    if (loop_.first_answers().gave_up()) (void)journal_.Remove();
    return end.error();
  }
  const RunProgress before = progress_;
  for (size_t i = 0; !guide_ && i < cases.size(); ++i) {
    share_.Add(progress_.next + static_cast<int64_t>(i), cases[i].work);
  }
  const Result<Done> recorded = Interrupted() ? Done{} : record_.Record(cases);
  if (!recorded) return recorded;
  if (Interrupted()) {
    is_partial_ = true;
    progress_ = before;
    unfinished_ = std::move(cases);
    return Done{};
  }
  progress_.next = *end;
  const Result<Done> written =
      WriteFileAtomically(ProgressFile(), std::string_view(ProgressToJson(progress_)));
  return written ? journal_.Clear() : written;
}

RunReport Fuzzing::Report() {
  RunReport run;
  run.title = title_;
  run.backend = options_.backend;
  run.folder = options_.out;
  run.command = progress_.campaign + " --budget " + std::to_string(progress_.next) +
                KnownWords(options_.known) + PastWords(options_.past, options_.known);
  run.facts = FactsOf(options_.limits, std::to_string(options_.campaign.seed));
  run.tally = progress_.tally;
  if (progress_.outside > 0) run.counts[kOutsideNote] = progress_.outside;
  if (progress_.invalid > 0) run.counts[kInvalidNote] = progress_.invalid;
  for (const auto& [signature, finding] : progress_.findings) run.findings.push_back(finding);
  ImpliedErrorsLast(run.findings);
  for (const auto& [signature, suspect] : progress_.suspects) run.suspects.push_back(suspect);
  run.past = named_.past;
  ApplyKnown(named_.known, progress_.tallies, run);
  if (is_partial_) {
    AddUnfinished(std::move(unfinished_), named_.known, run);
  } else {
    AddThisRun(options_.known, run);
  }
  return run;
}

Result<Done> Fuzzing::Write(RunReport& report) {
  report.names_folder = !options_.reproducible;
  if (!options_.reproducible) report.timing = clock_.Timing();
  const Result<Done> written = WriteReports(report, options_.out);
  if (!written) return written;
  const Result<Done> saved = is_partial_ ? Done{} : SaveHistory(options_.past, report.past);
  if (!saved) return saved;
  return UpdateKnown(options_.known, named_.known, options_.backend, report.findings);
}

}  // namespace assay
