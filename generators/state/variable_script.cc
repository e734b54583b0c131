// SPDX-License-Identifier: Apache-2.0
#include "variable_script.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "branches_and_loops.h"
#include "graph_builder.h"

namespace assay {
namespace {

using enum VariableEvent;

constexpr int kNestingMax = 2;
constexpr int64_t kElementsMax = 24;  // of a variable

bool IsMismatch(VariableEvent event) {
  return event == kReadBadShape || event == kReadBadType || event == kWriteBadShape ||
         event == kWriteBadType;
}

bool NeedsOtherType(VariableEvent event) {
  return event == kDeclareOther || event == kReadBadType || event == kWriteBadType;
}

// --- scripts

class ScriptDrawer {
 public:
  ScriptDrawer(Choices& choices, const ScriptOptions& options)
      : choices_(choices),
        options_(options),
        table_(TableOf(*options.rules)),
        machine_(table_, options.rules->nested_clears_seen) {
    script_.variables = static_cast<int>(choices.Between(1, options.variables_max));
    contexts_ = static_cast<int>(choices.Between(1, options.contexts_max));
  }

  VariableScript Draw(const std::optional<std::pair<VariableStep, VariableStep>>& goal) {
    if (goal) Reach(*goal);
    const int64_t most = choices_.OneIn(8) ? options_.invocations_max : 8;
    const int64_t wanted = choices_.Between(1, most);
    while (script_.breaks.empty() && std::ssize(script_.invocations) < wanted) {
      if (!InvokeAny()) break;
    }
    if (options_.breaks && script_.breaks.empty()) Break();
    return std::move(script_);
  }

 private:
  int DrawContext() { return static_cast<int>(choices_.Below(static_cast<uint64_t>(contexts_))); }

  // Adds the events that lead to the goal and through it, with an execution for every kExecute.
  void Reach(const std::pair<VariableStep, VariableStep>& goal) {
    std::vector<VariableEvent> events = PathTo(goal.first.state);
    events.push_back(goal.first.event);
    events.push_back(goal.second.event);
    // The first execution needs no event to begin.
    if (events.front() == kExecute) events.erase(events.begin());
    const int context = DrawContext();
    // Only a declaration can show that the variable has another type, and this context must not see
    // that declaration.
    const auto [state, last] = goal.second;
    if (state == VariableState::kAbsent && IsMismatch(last)) {
      contexts_ = std::max(contexts_, 2);
      VariableAction declare;
      declare.event = kDeclareWithValue;
      Invoke((context + 1) % contexts_, {declare});
    }
    std::vector<VariableAction> actions;
    for (const VariableEvent event : events) {
      if (event == kExecute) {
        Invoke(context, std::exchange(actions, {}));
        continue;
      }
      VariableAction action;
      action.event = event;
      actions.push_back(std::move(action));
    }
    Invoke(context, std::move(actions));
  }

  // Returns the shortest list of events that leads from nothing to a state and breaks no rule.
  std::vector<VariableEvent> PathTo(VariableState wanted) const {
    std::map<VariableState, std::vector<VariableEvent>> paths = {{VariableState::kAbsent, {}}};
    std::deque<VariableState> open = {VariableState::kAbsent};
    while (!paths.contains(wanted)) {
      const VariableState state = open.front();
      open.pop_front();
      for (size_t event = 0; event < kVariableEvents; ++event) {
        const auto& entry = table_.At(state, static_cast<VariableEvent>(event));
        if (!entry || entry->rule != nullptr || paths.contains(entry->next)) continue;
        paths[entry->next] = paths[state];
        paths[entry->next].push_back(static_cast<VariableEvent>(event));
        open.push_back(entry->next);
      }
    }
    return paths[wanted];
  }

  void Invoke(int context, std::vector<VariableAction> actions) {
    const auto same = std::ranges::find(script_.graphs, actions);
    const auto graph = static_cast<size_t>(same - script_.graphs.begin());
    if (same == script_.graphs.end()) script_.graphs.push_back(std::move(actions));
    InvokeGraph(context, graph);
  }

  void InvokeGraph(int context, size_t graph) {
    if (!machine_.Execute(context, script_.graphs[graph])) script_.breaks = machine_.rule();
    script_.invocations.push_back({context, graph});
  }

  // Invokes an existing graph that breaks no rule now, or a new one. Returns false if there may be
  // no more graphs.
  bool InvokeAny() {
    const int context = DrawContext();
    for (int tries = 0; tries < 3 && !script_.graphs.empty() && !choices_.OneIn(3); ++tries) {
      const size_t graph = choices_.Below(script_.graphs.size());
      VariableMachine copy = machine_;
      if (!copy.Execute(context, script_.graphs[graph])) continue;
      InvokeGraph(context, graph);
      return true;
    }
    // Keeps room for the graph that breaks a rule.
    const int most = options_.graphs_max - (options_.breaks ? 1 : 0);
    if (std::ssize(script_.graphs) >= most) return false;
    VariableMachine copy = machine_;
    copy.Execute(context, {});
    Invoke(context, DrawActions(copy, context, 0));
    return true;
  }

  // Adds a graph whose last event breaks a rule.
  void Break() {
    const int context = DrawContext();
    VariableMachine copy = machine_;
    copy.Execute(context, {});
    std::vector<VariableAction> actions = DrawActions(copy, context, 0);
    for (int tries = 0; tries < 64; ++tries) {
      VariableAction last = DrawEvent();
      const auto& entry = table_.At(copy.StateOf(context, last.variable), last.event);
      if (!entry || entry->rule == nullptr) continue;
      actions.push_back(std::move(last));
      return Invoke(context, std::move(actions));
    }
  }

  VariableAction DrawEvent() {
    VariableAction action;
    action.variable = static_cast<int>(choices_.Below(static_cast<uint64_t>(script_.variables)));
    do {
      action.event = static_cast<VariableEvent>(1 + choices_.Below(kVariableEvents - 1));
    } while (!IsPossible(action.event));
    return action;
  }

  bool IsPossible(VariableEvent event) const {
    return WhyNotInFiles(event).empty() && (options_.other_types || !NeedsOtherType(event));
  }

  // Returns actions that break no rule on the machine, which runs them as they are drawn.
  std::vector<VariableAction> DrawActions(VariableMachine& machine, int context, int depth) {
    std::vector<VariableAction> actions;
    for (int64_t left = choices_.Between(1, depth == 0 ? 6 : 3); left > 0; --left) {
      VariableAction action = options_.control_flow && depth < kNestingMax && choices_.OneIn(3)
                                  ? DrawControlFlow(machine, context, depth)
                                  : DrawHarmless(machine, context);
      VariableMachine copy = machine;
      if (!copy.Act(context, action)) continue;
      machine = std::move(copy);
      actions.push_back(std::move(action));
    }
    return actions;
  }

  VariableAction DrawHarmless(const VariableMachine& machine, int context) {
    VariableAction action = DrawEvent();
    for (int tries = 0; tries < 16; ++tries) {
      const auto& entry = table_.At(machine.StateOf(context, action.variable), action.event);
      if (entry && entry->rule == nullptr) break;
      action = DrawEvent();
    }
    return action;
  }

  VariableAction DrawControlFlow(const VariableMachine& machine, int context, int depth) {
    VariableAction action;
    action.kind = choices_.OneIn(2) ? VariableAction::kLoop : VariableAction::kCondIf;
    action.rounds = static_cast<int>(choices_.Below(action.kind == VariableAction::kLoop ? 4 : 2));
    VariableMachine inside = machine;
    VariableAction empty = action;
    empty.rounds = 0;
    inside.Act(context, empty);
    action.inside = DrawActions(inside, context, depth + 1);
    return action;
  }

  Choices& choices_;
  const ScriptOptions& options_;
  const VariableTable table_;
  VariableMachine machine_;
  int contexts_ = 1;
  VariableScript script_;
};

// --- vectors

struct ScriptVariable {
  std::string name;
  TensorType type;
  TensorType bad_shape;  // another shape, of as many elements
  TensorType bad_type;   // another element type; the same where there is none
  TensorType other;      // both
};

TensorType WithOtherShape(const TensorType& type) {
  Shape shape = type.shape;
  if (shape.rank() > 1 && shape[0] != shape[shape.rank() - 1]) {
    std::swap(shape[0], shape[shape.rank() - 1]);
  } else if (shape.rank() < 4) {
    shape.PushBack(1);
  } else {
    shape = {static_cast<int32_t>(shape.Elements())};
  }
  return {type.type, shape};
}

ScriptVariable DrawVariable(Choices& choices, const GeneratorOptions& options,
                            std::span<const DType> types, size_t index,
                            const ScriptVariable* before) {
  ScriptVariable variable;
  variable.name = "state" + std::to_string(index);
  if (before != nullptr && choices.OneIn(2)) {
    variable.type = before->type;  // variables of one type can be taken for one another
  } else {
    GraphBuilder scratch(choices, options, ValueMode::kFinite);
    Wish none;
    const int64_t elements_max = std::min(kElementsMax, options.elements_max);
    variable.type = {choices.Pick(types), Draft(scratch, none).DrawShape(0, 4, elements_max)};
  }
  variable.bad_shape = WithOtherShape(variable.type);
  variable.bad_type = variable.type;
  for (const DType type : types) {
    if (type != variable.type.type) variable.bad_type.type = type;
  }
  variable.other = {variable.bad_type.type, variable.bad_shape.shape};
  return variable;
}

// Makes one graph of a script.
class ScriptGraph {
 public:
  ScriptGraph(const Menu& menu, std::span<const ScriptVariable> variables)
      : menu_(menu), variables_(variables) {}

  Graph Make(Choices& choices, const GeneratorOptions& options,
             const std::vector<VariableAction>& actions, std::vector<Tensor>& inputs) {
    GraphBuilder builder(choices, options, ValueMode::kFinite);
    AppendAll(builder, actions);
    std::vector<ValueIndex> outputs = std::move(results_);
    if (outputs.empty()) {
      // The graph has this output because some backends want one.
      const TensorType type =
          variables_.empty() ? TensorType{DType::kInt8, {1}} : variables_[0].type;
      const ValueIndex value = Draw(builder, type);
      outputs.push_back(builder.Add(Op::kIdentity, {value}).value());
    }
    Step step;
    Graph graph = builder.FinishGraph(outputs, step);
    inputs = std::move(step.inputs);
    return graph;
  }

 private:
  // Returns values of moderate size, so that what is calculated from them stays within the type.
  static Tensor DrawValue(GraphBuilder& builder, const TensorType& type) {
    return DrawTensor(builder.choices(), type, ValueRange::All(type.type), builder.mode());
  }
  static ValueIndex Draw(GraphBuilder& builder, const TensorType& type) {
    Tensor value = DrawValue(builder, type);
    return builder.closed() ? builder.AddConstant(std::move(value))
                            : builder.AddInput(std::move(value));
  }

  void AppendAll(GraphBuilder& builder, const std::vector<VariableAction>& actions) {
    for (const VariableAction& action : actions) {
      if (action.kind == VariableAction::kEvent) {
        AppendEvent(builder, action);
      } else if (action.kind == VariableAction::kCondIf) {
        AppendCondIf(builder, action);
      } else {
        const ValueIndex counter = AddCountedLoop(builder, action.rounds, [&](GraphBuilder& body) {
          const std::vector<ValueIndex> around = std::exchange(results_, {});
          AppendAll(body, action.inside);
          results_ = around;
        });
        results_.push_back(counter);  // or the loop would be left out as one that nothing reads
      }
    }
  }

  void AppendEvent(GraphBuilder& builder, const VariableAction& action) {
    const ScriptVariable& variable = variables_[static_cast<size_t>(action.variable)];
    switch (action.event) {
      case kExecute:
        return;
      case kDeclare:
        return Declare(builder, variable, variable.type, nullptr);
      case kDeclareWithValue:
        return Declare(builder, variable, variable.type, &variable.type);
      case kDeclareBadType:
      case kDeclareBadShape:
        return;  // no file can hold them
      case kDeclareOther:
        return Declare(builder, variable, variable.other, &variable.other);
      case kRead:
        return Read(builder, variable, variable.type);
      case kReadBadShape:
        return Read(builder, variable, variable.bad_shape);
      case kReadBadType:
        return Read(builder, variable, variable.bad_type);
      case kWrite:
        return Write(builder, variable, variable.type);
      case kWriteBadShape:
        return Write(builder, variable, variable.bad_shape);
      case kWriteBadType:
        return Write(builder, variable, variable.bad_type);
    }
  }

  static void Declare(GraphBuilder& builder, const ScriptVariable& variable, const TensorType& type,
                      const TensorType* value) {
    const Tensor initial = value == nullptr ? Tensor() : DrawValue(builder, *value);
    builder.AddEvaluated(DeclarationOf(variable.name, type, initial), {});
  }

  void Read(GraphBuilder& builder, const ScriptVariable& variable, const TensorType& type) {
    Operator op = {Op::kVariableRead, {{AttributeId::kName, variable.name}}, {}, {}};
    const BoundTensor assumed = ToFlight<BoundDomain>(DrawValue(builder, type));
    results_.push_back(builder.AddEvaluated(std::move(op), {&assumed, 1}).value());
    if (builder.choices().OneIn(4)) {
      results_.push_back(GrowPreserving(builder, menu_, results_.back()));
    }
  }

  // Writes a value that was read or given, unchanged or changed, or a new one.
  void Write(GraphBuilder& builder, const ScriptVariable& variable, const TensorType& type) {
    Choices& choices = builder.choices();
    MaybeValue known;
    if (!choices.OneIn(2)) {
      known = builder.Pick([&](const PoolValue& value) { return value.type() == type; });
    }
    ValueIndex value = known ? *known : Draw(builder, type);
    if (choices.OneIn(2)) value = GrowPreserving(builder, menu_, value);
    builder.AddEvaluated({Op::kVariableWrite, {{AttributeId::kName, variable.name}}, {value}, {}},
                         {});
  }

  // Adds a COND_IF. One branch has the actions and gives the last value of the operand's type that
  // it reads; the other one gives the operand.
  void AppendCondIf(GraphBuilder& builder, const VariableAction& action) {
    Choices& choices = builder.choices();
    const ValueIndex operand = Draw(builder, choices.Pick(variables_).type);
    const TensorType type = builder.TypeOf(operand);
    const bool is_then = choices.OneIn(2);
    const bool condition = is_then == (action.rounds > 0);
    std::array<std::string, 2> names;
    for (const bool with_actions : {true, false}) {
      Block block = MakeBranch(builder, operand, with_actions ? &action : nullptr);
      std::string& name = names[with_actions == is_then ? 0 : 1];
      name = (with_actions == is_then ? "then" : "else") + std::to_string(builder.regions().size());
      block.name = name;
      builder.AddRegion({name, {std::move(block)}});
    }
    const Shape shape = choices.OneIn(4) ? Shape{1} : Shape{};
    const Tensor bit = Tensor::Splat(DType::kBool, shape, condition ? 1 : 0);
    const ValueIndex decides = builder.closed() ? builder.AddConstant(bit) : builder.AddInput(bit);
    Operator op = {Op::kCondIf,
                   {{AttributeId::kThenGraph, names[0]}, {AttributeId::kElseGraph, names[1]}},
                   {decides, operand},
                   {}};
    const BoundTensor assumed = ToFlight<BoundDomain>(DrawValue(builder, type));
    results_.push_back(builder.AddEvaluated(std::move(op), {&assumed, 1}).value());
  }

  Block MakeBranch(GraphBuilder& builder, ValueIndex operand, const VariableAction* action) {
    GraphBuilder inner(builder.choices(), builder.options(), builder.mode());
    inner.Close();
    inner.AddInputOf(builder[operand].value);
    inner.regions() = std::move(builder.regions());  // names that no other has
    const std::vector<ValueIndex> around = std::exchange(results_, {});
    if (action != nullptr) AppendAll(inner, action->inside);
    const std::vector<ValueIndex> results = std::exchange(results_, around);
    MaybeValue result;
    for (const ValueIndex read : results) {
      if (inner.TypeOf(read) == inner.TypeOf(0)) result = read;
    }
    if (!result) result = inner.Add(Op::kIdentity, {0});
    builder.regions() = std::move(inner.regions());
    return inner.FinishWithAllInputs({&result.value(), 1});
  }

  const Menu& menu_;
  std::span<const ScriptVariable> variables_;
  std::vector<ValueIndex> results_;  // of the block that is made: what was read
};

// Returns true if the input is a condition or a number of rounds. They have types that no variable
// has.
bool IsControl(const Tensor& input) {
  return input.type() == DType::kBool || input.type() == DType::kInt32;
}

}  // namespace

VariableScript DrawScript(Choices& choices, const ScriptOptions& options,
                          const std::optional<std::pair<VariableStep, VariableStep>>& goal) {
  return ScriptDrawer(choices, options).Draw(goal);
}

std::optional<TestVector> VectorOfScript(Choices& choices, const GeneratorOptions& options,
                                         const Menu& menu, const VariableScript& script) {
  const std::vector<DType> types = AllowedTypes(options, Op::kVariable);
  if (types.empty()) return std::nullopt;
  std::vector<ScriptVariable> variables;
  for (int i = 0; i < script.variables; ++i) {
    variables.push_back(DrawVariable(choices, options, types, variables.size(),
                                     variables.empty() ? nullptr : &variables.back()));
  }
  TestVector vector;
  std::vector<std::vector<Tensor>> inputs(script.graphs.size());
  for (size_t i = 0; i < script.graphs.size(); ++i) {
    ScriptGraph maker(menu, variables);
    vector.graphs.push_back(maker.Make(choices, options, script.graphs[i], inputs[i]));
  }
  for (const VariableScript::Invocation& invocation : script.invocations) {
    Step step;
    step.context = invocation.context;
    step.graph = static_cast<int32_t>(invocation.graph);
    for (const Tensor& input : inputs[invocation.graph]) {
      const bool again = IsControl(input) || choices.OneIn(4);
      step.inputs.push_back(again ? input
                                  : DrawTensor(choices, input.tensor_type(),
                                               ValueRange::All(input.type()), ValueMode::kFinite));
    }
    vector.steps.push_back(std::move(step));
  }
  return vector;
}

}  // namespace assay
