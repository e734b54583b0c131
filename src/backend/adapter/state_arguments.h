// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result.h"
#include "test_vector.h"

namespace assay {

// A graph without variables. For each variable, `main` has one more input, the value before, and
// one more output, the value after. Both come behind the graph's own, in the order of `variables`.
struct StatelessGraph {
  struct Variable {
    std::string name;
    TensorType type;
    std::optional<Tensor> initial;  // the value in its declaration
    bool declared = false;          // an operator of `main` declares it,
    bool declared_first = false;    // before all control flow
    bool declared_inside = false;   // a graph that control flow runs declares it
  };
  Graph graph;
  std::vector<Variable> variables;  // that the graph reads, writes or declares
};

// Turns VARIABLE, VARIABLE_READ and VARIABLE_WRITE, in the order of the operator lists, into
// arguments and results of all blocks. Error kUnsupported if a variable is a tensor with
// `variable=true`, is used with two types, or is written in the condition of a loop.
Result<StatelessGraph> StateAsArguments(const Graph& graph);

// Keeps the variables of the contexts of one vector between the steps.
class StateKeeper {
 public:
  // Returns why a StateKeeper cannot replace the variables of a vector; "" if it can.
  // Every graph must allow it. No variable may be declared first in control flow, because the
  // variable is known only once the branch has been taken.
  static std::string WhyUnsupported(const TestVector& vector);

  // Returns the step's inputs, followed by the values of the variables.
  std::vector<Tensor> InputsOf(const Step& step, const StatelessGraph& graph);
  // Moves the values of the variables from the end of the step's outputs into this object.
  void Take(const Step& step, const StatelessGraph& graph, Outcome& outcome);

 private:
  std::map<int32_t, std::map<std::string, Tensor>> values_;  // by context and name
};

}  // namespace assay
