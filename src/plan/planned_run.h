// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithm.h"
#include "liveness.h"
#include "liveness_fault.h"
#include "memory_plan.h"
#include "test_vector.h"

namespace assay {

// The way in which graphs are planned.
struct Planning {
  MemoryTarget target;
  const LivenessFault* fault = nullptr;  // none if null
  const Algorithm* algorithm = nullptr;
  std::optional<PlannedProblem> given = {};  // a plan to take in place of the algorithm's
};

// Counts of vectors that were executed in planned memory.
struct PlannedRuns {
  static constexpr int64_t kManyOperators = 10;  // from this number on, memory should be used again

  int64_t vectors = 0, graphs = 0, steps = 0, differences = 0, passed_over = 0;
  int64_t large_graphs = 0;  // of kManyOperators or more
  double reuse = 0;          // sum over the large graphs of peak / sum of sizes
  std::vector<std::string> findings;
  std::map<std::string, int64_t> reasons;  // of vectors that were passed over

  // Plans the graphs of a vector and executes its valid steps, each graph of each context in an
  // arena of its own. Compares the results with execution outside of them. `path` names the vector.
  void Run(const TestVector& vector, const std::string& path, const Planning& planning);
};

}  // namespace assay
