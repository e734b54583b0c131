// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "mutants.h"
#include "power_summary.h"
#include "test_vector.h"

namespace assay {

// Counts what an agreement on vectors would have noticed. A mutant of one of their operators is
// shown if a vector disagrees that ran on it. It cannot show if it changes nothing in any of them.
class VectorPower {
 public:
  // Work is counted in multiply-accumulates and elements of executions. A vector is not measured if
  // its faults would take more than kWorkMost, together with those of the vectors before it.
  static constexpr int64_t kWorkMost = int64_t{1} << 29;

  // Tries the faults that nothing has shown yet. After a signal (interrupt.h), none is tried.
  void Add(const TestVector& vector);
  PowerSummary Summary() const;

 private:
  struct Fault {
    bool is_reached = false, is_shown = false;
  };
  std::map<const Mutant*, Fault> faults_;  // in the order of AllMutants()
  std::vector<size_t> not_measured_;       // numbers of vectors, from 1
  size_t vectors_ = 0;
  int64_t work_ = 0;
};

}  // namespace assay
