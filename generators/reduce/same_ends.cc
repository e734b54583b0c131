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
  for (const int64_t rounds : {16, 256}) {
    const bool expected = assay::Expect(tried, {.loop_iterations_max = rounds});
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
  if (!assay::Expect(candidate, {.loop_iterations_max = rounds_max_})) return false;
  for (size_t i = 0; i < ends.size(); ++i) {
    const Step& step = candidate.steps[i];
    if (step.expected != ends[i].first) return false;
    if (step.expected != OutcomeKind::kValid && step.rule != ends[i].second) return false;
  }
  return true;
}

}  // namespace assay
