// SPDX-License-Identifier: Apache-2.0
#include "sessions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "branches_and_loops.h"
#include "graph_edit.h"

namespace assay {
namespace {

constexpr int64_t kStepsMax = 8;

struct SessionVariable {
  std::string name;
  TensorType type;
  Tensor initial;  // what the declaration gives it; no value if a write has to come first
  Tensor assumed;  // a value that operators on it are tried with
};

// The use that a graph makes of the variables; a loop accumulates round by round.
enum class Role { kDeclare, kWrite, kRead, kAccumulate, kLoop };

// A graph with the inputs that its operators were tried with.
struct Session {
  Graph graph;
  std::vector<Tensor> inputs;
  bool initialises = false;  // afterwards the variables may be read
};

class SessionBuilder {
 public:
  SessionBuilder(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                 ValueMode mode, bool operators, std::span<const SessionVariable> variables)
      : choices_(choices),
        options_(options),
        menu_(menu),
        mode_(mode),
        operators_(operators),
        variables_(variables) {}

  Session Build(Role role) {
    GraphBuilder builder(choices_, options_, mode_);
    if (role == Role::kLoop) return BuildLoop(builder);
    std::vector<ValueIndex> outputs;
    reads_.assign(variables_.size(), std::nullopt);
    writes_.assign(variables_.size(), std::nullopt);
    const bool declares = role != Role::kRead;
    for (const SessionVariable& variable : variables_) {
      if (operators_ && declares) Declare(builder, variable);
    }
    for (size_t i = 0; i < variables_.size(); ++i) {
      const bool needs_value = role == Role::kDeclare && !variables_[i].initial.has_value();
      ValueIndex value;
      if (role == Role::kRead || role == Role::kAccumulate) {
        value = Read(builder, i);
        // The value that was read does not change with a later write.
        if (choices_.OneIn(2)) outputs.push_back(value);
      } else if (role == Role::kWrite || needs_value) {
        value = builder.AddInput(DrawTensor(choices_, variables_[i].type,
                                            ValueRange::All(variables_[i].type.type), mode_));
      } else {
        continue;
      }
      for (int64_t steps = choices_.Between(1, 2); steps > 0; --steps) {
        value = GrowPreserving(builder, menu_, value);
      }
      outputs.push_back(value);
      if (role != Role::kRead) Write(builder, i, value);
    }
    if (outputs.empty()) {
      // A graph that only declares. It has an output because some backends want one.
      const ValueIndex input = builder.AddInput(variables_[0].assumed);
      outputs.push_back(builder.Add(Op::kIdentity, {input}).value());
    }
    std::vector<ValueIndex> kept = outputs;
    for (const MaybeValue write : writes_) {
      if (write) kept.push_back(*write);
    }
    Step step;
    Session session;
    session.graph = builder.FinishGraph(kept, step);
    session.inputs = std::move(step.inputs);
    session.initialises = role == Role::kDeclare || role == Role::kWrite;
    Block& main = *session.graph.Main();
    main.outputs.resize(outputs.size());
    if (!operators_) BindVariables(main, session.inputs);
    return session;
  }

 private:
  // Builds a loop in which every round declares a variable anew, as the text demands (reading
  // `nested-seen`). The round then writes a value that depends on the one it reads.
  Session BuildLoop(GraphBuilder& builder) {
    const ValueIndex counter =
        AddCountedLoop(builder, choices_.Between(1, 3), [&](GraphBuilder& body) {
          const size_t i = choices_.Below(variables_.size());
          Declare(body, variables_[i]);
          Write(body, i, GrowPreserving(body, menu_, Read(body, i)));
        });
    Step step;
    Session session;
    session.graph = builder.FinishGraph({&counter, 1}, step);
    session.inputs = std::move(step.inputs);
    return session;
  }

  void Declare(GraphBuilder& builder, const SessionVariable& variable) {
    builder.AddEvaluated(DeclarationOf(variable.name, variable.type, variable.initial), {});
  }

  ValueIndex Read(GraphBuilder& builder, size_t i) {
    const auto assumed = ToFlight<BoundDomain>(variables_[i].assumed);
    if (operators_)
      return builder.AddEvaluated(On(i, Op::kVariableRead, {}), {&assumed, 1}).value();
    // The variable is an input until BindVariables().
    reads_[i] = builder.AddInputOf(assumed);
    return builder.Add(Op::kIdentity, {*reads_[i]}).value();
  }

  void Write(GraphBuilder& builder, size_t i, ValueIndex value) {
    if (operators_) {
      builder.AddEvaluated(On(i, Op::kVariableWrite, {value}), {});
    } else {
      writes_[i] = builder.Add(Op::kIdentity, {value});
    }
  }

  Operator On(size_t i, Op op, std::vector<ValueIndex> inputs) const {
    return {op, {{AttributeId::kName, variables_[i].name}}, std::move(inputs), {}};
  }

  // Makes the tensors that stand for variables into tensors with `variable=true`.
  void BindVariables(Block& main, std::vector<Tensor>& inputs) const {
    const auto find = [&](char letter, MaybeValue value) {
      return value ? main.FindTensor(letter + std::to_string(*value)) : std::nullopt;
    };
    for (size_t i = 0; i < variables_.size(); ++i) {
      const auto read = find('i', reads_[i]);
      const auto write = find('t', writes_[i]);
      if (!read && !write) continue;
      const TensorIndex bound = read ? *read : *write;
      TensorInfo& info = main.tensors[static_cast<size_t>(bound)];
      info.name = variables_[i].name;
      info.variable = true;
      info.variable_name = variables_[i].name;
      info.initial_value = variables_[i].initial;
      if (read) {
        const auto at = std::find(main.inputs.begin(), main.inputs.end(), *read);
        inputs.erase(inputs.begin() + (at - main.inputs.begin()));
        main.inputs.erase(at);
      }
      if (read && write) Redirect(main, *write, *read);
    }
  }

  // Makes the operator that computes `from` compute `to`, and drops `from`.
  static void Redirect(Block& main, TensorIndex from, TensorIndex to) {
    ForEachOperand(main, [&](TensorIndex& index) {
      if (index == from) index = to;
      if (index > from) --index;
    });
    main.tensors.erase(main.tensors.begin() + from);
  }

  Choices& choices_;
  const GeneratorOptions& options_;
  const Menu& menu_;
  ValueMode mode_;
  bool operators_;
  std::span<const SessionVariable> variables_;
  std::vector<MaybeValue> reads_, writes_;
};

std::vector<SessionVariable> DrawVariables(Choices& choices, const GeneratorOptions& options,
                                           const Menu& menu, ValueMode mode, bool operators,
                                           bool initialised) {
  std::vector<DType> types = AllowedTypes(options, operators ? Op::kVariable : Op::kIdentity);
  std::erase_if(types, [&](DType type) { return !menu.Reads(Op::kIdentity, type); });
  std::vector<SessionVariable> variables;
  if (types.empty()) return variables;
  for (int64_t i = choices.Between(1, 2); i > 0; --i) {
    SessionVariable variable;
    variable.name = "state" + std::to_string(variables.size());
    GraphBuilder scratch(choices, options, ValueMode::kFinite);
    Wish none;
    const Shape shape = Draft(scratch, none).DrawShape(0, 6, options.elements_max / 4);
    variable.type = {choices.Pick(types), shape};
    // A backend may confuse variables of one type.
    if (!variables.empty() && choices.OneIn(2)) variable.type = variables[0].type;
    const ValueRange range = ValueRange::All(variable.type.type);
    variable.assumed = DrawTensor(choices, variable.type, range, mode);
    if (initialised || choices.Below(2) == 0) variable.initial = variable.assumed;
    variables.push_back(std::move(variable));
  }
  return variables;
}

// Returns other values in the range of the given ones, or the same again.
Tensor Vary(Choices& choices, const Tensor& value, ValueMode mode) {
  if (choices.Below(2) == 0) return value;
  std::vector<double> numbers;
  for (int64_t i = 0; i < value.elements(); ++i) {
    const double x = IsFloat(value.type()) ? value.Float(i) : static_cast<double>(value.Integer(i));
    if (std::isfinite(x)) numbers.push_back(x);
  }
  if (numbers.empty()) return value;
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return DrawTensor(choices, value.tensor_type(), ValueRange::Between(*low, *high), mode);
}

}  // namespace

std::optional<TestVector> DrawSessions(Choices& choices, const GeneratorOptions& options,
                                       const Menu& menu) {
  const bool allowed = AllowsOperator(options, Op::kVariable) &&
                       AllowsOperator(options, Op::kVariableRead) &&
                       AllowsOperator(options, Op::kVariableWrite);
  const bool operators = choices.OneIn(3) ? false : allowed;
  // Sometimes one graph alone runs again and again, as a compiled model does.
  const bool alone = choices.OneIn(3);
  const ValueMode mode = choices.OneIn(4) ? ValueMode::kSpecial : ValueMode::kFinite;
  const std::vector<SessionVariable> variables =
      DrawVariables(choices, options, menu, mode, operators, alone);
  if (variables.empty()) return std::nullopt;
  SessionBuilder sessions(choices, options, menu, mode, operators, variables);
  std::vector<Session> graphs;
  if (!alone) graphs.push_back(sessions.Build(Role::kDeclare));
  graphs.push_back(sessions.Build(Role::kAccumulate));
  if (!alone) {
    const bool loop = operators && AllowsControlFlow(options) && choices.OneIn(3);
    graphs.push_back(sessions.Build(loop                    ? Role::kLoop
                                    : choices.Below(2) == 0 ? Role::kRead
                                                            : Role::kWrite));
  }
  TestVector vector;
  for (Session& session : graphs) {
    if (session.graph.regions.empty()) return std::nullopt;
    vector.graphs.push_back(std::move(session.graph));
  }
  const int64_t contexts = choices.Between(1, 2);
  std::array<bool, 2> ready = {false, false};
  for (int64_t steps = choices.Between(2, kStepsMax); steps > 0; --steps) {
    Step step;
    step.context = static_cast<int32_t>(choices.Below(static_cast<uint64_t>(contexts)));
    bool& is_ready = ready[static_cast<size_t>(step.context)];
    // A context that has seen no declaration begins with one; later it may declare again.
    step.graph = is_ready ? static_cast<int32_t>(choices.Below(graphs.size())) : 0;
    const Session& session = graphs[static_cast<size_t>(step.graph)];
    is_ready |= session.initialises;
    for (const Tensor& input : session.inputs) {
      step.inputs.push_back(Vary(choices, input, mode));
    }
    vector.steps.push_back(std::move(step));
  }
  SweepVector(vector);
  return vector;
}

}  // namespace assay
