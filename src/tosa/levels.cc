// SPDX-License-Identifier: Apache-2.0
#include "levels.h"

#include "enum_names.h"

namespace assay {
namespace {

constexpr Level kLevels[] = {kLevelNone, kLevel8K};

struct Limit {
  std::string_view name;
  int32_t Level::*value;
};

constexpr Limit kLimits[] = {
    {"MAX_RANK", &Level::max_rank},
    {"MAX_KERNEL", &Level::max_kernel},
    {"MAX_STRIDE", &Level::max_stride},
    {"MAX_SCALE", &Level::max_scale},
    {"MAX_LOG2_SIZE", &Level::max_log2_size},
    {"MAX_NESTING", &Level::max_nesting},
    {"MAX_TENSOR_LIST_SIZE", &Level::max_tensor_list_size},
};

}  // namespace

std::span<const Level> AllLevels() { return kLevels; }

std::optional<Level> LevelByName(std::string_view name) {
  const Level* level = FindRow(kLevels, &Level::name, name);
  return level == nullptr ? std::nullopt : std::optional(*level);
}

std::optional<int64_t> LimitByName(const Level& level, std::string_view name) {
  const Limit* limit = FindRow(kLimits, &Limit::name, name);
  return limit == nullptr ? std::nullopt : std::optional<int64_t>(level.*limit->value);
}

}  // namespace assay
