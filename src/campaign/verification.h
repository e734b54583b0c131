// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "case_loop.h"
#include "console.h"
#include "files.h"
#include "interrupt.h"
#include "judged_run.h"
#include "kept_vectors.h"
#include "known_options.h"
#include "match.h"
#include "model_source.h"
#include "past_options.h"
#include "power_summary.h"
#include "report_files.h"
#include "reported_findings.h"
#include "result.h"
#include "result_journal.h"
#include "run.h"
#include "run_cases.h"
#include "run_timing.h"
#include "shard_results.h"
#include "suite_coverage.h"
#include "target_options.h"

namespace assay {

// A run of vectors and graphs on one backend.
struct VerifyOptions {
  std::vector<std::string> suites;  // "-" alone: the streams on standard input
  ModelOptions model;
  std::string backend;
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
  bool minimize = false;
  bool resume = false;
  bool force = false;
  bool implied_errors = false;
  int power_min = 0;  // percent of the faults that the agreements on graphs must have noticed
  bool reproducible = false;
  bool keeps_results = false;      // the report must give the result of every case
  bool is_one_of_several = false;  // the command names several backends

  bool IsStream() const { return suites == std::vector<std::string>{"-"}; }
};

// Looks for a backend that runs graphs without checking them, and does not declare it.
class UncheckedGraphs {
 public:
  void Add(const CaseResult& result);
  // Returns how to declare it, if the backend has refused no graph that must be refused; "" if it
  // has, or if there was none.
  std::string Hint(const std::string& backend) const;

 private:
  int64_t accepted_ = 0, refused_ = 0;  // of the graphs that must be refused
};

class Verification : public Run {
 public:
  // Checks everything that can be wrong with the options before the first vector runs, and locks
  // the folder of the report. Error kUsage for options that do not fit together, errors of what
  // they name, and kUnsupported for a backend that is not installed.
  static Result<std::unique_ptr<Verification>> Open(VerifyOptions options);

  // Checks that the folder of the report is empty, or holds a report, or that `force` is given.
  static Result<Done> CheckFolder(const VerifyOptions& options);

  Result<RunReport> Judge() override;
  bool NeverAnswers() const override { return loop_.first_answers().found(); }
  Result<Done> Write(RunReport& report) override;

  // Returns lines that say what a user may do next, after Judge().
  std::vector<std::string> Hints() const;

 private:
  // The vectors that a run takes, and the findings that do not fail it.
  struct Choice {
    Match match;
    ChosenTargets targets;
    KnownFailures known;
    PastRuns past;
  };
  Verification(VerifyOptions options, Choice choice, RunCases cases, std::string title);

  static Result<FolderLock> LockFolder(const VerifyOptions& options);
  Result<Done> OpenJournal();
  // Judges cases, which follow those before.
  Result<Done> JudgeCases(const RunCases& cases);
  // Judges the vectors of all streams on standard input, pack by pack.
  Result<Done> JudgeStream();
  Result<RunReport> Report();
  void AddGaps(RunReport& run) const;
  // Writes what `assay merge` needs.
  Result<Done> WriteAsShard();
  // Tells the plan where cases are: in `cases`, the first of which has the index `first`, or among
  // the vectors that are kept.
  void LoadFrom(const RunCases& cases, int64_t first);
  void LoadFromKept();
  void KeepVectors(const RunCases& cases, int64_t first, int64_t index,
                   const std::vector<std::string>& before);
  // Returns what the agreements on graphs would have noticed; nothing if there are none.
  std::optional<PowerSummary> PowerOfGraphs() const;
  bool NeedsCoverage() const { return !options_.report.empty(); }
  bool KeepsVectors(const RunCases& cases) const {
    return options_.IsStream() || (cases.OwnShard() && !options_.report.empty());
  }

  VerifyOptions options_;
  Choice choice_;
  RunCases cases_;  // none of a stream
  std::string title_;
  std::optional<FolderLock> lock_;
  ResultJournal journal_;
  std::optional<InterruptWatch> watch_;  // of Judge(), and of what follows
  RunClock clock_{title_};
  SuiteCoverage coverage_{choice_.targets, options_.limits, true};
  Progress progress_{"verify", 0};
  FindingPlan plan_;
  CaseLoop loop_{
      plan_, journal_, {clock_, options_.reproducible ? "" : options_.report}, progress_};
  JudgedRun judged_;
  KeptVectors kept_;
  UncheckedGraphs unchecked_;
  std::vector<int64_t> agreeing_graphs_;  // cases of the only list
  int64_t visited_ = 0;                   // vectors, those that are left out included
  int64_t not_chosen_ = 0;                // by --match
  int64_t outside_ = 0;                   // outside the target
  int64_t unanswered_ = 0;                // to which the backend `recorded` has no answer
  std::string first_unanswered_;
};

}  // namespace assay
