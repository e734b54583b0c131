// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "campaign.h"
#include "report.h"
#include "shard.h"
#include "test_vector.h"

namespace assay {

// Returns the work that a vector is for a run, in units of about one operator: a fixed part, its
// operators, and its multiplications and additions. It depends on the vector alone.
int64_t WorkOf(const TestVector& vector);

// The choice of a run's cases, so that every kind gets as much work as the others. The run consists
// of rounds of kRoundCases. Each next case of a round is of the kind with the least work so far;
// for cases whose work is not known yet, the mean of their kind counts. So the first round takes
// the kinds in turn. Work is counted by WorkOf(), so the choice depends neither on the clock nor on
// the backend, nor on the number of jobs.
class WorkShare {
 public:
  static constexpr int64_t kRoundCases = 256;

  // `work` is that of the run so far, which the choice goes on with. It has no kinds for a new run.
  WorkShare(const Campaign& campaign, Shard shard, WorkByKind& work);

  // Chooses the cases of a round, unless that is the last round that was chosen. The work of all
  // earlier cases must have been added.
  void Choose(int64_t round);
  // Returns the place in the shard of the run's case `index`, whose round is chosen.
  int64_t CaseAt(int64_t index) const {
    return work_.cases[static_cast<size_t>(index % kRoundCases)];
  }
  // Adds the work of the case `index`.
  void Add(int64_t index, int64_t work);

 private:
  size_t KindAt(int64_t place) const {
    return static_cast<size_t>(shard_.At(place)) % work_.kinds.size();
  }

  Shard shard_;
  WorkByKind& work_;
};

}  // namespace assay
