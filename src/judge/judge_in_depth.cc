#include "judge_in_depth.h"

#include "judge_case.h"
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
    JudgeWindows(backend, loaded.vector, path, repeats, result);
  }
  return result;
}

}  // namespace assay
