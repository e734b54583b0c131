#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "generator_options.h"
#include "test_vector.h"

namespace assay {

// A generator makes vectors of one kind. Each generators/<name>.cc defines one, `<name>_generator`.
// A case is a pure function of (seed, index, kind, version): any shard of indices gives the same.
struct Generator {
  std::string_view kind;  // "operator", "graph", "stateful"
  std::string_view help;
  uint32_t version;
  // How many indices cover all that the kind covers systematically (operator x type row x attribute
  // class); 0 if there is no such number. Indices beyond wrap around with fresh values.
  int64_t (*targets)(const GeneratorOptions& options);
  // Case `index`, expectation included; nothing if no valid case was found for it (rare; counted).
  std::optional<TestVector> (*make)(const GeneratorOptions& options, uint64_t index);
};

}  // namespace assay
