#include "operator_table.h"

#include "check.h"

namespace assay {
namespace {

// How many operands of a list argument there are, given all operands of its direction. Negative:
// too few even for an empty list.
int ListLength(const OperatorRow& row, Direction direction, size_t operands) {
  int others = 0;
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction == direction && !argument.list) ++others;
  }
  return static_cast<int>(operands) - others;
}

bool HasList(const OperatorRow& row, Direction direction) {
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction == direction && argument.list) return true;
  }
  return false;
}

bool AcceptsCount(const OperatorRow& row, Direction direction, size_t operands) {
  const int length = ListLength(row, direction, operands);
  return HasList(row, direction) ? length >= 0 : length == 0;
}

bool Matches(const ArgumentRow& argument, const TypeRow& row, DType type) {
  if (argument.type_variable >= 0) {
    return row.types[static_cast<size_t>(argument.type_variable)] == type;
  }
  if (argument.fixed != DType::kUnknown) return argument.fixed == type;
  if (argument.element == "mul_t") return type == DType::kInt16 || type == DType::kInt32;
  return true;
}

bool Matches(const OperatorRow& row, const TypeRow& types, Direction direction,
             std::span<const DType> operands) {
  size_t next = 0;
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction != direction) continue;
    const int count = argument.list ? ListLength(row, direction, operands.size()) : 1;
    for (int i = 0; i < count; ++i) {
      if (!Matches(argument, types, operands[next++])) return false;
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

}  // namespace

bool IsSupported(const TypeRow& row, Requirements features) {
  for (Requirements alternative : row.any_of) {
    if (features.ContainsAll(alternative)) return true;
  }
  return false;
}

const OperatorRow& RowOf(Op op) {
  // Operators are numbered in the order of the specification, from 1.
  const size_t number = static_cast<size_t>(op);
  Check(number >= 1 && number <= AllOperators().size(), "operator of TOSA 1.0");
  return AllOperators()[number - 1];
}

const ArgumentRow* FindAttribute(Op op, AttributeId attribute) {
  for (const ArgumentRow& argument : RowOf(op).arguments) {
    if (argument.attribute == attribute) return &argument;
  }
  return nullptr;
}

bool AcceptsCounts(Op op, size_t inputs, size_t outputs) {
  const OperatorRow& row = RowOf(op);
  return AcceptsCount(row, Direction::kInput, inputs) &&
         AcceptsCount(row, Direction::kOutput, outputs);
}

int FindTypeRow(Op op, std::span<const DType> inputs, std::span<const DType> outputs,
                DType attribute_type) {
  if (!AcceptsCounts(op, inputs.size(), outputs.size())) return -1;
  const OperatorRow& row = RowOf(op);
  const int attribute_variable = AttributeVariable(row);
  for (size_t i = 0; i < row.type_rows.size(); ++i) {
    const TypeRow& types = row.type_rows[i];
    if (attribute_variable >= 0 &&
        types.types[static_cast<size_t>(attribute_variable)] != attribute_type) {
      continue;
    }
    if (Matches(row, types, Direction::kInput, inputs) &&
        Matches(row, types, Direction::kOutput, outputs)) {
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
