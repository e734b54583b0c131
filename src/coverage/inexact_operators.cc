// SPDX-License-Identifier: Apache-2.0
#include "inexact_operators.h"

#include <algorithm>
#include <set>

#include "float_format.h"
#include "operator_set.h"
#include "operator_table.h"
#include "tensor_classes.h"

namespace assay {
namespace {

// Returns true if a cast may have to round. An integer of 4 bits fits every float.
bool MayRound(DType from, DType to) {
  const FloatFormat& narrow = FormatOf(to);
  if (!IsFloat(from)) return IsInteger(from) && IntegerBits(from) > narrow.fraction_bits + 2;
  const FloatFormat& wide = FormatOf(from);
  return wide.fraction_bits > narrow.fraction_bits || wide.max > narrow.max ||
         wide.normal_min < narrow.normal_min;
}

bool IsInexact(Op op, DType in, DType out) {
  if (op == Op::kUnknown || !IsFloat(out)) return false;
  if (ops::DefinitionOf(op).traits.results != ops::ResultOrigin::kCalculated) return false;
  return op != Op::kCast || MayRound(in, out);
}

// A tensor that an inexact operator reads or writes.
struct End {
  Op op;
  DType type;
  int rank_min, rank_max;
  friend auto operator<=>(const End&, const End&) = default;
};

// Adds the tensors of the operator that have a float type: operands that are data, or results.
void AddEnds(const OperatorRow& row, Direction direction, std::set<End>& ends) {
  const auto type_of_first = [&](const TypeRow& types, Direction wanted) {
    const auto first = std::ranges::find(row.arguments, wanted, &ArgumentRow::direction);
    return first == row.arguments.end() ? DType::kUnknown : TypeIn(types, *first);
  };
  for (const TypeRow& types : row.type_rows) {
    if (!IsInexact(row.op, type_of_first(types, Direction::kInput),
                   type_of_first(types, Direction::kOutput))) {
      continue;
    }
    for (const ArgumentRow& argument : row.arguments) {
      if (argument.direction != direction) continue;
      if (direction == Direction::kInput && !IsData(argument)) continue;
      const DType type = TypeIn(types, argument);
      if (IsFloat(type)) ends.insert({row.op, type, argument.rank->min, argument.rank->max});
    }
  }
}

}  // namespace

bool IsInexact(const Block& block, const Operator& op) {
  if (op.inputs.empty() || op.outputs.empty()) return false;
  if (op.op == Op::kResize && op.attributes.Has(AttributeId::kMode) &&
      op.attributes.Int(AttributeId::kMode) == static_cast<int32_t>(ResizeMode::kNearest)) {
    return false;
  }
  return IsInexact(op.op, block.TypeOf(op.inputs[0]).type, block.TypeOf(op.outputs[0]).type);
}

std::string InexactPair(Op producer, Op consumer, DType type) {
  return std::string(OperatorName(producer)) + " -> " + std::string(OperatorName(consumer)) + " " +
         std::string(TypeName(type));
}

std::vector<std::string> AllInexactPairs() {
  std::set<End> results, operands;
  for (const OperatorRow& row : AllOperators()) {
    AddEnds(row, Direction::kOutput, results);
    AddEnds(row, Direction::kInput, operands);
  }
  std::set<std::string> pairs;
  for (const End& result : results) {
    for (const End& operand : operands) {
      const bool may_meet = result.type == operand.type && result.rank_min <= operand.rank_max &&
                            operand.rank_min <= result.rank_max;
      if (may_meet) pairs.insert(InexactPair(result.op, operand.op, result.type));
    }
  }
  return {pairs.begin(), pairs.end()};
}

}  // namespace assay
