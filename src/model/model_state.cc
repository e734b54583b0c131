// SPDX-License-Identifier: Apache-2.0
#include "model_state.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "tensor_numbers.h"

namespace assay {
namespace {

// These facts decide which faults of state can show in a model.
struct StateFacts {
  bool has_tensors = false;      // the older form: tensors with `variable=true`
  bool starts_not_zero = false;  // some variable does, or with elements that differ
  bool starts_uneven = false;
  bool has_alike = false;    // two variables of one type and shape
  bool has_several = false;  // elements of a variable
  bool is_nested = false;    // other blocks read or write variables
  bool reads_behind_write = false;
  bool writes_twice = false;  // one variable in an execution
  // Control flow by operator, in any block: some has values at both ends that differ and are of
  // one type, and some passes several operands to its block.
  std::set<Op> exchanges_operands, exchanges_results, passes_several;
};

// Tells whether the first and the last tensor of a list are two of one type.
bool HaveLikeEnds(const Block& block, std::span<const TensorIndex> tensors) {
  return tensors.size() > 1 && tensors.front() != tensors.back() &&
         block.TypeOf(tensors.front()) == block.TypeOf(tensors.back());
}

void AddControlFlow(const Block& block, const Operator& op, StateFacts& facts) {
  const auto passed = std::span(op.inputs).subspan(op.op == Op::kCondIf ? 1 : 0);
  if (HaveLikeEnds(block, passed)) facts.exchanges_operands.insert(op.op);
  if (HaveLikeEnds(block, op.outputs)) facts.exchanges_results.insert(op.op);
  if (passed.size() > 1) facts.passes_several.insert(op.op);
}

StateFacts FactsOf(const Graph& graph) {
  StateFacts facts;
  std::set<std::string> types, written;
  for (const Block& block : graph.Blocks()) {
    const bool is_main = &block == graph.Main();
    facts.has_tensors |= std::ranges::any_of(block.tensors, &TensorInfo::variable);
    for (const Operator& op : block.operators) {
      if (IsControlFlow(op.op)) AddControlFlow(block, op, facts);
      if (op.op == Op::kVariable) {
        const TensorType type = {op.attributes.type(AttributeId::kType),
                                 Shape(op.attributes.Ints(AttributeId::kVarShape))};
        facts.has_alike |= !types.insert(type.ToString()).second;
        facts.has_several |= type.shape.Elements() > 1;
        const AttributeValue* given = op.attributes.Find(AttributeId::kInitialValue);
        const Tensor* value = given == nullptr ? nullptr : std::get_if<Tensor>(given);
        if (value == nullptr || !value->has_value()) continue;
        std::set<double> numbers;
        ForEachNumber(*value, [&](double x) { numbers.insert(x); });
        facts.starts_not_zero |= numbers != std::set<double>{0};
        facts.starts_uneven |= numbers.size() > 1;
      }
      const bool writes = op.op == Op::kVariableWrite;
      if (!writes && op.op != Op::kVariableRead) continue;
      facts.is_nested |= !is_main;
      const std::string& name = op.attributes.Text(AttributeId::kName);
      if (writes) facts.writes_twice |= !written.insert(name).second;
      facts.reads_behind_write |= !writes && written.contains(name);
    }
  }
  return facts;
}

bool CanShow(const Mutant& mutant, const StateFacts& facts) {
  switch (mutant.twist) {
    case Twist::kVariablesOfGraph:
    case Twist::kRedeclares:
    case Twist::kForgetsUndeclared:
      return false;
    case Twist::kInitialValueLost:
      return facts.starts_not_zero;
    case Twist::kInitialValueFirst:
      return facts.starts_uneven;
    case Twist::kWritesEverywhere:
    case Twist::kReadsFirst:
      return facts.has_alike;
    case Twist::kWritesFirstElement:
    case Twist::kWritesAllButLast:
    case Twist::kReadsFirstElement:
      return facts.has_several;
    case Twist::kUntakenWrites:
    case Twist::kWritesUndone:
    case Twist::kLastWritesUndone:
    case Twist::kNestedForgets:
      return facts.is_nested;
    case Twist::kArgumentsReversed:
      return facts.exchanges_operands.contains(mutant.op);
    case Twist::kOutputsReversed:
      return facts.exchanges_results.contains(mutant.op);
    case Twist::kArgumentStale:
    case Twist::kLoopCarriesFirstOnly:
      return facts.passes_several.contains(mutant.op);
    case Twist::kWritesOnce:
      return facts.writes_twice || facts.is_nested;
    case Twist::kReadsInitial:
      return facts.reads_behind_write || facts.is_nested;
    default:
      return mutant.op != Op::kIdentity || facts.has_tensors;
  }
}

}  // namespace

std::vector<StateFault> StateFaultsOf(const TestVector& model, const std::vector<Op>& layers) {
  const StateFacts facts = FactsOf(model.graphs[0]);
  std::vector<StateFault> faults;
  for (const Mutant& mutant : AllMutants()) {
    const bool is_of_state = mutant.twist >= Twist::kConditionNegated;
    if (!is_of_state || !mutant.equivalent.empty() || !CanShow(mutant, facts)) continue;
    std::vector<size_t> numbers;
    for (size_t i = 0; i < layers.size(); ++i) {
      const Op op = layers[i];
      const bool is_variable = op == Op::kVariableRead || op == Op::kVariableWrite;
      const bool holds = mutant.HoldsFor(op) || (is_variable && mutant.op == Op::kVariable);
      if (holds) numbers.push_back(i + 1);
    }
    if (!numbers.empty()) faults.push_back({&mutant, std::move(numbers)});
  }
  return faults;
}

}  // namespace assay
