// SPDX-License-Identifier: Apache-2.0
#include "pool_options.h"

#include <optional>
#include <utility>

#include "parse_number.h"
#include "pools.h"
#include "quoted.h"

namespace assay {
namespace {

Error PoolError(std::string_view text, const std::string& what) {
  return UsageError("--pool " + Quoted(text) + ": " + what);
}

std::vector<std::string_view> SplitText(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int64_t> Bytes(std::string_view text) {
  int64_t bytes = 0;
  return ParseNumber(text, bytes) && bytes >= 0 ? std::optional(bytes) : std::nullopt;
}

// Sets one part `key=value` of a pool. Returns what is wrong with it, or "".
std::string SetPart(std::string_view key, std::string_view value, PoolAccess access,
                    PoolInfo& pool) {
  if (key == "target") {
    for (const std::string_view target : SplitText(value, ',')) {
      if (target.empty()) return "a target without a name";
      pool.targets.push_back({std::string(target), access});
    }
    return "";
  }
  if (key != "size" && key != "align" && key != "offset") {
    return Quoted(key) + " is none of target, size, align, offset";
  }
  const auto bytes = Bytes(value);
  if (!bytes) return Quoted(value) + " is no number of bytes";
  if (key == "size") {
    pool.size_bytes = bytes;
  } else {
    (key == "align" ? pool.alignment : pool.offset) = *bytes;
  }
  return "";
}

}  // namespace

Result<PoolInfo> ParsePool(std::string_view text) {
  const std::vector<std::string_view> parts = SplitText(text, ':');
  PoolInfo pool;
  pool.name = parts[0];
  if (pool.name.empty()) return PoolError(text, "has no name");
  const auto access = parts.size() < 2 ? std::nullopt : PoolAccessNamed(parts[1]);
  if (!access) return PoolError(text, "says neither rw nor ro after the name");
  for (size_t i = 2; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    if (equals == std::string_view::npos) {
      return PoolError(text, Quoted(parts[i]) + " has no value");
    }
    const std::string wrong =
        SetPart(parts[i].substr(0, equals), parts[i].substr(equals + 1), *access, pool);
    if (!wrong.empty()) return PoolError(text, wrong);
  }
  if (pool.targets.empty() && *access == PoolAccess::kReadOnly) {
    pool.targets = {{"*", PoolAccess::kReadOnly}};
  }
  return pool;
}

Result<Done> ReplacePools(const std::vector<std::string>& texts, MemoryProblem& problem) {
  problem.pools.clear();
  for (const std::string& text : texts) {
    Result<PoolInfo> pool = ParsePool(text);
    if (!pool) return pool.error();
    problem.pools.push_back(std::move(*pool));
  }
  for (BufferInfo& buffer : problem.buffers) {
    buffer.pool_candidates = CandidatesFor(problem.pools, {}, buffer.kind);
    if (buffer.pool_candidates.empty()) {
      return UsageError("--pool: no workspace for " + Quoted(buffer.name_hint) +
                        ", which is written");
    }
  }
  return Done{};
}

}  // namespace assay
