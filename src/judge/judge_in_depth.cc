#include "judge_in_depth.h"

#include "judge_case.h"
#include "judge_spread.h"
#include "judge_taps.h"
#include "judge_windows.h"

namespace assay {
namespace {

bool IsOpen(const CaseResult& result) {
  const bool nothing_wrong =
      result.state == CaseState::kAgrees || result.state == CaseState::kUndecided;
  return nothing_wrong && result.verdict.undecided_elements > 0 && !result.unreached &&
         !result.lost;
}

}  // namespace

CaseResult JudgeInDepth(Backend& backend, const LoadedCase& loaded, const std::string& path,
                        int repeats) {
  CaseResult result = JudgeOnBackend(backend, loaded, path, repeats);
  if (!loaded.recorded && IsOpen(result)) {
    if (JudgeTaps(backend, loaded.vector, repeats, result)) return result;
    const CaseResult by_taps = result;
    JudgeWindows(backend, loaded.vector, path, repeats, result);
    // Only a finding says more than a suspicion.
    if (by_taps.state == CaseState::kSuspect && result.state != CaseState::kDisagrees) {
      return by_taps;
    }
    if (IsOpen(result)) JudgeSpread(backend, loaded.vector, result);
  }
  return result;
}

}  // namespace assay
