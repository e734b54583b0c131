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
// and tosa_execute_graph): states and transitions, no data. The executor does not look at it; it is
// what the executor is compared with, what generators plan by and what coverage counts.

// What a context knows of a variable.
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

// What an event does: it leads to a state, or breaks a rule.
struct VariableTransition {
  VariableState next;
  const char* rule;  // null if none is broken
};

// No entry: nothing has the event in that state.
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

// By the rules of variables that are in force. What graphs that control flow runs do to `seen` is
// the caller's: by rules that keep it they are no kExecute.
VariableTable TableOf(const StateRules& rules);

// An event in a state, and what can come right after it.
struct VariableStep {
  VariableState state;
  VariableEvent event;
  friend auto operator<=>(const VariableStep&, const VariableStep&) = default;
};
std::vector<VariableStep> StepsIn(const VariableTable& table);
std::vector<std::pair<VariableStep, VariableStep>> PairsIn(const VariableTable& table);

// Why no file can hold the event; "" for those that one can.
std::string_view WhyNotInFiles(VariableEvent event);

// "VARIABLE_WRITE when written and seen".
std::string NameOf(const VariableStep& step);

}  // namespace assay
