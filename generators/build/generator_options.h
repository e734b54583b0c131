#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  // Also makes vectors that demand an error which no ERROR_IF of the text states (Rule::implied).
  bool implied_errors = false;
  // The one network of kind `network`, as ParseNetwork() reads it; "": all small ones.
  std::string network;

  bool operator==(const GeneratorOptions&) const = default;
};

}  // namespace assay
