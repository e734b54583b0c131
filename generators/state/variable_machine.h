// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "variable_table.h"

namespace assay {

// One action of a graph; a graph executes its actions in order.
struct VariableAction {
  enum Kind : uint8_t { kEvent, kCondIf, kLoop };
  Kind kind = kEvent;
  VariableEvent event = VariableEvent::kRead;
  int variable = 0;
  int rounds = 0;                      // of a loop; of COND_IF 1 if the branch is taken, else 0
  std::vector<VariableAction> inside;  // of control flow
  friend bool operator==(const VariableAction&, const VariableAction&) = default;
};

// A sequence of executions, each in one of the contexts.
struct VariableProgram {
  struct Execution {
    int context = 0;
    std::vector<VariableAction> actions;
  };
  std::vector<Execution> executions;
};

// Runs programs by the table of the rules of variables; it knows nothing else.
class VariableMachine {
 public:
  static constexpr int kContexts = 3;
  static constexpr int kVariables = 8;

  VariableMachine(const VariableTable& table, bool nested_clears_seen)
      : table_(table), nested_clears_seen_(nested_clears_seen) {}

  // Returns the first rule that is broken, after which nothing runs; "" if none is broken.
  std::string Run(const VariableProgram& program) {
    for (const auto& execution : program.executions) {
      if (!Execute(execution.context, execution.actions)) return rule_;
    }
    return "";
  }

  // Returns the rule that was broken last.
  const std::string& rule() const { return rule_; }
  VariableState StateOf(int context, int variable) const {
    return states_[static_cast<size_t>(context)][static_cast<size_t>(variable)];
  }
  // Returns the steps of a variable of a context so far.
  const std::vector<VariableStep>& StepsOf(int context, int variable) const {
    return steps_[static_cast<size_t>(context)][static_cast<size_t>(variable)];
  }

  // Invokes a graph of these actions; returns false if a rule is broken.
  bool Execute(int context, const std::vector<VariableAction>& actions) {
    return Begin(context) && ActAll(context, actions);
  }
  bool ActAll(int context, const std::vector<VariableAction>& actions) {
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
        return BeginNested(context) && (action.rounds == 0 || ActAll(context, action.inside));
      case VariableAction::kLoop:  // the condition runs before every round and after the last
        for (int round = 0; round < action.rounds; ++round) {
          if (!BeginNested(context) || !BeginNested(context) || !ActAll(context, action.inside)) {
            return false;
          }
        }
        return BeginNested(context);
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
  // Begins a graph that control flow runs.
  bool BeginNested(int context) { return !nested_clears_seen_ || Begin(context); }
  bool Apply(int context, int variable, VariableEvent event) {
    VariableState& state = states_[static_cast<size_t>(context)][static_cast<size_t>(variable)];
    const auto& entry = table_.At(state, event);
    if (!entry) return true;
    steps_[static_cast<size_t>(context)][static_cast<size_t>(variable)].push_back({state, event});
    if (entry->rule != nullptr) {
      rule_ = entry->rule;
      return false;
    }
    state = entry->next;
    return true;
  }

  VariableTable table_;
  bool nested_clears_seen_;
  std::array<std::array<VariableState, kVariables>, kContexts> states_{};
  std::array<std::array<std::vector<VariableStep>, kVariables>, kContexts> steps_;
  std::string rule_;
};

}  // namespace assay
