// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "state_rules.h"

namespace assay {

// The rules of variables as a table, written from the specification's text ("Variable Operators"
// and tosa_execute_graph). It has states and transitions, but no data. The executor does not use
// it: the table is compared with the executor, and used by generators and coverage.

// The state of a variable in a context.
enum class VariableState : uint8_t {
  kAbsent,     // nothing has declared it
  kEmpty,      // declared by an earlier execution, and never given a value
  kEmptySeen,  // the same, declared in this execution
  kFull,       // it has a value
  kFullSeen,
};
inline constexpr size_t kVariableStates = 5;

enum class VariableEvent : uint8_t {
  kExecute,           // a graph begins, be it one that control flow runs
  kDeclare,           // VARIABLE without an initial value
  kDeclareWithValue,  // with one
  kDeclareBadType,    // with one of another type
  kDeclareBadShape,   // with one of another shape
  kDeclareOther,      // of another type and shape than before, with a value of these
  kRead,
  kReadBadShape,  // into a tensor of another shape than the variable's
  kReadBadType,
  kWrite,
  kWriteBadShape,
  kWriteBadType,
};
inline constexpr size_t kVariableEvents = 12;

// The effect of an event: it leads to a state, or breaks a rule.
struct VariableTransition {
  VariableState next;
  const char* rule;  // null if none is broken
};

// A table of all events in all states. An entry is empty if the event cannot happen in the state.
class VariableTable {
 public:
  using Entry = std::optional<VariableTransition>;
  const Entry& At(VariableState state, VariableEvent event) const {
    return entries_[static_cast<size_t>(state)][static_cast<size_t>(event)];
  }
  Entry& At(VariableState state, VariableEvent event) {
    return entries_[static_cast<size_t>(state)][static_cast<size_t>(event)];
  }
  void Set(VariableState state, const std::array<Entry, kVariableEvents>& events) {
    entries_[static_cast<size_t>(state)] = events;
  }

 private:
  std::array<std::array<Entry, kVariableEvents>, kVariableStates> entries_;
};

// Returns the table for rules of variables. The caller decides how graphs that control flow runs
// change `seen`: by rules that keep `seen`, they are no kExecute.
VariableTable TableOf(const StateRules& rules);

// An event in a state. PairsIn() returns the steps with those that can come right after them.
struct VariableStep {
  VariableState state;
  VariableEvent event;
  friend auto operator<=>(const VariableStep&, const VariableStep&) = default;
};
std::vector<VariableStep> StepsIn(const VariableTable& table);
std::vector<std::pair<VariableStep, VariableStep>> PairsIn(const VariableTable& table);

// Returns why no file can hold the event; "" for an event that a file can hold.
std::string_view WhyNotInFiles(VariableEvent event);

// Returns "VARIABLE_WRITE when written and seen".
std::string NameOf(const VariableStep& step);

}  // namespace assay
