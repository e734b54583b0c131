// SPDX-License-Identifier: Apache-2.0
#include "judged_run.h"

#include <utility>

#include "apply_known.h"
#include "finding_text.h"
#include "interrupt.h"

namespace assay {
namespace {

// Tells whether reports show more of a case than that it is one.
bool IsShown(const CaseResult& result) {
  return result.state != CaseState::kAgrees || result.contradicts_record;
}

}  // namespace

bool JudgedRun::Add(int64_t index, CaseResult result) {
  ++added_;
  disagreeing_ += result.state == CaseState::kDisagrees ? 1 : 0;
  windows_ += result.windows;
  tapped_ += result.tapped;
  tally_.Add(result);
  const bool is_kept = findings_.Add(result, index);
  if (added_ == cases_kept_ + 1) {
    size_t shown = 0;
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (!IsShown(kept_[i])) continue;
      if (shown != i) kept_[shown] = std::move(kept_[i]);
      indices_[shown++] = indices_[i];
    }
    kept_.resize(shown);
    indices_.resize(shown);
  }
  if (std::ssize(kept_) < cases_kept_ && (added_ <= cases_kept_ || IsShown(result))) {
    kept_.push_back(std::move(result));
    indices_.push_back(index);
  }
  return is_kept;
}

void JudgedRun::TakeCases(CaseVisitor all, const FindingPlan& plan, RunReport& run) {
  run.cases = std::move(kept_);
  if (added_ > cases_kept_) run.each_case = std::move(all);
  if (windows_ > 0) run.counts["windows judged"] = windows_;
  if (tapped_ > 0) run.counts["operators judged by taps"] = tapped_;
  for (size_t i = 0; i < run.cases.size(); ++i) {
    const CaseResult& result = run.cases[i];
    if (result.state != CaseState::kDisagrees) continue;
    run.replays[result.vector] =
        ReplayLine(CaseWords(plan, result.damaged_by, indices_[i]), plan.ReportedBackend(),
                   plan.options, result.verdict.findings[0]);
  }
}

Result<Done> JudgedRun::MarkKnownCases(const KnownFailures& known,
                                       const std::vector<Suspicion>& suspicions,
                                       const WorkedUp& worked_up, RunReport& run) {
  run.tally = std::move(tally_);
  if (!known.is_given()) return Done{};
  const KnownSignatures signatures(suspicions, worked_up, run);
  const Result<Done> applied = ApplyKnown(known, signatures, run);
  if (!applied) return applied;
  run.tally = Tally();
  const auto count = [&run](const CaseResult& result) {
    run.tally.Add(result);
    return Result<Done>(Done{});
  };
  if (!run.each_case) {
    for (const CaseResult& result : run.cases) run.tally.Add(result);
    return Done{};
  }
  run.each_case = [all = std::move(run.each_case), &known,
                   places = signatures.by_signature()](const CaseSink& sink) {
    return all([&](const CaseResult& result) {
      if (result.state != CaseState::kDisagrees) return sink(result);
      CaseResult marked = result;
      MarkKnown(known, places, marked);
      return sink(marked);
    });
  };
  return run.each_case(count);
}

Result<Done> JudgedRun::Finish(const FindingPlan& plan, const KnownFailures& known, CaseVisitor all,
                               RunReport& run) {
  TakeCases(std::move(all), plan, run);
  const std::vector<Suspicion> suspicions = findings_.Suspicions();
  Result<WorkedUp> worked_up = WorkUp(suspicions, plan);
  if (!worked_up) return worked_up.error();
  unanswered_ = worked_up->unanswered;
  if (Interrupted()) {
    run.gaps.emplace_back(plan.minimize
                              ? "interrupted: findings are as small as the run has made them, and "
                                "coverage is not counted"
                              : "interrupted: findings are as first seen, and coverage is not "
                                "counted");
  }
  for (const WorkedUp::Entry& entry : worked_up->findings) run.findings.push_back(entry.finding);
  const Result<Done> marked = MarkKnownCases(known, suspicions, *worked_up, run);
  if (!marked) return marked;
  ImpliedErrorsLast(run.findings);
  return Done{};
}

}  // namespace assay
