#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result.h"
#include "test_vector.h"

namespace assay {

// A graph without variables: for each of them `main` has one more input, the value before, and one
// more output, the value after, both behind the graph's own and in the order of `variables`.
struct StatelessGraph {
  struct Variable {
    std::string name;
    TensorType type;
    std::optional<Tensor> initial;  // what its declaration gives it
    bool declared = false;          // by an operator of `main`,
    bool declared_first = false;    // which comes before all control flow
    bool declared_inside = false;   // by a graph that control flow runs
  };
  Graph graph;
  std::vector<Variable> variables;  // that the graph reads, writes or declares
};

// Turns VARIABLE, VARIABLE_READ and VARIABLE_WRITE, in the order of the lists, into arguments and
// results of all blocks. Error kUnsupported if a variable is a tensor with `variable=true`, is used
// with two types, or is written in the condition of a loop.
Result<StatelessGraph> StateAsArguments(const Graph& graph);

// Keeps the variables of the contexts of one vector between the steps.
class StateKeeper {
 public:
  // Whether this can stand for the variables of a vector: every graph can, and no variable is
  // declared first in control flow, where it is only known once the branch has been taken.
  static bool Supports(const TestVector& vector, std::string* why);

  // The step's inputs, with the values of the variables behind them.
  std::vector<Tensor> InputsOf(const Step& step, const StatelessGraph& graph);
  // Takes the values of the variables from the end of what the step gave.
  void Take(const Step& step, const StatelessGraph& graph, Outcome& outcome);

 private:
  std::map<int32_t, std::map<std::string, Tensor>> values_;  // by context and name
};

}  // namespace assay
