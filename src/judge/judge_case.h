#pragma once

#include <string>
#include <vector>

#include "backend_kind.h"
#include "case_source.h"
#include "oracle.h"
#include "report.h"
#include "worker_pool.h"

namespace assay {

// What the backend says it is, for a title. It is closed again: workers open their own. Error as
// from OpenBackend(); what is not installed says that nothing was judged.
Result<std::string> DescribeBackend(const std::string& specification,
                                    const BackendOptions& options);

// Distinct operators of all graphs with their types, sorted; without CONST and CONST_SHAPE, which
// are in nearly all of them.
std::vector<OperatorUse> OperatorsOf(const TestVector& vector);

// A case of which nothing is known yet but what stands in the vector. `path` is how the user
// reaches it.
CaseResult NewCase(const TestVector& vector, std::string path);

// The rule of the implied error that a step of the case demands, "" if no step demands one: the
// text states no ERROR_IF for it.
std::string ImpliedErrorOf(const LoadedCase& loaded);

// The case of a vector that demands an implied error, where nobody has asked for those: undecided.
CaseResult ExcludedCase(const TestVector& vector, std::string path, const std::string& rule);

// A case whose worker process was lost: a defect of ours if it died by itself, otherwise undecided
// and marked as lost.
CaseResult LostCase(std::string path, const Loss& loss);

// Watches the cases of a run, in their order, until the backend has answered one.
class FirstAnswers {
 public:
  explicit FirstAnswers(std::string backend) : backend_(std::move(backend)) {}

  // Takes the next case. Error kResource, which is to end the run, if the backend has failed on
  // twenty vectors and answered none.
  Result<Done> Add(const CaseResult& result);

  // Whether Add() has ended the run for crashes or time-outs, which are a finding.
  bool found() const { return found_; }

 private:
  std::string backend_;
  int failures_ = 0;
  bool answered_ = false;
  bool failed_ = false;  // on a vector, rather than before it was started
  bool found_ = false;
};

// Runs the vector on the backend and judges every step.
CaseResult JudgeOnce(Backend& backend, const TestVector& vector, std::string path);

// The same, and what disagrees is run alone `repeats` times more: if the same finding does not come
// again each time, the case is undecided and said to be not repeatable. An Arm test directory is
// judged by what the reference executor expects; the note says what the recorded result makes of
// the answer. Where the two verdicts contradict each other, CaseResult::contradicts_record is set.
// Where the reference executor has no expectation, the case is undecided.
CaseResult JudgeOnBackend(Backend& backend, const LoadedCase& loaded, std::string path,
                          int repeats = 1);

}  // namespace assay
