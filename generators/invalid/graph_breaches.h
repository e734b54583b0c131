#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "choices.h"
#include "generator_options.h"

namespace assay {

// Small valid graphs of what no recipe makes (constants, control flow, state), and ways to spoil
// them that no edit of a single operator amounts to. Expectations are not worked out.

// A valid vector of one step with the operator in its main block; Op::kUnknown stands for a graph
// of plain operators. Nothing if the operator is none of these, or the target does not have it.
std::optional<TestVector> HandMade(Choices& choices, const GeneratorOptions& options, Op op);

// What breaks a rule of graphs, control flow or state.
struct HandMadeFault {
  std::string_view rule;
  // A valid vector; nothing if the target does not have what it needs.
  std::optional<TestVector> (*sibling)(Choices& choices, const GeneratorOptions& options);
  // Breaks the rule, and, if it is an ERROR_IF, no other.
  void (*spoil)(TestVector& vector, const GeneratorOptions& options);
};
std::span<const HandMadeFault> HandMadeFaults();

}  // namespace assay
