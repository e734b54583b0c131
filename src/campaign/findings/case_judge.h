// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "backend.h"
#include "case_result.h"
#include "case_source.h"
#include "judge_case.h"
#include "result.h"

namespace assay {

// Judges the cases of a run one after the other on one backend. It knows the cases that the process
// of the backend has run (Backend::Process()), and what is wrong in more than one vector.
class CaseJudge {
 public:
  // `load` and `name` give a case of the run and its name in reports.
  CaseJudge(Backend& backend, std::function<Result<LoadedCase>(int64_t index)> load,
            std::function<std::string(int64_t index)> name, int repeats)
      : backend_(backend), load_(std::move(load)), name_(std::move(name)), repeats_(repeats) {}

  // Judges a case as JudgeInDepth() does.
  // - If a wrong value comes again, the operators with which it begins are named
  //   (NameWrongOperators()).
  // - If a vector is wrong in a process that has run others, and right alone, one of these may have
  //   damaged the process. The last 64 of them run in a new process, and then the vector. If it is
  //   wrong again, they are halved as long as one of the halves makes it wrong. That takes at most
  //   200 runs. The finding is about those that are left (CaseResult::damaged_by, kDamageRule). It
  //   names the last of them that is wrong alone, or the last one. If
  //   the vector is wrong after the others as well, it may read what any vector leaves in the
  //   process, and the finding is about the vector itself (kDependenceRule). After eight such
  //   searches, and for time-outs, nothing is searched. If nothing is found, the case is undecided,
  //   and the note says so.
  CaseResult Judge(int64_t index, const LoadedCase& loaded);
  // Does the same with what loading the case gave: a case that cannot be loaded is bad input, or
  // unsupported. Leaves out a vector that demands an implied error, unless `implied_errors`.
  CaseResult JudgeLoaded(int64_t index, const Result<LoadedCase>& loaded, bool implied_errors);

 private:
  void BlameHistory(const LoadedCase& loaded, CaseResult& result);
  std::vector<int64_t> FindDamage(const LoadedCase& loaded);
  // Tells whether a case is wrong after the history without some cases, and without all cases that
  // have the same operators as these.
  bool IsWrongWithout(const std::vector<int64_t>& cases, const std::vector<OperatorUse>& operators,
                      const LoadedCase& loaded);
  bool IsWrongAfter(const std::vector<int64_t>& cases, const LoadedCase& loaded);

  Backend& backend_;
  std::function<Result<LoadedCase>(int64_t index)> load_;
  std::function<std::string(int64_t index)> name_;
  int repeats_;
  AloneRule rule_;
  std::vector<int64_t> history_;  // the last cases that the process has run
  std::set<int64_t> wrong_;       // the cases that are wrong alone
  int64_t process_ = 0;
  int searches_ = 0;
};

// Runs vectors and then another one in a new process of the backend. Returns true if the last one
// disagrees.
bool DisagreesAfter(Backend& backend, const std::vector<LoadedCase>& before,
                    const LoadedCase& loaded);

}  // namespace assay
