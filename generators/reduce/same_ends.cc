// SPDX-License-Identifier: Apache-2.0
#include "same_ends.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "executor.h"

namespace assay {

SameEnds::SameEnds(const TestVector& vector) {
  TestVector tried = vector;
  ExecutionOptions execution;
  for (const int64_t rounds : {16, 256}) {
    execution.loop_iterations_max = rounds;
    std::string reason;
    const bool expected = assay::Expect(tried, execution, &reason);
    const bool ends = std::all_of(tried.steps.begin(), tried.steps.end(), [](const Step& step) {
      return step.expected != OutcomeKind::kUnsupported;
    });
    if (!expected || !ends) continue;
    rounds_max_ = rounds;
    break;
  }
}

bool SameEnds::Expect(TestVector& candidate) const {
  std::vector<std::pair<OutcomeKind, std::string>> ends;
  for (const Step& step : candidate.steps) ends.emplace_back(step.expected, step.rule);
  ExecutionOptions execution;
  execution.loop_iterations_max = rounds_max_;
  std::string reason;
  if (!assay::Expect(candidate, execution, &reason)) return false;
  for (size_t i = 0; i < ends.size(); ++i) {
    const Step& step = candidate.steps[i];
    if (step.expected != ends[i].first) return false;
    if (step.expected != OutcomeKind::kValid && step.rule != ends[i].second) return false;
  }
  return true;
}

}  // namespace assay
