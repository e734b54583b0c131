#pragma once

#include <string>
#include <string_view>
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

// The readings and operators that the verdict on one result of a vector rests on.
struct Basis {
  std::vector<std::string> readings;  // ids, sorted
  std::vector<Op> operators;          // that the result is computed by; sorted, each once
};

// Returns the basis of output `tensor` of the main block after step `step`. If there is no such
// output (a refusal, a crash, the state of a variable), or the graph has variables, it is that of
// everything up to the step.
Basis BasisOf(const TestVector& vector, int32_t step, std::string_view tensor);

// The name of a case: "operator-17-ADD".
std::string NameOf(const Generator& generator, uint64_t index, std::string_view title);

// Fills in requirements, tags, level, specification version, provenance and name.
void Describe(TestVector& vector, const GeneratorOptions& options, const Generator& generator,
              uint64_t index, std::string_view title);

}  // namespace assay
