// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "choices.h"
#include "generator_options.h"
#include "test_vector.h"

namespace assay {

// Small valid graphs with operators that have no recipe: constants, control flow, state. The faults
// that break them are more than an edit of a single operator. The expectations are not computed
// here.

// Returns a valid vector of one step with the operator in its main block. Op::kUnknown stands for a
// graph of plain operators. Returns nullopt for other operators, or if the target does not have the
// operator.
std::optional<TestVector> HandMade(Choices& choices, const GeneratorOptions& options, Op op);

// A way to break a rule of graphs, control flow or state.
struct HandMadeFault {
  std::string_view rule;
  // Returns a valid vector; nullopt if the target does not have what the vector needs.
  std::optional<TestVector> (*sibling)(Choices& choices, const GeneratorOptions& options);
  // Breaks the rule, and, if it is an ERROR_IF, no other.
  void (*spoil)(TestVector& vector, const GeneratorOptions& options);
};
std::span<const HandMadeFault> HandMadeFaults();

}  // namespace assay
