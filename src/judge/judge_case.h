// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "backend_kind.h"
#include "case_source.h"
#include "judge_outcomes.h"
#include "oracle.h"
#include "report.h"
#include "worker_pool.h"

namespace assay {

// Returns the backend's description of itself and what it declares, for a title. The backend is
// closed again: workers open their own. Errors are those of OpenBackend(). For a backend that is
// not installed, the message adds that nothing was judged.
Result<std::string> DescribeBackend(const std::string& specification,
                                    const BackendOptions& options);

// Returns the rule of the implied error that a step of the case demands; "" if no step demands one.
// The text states no ERROR_IF for such an error.
std::string ImpliedErrorOf(const LoadedCase& loaded);

// Returns the case of a vector that demands an implied error, if nobody has asked for those:
// undecided.
CaseResult ExcludedCase(const LoadedCase& loaded, std::string path, const std::string& rule);

// Returns a case whose worker process was lost. It is a defect of ours if the process died by
// itself; otherwise it is undecided and marked as lost.
CaseResult LostCase(std::string path, const Loss& loss);

// Watches the cases of a run, in their order, until the backend has answered one.
class FirstAnswers {
 public:
  explicit FirstAnswers(std::string backend) : backend_(std::move(backend)) {}

  // Takes the next case. Returns Error kResource, which ends the run, if the backend has failed on
  // twenty vectors and answered none.
  Result<Done> Add(const CaseResult& result);

  // Returns true if Add() has ended the run because of crashes or time-outs, which are a finding.
  bool found() const { return found_; }
  // Returns true if Add() has ended the run.
  bool gave_up() const { return gave_up_; }

 private:
  std::string backend_;
  int failures_ = 0;
  bool answered_ = false;
  bool failed_ = false;  // on a vector, rather than before it was started
  bool found_ = false;
  bool gave_up_ = false;
};

// Runs the vector on the backend and judges every step.
CaseResult JudgeOnce(Backend& backend, const TestVector& vector, std::string path);

// Chooses the disagreements that are repeated in a new process of the backend, as long as others
// are repeated in the same one: a process may take seconds to start, and a fault may have a
// thousand vectors. Of the vectors of a process of ours with one signature, these are the first
// four and each one with fewer operators than all before it, which may represent the group in a
// report. Once a vector was wrong in one process and right in a new one, all are.
class AloneRule {
 public:
  bool Takes(const CaseResult& disagreeing);
  void SawDamage() { saw_damage_ = true; }

 private:
  struct Group {
    int taken = 0;
    size_t fewest = 0;  // operators
  };
  std::map<std::string, Group> groups_;  // by signature
  bool saw_damage_ = false;
};

// Judges a case, and runs a vector that disagrees `repeats` more times alone, in a new process of
// the backend; with a rule, in the same process if the rule does not take it. If the same finding
// does not come again each time, the case is undecided, with the note that it is not repeatable,
// and CaseResult::seen_once has the findings. If the vector is wrong in another way in a new
// process, that is the finding, if it comes again. An Arm test directory is judged by the
// expectation of the reference executor. The note says how the answer compares with the recorded
// result. If the two verdicts contradict each other, CaseResult::contradicts_record is set. If the
// reference executor has no expectation, the case is undecided.
CaseResult JudgeOnBackend(Backend& backend, const LoadedCase& loaded, std::string path,
                          int repeats = 1, AloneRule* rule = nullptr);

}  // namespace assay
