// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "declaration_names.h"
#include "fault_state.h"
#include "outcome.h"
#include "test_vector.h"

namespace assay {

// Tries faults of element-wise layers and windows on all values of their operands, if these have
// few bits, or where the result takes a step (every_value.h). Graphs that differ in shapes only are
// tried once.
class EveryValueTrials {
 public:
  // Work is counted in elements of executions. After kWorkMost nothing is tried.
  static constexpr int64_t kWorkMost = int64_t{1} << 27;

  struct Fault {
    std::string name;  // the same name in the same graph is the same fault
    std::function<std::vector<Outcome>(const TestVector& vector)> run;
    FaultState* state;
  };

  // Tries faults of a graph that are open. One that shows becomes kShownMade, one that shows with
  // none of all values kCannotShow. `declared`: by the backend; what it excuses shows no fault.
  // Returns vectors, with their expectation, that show faults, at most `most`. A fault that would
  // need one more stays open.
  std::vector<TestVector> Try(const TestVector& alone, std::span<const Fault> faults,
                              const BackendDeclarations& declared, int64_t most);

 private:
  // An element of each operand: integers, or the bits of floats.
  using Values = std::vector<int64_t>;
  struct Known {
    Graph graph;
    std::map<std::string, Values> shows_with;  // the first values; none: the fault did not show
  };
  std::vector<Known> known_;
  int64_t work_ = 0;
};

}  // namespace assay
