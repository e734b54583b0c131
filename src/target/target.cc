// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include <algorithm>
#include <limits>

namespace assay {
namespace {

const OperatorUses kAnyUse;

// Returns the types of the operands or results of a row of the type table; a list is one type, and
// kUnknown is a type that the row leaves open.
std::vector<DType> TypesOfRow(const OperatorRow& op, const TypeRow& row, Direction direction) {
  std::vector<DType> types;
  for (const ArgumentRow& argument : op.arguments) {
    if (argument.direction != direction) continue;
    types.push_back(TypeIn(row, argument));
  }
  return types;
}

bool AgreeWhereKnown(DType a, DType b) {
  return a == b || a == DType::kUnknown || b == DType::kUnknown;
}

bool FitList(const std::vector<DType>& types, const std::vector<DType>& allowed) {
  for (size_t i = 0; i < types.size() && !allowed.empty(); ++i) {
    if (!AgreeWhereKnown(types[i], allowed[std::min(i, allowed.size() - 1)])) return false;
  }
  return true;
}

// Returns the type that CharacteristicType() gives for operators of a row; kUnknown if it is open.
DType FirstTypeOf(const std::vector<DType>& inputs, const std::vector<DType>& outputs,
                  const TypeRow& row) {
  const auto says_little = [](DType type) { return type == DType::kBool || type == DType::kShape; };
  if (!inputs.empty() && !says_little(inputs[0])) return inputs[0];
  if (!outputs.empty()) return outputs[0];
  return inputs.empty() ? row.types[0] : inputs[0];
}

bool FitsRow(const TypeChoice& choice, const OperatorRow& op, const TypeRow& row) {
  for (size_t i = 0; i < choice.variables.size(); ++i) {
    if (choice.variables[i] != DType::kUnknown && choice.variables[i] != row.types[i]) return false;
  }
  const std::vector<DType> inputs = TypesOfRow(op, row, Direction::kInput);
  const std::vector<DType> outputs = TypesOfRow(op, row, Direction::kOutput);
  return AgreeWhereKnown(choice.first, FirstTypeOf(inputs, outputs, row)) &&
         FitList(inputs, choice.inputs) && FitList(outputs, choice.outputs);
}

bool HasTypes(const Target& target, const OperatorRow& op, const TypeRow& row) {
  if (target.types.empty()) return true;
  for (const Direction direction : {Direction::kInput, Direction::kOutput}) {
    for (const DType type : TypesOfRow(op, row, direction)) {
      if (type == DType::kUnknown || type == DType::kShape) continue;
      if (std::ranges::find(target.types, type) == target.types.end()) return false;
    }
  }
  return true;
}

// Returns false if a range of this quantity excludes the number.
bool RangesHold(const std::vector<TargetRange>& ranges, const Quantity& quantity, int64_t number) {
  return std::ranges::all_of(ranges, [&](const TargetRange& range) {
    return range.quantity != quantity || range.Holds(number);
  });
}

int64_t LimitOf(const TargetLimits& limits, Quantity::Kind kind) {
  switch (kind) {
    case Quantity::Kind::kRank:
      return limits.rank;
    case Quantity::Kind::kDimension:
      return limits.dimension;
    case Quantity::Kind::kElements:
      return limits.elements;
    default:
      return 0;
  }
}

}  // namespace

const OperatorUses* UsesOf(const Target& target, Op op) {
  if (IsControlFlow(op) && !target.control_flow) return nullptr;
  if (IsVariableOperator(op) && !target.variables) return nullptr;
  if (!target.operators) return &kAnyUse;
  const auto found = target.operators->find(op);
  return found == target.operators->end() ? nullptr : &found->second;
}

uint64_t TypeRowsWithin(const Target& target, Op op) {
  const OperatorUses* uses = UsesOf(target, op);
  if (uses == nullptr) return 0;
  const OperatorRow& row = RowOf(op);
  uint64_t rows = 0;
  for (size_t i = 0; i < row.type_rows.size(); ++i) {
    const TypeRow& types = row.type_rows[i];
    if (target.features && !IsSupported(types, *target.features)) continue;
    if (!HasTypes(target, row, types)) continue;
    const bool fits =
        uses->types.empty() || std::ranges::any_of(uses->types, [&](const TypeChoice& choice) {
          return FitsRow(choice, row, types);
        });
    if (fits) rows |= uint64_t{1} << i;
  }
  return rows;
}

bool MayBe(const Target& target, Op op, const Quantity& quantity, int64_t number) {
  const OperatorUses* uses = UsesOf(target, op);
  if (uses == nullptr) return false;
  const int64_t limit = LimitOf(target.limits, quantity.kind);
  if (limit > 0 && number > limit) return false;
  if (!RangesHold(uses->ranges, quantity, number)) return false;
  return uses->types.empty() || std::ranges::any_of(uses->types, [&](const TypeChoice& choice) {
           return RangesHold(choice.ranges, quantity, number);
         });
}

}  // namespace assay
