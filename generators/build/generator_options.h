#pragma once

#include <cstdint>
#include <vector>

#include "levels.h"
#include "operator.h"
#include "profiles.h"
#include "types.h"

namespace assay {

// What a campaign asks of every case.
struct GeneratorOptions {
  uint64_t seed = 1;
  Requirements target;  // profiles and extensions that vectors may need
  Level level;
  int32_t dimension_max = 8;
  int64_t elements_max = 512;  // of one tensor
  // Only these operators and types, if not empty: what a backend supports.
  std::vector<Op> operators;
  std::vector<DType> types;
  // Vectors that demand an error which no ERROR_IF of the text states, too (Rule::implied).
  bool implied_errors = false;

  bool operator==(const GeneratorOptions&) const = default;
};

}  // namespace assay
