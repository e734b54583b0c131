// SPDX-License-Identifier: Apache-2.0
#include "state_arguments.h"

#include <algorithm>
#include <set>
#include <utility>

namespace assay {
namespace {

class Threader {
 public:
  explicit Threader(const Graph& graph) : graph_(graph) {}

  Result<StatelessGraph> Run() {
    if (graph_.Main() == nullptr) return Unsupported("a graph without a main block");
    FindVariables();
    StatelessGraph result;
    result.graph = graph_;
    for (Block& block : result.graph.Blocks()) {
      block = Rewrite(block, !conditions_.contains(block.name));
    }
    if (!problem_.empty()) return Unsupported(problem_);
    for (const std::string& name : names_) result.variables.push_back(variables_[name]);
    return result;
  }

 private:
  static Error Unsupported(const std::string& why) {
    return Error{Error::Kind::kUnsupported, "state as arguments: " + why};
  }
  void Fail(const std::string& why) {
    if (problem_.empty()) problem_ = why;
  }

  void FindVariables() {
    std::map<std::string, TensorType> declared;
    for (const Block& block : graph_.Blocks()) {
      for (const TensorInfo& tensor : block.tensors) {
        if (tensor.variable) Fail("a tensor that is a variable");
      }
      for (const Operator& op : block.operators) FindIn(block, op, declared);
    }
    // A used variable has the type of its use. A declaration after the first one changes nothing.
    for (auto& [name, variable] : variables_) {
      if (variable.type.type == DType::kUnknown) variable.type = declared[name];
      if (variable.initial && variable.initial->tensor_type() != variable.type) {
        variable.initial.reset();
        variable.declared = false;
      }
    }
  }

  void FindIn(const Block& block, const Operator& op, std::map<std::string, TensorType>& declared) {
    if (op.op == Op::kWhileLoop) conditions_.insert(op.attributes.Text(AttributeId::kCondGraph));
    if (!IsVariableOperator(op.op)) return;
    const std::string& name = op.attributes.Text(AttributeId::kName);
    StatelessGraph::Variable& variable = variables_[name];
    if (variable.name.empty()) names_.push_back(name);
    variable.name = name;
    if (op.op != Op::kVariable) {
      const TensorType& type =
          block.TypeOf(op.op == Op::kVariableRead ? op.outputs[0] : op.inputs[0]);
      if (variable.type.type != DType::kUnknown && variable.type != type) {
        Fail("a variable of two types");
      }
      variable.type = type;
      return;
    }
    declared.emplace(name, TensorType{op.attributes.type(AttributeId::kType),
                                      Shape(op.attributes.Ints(AttributeId::kVarShape))});
    if (&block != graph_.Main()) {
      variable.declared_inside = true;
      return;
    }
    if (variable.declared) return;
    variable.declared = true;
    variable.declared_first = !block.FollowsControlFlow(op);
    if (op.attributes.Has(AttributeId::kInitialValue)) {
      variable.initial = op.attributes.Value(AttributeId::kInitialValue);
    }
  }

  // Returns the block with an argument for each variable, and a result for each if `gives`.
  Block Rewrite(const Block& before, bool gives) {
    Block block = before;
    block.operators.clear();
    std::map<std::string, TensorIndex> current;
    for (const std::string& name : names_) {
      current[name] = Declare(block, name);
      block.inputs.push_back(current[name]);
    }
    for (const Operator& op : before.operators) {
      if (op.op == Op::kVariableRead) {
        const TensorIndex value = current[op.attributes.Text(AttributeId::kName)];
        block.operators.push_back({Op::kIdentity, {}, {value}, op.outputs});
      } else if (op.op == Op::kVariableWrite) {
        if (!gives) Fail("a variable that is written in the condition of a loop");
        current[op.attributes.Text(AttributeId::kName)] = op.inputs[0];
      } else if (op.op != Op::kVariable) {
        block.operators.push_back(op);
        if (IsControlFlow(op.op)) Thread(block, current);
      }
    }
    if (!gives) return block;
    for (const std::string& name : names_) {
      const TensorIndex result = Declare(block, name);
      block.operators.push_back({Op::kIdentity, {}, {current[name]}, {result}});
      block.outputs.push_back(result);
    }
    return block;
  }

  // Makes the last operator take and return all variables.
  void Thread(Block& block, std::map<std::string, TensorIndex>& current) {
    for (const std::string& name : names_) {
      const TensorIndex result = Declare(block, name);
      block.operators.back().inputs.push_back(current[name]);
      block.operators.back().outputs.push_back(result);
      current[name] = result;
    }
  }

  TensorIndex Declare(Block& block, const std::string& name) {
    return block.AddTensor("variable " + name + " " + std::to_string(block.tensors.size()),
                           variables_[name].type);
  }

  const Graph& graph_;
  std::string problem_;
  std::vector<std::string> names_;  // in the order in which the graph names them
  std::map<std::string, StatelessGraph::Variable> variables_;
  std::set<std::string> conditions_;  // blocks that are conditions of loops
};

}  // namespace

Result<StatelessGraph> StateAsArguments(const Graph& graph) { return Threader(graph).Run(); }

std::string StateKeeper::WhyUnsupported(const TestVector& vector) {
  std::vector<StatelessGraph> graphs;
  for (const Graph& graph : vector.graphs) {
    Result<StatelessGraph> stateless = StateAsArguments(graph);
    if (!stateless) return stateless.error().message;
    graphs.push_back(std::move(*stateless));
  }
  std::map<int32_t, std::set<std::string>> known;
  for (const Step& step : vector.steps) {
    if (step.expected != OutcomeKind::kValid) continue;  // its outcome is not judged
    for (const auto& variable : graphs[static_cast<size_t>(step.graph)].variables) {
      std::set<std::string>& names = known[step.context];
      const bool by_main = variable.declared_first || !variable.declared_inside;
      if (variable.declared && by_main) names.insert(variable.name);
      if (names.contains(variable.name)) continue;
      return "state as arguments: a variable that control flow may declare first";
    }
  }
  return {};
}

std::vector<Tensor> StateKeeper::InputsOf(const Step& step, const StatelessGraph& graph) {
  std::vector<Tensor> inputs = step.inputs;
  auto& values = values_[step.context];
  for (const StatelessGraph::Variable& variable : graph.variables) {
    const auto known = values.find(variable.name);
    if (known != values.end() && known->second.tensor_type() == variable.type) {
      inputs.push_back(known->second);
    } else if (variable.initial) {
      inputs.push_back(*variable.initial);
    } else {
      inputs.push_back(Tensor::Splat(variable.type.type, variable.type.shape, 0));
    }
  }
  return inputs;
}

void StateKeeper::Take(const Step& step, const StatelessGraph& graph, Outcome& outcome) {
  const size_t own = outcome.outputs.size() - graph.variables.size();
  for (size_t i = 0; i < graph.variables.size(); ++i) {
    // If the graph declares the variable with another type, it does not use it. Then the old value
    // stays.
    Tensor& value = values_[step.context][graph.variables[i].name];
    const bool other = value.has_value() && value.tensor_type() != graph.variables[i].type;
    if (!other) value = outcome.outputs[own + i];
  }
  outcome.outputs.resize(own);
}

}  // namespace assay
