// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pool_packing.h"

namespace assay {

// Returns the buffers ordered by features that make them hard to place, the hardest first. The
// features are: lifetime in ticks (W) or sections (C), size (Z), size times lifetime in ticks (A)
// or sections (S), the fullest of the buffer's sections (T), the number of conflicts (O), and the
// end of the live range (U). Buffers of equal first feature are ordered by the second, and so on.
std::vector<int32_t> OrderBy(const Packing& packing, std::string_view features);

// The order of the buffers for search number `index`, and whether the search is hasty. The first
// few strategies are known to do well. The others mix the same features at random.
struct PackingStrategy {
  std::vector<int32_t> order;
  bool hasty = false;
};
PackingStrategy StrategyFor(const Packing& packing, uint64_t index);

}  // namespace assay
