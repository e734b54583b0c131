// SPDX-License-Identifier: Apache-2.0
#include "judge_case.h"

#include <algorithm>

#include "backend_kind.h"
#include "clean_text.h"
#include "finding_text.h"
#include "judge_vector.h"
#include "recorded_plans.h"
#include "rules.h"

namespace assay {
namespace {

OutcomeKind WorstOf(const std::vector<Outcome>& outcomes) {
  OutcomeKind worst = OutcomeKind::kValid;  // the enumerators go from good to bad
  for (const Outcome& outcome : outcomes) worst = std::max(worst, outcome.kind);
  return worst;
}

// Runs the vector. Returns false, with state and note, if there is nothing to judge.
bool RunOnce(Backend& backend, const TestVector& vector, CaseResult& result,
             std::vector<Outcome>& outcomes) {
  std::string why = backend.WhyNotTaken(vector);
  if (!why.empty()) {
    CallUnsupported(vector, std::move(why), result);
    return false;
  }
  Result<std::vector<Outcome>> run = backend.Run(vector);
  if (!run) {
    const Error::Kind kind = run.error().kind;
    if (kind == Error::Kind::kUnsupported) {
      CallUnsupported(vector, run.error().message, result);
      return false;
    }
    result.unanswered = kind == Error::Kind::kNoAnswer;
    result.unreached = !result.unanswered && kind != Error::Kind::kBadAnswer;
    result.state = kind == Error::Kind::kBadAnswer ? CaseState::kBadInput : CaseState::kUndecided;
    result.note = run.error().message;
    return false;
  }
  result.log = backend.Errors();
  outcomes = std::move(*run);
  result.outcome = WorstOf(outcomes);
  return !ConcludeUnsupported(vector, outcomes, result);
}

// Judges a vector without steps: the checker that comes with our own executors checks its plans.
CaseResult JudgePlans(const Backend& backend, const TestVector& vector, CaseResult result) {
  if (backend.ChecksPlans()) {
    Conclude(JudgePlanRecords(vector), result);
  } else {
    result.state = CaseState::kUnsupported;
    result.note = "checks no memory plans";
  }
  return result;
}

// Returns a verdict in words: "disagrees (ADD fp32: value, ADD)".
std::string Words(const CaseResult& result) {
  std::string words(CaseStateName(result.state));
  if (!result.verdict.findings.empty()) {
    words += " (" + FindingHeadline(result.verdict.findings[0]) + ")";
  } else if (!result.note.empty()) {
    words += " (" + result.note + ")";
  }
  return words;
}

CaseResult Undecided(CaseResult result, std::string reason) {
  result.state = CaseState::kUndecided;
  result.verdict.kind = VerdictKind::kUndecided;
  result.verdict.reason = reason;
  result.verdict.findings.clear();
  result.note = std::move(reason);
  return result;
}

bool Contradict(CaseState a, CaseState b) {
  return (a == CaseState::kAgrees && b == CaseState::kDisagrees) ||
         (a == CaseState::kDisagrees && b == CaseState::kAgrees);
}

// Judges an Arm test directory by the expectation of our executor, and by the recorded results. The
// first decides; the second is shown beside it.
CaseResult JudgeTwoExpectations(Backend& backend, const TestVector& vector,
                                const RecordedVectors& expectations, const std::string& path) {
  CaseResult result = NewCase(vector, path);
  std::vector<Outcome> outcomes;
  if (!RunOnce(backend, vector, result, outcomes)) return result;
  CaseResult recorded = result;
  JudgeOutcomes(expectations.recorded, outcomes, {}, recorded);
  const std::string recorded_says = "recorded: " + Words(recorded);
  if (!expectations.no_expectation.empty()) {
    return Undecided(std::move(result),
                     "reference executor: " + expectations.no_expectation + "; " + recorded_says);
  }
  JudgeOutcomes(expectations.computed, outcomes, backend.Declared(), result);
  result.contradicts_record = Contradict(result.state, recorded.state);
  result.note = "reference executor: " + Words(result) + "; " + recorded_says;
  if (result.contradicts_record) result.note = "contradiction: " + result.note;
  for (Finding& finding : result.verdict.findings) {
    if (finding.message.empty()) finding.message = recorded_says;
  }
  return result;
}

CaseResult JudgeLoadedOnce(Backend& backend, const LoadedCase& loaded, const std::string& path) {
  CaseResult result = loaded.recorded
                          ? JudgeTwoExpectations(backend, loaded.vector, *loaded.recorded, path)
                          : JudgeOnce(backend, loaded.vector, path);
  result.implied_error = !ImpliedErrorOf(loaded).empty();
  return result;
}

}  // namespace

Result<std::string> DescribeBackend(const std::string& specification,
                                    const BackendOptions& options) {
  const Result<std::unique_ptr<Backend>> backend = OpenBackend(specification, options);
  if (backend) {
    const std::string declared = DeclarationNames((*backend)->Declared());
    return (*backend)->Describe() + (declared.empty() ? "" : ", declares " + declared);
  }
  Error error = backend.error();
  if (error.kind == Error::Kind::kUnsupported) error.message += "; 0 vectors judged";
  return error;
}

CaseResult JudgeOnce(Backend& backend, const TestVector& vector, std::string path) {
  CaseResult result = NewCase(vector, std::move(path));
  if (vector.steps.empty() && !vector.plans.empty()) {
    return JudgePlans(backend, vector, std::move(result));
  }
  std::vector<Outcome> outcomes;
  if (RunOnce(backend, vector, result, outcomes)) {
    JudgeOutcomes(vector, outcomes, backend.Declared(), result);
  }
  return result;
}

std::string ImpliedErrorOf(const LoadedCase& loaded) {
  const TestVector& judged = loaded.recorded ? loaded.recorded->computed : loaded.vector;
  for (const Step& step : judged.steps) {
    if (step.expected == OutcomeKind::kError && IsImpliedError(step.rule)) return step.rule;
  }
  return "";
}

CaseResult ExcludedCase(const LoadedCase& loaded, std::string path, const std::string& rule) {
  CaseResult result = Undecided(NewCase(loaded.vector, std::move(path)),
                                "implied error " + rule +
                                    ", which no ERROR_IF of the text states; --implied-errors "
                                    "judges it");
  result.sha256 = loaded.sha256;
  result.implied_error = true;
  return result;
}

CaseResult LostCase(std::string path, const Loss& loss) {
  CaseResult result;
  result.vector = std::move(path);
  if (loss.by_itself) {
    result.state = CaseState::kDefect;
    result.note = "the worker process ended: " + loss.how;
    return result;
  }
  result.lost = true;
  return Undecided(std::move(result), "lost: the worker process ended: " + loss.how);
}

Result<Done> FirstAnswers::Add(const CaseResult& result) {
  constexpr int kFailuresMax = 20;
  if (answered_) return Done{};
  const Finding* first =
      result.verdict.findings.empty() ? nullptr : &result.verdict.findings.front();
  const bool failed = first != nullptr && HasNoResults(first->violation);
  answered_ = result.outcome <= OutcomeKind::kUnpredictable || (failed && first->step > 0);
  if (answered_ || (!failed && !result.unreached)) return Done{};
  failed_ = failed_ || failed;
  if (++failures_ < kFailuresMax) return Done{};
  gave_up_ = true;
  found_ = failed_;
  return Error{Error::Kind::kResource,
               backend_ + (failed_ ? ": failed on " : ": could not be started for ") +
                   std::to_string(kFailuresMax) +
                   " vectors and answered none: " + OneLine(failed ? first->message : result.note) +
                   "; see what it needs to run, and what `assay backend test` says"};
}

bool AloneRule::Takes(const CaseResult& disagreeing) {
  constexpr int kTakenMax = 4;
  Group& group = groups_[disagreeing.verdict.findings[0].Signature()];
  const size_t operators = disagreeing.operators.size();
  const bool is_smallest = group.taken == 0 || operators < group.fewest;
  if (is_smallest) group.fewest = operators;
  return group.taken++ < kTakenMax || is_smallest || saw_damage_;
}

CaseResult JudgeOnBackend(Backend& backend, const LoadedCase& loaded, std::string path, int repeats,
                          AloneRule* rule) {
  CaseResult result = JudgeLoadedOnce(backend, loaded, path);
  result.process = backend.Process();
  if (repeats == 0 || result.state != CaseState::kDisagrees) return result;
  Finding finding = result.verdict.findings[0];
  CaseResult again;
  bool fails_alone = false;  // in another way than after the vectors before it
  const auto comes_again = [&] {
    again = JudgeLoadedOnce(backend, loaded, path);
    return again.state == CaseState::kDisagrees &&
           again.verdict.findings[0].Signature() == finding.Signature();
  };
  bool alone = rule == nullptr || result.process == 0 || rule->Takes(result);
  for (int i = 0; i < repeats; ++i) {
    if (!alone && comes_again()) continue;
    // A vector before this one may have damaged the memory of a process that both share.
    alone = true;
    backend.RunNextAlone();
    if (comes_again()) continue;
    if (again.unreached) return again;
    if (again.state == CaseState::kDisagrees && result.process != 0 && !fails_alone) {
      // The vectors before have no part in what a new process does. This must come again, too.
      fails_alone = true;
      again.process = result.process;
      result = again;
      finding = result.verdict.findings[0];
      i = -1;
      continue;
    }
    const std::string headline = FindingHeadline(finding);
    std::vector<Finding> seen = result.verdict.findings;
    result = Undecided(std::move(result), "not repeatable: " + headline);
    if (!fails_alone) result.seen_once = std::move(seen);
    return result;
  }
  return result;
}

}  // namespace assay
