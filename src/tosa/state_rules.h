// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "types.h"

namespace assay {

// The rules of VARIABLE, VARIABLE_READ and VARIABLE_WRITE, in one of the ways in which they can be
// read. Each row but the first is a reading of its name (readings.h). Vectors that depend on a row
// name it in TestVector::semantics.
struct StateRules {
  std::string_view name;  // "1.0", "nested-keeps-seen", "rfc"
  // True if a graph that COND_IF or WHILE_LOOP runs clears `seen`, as an invoked graph does.
  bool nested_clears_seen;
  // True if VARIABLE sets `seen` on a variable of an earlier execution.
  bool redeclaration_sets_seen;
  // True if a variable is known by an integer: names that read as the same int32 are one variable.
  bool named_by_uid;
  std::span<const DType> types;  // of variables; empty: those of the type rows
  std::string_view what;
};

// Returns all rows. The first is the text of the specification.
std::span<const StateRules> AllStateRules();

// Returns null if there is no row of that name.
const StateRules* StateRulesByName(std::string_view name);

// Returns the key of a variable: its name or, for rules that know variables by uid, the number that
// the name reads as. "+7" and "007" are the uid 7. A name that is no int32 in decimal is its own
// key.
std::string VariableKey(const StateRules& rules, std::string_view name);

}  // namespace assay
