// SPDX-License-Identifier: Apache-2.0
#include "shard.h"

#include <string>

#include "parse_number.h"

namespace assay {

Result<Shard> ParseShard(std::string_view text) {
  constexpr int64_t kShardsMax = 1'000'000;
  const size_t slash = text.find('/');
  Shard shard;
  if (slash == std::string_view::npos || !ParseNumber(text.substr(0, slash), shard.index) ||
      !ParseNumber(text.substr(slash + 1), shard.count) || shard.index < 0 ||
      shard.index >= shard.count || shard.count > kShardsMax) {
    return UsageError("--shard " + std::string(text) +
                      ": not I/N with I from 0 to N - 1, and N at most 1000000");
  }
  return shard;
}

}  // namespace assay
