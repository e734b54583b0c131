// SPDX-License-Identifier: Apache-2.0
#include "tally.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "clean_text.h"

namespace assay {

void Tally::Add(const CaseResult& result) {
  const auto state = static_cast<size_t>(result.state);
  ++cases;
  if (result.implied_error) {
    ++implied_errors[state];
    if (result.state != CaseState::kAgrees && result.state != CaseState::kDisagrees &&
        result.state != CaseState::kKnown)
      Explain(result);
    return;
  }
  ++states[state];
  lost += result.lost ? 1 : 0;
  judged_elements += result.verdict.judged_elements;
  undecided_elements += result.verdict.undecided_elements;
  if (result.state == CaseState::kDisagrees || result.state == CaseState::kKnown) {
    for (const Finding& finding : result.verdict.findings) {
      if (!finding.follows.empty()) continue;
      ++by_operator[{finding.op, finding.type}][state];
    }
    return;
  }
  if (result.state != CaseState::kUnsupported) {
    for (const OperatorUse& use : result.operators) ++by_operator[use][state];
  } else if (!result.operators.empty()) {
    ++by_operator[result.refused][state];
  }
  if (result.state != CaseState::kAgrees) Explain(result);
}

void Tally::Explain(const CaseResult& result) {
  std::string why = OneLine(result.note);
  if (result.state == CaseState::kDefect) why = OneLine(result.vector) + ": " + why;
  Reason& reason = reasons[{result.state, std::move(why)}];
  if (reason.count++ == 0) reason.first = result.vector;
}

std::vector<RankedReason> Tally::RankedReasons() const {
  constexpr CaseState kFirst[] = {CaseState::kDefect, CaseState::kBadInput, CaseState::kSuspect};
  std::vector<RankedReason> ranked;
  for (const auto& [key, reason] : reasons) ranked.push_back({key.first, key.second, reason});
  // Other states rank last, because their position is the end.
  std::ranges::stable_sort(ranked, {}, [&kFirst](const RankedReason& row) {
    return std::pair(std::ranges::find(kFirst, row.state) - std::begin(kFirst), -row.reason.count);
  });
  return ranked;
}

}  // namespace assay
