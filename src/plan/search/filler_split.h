// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

// A change of the free space of a pool.
struct FreeStep {
  int64_t tick = 0;
  int64_t change = 0;  // in units; not 0
  bool both = false;   // buffers end here, and others begin
};

// A buffer that takes free space.
struct Filler {
  int64_t size = 0;
  int64_t from = 0, to = 0;  // ticks
  friend bool operator==(const Filler&, const Filler&) = default;
};

// Splits free space into few fillers. The steps are in the order of time, and their sum is 0.
//
// A few steps that add up to nothing are probably the ends of a few fillers. So the steps are put
// into groups, the smallest first, and each group is split alone. Where a part of a filler ends,
// the two parts are fillers of their own from its beginning on. But where buffers end and others
// begin, free space may also move: a filler ends, and one of another size begins elsewhere. Attempt
// 0 moves it wherever more becomes free, attempt 1 nowhere. The others choose groups and moves at
// random.
std::vector<Filler> SplitIntoFillers(std::span<const FreeStep> steps, uint64_t attempt);

}  // namespace assay
