// SPDX-License-Identifier: Apache-2.0
#include "operator_table.h"

#include <algorithm>
#include <vector>

#include "check.h"
#include "enum_names.h"
#include "operator_versions.h"

namespace assay {
namespace {

// Returns the position in AllOperators(): operators are numbered from 1, in the order of the
// specification.
size_t NumberOf(Op op) {
  const auto number = static_cast<size_t>(op);
  Check(number >= 1 && number <= AllOperators().size(), "operator of TOSA 1.0");
  return number - 1;
}

// A set of types, with one bit per DType.
using TypeSet = uint32_t;
constexpr TypeSet kAnyType = ~TypeSet{0};
constexpr TypeSet SetOf(DType type) {
  const auto number = static_cast<uint32_t>(type);
  return number < 32 ? TypeSet{1} << number : 0;
}

bool Admits(TypeSet set, DType type) { return set == kAnyType || (set & SetOf(type)) != 0; }

// Returns the types that a type row allows for an argument.
TypeSet TypesOf(const TypeRow& types, const ArgumentRow& argument) {
  if (argument.type_variable) return SetOf(types.types[*argument.type_variable]);
  if (argument.fixed != DType::kUnknown) return SetOf(argument.fixed);
  if (argument.element == "mul_t") return SetOf(DType::kInt16) | SetOf(DType::kInt32);
  return kAnyType;
}

// The operands of one direction, and how many there may be.
struct OperandList {
  std::vector<const ArgumentRow*> operands;
  bool has_list = false;
  bool AcceptsCount(size_t count) const {
    return has_list ? count + 1 >= operands.size() : count == operands.size();
  }
};

// The facts about an operator's row that are needed to find a type row, computed once per operator.
struct RowPattern {
  OperandList inputs, outputs;
  std::optional<size_t> attribute_variable;
  // The types that each type row allows for each input, then each output, row after row. (All
  // members of a list are one operand.)
  std::vector<TypeSet> allowed;
  std::vector<DType> outputs_of_rows;  // the types of the outputs, row after row
};

// Returns true if `types` match. Their number must be one that AcceptsCount() accepts; `allowed`
// has one set per operand.
bool Matches(const OperandList& list, const TypeSet* allowed, std::span<const DType> types) {
  if (!list.has_list) {
    return std::ranges::equal(types, std::span(allowed, types.size()),
                              [](DType type, TypeSet set) { return Admits(set, type); });
  }
  size_t next = 0;
  for (size_t k = 0; k < list.operands.size(); ++k) {
    const size_t count = list.operands[k]->list ? types.size() + 1 - list.operands.size() : 1;
    for (size_t i = 0; i < count; ++i) {
      if (!Admits(allowed[k], types[next++])) return false;
    }
  }
  return true;
}

// Returns the type variable that an attribute binds, if one does. acc_type binds acc_t, and
// VARIABLE's type binds its only variable.
std::optional<size_t> AttributeVariable(const OperatorRow& row) {
  if (row.op == Op::kVariable) return 0;
  if (FindAttribute(row.op, AttributeId::kAccType) == nullptr) return std::nullopt;
  for (size_t i = 0; i < row.type_variables.size(); ++i) {
    if (row.type_variables[i] == "acc_t") return i;
  }
  return std::nullopt;
}

const RowPattern& PatternOf(Op op) {
  static const std::vector<RowPattern> patterns = [] {
    std::vector<RowPattern> all(AllOperators().size());
    for (size_t i = 0; i < all.size(); ++i) {
      const OperatorRow& row = AllOperators()[i];
      for (const ArgumentRow& argument : row.arguments) {
        if (argument.direction == Direction::kAttribute) continue;
        OperandList& list =
            argument.direction == Direction::kInput ? all[i].inputs : all[i].outputs;
        list.operands.push_back(&argument);
        list.has_list = list.has_list || argument.list;
      }
      all[i].attribute_variable = AttributeVariable(row);
      for (const TypeRow& types : row.type_rows) {
        for (const OperandList* list : {&all[i].inputs, &all[i].outputs}) {
          for (const ArgumentRow* operand : list->operands) {
            all[i].allowed.push_back(TypesOf(types, *operand));
          }
        }
        for (const ArgumentRow& argument : row.arguments) {
          if (argument.direction != Direction::kOutput) continue;
          all[i].outputs_of_rows.push_back(TypeIn(types, argument));
        }
      }
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
const OperatorVersions& VersionsOf(Op op) { return AllOperatorVersions()[NumberOf(op)]; }

const ArgumentRow* FindAttribute(Op op, AttributeId attribute) {
  return FindRow(RowOf(op).arguments, &ArgumentRow::attribute, attribute);
}

bool AcceptsCounts(Op op, size_t inputs, size_t outputs) {
  const RowPattern& pattern = PatternOf(op);
  return pattern.inputs.AcceptsCount(inputs) && pattern.outputs.AcceptsCount(outputs);
}

std::optional<int> FindTypeRow(Op op, std::span<const DType> inputs, std::span<const DType> outputs,
                               DType attribute_type) {
  const RowPattern& pattern = PatternOf(op);
  if (!pattern.inputs.AcceptsCount(inputs.size()) ||
      !pattern.outputs.AcceptsCount(outputs.size())) {
    return std::nullopt;
  }
  const std::span<const TypeRow> rows = RowOf(op).type_rows;
  const size_t first_output = pattern.inputs.operands.size();
  const size_t step = first_output + pattern.outputs.operands.size();
  const TypeSet* allowed = pattern.allowed.data();
  for (size_t i = 0; i < rows.size(); ++i, allowed += step) {
    if (pattern.attribute_variable &&
        rows[i].types[*pattern.attribute_variable] != attribute_type) {
      continue;
    }
    if (Matches(pattern.inputs, allowed, inputs) &&
        Matches(pattern.outputs, allowed + first_output, outputs)) {
      return static_cast<int>(i);
    }
  }
  return std::nullopt;
}

std::span<const DType> OutputTypes(Op op, int type_row) {
  const RowPattern& pattern = PatternOf(op);
  const size_t count = pattern.outputs.operands.size();
  const size_t first = static_cast<size_t>(type_row) * count;
  Check(type_row >= 0 && first + count <= pattern.outputs_of_rows.size(), "type row");
  return std::span(pattern.outputs_of_rows).subspan(first, count);
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
