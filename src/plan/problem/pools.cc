// SPDX-License-Identifier: Apache-2.0
#include "pools.h"

#include <limits>
#include <optional>

namespace assay {
namespace {

std::optional<PoolAccess> AccessOf(const PoolInfo& pool, const std::string& target) {
  std::optional<PoolAccess> others;
  for (const TargetAccess& access : pool.targets) {
    if (access.target == target) return access.access;
    if (access.target == "*") others = access.access;
  }
  if (pool.targets.empty()) return PoolAccess::kReadWrite;
  return others;
}

}  // namespace

bool IsWritten(const PoolInfo& pool) {
  return pool.targets.empty() ||
         std::any_of(pool.targets.begin(), pool.targets.end(), [](const TargetAccess& access) {
           return access.access == PoolAccess::kReadWrite;
         });
}

int64_t HighestOffset(const PoolInfo& pool, const BufferInfo& buffer) {
  if (!pool.size_bytes) return std::numeric_limits<int64_t>::max() - buffer.size_bytes;
  return pool.offset + *pool.size_bytes - buffer.size_bytes;
}

std::vector<int32_t> CandidatesFor(const std::vector<PoolInfo>& pools,
                                   const std::vector<std::string>& targets, BufferKind kind) {
  const bool constant = kind == BufferKind::kConstant;
  std::vector<int32_t> found, unwritten;
  for (size_t i = 0; i < pools.size(); ++i) {
    const bool reached =
        std::all_of(targets.begin(), targets.end(), [&](const std::string& target) {
          const auto access = AccessOf(pools[i], target);
          return access && (constant || *access == PoolAccess::kReadWrite);
        });
    if (!reached || (!constant && !IsWritten(pools[i]))) continue;
    found.push_back(static_cast<int32_t>(i));
    if (!IsWritten(pools[i])) unwritten.push_back(static_cast<int32_t>(i));
  }
  return unwritten.empty() ? found : unwritten;
}

}  // namespace assay
