#pragma once

#include <string>
#include <vector>

#include "generator.h"

namespace assay {

// What a vector says about itself, worked out from what it contains.

// The profiles and extensions that all its operators need; where rows leave a choice, one that
// `target` has. Ends in at least one profile.
Requirements RequirementsOf(const TestVector& vector, Requirements target);

// The names of a set of requirements, profiles first.
std::vector<std::string> NamesOf(Requirements requirements);

// The readings that verdicts on the vector hang on (only those of single operators: the general
// ones hold for every vector), and "control-flow", "state", "special-values", "undecided" where it
// applies. Sorted.
std::vector<std::string> TagsOf(const TestVector& vector);

// The name of a case: "operator-17-ADD".
std::string NameOf(const Generator& generator, uint64_t index, std::string_view title);

// Fills in requirements, tags, level, specification version, provenance and name.
void Describe(TestVector& vector, const GeneratorOptions& options, const Generator& generator,
              uint64_t index, std::string_view title);

}  // namespace assay
