#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allowed_operators.h"
#include "test_vector.h"
#include "variable_machine.h"

namespace assay {

// Graphs that declare, read and write variables, and the order in which they are invoked, drawn by
// the table of the rules of variables (variable_machine.h).
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
  bool breaks = false;      // a rule in the last invocation
};

// A script in which variable 0 of a context goes through `goal` first, if there is one: a step of
// the table and one that can come right after it.
VariableScript DrawScript(Choices& choices, const ScriptOptions& options,
                          const std::optional<std::pair<VariableStep, VariableStep>>& goal);

// The vector of a script, with values: what is read is an output, what is written comes from inputs
// or from what was read, conditions and numbers of rounds are inputs. Its steps expect nothing yet.
// Nothing if the options do not allow the operators or types of it.
std::optional<TestVector> VectorOfScript(Choices& choices, const GeneratorOptions& options,
                                         const Menu& menu, const VariableScript& script);

}  // namespace assay
