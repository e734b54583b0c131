#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pool_packing.h"

namespace assay {

// The buffers by what makes them hard to place, the hardest first: their lifetime in ticks (W) or
// sections (C), size (Z), both (A, S), the fullest of their sections (T), how many they conflict
// with (O); or just how late they end (U). By the first feature, where it is equal the second, ...
std::vector<int32_t> OrderBy(const Packing& packing, std::string_view features);

// The order of the buffers for search number `index`, and whether the search is hasty: the first
// few are known to do well, the rest mix the same features at random.
struct PackingStrategy {
  std::vector<int32_t> order;
  bool hasty = false;
};
PackingStrategy StrategyFor(const Packing& packing, uint64_t index);

}  // namespace assay
