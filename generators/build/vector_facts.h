// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generator.h"

namespace assay {

// Facts that a vector states about itself, computed from its content.

// Returns the profiles and extensions that all operators of the vector need, with at least one
// profile. If the type rows leave a choice, takes one that `target` has.
Requirements RequirementsOf(const TestVector& vector, Requirements target);

// Returns the names of a set of requirements, profiles first.
std::vector<std::string> NamesOf(Requirements requirements);

// Returns the sorted tags of a vector: the readings that its verdicts depend on, and
// "control-flow", "state", "special-values", "undecided" where they apply. Only readings of single
// operators are listed, because the general ones hold for every vector.
std::vector<std::string> TagsOf(const TestVector& vector);

// The readings and operators that the verdict on one result of a vector rests on.
struct Basis {
  std::vector<std::string> readings;  // ids, sorted
  std::vector<Op> operators;          // the operators that compute the result; sorted, each once
};

// Returns the basis of output `tensor` of the main block after step `step`. If there is no such
// output (a refusal, a crash, the state of a variable), or the graph has variables, returns the
// basis of everything up to the step.
Basis BasisOf(const TestVector& vector, int32_t step, std::string_view tensor);

// Returns the name of a case: "operator-17-ADD".
std::string NameOf(const Generator& generator, uint64_t index, std::string_view title);

// Fills in requirements, tags, level, specification version, provenance and name.
void Describe(TestVector& vector, const GeneratorOptions& options, const Generator& generator,
              uint64_t index, std::string_view title);

}  // namespace assay
