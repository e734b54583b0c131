// SPDX-License-Identifier: Apache-2.0
#include "literal_values.h"

#include <algorithm>

#include "rules.h"
#include "stage_graph.h"

namespace assay {

bool MayFail(const Block& block, const Operator& op) {
  if (IsControlFlow(op.op) || op.op == Op::kCustom) return true;
  const auto is_float = [&block](TensorIndex tensor) { return IsFloat(block.TypeOf(tensor).type); };
  if (std::all_of(op.outputs.begin(), op.outputs.end(), is_float) &&
      std::all_of(op.inputs.begin(), op.inputs.end(), is_float)) {
    return false;  // conditions on values apply to integers only
  }
  const auto& rules = RowOf(op.op).rules;
  return std::any_of(rules.begin(), rules.end(), [](const RuleRow& rule) {
    return rule.kind == RuleKind::kRequire && rule.unreachable.empty() &&
           rule.name != "tensor_size";
  });
}

Outcome RunAlone(const Graph& graph, const Operator& op, const std::vector<Tensor>& operands,
                 const std::vector<TensorType>& results, const ExecutionOptions& options) {
  Graph alone = EmptyGraph();
  alone.version = graph.version;
  CopyCallees(graph, {op}, alone);
  Block& main = *alone.Main();
  Operator copy = op;
  copy.inputs.clear();
  copy.outputs.clear();
  for (const Tensor& operand : operands) {
    const TensorIndex tensor =
        main.AddTensor("i" + std::to_string(main.tensors.size()), operand.tensor_type());
    main.operators.push_back(Literal(operand, tensor));
    copy.inputs.push_back(tensor);
  }
  for (const TensorType& result : results) {
    copy.outputs.push_back(main.AddTensor("o" + std::to_string(main.tensors.size()), result));
  }
  main.outputs = copy.outputs;
  main.operators.push_back(std::move(copy));
  Context context;
  return Execute(context, alone, {}, options);
}

LiteralValues::LiteralValues(const Dataflow& flow, const ExecutionOptions& options)
    : flow_(flow),
      options_(options),
      states_(flow.main().operators.size()),
      values_(flow.main().tensors.size()),
      literal_(flow.main().operators.size()) {
  options_.elements_max = std::min(options_.elements_max, 4 * kElementsMax);
  for (const int32_t op : flow.order()) {
    const std::vector<TensorIndex>& uses = flow.UsesOf(op);
    // An operator whose blocks capture tensors cannot run alone.
    literal_[At(op)] = flow.OfOperator(op) == Constness::kCompileTime &&
                       uses.size() == flow.main().operators[At(op)].inputs.size() &&
                       std::all_of(uses.begin(), uses.end(), [&](TensorIndex use) {
                         const int32_t producer = flow.ProducerOf(use);
                         return producer >= 0 && literal_[At(producer)];
                       });
  }
}

std::optional<Tensor> LiteralValues::ValueOf(TensorIndex tensor) {
  const int32_t producer = flow_.ProducerOf(tensor);
  if (producer < 0 || Compute(producer) != State::kValue) return std::nullopt;
  return values_[At(tensor)];
}

std::vector<int32_t> LiteralValues::Failing() {
  std::vector<int32_t> failing;
  for (const int32_t op : flow_.order()) {
    if (literal_[At(op)] && MayFail(flow_.main(), flow_.main().operators[At(op)]) &&
        Compute(op) == State::kFails) {
      failing.push_back(op);
    }
  }
  return failing;
}

// Works depth first, with a stack of its own, because chains may be long.
LiteralValues::State LiteralValues::Compute(int32_t wanted) {
  std::vector<int32_t> stack = {wanted};
  while (!stack.empty()) {
    const int32_t op = stack.back();
    State& state = states_[At(op)];
    if (state == State::kUnknown && !literal_[At(op)]) state = State::kNone;
    if (state == State::kUnknown) {
      bool waits = false;
      for (const TensorIndex use : flow_.UsesOf(op)) {
        const int32_t producer = flow_.ProducerOf(use);
        if (states_[At(producer)] == State::kUnknown) {
          stack.push_back(producer);
          waits = true;
        }
      }
      if (waits) continue;
      state = Run(op);
    }
    stack.pop_back();
  }
  return states_[At(wanted)];
}

LiteralValues::State LiteralValues::Run(int32_t index) {
  const Block& main = flow_.main();
  const Operator& op = main.operators[At(index)];
  if (IsConstant(op.op)) {
    values_[At(op.outputs[0])] = op.attributes.Value(AttributeId::kValues);
    return State::kValue;
  }
  std::vector<Tensor> operands;
  std::vector<TensorType> results;
  for (const TensorIndex input : op.inputs) {
    if (states_[At(flow_.ProducerOf(input))] != State::kValue) return State::kNone;
    operands.push_back(values_[At(input)]);
  }
  for (const TensorIndex output : op.outputs) {
    if (main.TypeOf(output).shape.Elements() > kElementsMax) return State::kNone;
    results.push_back(main.TypeOf(output));
  }
  const Outcome outcome = RunAlone(flow_.graph(), op, operands, results, options_);
  if (outcome.kind == OutcomeKind::kUnsupported) return State::kNone;
  if (outcome.kind != OutcomeKind::kValid) return State::kFails;
  for (size_t i = 0; i < op.outputs.size(); ++i) values_[At(op.outputs[i])] = outcome.outputs[i];
  return State::kValue;
}

std::optional<Tensor> Narrowed(const Graph& graph, const Tensor& value, DType narrow,
                               const ExecutionOptions& options) {
  const auto cast = [&](const Tensor& from, DType to) -> std::optional<Tensor> {
    const Operator op{Op::kCast, {}, {0}, {0}};
    const Outcome outcome = RunAlone(graph, op, {from}, {{to, from.shape()}}, options);
    if (outcome.kind != OutcomeKind::kValid) return std::nullopt;
    return outcome.outputs[0];
  };
  const std::optional<Tensor> small = cast(value, narrow);
  if (!small) return std::nullopt;
  const std::optional<Tensor> back = cast(*small, value.type());
  return back && *back == value ? small : std::nullopt;
}

}  // namespace assay
