#pragma once

#include <span>
#include <string>
#include <string_view>

#include "types.h"

namespace assay {

// The rules of VARIABLE, VARIABLE_READ and VARIABLE_WRITE in the ways in which they can be taken.
// Each row but the first is a reading of its name (readings.h); vectors that hang on one say so in
// TestVector::semantics.
struct StateRules {
  std::string_view name;  // "1.0", "nested-keeps-seen", "rfc"
  // Whether a graph that COND_IF or WHILE_LOOP runs clears `seen`, as one that is invoked does.
  bool nested_clears_seen;
  // Whether VARIABLE sets `seen` on a variable of an earlier execution.
  bool redeclaration_sets_seen;
  // Whether a variable is known by an integer: names that read as the same int32 are one variable.
  bool named_by_uid;
  std::span<const DType> types;  // of variables; empty: those of the type rows
  std::string_view what;
};

// The text of the specification comes first.
std::span<const StateRules> AllStateRules();

// Null if there is none of that name.
const StateRules* StateRulesByName(std::string_view name);

// What tells variables apart: the name, or for rules that know them by uid the number it reads as.
// "+7" and "007" are the uid 7; what is no int32 in decimal stands for itself.
std::string VariableKey(const StateRules& rules, std::string_view name);

}  // namespace assay
