// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "choices.h"
#include "levels.h"
#include "operator.h"
#include "profiles.h"
#include "types.h"

namespace assay {

// The demands of a campaign on every case.
struct GeneratorOptions {
  uint64_t seed = 1;
  Requirements target;  // profiles and extensions that vectors may need
  Level level;
  int32_t dimension_max = 8;
  int64_t elements_max = 512;  // of one tensor
  // If not empty, only these operators and types are used: those that a backend supports.
  std::vector<Op> operators;
  std::vector<DType> types;
  // If not empty, the allowed rows of the operators' type tables: bit i is row i. By operator.
  std::vector<uint64_t> type_rows;
  int32_t rank_max = std::numeric_limits<int32_t>::max();  // of fresh shapes, where possible
  // Also makes vectors that demand an error which no ERROR_IF of the text states (Rule::implied).
  bool implied_errors = false;
  // The one network of kind `network`, as ParseNetwork() reads it; "": all small ones.
  std::string network;

  bool AllowsRow(Op op, size_t row) const {
    return type_rows.empty() || (type_rows[static_cast<size_t>(op)] >> row & 1) != 0;
  }

  bool operator==(const GeneratorOptions&) const = default;
};

}  // namespace assay
