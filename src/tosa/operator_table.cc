#include "operator_table.h"

#include <algorithm>
#include <vector>

#include "check.h"

namespace assay {
namespace {

// Position in AllOperators(): operators are numbered in the order of the specification, from 1.
size_t NumberOf(Op op) {
  const auto number = static_cast<size_t>(op);
  Check(number >= 1 && number <= AllOperators().size(), "operator of TOSA 1.0");
  return number - 1;
}

// Bit per DType.
using TypeSet = uint32_t;
constexpr TypeSet kAnyType = ~TypeSet{0};
constexpr TypeSet SetOf(DType type) {
  const auto number = static_cast<uint32_t>(type);
  return number < 32 ? TypeSet{1} << number : 0;
}

// The types that an argument's row in the Arguments table allows by itself.
TypeSet TypesOf(const ArgumentRow& argument) {
  if (argument.fixed != DType::kUnknown) return SetOf(argument.fixed);
  if (argument.element == "mul_t") return SetOf(DType::kInt16) | SetOf(DType::kInt32);
  return kAnyType;
}

// The operands of one direction, or all tensors of a list among them.
struct OperandTypes {
  int type_variable;  // -1 if none; then
  TypeSet types;
  bool list;
};

// What finding a type row asks of an operator's row, worked out once per operator.
struct RowPattern {
  std::vector<OperandTypes> inputs, outputs;
  int attribute_variable = -1;
};

bool AcceptsCount(const std::vector<OperandTypes>& operands, size_t count) {
  const auto is_list = [](const OperandTypes& operand) { return operand.list; };
  const bool has_list = std::any_of(operands.begin(), operands.end(), is_list);
  return has_list ? count + 1 >= operands.size() : count == operands.size();
}

// `types` are as many as AcceptsCount() allows.
bool Matches(const std::vector<OperandTypes>& operands, const TypeRow& row,
             std::span<const DType> types) {
  size_t next = 0;
  for (const OperandTypes& operand : operands) {
    const size_t count = operand.list ? types.size() + 1 - operands.size() : 1;
    const TypeSet allowed = operand.type_variable >= 0
                                ? SetOf(row.types[static_cast<size_t>(operand.type_variable)])
                                : operand.types;
    for (size_t i = 0; i < count; ++i) {
      const DType type = types[next++];
      if (allowed != kAnyType && (allowed & SetOf(type)) == 0) return false;
    }
  }
  return true;
}

// The type variable that an attribute binds, or -1: acc_type binds acc_t, and VARIABLE's type its
// only one.
int AttributeVariable(const OperatorRow& row) {
  if (row.op == Op::kVariable) return 0;
  if (FindAttribute(row.op, AttributeId::kAccType) == nullptr) return -1;
  for (size_t i = 0; i < row.type_variables.size(); ++i) {
    if (row.type_variables[i] == "acc_t") return static_cast<int>(i);
  }
  return -1;
}

const RowPattern& PatternOf(Op op) {
  static const std::vector<RowPattern> patterns = [] {
    std::vector<RowPattern> all(AllOperators().size());
    for (size_t i = 0; i < all.size(); ++i) {
      const OperatorRow& row = AllOperators()[i];
      for (const ArgumentRow& argument : row.arguments) {
        if (argument.direction == Direction::kAttribute) continue;
        (argument.direction == Direction::kInput ? all[i].inputs : all[i].outputs)
            .push_back({argument.type_variable, TypesOf(argument), argument.list});
      }
      all[i].attribute_variable = AttributeVariable(row);
    }
    return all;
  }();
  return patterns[NumberOf(op)];
}

}  // namespace

bool IsSupported(const TypeRow& row, Requirements features) {
  for (Requirements alternative : row.any_of) {
    if (features.ContainsAll(alternative)) return true;
  }
  return false;
}

const OperatorRow& RowOf(Op op) { return AllOperators()[NumberOf(op)]; }

const ArgumentRow* FindAttribute(Op op, AttributeId attribute) {
  for (const ArgumentRow& argument : RowOf(op).arguments) {
    if (argument.attribute == attribute) return &argument;
  }
  return nullptr;
}

bool AcceptsCounts(Op op, size_t inputs, size_t outputs) {
  const RowPattern& pattern = PatternOf(op);
  return AcceptsCount(pattern.inputs, inputs) && AcceptsCount(pattern.outputs, outputs);
}

int FindTypeRow(Op op, std::span<const DType> inputs, std::span<const DType> outputs,
                DType attribute_type) {
  const RowPattern& pattern = PatternOf(op);
  if (!AcceptsCount(pattern.inputs, inputs.size()) ||
      !AcceptsCount(pattern.outputs, outputs.size())) {
    return -1;
  }
  const std::span<const TypeRow> rows = RowOf(op).type_rows;
  // Nearly all rows differ in the first operand already.
  const int first = pattern.inputs.empty() ? -1 : pattern.inputs[0].type_variable;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (first >= 0 && !inputs.empty() && rows[i].types[static_cast<size_t>(first)] != inputs[0]) {
      continue;
    }
    if (pattern.attribute_variable >= 0 &&
        rows[i].types[static_cast<size_t>(pattern.attribute_variable)] != attribute_type) {
      continue;
    }
    if (Matches(pattern.inputs, rows[i], inputs) && Matches(pattern.outputs, rows[i], outputs)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

DType TypeOf(Op op, int type_row, std::string_view type_variable) {
  const OperatorRow& row = RowOf(op);
  Check(type_row >= 0 && static_cast<size_t>(type_row) < row.type_rows.size(), "type row");
  for (size_t i = 0; i < row.type_variables.size(); ++i) {
    if (row.type_variables[i] == type_variable) {
      return row.type_rows[static_cast<size_t>(type_row)].types[i];
    }
  }
  return DType::kUnknown;
}

ResizeMode ResizeModeOf(int type_row) {
  const std::span<const TypeRow> rows = RowOf(Op::kResize).type_rows;
  Check(type_row >= 0 && static_cast<size_t>(type_row) < rows.size(), "type row of RESIZE");
  const std::string_view mode = rows[static_cast<size_t>(type_row)].mode;
  if (mode.ends_with(", nearest")) return ResizeMode::kNearest;
  if (mode.ends_with(", bilinear")) return ResizeMode::kBilinear;
  return ResizeMode::kUnknown;
}

}  // namespace assay
