// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "backend.h"
#include "case_judge.h"
#include "case_result.h"
#include "console.h"
#include "judge_case.h"
#include "reported_findings.h"
#include "result.h"
#include "result_journal.h"
#include "run_timing.h"

namespace assay {

// The cases of a run, which worker processes judge, each with its own process of the backend. A
// reply is recorded in a journal as soon as it is there, and a run that goes on takes it from
// there. A case whose worker was killed from outside is not recorded, and gets another chance.
class CaseLoop {
 public:
  // The clock of a run, and the place where its time is kept.
  struct Times {
    RunClock& clock;
    std::string folder;  // that of the report; "" if the time is not kept
  };
  // `plan` names the backend, and gives cases by their indices.
  CaseLoop(const FindingPlan& plan, ResultJournal& journal, Times times, Progress& progress)
      : plan_(plan),
        journal_(journal),
        times_(std::move(times)),
        progress_(progress),
        first_answers_(plan.backend) {}

  struct Steps {
    // Returns the reply to a case, one line: a CaseResult as JSON, or kOutside or kNotChosen.
    // Workers call it.
    std::function<std::string(CaseJudge& judge, int64_t index)> judge;
    // Takes the reply to each case in order, with the result unless the case was left out. Returns
    // the number of findings so far, for the progress that is shown.
    std::function<int64_t(int64_t index, const std::string& reply,
                          std::optional<CaseResult> result)>
        take;
    std::function<bool()> stop = {};  // see WorkPlan
  };
  // Judges the cases from `first` to `last`, exclusive. Returns the first that was not judged, as
  // RunWork() does, whose errors it has. Error kResource if the backend never answers.
  Result<int64_t> Judge(int64_t first, int64_t last, const Steps& steps);

  const FirstAnswers& first_answers() const { return first_answers_; }
  // From now on, a backend that does not answer ends no run: it has answered earlier.
  void HasAnswered() { has_answered_ = true; }

 private:
  Result<Done> Take(int64_t index, std::string reply, const Loss& loss, const Steps& steps);

  const FindingPlan& plan_;
  ResultJournal& journal_;
  Times times_;
  Progress& progress_;
  FirstAnswers first_answers_;
  bool has_answered_ = false;
};

}  // namespace assay
