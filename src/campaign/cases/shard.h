// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "result.h"

namespace assay {

// A shard of a run: every N-th index, starting with I (`--shard I/N`).
struct Shard {
  int64_t index = 0, count = 1;
  bool Holds(int64_t number) const { return number % count == index; }
  // Returns how many of so many indices the shard has, and the index that is its n-th.
  int64_t SizeOf(int64_t indices) const {
    return indices <= index ? 0 : (indices - index + count - 1) / count;
  }
  int64_t At(int64_t n) const { return index + n * count; }
};

// Parses "I/N". Error kUsage, which names the option.
Result<Shard> ParseShard(std::string_view text);

}  // namespace assay
