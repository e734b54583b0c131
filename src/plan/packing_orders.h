#pragma once

#include <cstdint>
#include <vector>

#include "pool_packing.h"

namespace assay {

// The order of the buffers for search number `index`, and whether the search is hasty: the first
// few are known to do well, the rest mix the same features at random.
struct PackingStrategy {
  std::vector<int32_t> order;
  bool hasty = false;
};
PackingStrategy StrategyFor(const Packing& packing, uint64_t index);

}  // namespace assay
