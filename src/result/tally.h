// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "case_result.h"

namespace assay {

// The number of cases in each state, indexed by CaseState.
using StateCounts = std::array<int64_t, std::size(kAllCaseStates)>;

// A reason why cases were not judged: the number of cases, and the first of them.
struct Reason {
  int64_t count = 0;
  std::string first;
};

struct RankedReason {
  CaseState state;
  std::string why;
  Reason reason;
};

// The counts from which tables and totals are made. A long run keeps them instead of its cases.
struct Tally {
  int64_t cases = 0;  // all of them
  StateCounts states{};
  int64_t lost = 0;  // of the undecided cases, those whose worker process was killed
  // The states of cases that demand an implied error. They are in no other count but `cases` and
  // `reasons`.
  StateCounts implied_errors{};
  // A case counts for every operator in it. A case that disagrees counts only for the operators
  // that its findings name, without findings that follow from others. A case that is unsupported
  // counts only for what the backend refused. No operator stands for the whole graph.
  std::map<OperatorUse, StateCounts> by_operator;
  int64_t judged_elements = 0, undecided_elements = 0;
  std::map<std::pair<CaseState, std::string>, Reason> reasons;  // each defect has its own

  void Add(const CaseResult& result);
  // Returns the reasons in the order in which they are shown: defects first, then bad input, then
  // suspects, then the most frequent.
  std::vector<RankedReason> RankedReasons() const;
  int64_t Count(CaseState state) const { return states[static_cast<size_t>(state)]; }
  // Returns the count including cases that demand an implied error.
  int64_t CountAll(CaseState state) const {
    return Count(state) + implied_errors[static_cast<size_t>(state)];
  }
  bool AnyImplied() const { return implied_errors != StateCounts{}; }

 private:
  void Explain(const CaseResult& result);
};

}  // namespace assay
