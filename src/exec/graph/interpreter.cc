// SPDX-License-Identifier: Apache-2.0
#include "interpreter.h"

#include <algorithm>
#include <utility>

#include "check_calls.h"
#include "operator_facts.h"
#include "operator_set.h"
#include "time_limit.h"
#include "trace.h"

namespace assay {
namespace {

// The cost of running an operator, independent of its tensors, in units of Spend().
constexpr int64_t kWorkOfOperator = 256;

}  // namespace

template <class D>
std::vector<InFlightOf<D>> Interpreter<D>::Run(std::vector<Value> inputs) {
  CheckStructure(graph_, domain_.judgement());
  if (!domain_.judgement().valid()) return {};
  const Block* main = graph_.Main();
  std::vector<TensorType> given;
  for (const Value& input : inputs) given.push_back(input.type());
  CheckInputs(*main, given, domain_.judgement());
  if (!domain_.judgement().valid()) return {};
  try {
    return RunBlock(*main, nullptr, std::move(inputs), 0);
  } catch (const OutOfTime& limit) {
    capped_ = true;
    message_ = limit.what();
    return {};
  }
}

template <class D>
bool Interpreter<D>::Count() {
  Spend(kWorkOfOperator);
  if (operators_run_++ < options_.operators_max) return true;
  capped_ = true;
  message_ = "runs more than " + std::to_string(options_.operators_max) +
             " operators and turns of loops, the cap in force";
  return false;
}

template <class D>
auto Interpreter<D>::PlanOf(const Block& block, const Block* runner) -> PlannedBlock& {
  auto& planned = plans_[&block];
  if (planned == nullptr) {
    planned = std::make_unique<PlannedBlock>(
        PlannedBlock{PlanBlock(block, runner), std::vector<char>(block.operators.size())});
  }
  return *planned;
}

template <class D>
std::vector<InFlightOf<D>> Interpreter<D>::RunBlock(const Block& block,
                                                    const PlacedOperator* caller,
                                                    std::vector<Value> inputs, int depth) {
  // tosa_execute_graph: the variable table exists already, so every `seen` is cleared. This also
  // happens when a COND_IF or WHILE_LOOP runs its graphs (reading `nested-seen`), unless the state
  // rules forbid it.
  if (caller == nullptr || options_.state_rules->nested_clears_seen) BeginExecution();
  PlannedBlock& planned = PlanOf(block, caller == nullptr ? nullptr : &caller->block);
  const BlockPlan& plan = planned.plan;
  domain_.judgement().Merge(plan.judgement);
  if (!plan.judgement.valid()) return {};
  const int64_t elements_before = elements_alive_;
  Spend(std::ssize(block.tensors));
  if (options_.trace != nullptr) ReportEntry(block, caller, inputs);
  Frame frame{block, planned, std::vector<Value>(block.tensors.size()),
              std::vector<int64_t>(block.tensors.size())};
  for (size_t i = 0; i < inputs.size(); ++i) {
    frame.values[static_cast<size_t>(block.inputs[i])] = std::move(inputs[i]);
  }
  for (size_t position = 0; position < plan.order.size(); ++position) {
    const int32_t index = plan.order[position];
    const Operator& op = block.operators[static_cast<size_t>(index)];
    const Fate before = domain_.judgement().fate();
    RunNode(frame, index, depth);
    if (domain_.judgement().fate() > before && message_.empty()) {
      message_ = "operator " + std::to_string(index) + " (" + std::string(OperatorName(op.op)) +
                 ") of block " + block.name;
    }
    if (Stopped()) return {};
    FreeDead(frame, op, static_cast<int32_t>(position));
  }
  elements_alive_ = elements_before;
  std::vector<Value> outputs;
  outputs.reserve(block.outputs.size());
  for (const TensorIndex output : block.outputs) {
    const Value* value = Read(frame, output);
    if (value == nullptr) return {};
    outputs.push_back(*value);
  }
  if constexpr (std::is_same_v<D, ValueDomain>) {
    if (options_.trace != nullptr) options_.trace->Leaves();
  }
  return outputs;
}

template <class D>
void Interpreter<D>::BeginExecution() {
  if (options_.trace != nullptr) {
    options_.trace->Begins([this](std::string_view key) {
      const auto known = context_.variables.find(std::string(key));
      return known == context_.variables.end() ? VariableStatus() : StatusOf(known->second);
    });
  }
  if (!mutant_.ClearsSeen()) return;
  for (auto& [key, variable] : context_.variables) variable.seen = false;
}

template <class D>
VariableStatus Interpreter<D>::StatusOf(const Variable<D>& variable) {
  return {&variable.value.type(), variable.is_written, variable.seen};
}

template <class D>
void Interpreter<D>::TouchVariable(const Frame& frame, const Operator& op) {
  if (options_.trace == nullptr) return;
  const std::string key = KeyOf(op.attributes.Text(AttributeId::kName));
  const auto known = context_.variables.find(key);
  options_.trace->Touches(
      {op, frame.block, key,
       known == context_.variables.end() ? VariableStatus() : StatusOf(known->second)});
}

template <class D>
const InFlightOf<D>* Interpreter<D>::Read(Frame& frame, TensorIndex index) {
  const auto at = static_cast<size_t>(index);
  const TensorInfo& info = frame.block.tensors[at];
  if (info.variable) {
    auto& variable = context_.variables[KeyOf(info.name)];
    if (!variable.is_written && info.initial_value.has_value()) {
      variable.value = ToFlight<D>(info.initial_value);
      variable.is_written = true;
    }
    // A variable tensor that was never written is the same error as in VARIABLE_READ.
    domain_.Require(variable.is_written, "VARIABLE_READ/REQUIRE/2");
    if (!variable.is_written) return nullptr;
    domain_.Require(variable.value.type().shape == info.type.shape, "VARIABLE_READ/REQUIRE/3");
    domain_.Require(variable.value.type().type == info.type.type, "VARIABLE_READ/REQUIRE/4");
    if (Stopped()) return nullptr;
    frame.values[at] = variable.value;
  }
  return !frame.values[at].has_elements() ? nullptr : &frame.values[at];
}

template <class D>
void Interpreter<D>::Write(Frame& frame, TensorIndex index, Value value) {
  const auto at = static_cast<size_t>(index);
  const TensorInfo& info = frame.block.tensors[at];
  if (info.variable) {
    auto& variable = context_.variables[KeyOf(info.name)];
    const bool stale = mutant_.Has(Op::kIdentity, Twist::kWriteLost);
    if (!(stale && variable.is_written)) variable.value = value;
    variable.is_written = true;
  }
  frame.values[at] = std::move(value);
}

template <class D>
void Interpreter<D>::FreeDead(Frame& frame, const Operator& op, int32_t position) {
  const auto free_if_dead = [&](TensorIndex tensor) {
    const auto at = static_cast<size_t>(tensor);
    if (frame.planned.plan.last_uses[at] > position) return;
    frame.values[at] = Value();
    elements_alive_ -= std::exchange(frame.counted[at], 0);
  };
  std::ranges::for_each(op.inputs, free_if_dead);
  std::ranges::for_each(op.outputs, free_if_dead);
}

template <class D>
void Interpreter<D>::RunNode(Frame& frame, int32_t index, int depth) {
  if (!Count()) return;
  const Operator& op = frame.block.operators[static_cast<size_t>(index)];
  // An operand is missing only if the operator that produces it is in error. The rest of the graph
  // may still turn the error into unpredictable.
  run_.inputs.clear();
  for (const TensorIndex input : op.inputs) {
    const Value* value = Read(frame, input);
    if (value == nullptr) return;
    run_.inputs.push_back(value);
  }
  if (options_.trace == nullptr) return Dispatch(frame, op, depth);
  const std::vector<const Value*> inputs = run_.inputs;  // a block that the operator runs reuses it
  Dispatch(frame, op, depth);
  if (!capped_ && domain_.judgement().valid()) Report(frame, op, inputs);
}

template <class D>
void Interpreter<D>::Report(const Frame& frame, const Operator& op,
                            std::span<const Value* const> inputs) {
  if constexpr (std::is_same_v<D, ValueDomain>) {
    const std::vector<TensorType> outputs = frame.block.TypesOf(op.outputs);
    std::vector<const DomainTensor<Element>*> elements, results;
    for (const TensorIndex output : op.outputs) {
      results.push_back(&frame.values[static_cast<size_t>(output)].elements());
    }
    for (const Value* input : inputs) elements.push_back(&input->elements());
    options_.trace->Ran({op, elements, outputs, results});
  }
}

template <class D>
void Interpreter<D>::ReportEntry(const Block& block, const PlacedOperator* caller,
                                 const std::vector<Value>& inputs) {
  if constexpr (std::is_same_v<D, ValueDomain>) {
    std::vector<const DomainTensor<Element>*> elements;
    for (const Value& input : inputs) elements.push_back(&input.elements());
    options_.trace->Enters(caller == nullptr ? nullptr : &caller->op, block, elements);
  }
}

template <class D>
void Interpreter<D>::Dispatch(Frame& frame, const Operator& op, int depth) {
  switch (op.op) {
    case Op::kCondIf:
      return RunCondIf(frame, op, depth);
    case Op::kWhileLoop:
      return RunWhileLoop(frame, op, depth);
    case Op::kVariable:
      if (!CheckStatically(frame, op)) return;
      TouchVariable(frame, op);
      return RunVariable(op);
    case Op::kVariableRead:
      if (!CheckStatically(frame, op)) return;
      TouchVariable(frame, op);
      return RunVariableRead(frame, op);
    case Op::kVariableWrite:
      if (!CheckStatically(frame, op)) return;
      TouchVariable(frame, op);
      return RunVariableWrite(frame, op);
    case Op::kCustom:
      if (CheckStatically(frame, op)) RunCustom(frame, op);
      return;
    default:
      return RunPlain(frame, op);
  }
}

template <class D>
void Interpreter<D>::RunPlain(Frame& frame, const Operator& op) {
  const OperatorFacts& facts = FactsOf(op.op);
  const auto is_constant = [&](size_t input) {
    const int32_t producer = frame.planned.plan.producers[static_cast<size_t>(op.inputs[input])];
    return producer >= 0 && IsConstant(frame.block.operators[static_cast<size_t>(producer)].op);
  };
  if (facts.constant_inputs != 0 && !options_.dynamic) {
    Judgement constants;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!facts.NeedsConstant(i)) continue;
      constants.ErrorIf(!is_constant(i), "graph/ERROR_IF/compile-time-constant");
    }
    domain_.judgement().Merge(constants);
    if (!constants.valid()) return;
  }
  run_.op = &op;
  run_.output_types.clear();
  for (const TensorIndex output : op.outputs) {
    run_.output_types.push_back(frame.block.TypeOf(output));
  }
  run_.mutant = options_.mutant;
  run_.constant_operands = 0;
  for (size_t i = 0; options_.mutant != nullptr && i < std::min<size_t>(op.inputs.size(), 32);
       ++i) {
    run_.constant_operands |= uint32_t{is_constant(i)} << i;
  }
  run_.member = options_.member;
  run_.member_seed = options_.member_seed + static_cast<uint64_t>(operators_run_);
  run_.elements_max = options_.elements_max - elements_alive_;
  // The types are those that the block declares. Constants come from its operators, unless they may
  // be computed.
  char& accepted = frame.planned.accepted[static_cast<size_t>(&op - frame.block.operators.data())];
  run_.was_accepted = accepted != 0 && !options_.dynamic;
  RunOperator(domain_, options_.level, options_.kernels, run_);
  accepted = run_.accepted ? 1 : 0;
  if (options_.mutant_reached != nullptr) *options_.mutant_reached |= run_.mutant_reached;
  if (run_.capped) return RefuseElements(op);
  const bool is_view = ops::DefinitionOf(op.op).view;
  if (is_view && run_.accepted) frame.counted[static_cast<size_t>(op.inputs[0])] = 0;
  for (size_t i = 0; i < run_.outputs.size(); ++i) {
    const int64_t elements = run_.outputs[i].type().shape.Elements();
    if (!is_view) Spend(elements);
    if (!is_view && op.op != Op::kConst) {
      elements_alive_ += elements;
      frame.counted[static_cast<size_t>(op.outputs[i])] = elements;
    }
    Write(frame, op.outputs[i], std::move(run_.outputs[i]));
  }
}

template <class D>
void Interpreter<D>::RefuseElements(const Operator& op) {
  capped_ = true;
  message_ = "operator " + std::string(OperatorName(op.op)) +
             " brings the tensors alive to more than " + std::to_string(options_.elements_max) +
             " elements, the cap in force";
}

template <class D>
void Interpreter<D>::RunCustom(Frame& frame, const Operator& op) {
  const auto domain = options_.custom_domains.find(op.attributes.Text(AttributeId::kDomainName));
  if (domain == options_.custom_domains.end()) {
    capped_ = true;
    message_ = CustomName(op) + " is not executable: what it does is up to its implementation";
    return;
  }
  std::vector<TensorType> inputs, outputs;
  std::vector<const DomainTensor<Element>*> operands;
  for (const Value* input : run_.inputs) {
    inputs.push_back(input->type());
    operands.push_back(&input->elements());
  }
  std::vector<std::vector<Element>> results;
  for (const TensorIndex output : op.outputs) {
    outputs.push_back(frame.block.TypeOf(output));
    const int64_t elements = outputs.back().shape.Elements();
    if (elements > options_.elements_max - elements_alive_) return RefuseElements(op);
    elements_alive_ += elements;
    results.emplace_back(static_cast<size_t>(elements));
  }
  const std::vector<std::span<const Scalar>> constants(inputs.size());
  const Signature signature = {op.op, &op.attributes, inputs, outputs, constants};
  assay::RunCustom(domain_, domain->second, {signature, operands, results});
  for (size_t i = 0; i < results.size(); ++i) {
    Write(frame, op.outputs[i],
          Value(DomainTensor<Element>{
              outputs[i], std::make_shared<const std::vector<Element>>(std::move(results[i]))}));
  }
}

template <class D>
bool Interpreter<D>::CheckStatically(const Frame& frame, const Operator& op) {
  const std::vector<TensorType> inputs = frame.block.TypesOf(op.inputs);
  const std::vector<TensorType> outputs = frame.block.TypesOf(op.outputs);
  const std::vector<std::span<const Scalar>> constants(inputs.size());
  Judgement judgement;
  CheckOperator({op.op, &op.attributes, inputs, outputs, constants}, options_.level, judgement,
                IsVariableOperator(op.op) ? options_.state_rules->types : std::span<const DType>());
  domain_.judgement().Merge(judgement);
  return judgement.valid();
}

template <class D>
bool Interpreter<D>::Decide(const Value& condition) {
  // The check uses the domain, so that a condition that the specification does not determine is
  // recorded.
  const Element decides = condition.elements()[0];
  domain_.RequireBetween(decides, 0, 1, "graph/REQUIRE/termination");
  return D::ToScalar(decides).integer() != 0;
}

template <class D>
const BlockIndex& Interpreter<D>::Blocks() {
  if (!blocks_) blocks_.emplace(graph_);
  return *blocks_;
}

template <class D>
void Interpreter<D>::RunCondIf(Frame& frame, const Operator& op, int depth) {
  Judgement judgement;
  judgement.ErrorIf(depth >= options_.level.max_nesting, "COND_IF/ERROR_IF/1");
  domain_.judgement().Merge(judgement);
  if (!judgement.valid() || !CheckStatically(frame, op)) return;
  const Block* taken_if[] = {Blocks().Callee(op, AttributeId::kElseGraph),
                             Blocks().Callee(op, AttributeId::kThenGraph)};
  CheckCalls(Blocks(), frame.block, op, judgement);
  domain_.judgement().Merge(judgement);
  if (!judgement.valid()) return;
  const PlacedOperator caller = {frame.block, op};
  const bool condition = mutant_.Condition(Decide(*run_.inputs[0]));
  std::vector<Value> arguments;
  arguments.reserve(run_.inputs.size());
  for (size_t i = 1; i < run_.inputs.size(); ++i) arguments.push_back(*run_.inputs[i]);
  mutant_.Arguments(op.op, arguments);
  mutant_.Enters(op.op);
  if (mutant_.Has(op.op, Twist::kUntakenWrites)) {
    RunBlock(*taken_if[condition ? 0 : 1], &caller, arguments, depth + 1);
  }
  std::vector<Value> results =
      RunBlock(*taken_if[condition ? 1 : 0], &caller, std::move(arguments), depth + 1);
  mutant_.Leaves(op.op);
  mutant_.Results(op.op, results);
  for (size_t i = 0; i < results.size(); ++i) Write(frame, op.outputs[i], std::move(results[i]));
}

template <class D>
void Interpreter<D>::RunWhileLoop(Frame& frame, const Operator& op, int depth) {
  Judgement judgement;
  judgement.ErrorIf(depth >= options_.level.max_nesting, "WHILE_LOOP/ERROR_IF/1");
  domain_.judgement().Merge(judgement);
  if (!judgement.valid() || !CheckStatically(frame, op)) return;
  const Block* cond = Blocks().Callee(op, AttributeId::kCondGraph);
  const Block* body = Blocks().Callee(op, AttributeId::kBodyGraph);
  CheckCalls(Blocks(), frame.block, op, judgement);
  domain_.judgement().Merge(judgement);
  if (!judgement.valid()) return;
  std::vector<Value> carried;
  carried.reserve(run_.inputs.size());
  for (const Value* input : run_.inputs) carried.push_back(*input);
  const PlacedOperator caller = {frame.block, op};
  const bool stale = mutant_.Has(op.op, Twist::kConditionStale);
  std::vector<Value> previous = carried;  // for mutants: before the last iteration
  mutant_.Enters(op.op);
  for (int64_t iteration = 0;; ++iteration) {
    if (iteration > options_.loop_iterations_max) {
      capped_ = true;
      message_ = "WHILE_LOOP runs more than " + std::to_string(options_.loop_iterations_max) +
                 " times, the cap in force";
      return;
    }
    if (!Count()) return;
    const std::vector<Value> condition =
        RunBlock(*cond, &caller, stale ? previous : carried, depth + 1);
    if (condition.size() != 1 || Stopped()) return;
    if (!mutant_.GoesOn(iteration, Decide(condition[0]))) break;
    mutant_.Iterates();
    std::vector<Value> next = RunBlock(*body, &caller, carried, depth + 1);
    if (next.size() != carried.size() || Stopped()) return;
    mutant_.Carry(carried, next);
    previous = std::exchange(carried, std::move(next));
  }
  mutant_.Leaves(op.op);
  if (mutant_.Has(op.op, Twist::kLastIterationLost)) carried = previous;
  mutant_.Results(op.op, carried);
  for (size_t i = 0; i < carried.size(); ++i) Write(frame, op.outputs[i], std::move(carried[i]));
}

template <class D>
void Interpreter<D>::RunVariable(const Operator& op) {
  const Attributes& attributes = op.attributes;
  auto& table = context_.variables;
  const Shape shape(attributes.Ints(AttributeId::kVarShape));
  const TensorType type = {attributes.type(AttributeId::kType), shape};
  const auto known = table.find(KeyOf(attributes.Text(AttributeId::kName)));
  if (known != table.end() && mutant_.MakesAnew(known->second, type)) {
    table.erase(known);
  } else if (known != table.end()) {
    // A declaration in a later execution does not initialize the variable again.
    domain_.Require(!known->second.seen, "VARIABLE/REQUIRE/3");
    if (options_.state_rules->redeclaration_sets_seen && mutant_.SetsSeenAgain()) {
      known->second.seen = true;
    }
    if (mutant_.Has(op.op, Twist::kInitialisesAgain) && known->second.is_written &&
        attributes.Has(AttributeId::kInitialValue)) {
      known->second.value = ToFlight<D>(attributes.Value(AttributeId::kInitialValue));
    }
    return;
  }
  Variable<D> variable;
  variable.value = Value(DomainTensor<Element>{type, nullptr});
  if (attributes.Has(AttributeId::kInitialValue)) {
    const Tensor& initial = attributes.Value(AttributeId::kInitialValue);
    domain_.Require(initial.type() == type.type, "VARIABLE/REQUIRE/1");
    domain_.Require(initial.shape() == shape, "VARIABLE/REQUIRE/2");
    if (Stopped()) return;
    variable.value = ToFlight<D>(initial);
    variable.is_written = true;
    mutant_.Initialised(variable);
  }
  variable.seen = true;
  table.emplace(KeyOf(attributes.Text(AttributeId::kName)), std::move(variable));
}

template <class D>
void Interpreter<D>::RunVariableRead(Frame& frame, const Operator& op) {
  const auto& table = context_.variables;
  const auto known = table.find(KeyOf(op.attributes.Text(AttributeId::kName)));
  domain_.Require(known != table.end(), "VARIABLE_READ/REQUIRE/1");
  if (known == table.end()) return;
  const TensorType& type = frame.block.TypeOf(op.outputs[0]);
  domain_.Require(known->second.is_written, "VARIABLE_READ/REQUIRE/2");
  domain_.Require(known->second.value.type().shape == type.shape, "VARIABLE_READ/REQUIRE/3");
  domain_.Require(known->second.value.type().type == type.type, "VARIABLE_READ/REQUIRE/4");
  if (Stopped()) return;
  Write(frame, op.outputs[0], mutant_.Read(known->first, known->second).value);
}

template <class D>
void Interpreter<D>::RunVariableWrite(Frame& frame, const Operator& op) {
  auto& table = context_.variables;
  const auto known = table.find(KeyOf(op.attributes.Text(AttributeId::kName)));
  domain_.Require(known != table.end(), "VARIABLE_WRITE/REQUIRE/1");
  if (known == table.end()) return;
  const TensorType& type = frame.block.TypeOf(op.inputs[0]);
  domain_.Require(known->second.seen, "VARIABLE_WRITE/REQUIRE/2");
  domain_.Require(known->second.value.type().shape == type.shape, "VARIABLE_WRITE/REQUIRE/3");
  domain_.Require(known->second.value.type().type == type.type, "VARIABLE_WRITE/REQUIRE/4");
  if (Stopped()) return;
  const Value old = known->second.value;
  known->second.value = *run_.inputs[0];
  mutant_.Written(known->first, known->second, old);
  known->second.is_written = true;
  if (mutant_.Has(Op::kVariableRead, Twist::kReadsLater)) ChangeReads(frame, *known);
}

template <class D>
void Interpreter<D>::ChangeReads(Frame& frame,
                                 const std::pair<const std::string, Variable<D>>& written) {
  for (const Operator& op : frame.block.operators) {
    if (op.op != Op::kVariableRead) continue;
    Value& value = frame.values[static_cast<size_t>(op.outputs[0])];
    const bool same = KeyOf(op.attributes.Text(AttributeId::kName)) == written.first;
    if (same && value.has_elements()) value = written.second.value;
  }
}

template class Interpreter<ValueDomain>;
template class Interpreter<BoundDomain>;

}  // namespace assay
