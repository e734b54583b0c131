// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "campaign.h"
#include "case_guide.h"
#include "case_loop.h"
#include "console.h"
#include "files.h"
#include "interrupt.h"
#include "known_options.h"
#include "past_options.h"
#include "report_files.h"
#include "reported_findings.h"
#include "result.h"
#include "result_journal.h"
#include "round_record.h"
#include "run.h"
#include "run_timing.h"
#include "shard.h"
#include "work_share.h"

namespace assay {

// The limit of a run: "10m", "30s", "2h" of time, or "500" cases.
struct Budget {
  int64_t cases = 0;   // 0: no limit
  double seconds = 0;  // 0: no limit
};
Result<Budget> ParseBudget(std::string_view text);

// A run of generated cases on a backend, until a budget is spent.
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
  bool resume = false;
  bool reproducible = false;
  // Gets new findings as they come, before it is known whether a file of known failures names them.
  std::function<void(const std::vector<ReportedFinding>& found)> tell;
};

// The run consists of rounds. Findings are minimized at the end of a round, and the progress is
// written. After a kill, a round begins again with the replies that its journal has.
class Fuzzing : public Run {
 public:
  // Checks the options, locks the folder and reads the progress that it has. Error kUsage for
  // options that do not fit together and for a folder with another run, errors of what the options
  // name, and kUnsupported for a backend that is not installed.
  static Result<std::unique_ptr<Fuzzing>> Open(FuzzOptions options);

  const std::string& title() const { return title_; }  // DescribeBackend()
  int64_t next_case() const { return progress_.next; }

  Result<RunReport> Judge() override;
  bool NeverAnswers() const override { return loop_.first_answers().found(); }
  Result<Done> Write(RunReport& report) override;

 private:
  using Clock = std::chrono::steady_clock;
  // Everything that the options name.
  struct Named {
    Campaign campaign;
    Budget budget;
    Shard shard;
    PastRuns past;
    KnownFailures known;
  };
  Fuzzing(FuzzOptions options, Named named, std::string title);

  // Each of these reads what the folder has of the run.
  Result<Done> OpenProgress();
  Result<Done> OpenGuide();

  Result<Done> RunRounds();
  // Returns the end of the round that begins with the next case, whose cases are chosen then.
  Result<int64_t> EndOfRound();
  // Runs cases up to `last`, or until the time is up. Then works up the findings and records
  // everything. After a signal, records nothing: a round is minimized as a whole, so that the run
  // that goes on has the same findings.
  Result<Done> RunRound(int64_t last);
  RunReport Report();
  Result<LoadedCase> Load(int64_t index);
  std::string NameOf(int64_t index) const;
  int64_t NumberOf(int64_t index) const;
  bool TimeIsUp() const;
  // Returns the identity of the run: everything that its cases and verdicts depend on.
  std::string CampaignText() const;
  std::string ProgressFile() const { return JoinPath(options_.out, "progress.json"); }

  FuzzOptions options_;
  Named named_;
  std::string title_;
  std::optional<FolderLock> lock_;
  RunProgress progress_;
  std::optional<CaseGuide> guide_;  // by the coverage of the specification
  WorkShare share_{named_.campaign, named_.shard, progress_.work};  // otherwise
  ResultJournal journal_;                                           // of the current round
  std::optional<InterruptWatch> watch_;                             // of Judge(), and what follows
  RunClock clock_{title_};
  Progress bar_{"fuzz", named_.budget.cases, named_.budget.seconds};
  FindingPlan plan_;
  CaseLoop loop_;
  RoundRecord record_;
  int64_t round_end_ = 0;
  bool is_partial_ = false;             // a signal has ended the run before its budget was spent
  std::vector<CaseResult> unfinished_;  // of the round that the signal has ended
  Clock::time_point started_;
};

}  // namespace assay
