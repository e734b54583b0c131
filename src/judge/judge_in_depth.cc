// SPDX-License-Identifier: Apache-2.0
#include "judge_in_depth.h"

#include <algorithm>
#include <utility>

#include "judge_case.h"
#include "judge_operators.h"
#include "judge_taps.h"
#include "judge_windows.h"
#include "windows.h"

namespace assay {
namespace {

// Returns true if nothing is wrong, but the outputs say little. A single operator has been judged
// by its own rule, and nothing else says more.
bool IsOpenCase(const CaseResult& result, const TestVector& vector) {
  const bool nothing_wrong =
      result.state == CaseState::kAgrees || result.state == CaseState::kUndecided;
  if (!nothing_wrong || result.unreached || result.lost || result.unanswered ||
      WorkingPlaces(vector).size() < 2) {
    return false;
  }
  return result.verdict.undecided_elements > 0 ||
         std::ranges::any_of(vector.steps, [](const Step& step) {
           return std::ranges::any_of(step.outputs, IsVague);
         });
}

// Goes on with taps and windows behind the verdict on an open case.
void GoDeeper(Backend& backend, const TestVector& vector, const std::string& path, int repeats,
              CaseResult& result) {
  if (JudgeTaps(backend, vector, repeats, result)) return;
  CaseResult by_taps = result;
  JudgeWindows(backend, vector, path, repeats, result);
  // Only a finding says more than a suspicion.
  if (by_taps.state == CaseState::kSuspect && result.state != CaseState::kDisagrees) {
    result = std::move(by_taps);
  }
}

}  // namespace

CaseResult JudgeInDepth(Backend& backend, const LoadedCase& loaded, const std::string& path,
                        int repeats, AloneRule* rule) {
  CaseResult result = JudgeOnBackend(backend, loaded, path, repeats, rule);
  result.sha256 = loaded.sha256;
  const TestVector& vector = loaded.recorded ? loaded.recorded->computed : loaded.vector;
  if (!IsOpenCase(result, vector)) return result;
  // The note on an Arm test directory has the verdict by the recorded results, which stays.
  const std::string whole = loaded.recorded ? std::exchange(result.note, "") : "";
  GoDeeper(backend, vector, path, repeats, result);
  if (!whole.empty()) result.note = whole + (result.note.empty() ? "" : "; " + result.note);
  return result;
}

std::optional<FailingWindow> FailingPart(Backend& backend, const TestVector& vector,
                                         const Finding& finding) {
  if (!finding.taps.empty()) return FindFailingTap(backend, vector);
  std::optional<FailingWindow> wrong = FindFailingOperator(backend, vector, finding);
  return wrong ? std::move(wrong) : FindFailingWindow(backend, vector);
}

}  // namespace assay
