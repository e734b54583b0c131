// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

// A level: the ranges of arguments that an implementation has to support (specification, "Levels").
// One level applies to a whole implementation. A graph beyond a limit is unpredictable, with one
// exception: nesting deeper than MAX_NESTING is an error (COND_IF/ERROR_IF/1).
struct Level {
  std::string_view name;         // "none", "8K"
  int32_t max_rank;              // MAX_RANK: of a tensor
  int32_t max_kernel;            // MAX_KERNEL: kernel, padding, dilation * kernel, FFT sides
  int32_t max_stride;            // MAX_STRIDE
  int32_t max_scale;             // MAX_SCALE: of a RESIZE ratio
  int32_t max_log2_size;         // MAX_LOG2_SIZE: bits of tensor_size_t without its sign
  int32_t max_nesting;           // MAX_NESTING: of COND_IF and WHILE_LOOP
  int32_t max_tensor_list_size;  // MAX_TENSOR_LIST_SIZE

  // Returns the greatest value of tensor_size_t, (1 << MAX_LOG2_SIZE) - 1. No tensor has more
  // bytes.
  constexpr int64_t MaxTensorSize() const {
    return static_cast<int64_t>((uint64_t{1} << max_log2_size) - 1);
  }

  friend constexpr bool operator==(const Level&, const Level&) = default;
};

inline constexpr Level kLevelNone = {"none", 32, 2147483647, 2147483647, 2048, 63, 256, 256};
inline constexpr Level kLevel8K = {"8K", 6, 8192, 8192, 256, 31, 6, 64};

std::span<const Level> AllLevels();
// Returns the level "none" or "8K".
std::optional<Level> LevelByName(std::string_view name);

// Returns the value of a limit by its name in the specification ("MAX_KERNEL"), as level checks
// name it.
std::optional<int64_t> LimitByName(const Level& level, std::string_view name);

}  // namespace assay
