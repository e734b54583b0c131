// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

// A case of a campaign that may become part of a smoke suite.
struct SmokeCandidate {
  int64_t number = 0;  // of the case
  int64_t bytes = 0;   // of its vector
  // The items that the vector reaches: mutants that it kills, type rows that run. Each has a
  // number from 0 on.
  std::vector<int32_t> items;
};

// Returns the numbers of few cases that together reach everything that all reach, ascending. Takes
// in each step the case that reaches most of what is missing, of several the smallest one, and
// leaves out at the end what the others reach as well. An item counts the more, the fewer cases
// reach it: one of these is needed in any case.
std::vector<int64_t> SmokeCover(const std::vector<SmokeCandidate>& candidates);

}  // namespace assay
