// SPDX-License-Identifier: Apache-2.0
#include "vector_power.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "interrupt.h"
#include "mutant_trials.h"

namespace assay {

void VectorPower::Add(const TestVector& vector) {
  ++vectors_;
  std::set<Op> operators;
  for (const auto& [block, op] : vector.Operators()) operators.insert(op.op);
  std::vector<std::pair<const Mutant*, Fault*>> open;
  for (const Mutant& mutant : AllMutants()) {
    // A graph that breaks a rule is a vector of its own.
    if (mutant.twist == Twist::kRuleOverlooked || !operators.contains(mutant.op)) continue;
    if (!mutant.equivalent.empty()) continue;
    Fault& fault = faults_[&mutant];
    if (!fault.is_shown) open.emplace_back(&mutant, &fault);
  }
  const int64_t work = ExecutionWork(vector);
  if (Interrupted() || work > (kWorkMost - work_) / std::max<int64_t>(std::ssize(open), 1)) {
    for (auto& [mutant, fault] : open) fault->is_reached = true;  // as far as anybody knows
    not_measured_.push_back(vectors_);
    return;
  }
  for (auto& [mutant, fault] : open) {
    work_ += work;
    bool reached = !IsOfKernel(mutant->twist);
    fault->is_shown = !KilledBy(*mutant, vector, &reached).empty();
    fault->is_reached |= reached;
  }
}

PowerSummary VectorPower::Summary() const {
  PowerSummary sum;
  sum.alone.clear();
  sum.not_measured = not_measured_;
  for (const auto& [mutant, fault] : faults_) {
    if (!fault.is_reached && !fault.is_shown) {
      ++sum.cannot_show;
      continue;
    }
    ++sum.faults;
    sum.shown += fault.is_shown ? 1 : 0;
    if (!fault.is_shown) {
      sum.not_shown.push_back({std::string(mutant->id), std::string(mutant->what), {}});
    }
  }
  return sum;
}

}  // namespace assay
