#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "levels.h"
#include "profiles.h"
#include "random.h"
#include "test_vector.h"

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

std::span<const Generator* const> AllGenerators();
const Generator* GeneratorByKind(std::string_view kind);

}  // namespace assay
