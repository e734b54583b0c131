#include "report.h"

namespace assay {

std::string_view CaseStateName(CaseState state) {
  switch (state) {
    case CaseState::kAgrees:
      return "agrees";
    case CaseState::kDisagrees:
      return "disagrees";
    case CaseState::kUndecided:
      return "undecided";
    case CaseState::kUnsupported:
      return "unsupported";
    case CaseState::kBadInput:
      return "bad input";
    case CaseState::kDefect:
      return "defect";
  }
  return "unknown";
}

StateCounts CountStates(const std::vector<CaseResult>& cases) {
  StateCounts counts{};
  for (const CaseResult& result : cases) ++counts[static_cast<size_t>(result.state)];
  return counts;
}

std::map<OperatorUse, StateCounts> CountByOperator(const std::vector<CaseResult>& cases) {
  std::map<OperatorUse, StateCounts> counts;
  for (const CaseResult& result : cases) {
    for (const OperatorUse& use : result.operators) {
      ++counts[use][static_cast<size_t>(result.state)];
    }
  }
  return counts;
}

}  // namespace assay
