// SPDX-License-Identifier: Apache-2.0
#include "judge_vector.h"

#include "causes_first.h"
#include "oracle.h"

namespace assay {

Verdict JudgeVector(const TestVector& vector, std::span<const Outcome> outcomes) {
  Verdict all;
  bool some_agree = false;
  // Steps after one that disagrees are not judged, because they may be wrong as a consequence.
  // Steps after an unpredictable step in the same context are not judged, either.
  std::vector<int32_t> lost_contexts;
  for (size_t step = 0; step < vector.steps.size() && all.findings.empty(); ++step) {
    const int32_t context = vector.steps[step].context;
    bool lost = false;
    for (int32_t other : lost_contexts) lost = lost || other == context;
    if (vector.steps[step].expected == OutcomeKind::kUnpredictable) {
      lost_contexts.push_back(context);
    }
    if (lost) {
      if (all.reason.empty()) all.reason = "follows an unpredictable step";
      continue;
    }
    for (const Oracle* oracle : AllOracles()) {
      Verdict verdict = oracle->judge(vector, outcomes, static_cast<int>(step));
      some_agree = some_agree || verdict.kind == VerdictKind::kAgrees;
      all.judged_elements += verdict.judged_elements;
      all.undecided_elements += verdict.undecided_elements;
      if (all.reason.empty()) all.reason = verdict.reason;
      for (Finding& finding : verdict.findings) {
        finding.oracle = oracle->name;
        finding.step = static_cast<int32_t>(step);
        if (step < outcomes.size()) finding.rewrites = outcomes[step].rewrites;
        all.findings.push_back(std::move(finding));
      }
    }
    CausesFirst(all.findings, vector.GraphOf(vector.steps[step]));
  }
  if (!all.findings.empty()) {
    all.kind = VerdictKind::kDisagrees;
  } else if (some_agree) {
    all.kind = VerdictKind::kAgrees;
  } else if (all.reason.empty()) {
    all.reason = "nothing to compare";
  }
  return all;
}

}  // namespace assay
