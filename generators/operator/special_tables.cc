// SPDX-License-Identifier: Apache-2.0
#include "special_tables.h"

#include <array>
#include <limits>
#include <vector>

#include "float_format.h"
#include "operator_set.h"
#include "operator_table.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The columns of the tables.
constexpr std::array<double, 5> kEntries = {-kInfinity, kInfinity, -0.0, 0.0, kNan};

DType InputType(Op op, int type_row) {
  const OperatorRow& row = RowOf(op);
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction != Direction::kInput || !argument.type_variable) continue;
    return TypeIn(row.type_rows[static_cast<size_t>(type_row)], argument);
  }
  return DType::kUnknown;
}

// Returns the entries and the bounds of the type's numbers. Infinities become NaN if the type has
// none.
std::vector<double> ListOf(DType type) {
  const FloatFormat& format = FormatOf(type);
  std::vector<double> list(kEntries.begin(), kEntries.end());
  for (const double x : {1.0, format.normal_min, format.max}) {
    list.push_back(x);
    list.push_back(-x);
  }
  return list;
}

// Rows of elements: NaN nowhere, in each place, everywhere; zeros of both signs; infinities.
constexpr std::array<double, 27> kRowElements = {
    1,    2,   3,    kNan, 1,          2,          1,         kNan, 2,     //
    1,    2,   kNan, kNan, 1,          kNan,       kNan,      kNan, kNan,  //
    -0.0, 0.0, -0.0, kNan, -kInfinity, -kInfinity, kInfinity, kNan, kInfinity};
constexpr int32_t kRowCount = 9;

void AddOperands(GraphBuilder& builder, DType type, ops::Specials layout, Operator& op) {
  const std::vector<double> list = ListOf(type);
  const auto count = static_cast<int32_t>(list.size());
  const auto input = [&](Shape shape, std::span<const double> elements) {
    op.inputs.push_back(builder.AddInput(Tensor::FromFloats(type, shape, elements)));
  };
  if (layout == ops::Specials::kList) input({count}, list);
  if (layout == ops::Specials::kPairs) {
    input({count, 1}, list);
    input({1, count}, list);
  }
  if (layout != ops::Specials::kRows) return;
  const bool window = op.op == Op::kMaxPool2d;
  input(window ? Shape{1, kRowCount, 3, 1} : Shape{kRowCount, 3}, kRowElements);
}

// Bounds of CLAMP: one table for each pair. Both may be the same infinity. A compiler that treats
// the absence of finite bounds as the absence of bounds drops the operator.
struct ClampBounds {
  double low, high;
  std::string_view title;
};
constexpr std::array<ClampBounds, 4> kClampBounds = {{{-1, 1, ""},
                                                      {-kInfinity, kInfinity, "-unbounded"},
                                                      {-kInfinity, -kInfinity, "-all-lowest"},
                                                      {kInfinity, kInfinity, "-all-highest"}}};

// Adds the rest of the Arguments table: zero points, MUL's shift, attributes.
void AddTheRest(GraphBuilder& builder, DType type, const ClampBounds& bounds, Operator& op) {
  if (op.op == Op::kNegate) {
    for (int i = 0; i < 2; ++i) {
      op.inputs.push_back(builder.AddConstant(Tensor::Splat(type, {1}, 0)));
    }
  }
  if (op.op == Op::kMul) {
    op.inputs.push_back(builder.AddConstant(Tensor::Splat(DType::kInt8, {1}, 0)));
  }
  if (op.op == Op::kClamp) {
    op.attributes.Set(AttributeId::kMinVal, Filled({type, {}}, bounds.low));
    op.attributes.Set(AttributeId::kMaxVal, Filled({type, {}}, bounds.high));
  }
  if (op.op == Op::kMaxPool2d) {
    op.attributes.Set(AttributeId::kKernel, std::vector<int32_t>{1, 3});
    op.attributes.Set(AttributeId::kStride, std::vector<int32_t>{1, 1});
    op.attributes.Set(AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0});
  } else if (ops::DefinitionOf(op.op).traits.specials == ops::Specials::kRows) {
    op.attributes.Set(AttributeId::kAxis, 1);
  }
}

bool HasNanMode(Op op) { return FindAttribute(op, AttributeId::kNanMode) != nullptr; }

NanMode ModeOf(int table) { return table % 2 == 0 ? NanMode::kPropagate : NanMode::kIgnore; }

const ClampBounds& BoundsOf(int table) { return kClampBounds[static_cast<size_t>(table / 2)]; }

}  // namespace

int SpecialTableCount(Op op, int type_row) {
  if (ops::DefinitionOf(op).traits.specials == ops::Specials::kNone) return 0;
  const DType type = InputType(op, type_row);
  if (!IsFloat(type)) return 0;
  if (op == Op::kClamp && FormatOf(type).has_infinity)
    return 2 * static_cast<int>(kClampBounds.size());
  return HasNanMode(op) ? 2 : 1;
}

std::string SpecialTableTitle(Op op, int table) {
  std::string title = "special-table";
  if (!HasNanMode(op)) return title;
  title += ModeOf(table) == NanMode::kPropagate ? "-propagate" : "-ignore";
  return title + std::string(BoundsOf(table).title);
}

MaybeValue AddSpecialTable(GraphBuilder& builder, Op op, int type_row, int table) {
  const DType type = InputType(op, type_row);
  Operator made;
  made.op = op;
  AddOperands(builder, type, ops::DefinitionOf(op).traits.specials, made);
  AddTheRest(builder, type, BoundsOf(table), made);
  if (HasNanMode(op)) {
    made.attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(ModeOf(table)));
  }
  return builder.Add(std::move(made), OutputTypes(op, type_row));
}

}  // namespace assay
