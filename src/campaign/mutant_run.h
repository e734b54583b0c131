// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mutants.h"
#include "power_summary.h"
#include "result.h"

namespace assay {

// The result for a mutant. kEquivalent: no vector kills it, and none can. kNotReached: it changes
// nothing in any vector that ran.
enum class MutantEnding : uint8_t { kKilled, kSurvived, kEquivalent, kNotReached };

struct MutantTrial {
  const Mutant* mutant = nullptr;
  MutantEnding ending = MutantEnding::kNotReached;
  int64_t vectors = 0;  // that ran
  std::string vector;   // the path of the one that kills it; "" if none does
  std::string finding;  // how, in one line
};

struct MutantRun {
  std::vector<MutantTrial> trials;  // in the order of the mutants
  std::vector<std::string> gaps;    // a line for each suite that is incomplete
};

// Tries each mutant on the vectors of the suites that have its operator, small graphs first, until
// one disagrees. Leaves out vectors that are undecided or unsupported without a fault. The result
// does not depend on `jobs`, the number of processes. Errors of ListCases() and LoadCase(). Error
// kBadInput if the executor without a fault disagrees with a vector, kResource if a process was
// killed.
Result<MutantRun> TryMutants(const std::vector<const Mutant*>& mutants,
                             const std::vector<std::string>& suites, int jobs);

// Returns what the vectors would have noticed, in short.
PowerSummary Summary(const MutantRun& run);

}  // namespace assay
