#include "tally.h"

#include "clean_text.h"

namespace assay {

void Tally::Add(const CaseResult& result) {
  const auto state = static_cast<size_t>(result.state);
  ++cases;
  if (result.implied_error) {
    ++implied_errors[state];
    if (result.state != CaseState::kAgrees && result.state != CaseState::kDisagrees)
      Explain(result);
    return;
  }
  ++states[state];
  judged_elements += result.verdict.judged_elements;
  undecided_elements += result.verdict.undecided_elements;
  if (result.state == CaseState::kDisagrees) {
    for (const Finding& finding : result.verdict.findings) {
      if (!finding.follows.empty()) continue;
      ++by_operator[{finding.op, finding.type}][state];
    }
    return;
  }
  for (const OperatorUse& use : result.operators) ++by_operator[use][state];
  if (result.state != CaseState::kAgrees) Explain(result);
}

void Tally::Explain(const CaseResult& result) {
  Reason& reason = reasons[{result.state, OneLine(result.note)}];
  if (reason.count++ == 0) reason.first = result.vector;
}

}  // namespace assay
