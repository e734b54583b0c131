// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allowed_operators.h"
#include "test_vector.h"
#include "variable_machine.h"

namespace assay {

// Graphs that declare, read and write variables, and the order in which they are invoked. They are
// drawn by the table of the rules of variables (variable_machine.h).
struct VariableScript {
  struct Invocation {
    int context;
    size_t graph;
  };
  int variables = 0;
  std::vector<std::vector<VariableAction>> graphs;
  std::vector<Invocation> invocations;
  std::string breaks;  // the rule that the last invocation breaks; "" if none is broken
};

struct ScriptOptions {
  const StateRules* rules = nullptr;
  int variables_max = 8;  // at most VariableMachine::kVariables
  int contexts_max = VariableMachine::kContexts;
  int graphs_max = 5;
  int invocations_max = 50;
  bool control_flow = false;
  bool other_types = true;  // the events that need a second element type
  bool breaks = false;      // the last invocation breaks a rule
};

// Draws a script. If there is a goal, variable 0 of a context goes through it first. A goal is a
// step of the table and a step that can come right after it.
VariableScript DrawScript(Choices& choices, const ScriptOptions& options,
                          const std::optional<std::pair<VariableStep, VariableStep>>& goal);

// Returns the vector of a script, with values. The values that are read are outputs. The values
// that are written come from inputs or from earlier reads. Conditions and numbers of rounds are
// inputs. The steps have no expectations yet. Returns nullopt if the options do not allow the
// operators or types of the script.
std::optional<TestVector> VectorOfScript(Choices& choices, const GeneratorOptions& options,
                                         const Menu& menu, const VariableScript& script);

}  // namespace assay
