// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "generator_options.h"
#include "test_vector.h"

namespace assay {

// A generator makes vectors of one kind. Each generators/<name>.cc defines one, `<name>_generator`.
// A case is a pure function of (seed, index, kind, version): any split into shards gives the same
// cases.
struct Generator {
  std::string_view kind;  // "operator", "graph", "stateful"
  std::string_view help;
  uint32_t version;
  // Returns the number of indices that cover everything that the kind covers systematically
  // (operator x type row x attribute class); 0 if there is no such number. Larger indices start
  // again with fresh values.
  int64_t (*targets)(const GeneratorOptions& options);
  // Returns case `index` with its expectation; nullopt if no valid case was found for it (rare;
  // counted).
  std::optional<TestVector> (*make)(const GeneratorOptions& options, uint64_t index);
};

}  // namespace assay
