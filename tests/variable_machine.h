#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// The rules of variables as a table, written from the specification's text ("Variable Operators"
// and tosa_execute_graph) and sharing nothing with the executor: states and transitions, no data.

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

using VariableTable =
    std::array<std::array<std::optional<VariableTransition>, kVariableEvents>, kVariableStates>;

// No entry: no program has the event in that state.
inline VariableTable TableOfTheText() {
  using enum VariableState;
  constexpr auto to = [](VariableState next) { return VariableTransition{next, nullptr}; };
  constexpr auto breaks = [](const char* rule) { return VariableTransition{kAbsent, rule}; };
  VariableTable table;
  // "seen" is cleared at the start of every execution; VARIABLE sets it, and finds it set if it
  // comes twice. What is known is not initialised again, and its type and shape are not looked at.
  const auto twice = breaks("VARIABLE/REQUIRE/3");
  // VARIABLE_READ asks: known, written, of this shape, of this type. VARIABLE_WRITE asks: known,
  // seen, of this shape, of this type.
  const auto unknown_read = breaks("VARIABLE_READ/REQUIRE/1");
  const auto unwritten = breaks("VARIABLE_READ/REQUIRE/2");
  const auto read_shape = breaks("VARIABLE_READ/REQUIRE/3");
  const auto read_type = breaks("VARIABLE_READ/REQUIRE/4");
  const auto unknown_write = breaks("VARIABLE_WRITE/REQUIRE/1");
  const auto unseen = breaks("VARIABLE_WRITE/REQUIRE/2");
  const auto write_shape = breaks("VARIABLE_WRITE/REQUIRE/3");
  const auto write_type = breaks("VARIABLE_WRITE/REQUIRE/4");
  table[static_cast<size_t>(kAbsent)] = {to(kAbsent),
                                         to(kEmptySeen),
                                         to(kFullSeen),
                                         breaks("VARIABLE/REQUIRE/1"),
                                         breaks("VARIABLE/REQUIRE/2"),
                                         std::nullopt,
                                         unknown_read,
                                         unknown_read,
                                         unknown_read,
                                         unknown_write,
                                         unknown_write,
                                         unknown_write};
  table[static_cast<size_t>(kEmpty)] = {
      to(kEmpty), to(kEmptySeen), to(kEmptySeen), to(kEmptySeen), to(kEmptySeen), to(kEmptySeen),
      unwritten,  unwritten,      unwritten,      unseen,         unseen,         unseen};
  table[static_cast<size_t>(kEmptySeen)] = {to(kEmpty), twice,         twice,       twice,
                                            twice,      twice,         unwritten,   unwritten,
                                            unwritten,  to(kFullSeen), write_shape, write_type};
  table[static_cast<size_t>(kFull)] = {to(kFull),     to(kFullSeen), to(kFullSeen), to(kFullSeen),
                                       to(kFullSeen), to(kFullSeen), to(kFull),     read_shape,
                                       read_type,     unseen,        unseen,        unseen};
  table[static_cast<size_t>(kFullSeen)] = {to(kFull), twice,         twice,         twice,
                                           twice,     twice,         to(kFullSeen), read_shape,
                                           read_type, to(kFullSeen), write_shape,   write_type};
  return table;
}

// What a graph does, in order.
struct VariableAction {
  enum Kind : uint8_t { kEvent, kCondIf, kLoop };
  Kind kind = kEvent;
  VariableEvent event = VariableEvent::kRead;
  int variable = 0;
  int rounds = 0;                      // of a loop; of COND_IF 1 if the branch is taken, else 0
  std::vector<VariableAction> inside;  // of control flow
};

// Executions one after the other, each in one of the contexts.
struct VariableProgram {
  struct Execution {
    int context = 0;
    std::vector<VariableAction> actions;
  };
  std::vector<Execution> executions;
};

// Runs programs by a table.
class VariableMachine {
 public:
  static constexpr int kContexts = 3;
  static constexpr int kVariables = 3;
  struct Step {
    VariableState state;
    VariableEvent event;
  };

  explicit VariableMachine(const VariableTable& table) : table_(table) {}

  // The first rule that is broken, after which nothing runs; "" if none is.
  std::string Run(const VariableProgram& program) {
    for (const auto& execution : program.executions) {
      if (!Execute(execution.context, execution.actions)) return rule_;
    }
    return "";
  }

  VariableState StateOf(int context, int variable) const {
    return states_[static_cast<size_t>(context)][static_cast<size_t>(variable)];
  }
  // What happened to a variable of a context.
  const std::vector<Step>& StepsOf(int context, int variable) const {
    return steps_[static_cast<size_t>(context)][static_cast<size_t>(variable)];
  }

  // A graph of these actions, main or run by control flow; false if a rule is broken.
  bool Execute(int context, const std::vector<VariableAction>& actions) {
    if (!Begin(context)) return false;
    for (const VariableAction& action : actions) {
      if (!Act(context, action)) return false;
    }
    return true;
  }
  bool Act(int context, const VariableAction& action) {
    switch (action.kind) {
      case VariableAction::kEvent:
        return Apply(context, action.variable, action.event);
      case VariableAction::kCondIf:  // one of the branches runs; the other one does nothing
        return Execute(context, action.rounds > 0 ? action.inside : std::vector<VariableAction>());
      case VariableAction::kLoop:  // the condition runs before every round and after the last
        for (int round = 0; round < action.rounds; ++round) {
          if (!Begin(context) || !Execute(context, action.inside)) return false;
        }
        return Begin(context);
    }
    return false;
  }

 private:
  bool Begin(int context) {
    for (int v = 0; v < kVariables; ++v) {
      if (!Apply(context, v, VariableEvent::kExecute)) return false;
    }
    return true;
  }
  bool Apply(int context, int variable, VariableEvent event) {
    VariableState& state = states_[static_cast<size_t>(context)][static_cast<size_t>(variable)];
    const auto& entry = table_[static_cast<size_t>(state)][static_cast<size_t>(event)];
    if (!entry) return true;
    steps_[static_cast<size_t>(context)][static_cast<size_t>(variable)].push_back({state, event});
    if (entry->rule != nullptr) {
      rule_ = entry->rule;
      return false;
    }
    state = entry->next;
    return true;
  }

  const VariableTable& table_;
  std::array<std::array<VariableState, kVariables>, kContexts> states_{};
  std::array<std::array<std::vector<Step>, kVariables>, kContexts> steps_;
  std::string rule_;
};

}  // namespace assay
