// SPDX-License-Identifier: Apache-2.0
#include "vary_number.h"

#include <algorithm>
#include <utility>

#include "check_graph.h"
#include "executor.h"
#include "operand_forms.h"

namespace assay {
namespace {

// Returns the index of the CONST that gives an operand of one integer; nothing if there is none.
std::optional<size_t> NumberConstant(const TestVector& vector, int operand) {
  const auto op = OnlyOperator(vector);
  if (!op) return std::nullopt;
  const Block& main = *vector.graphs[0].Main();
  const std::vector<TensorIndex>& inputs = main.operators[static_cast<size_t>(*op)].inputs;
  if (operand >= std::ssize(inputs)) return std::nullopt;
  const Operator* producer = main.ProducerOf(inputs[static_cast<size_t>(operand)]);
  if (producer == nullptr || producer->op != Op::kConst) return std::nullopt;
  const Tensor& values = producer->attributes.Value(AttributeId::kValues);
  if (values.elements() != 1 || IsFloat(values.type())) return std::nullopt;
  return static_cast<size_t>(producer - main.operators.data());
}

// Returns the operator that has the number: its constant, or the operator itself.
std::optional<size_t> OwnerOf(const TestVector& vector, const Quantity& quantity) {
  if (quantity.kind == Quantity::Kind::kConstant) return NumberConstant(vector, quantity.operand);
  const auto op = OnlyOperator(vector);
  return op ? std::optional(static_cast<size_t>(*op)) : std::nullopt;
}

bool IsValid(const TestVector& vector) {
  if (!CheckVector(vector).empty()) return false;
  return std::ranges::all_of(ExecuteVector(vector, {}), [](const Outcome& outcome) {
    return outcome.kind == OutcomeKind::kValid;
  });
}

// Sets the number that the owner has. Returns false if its type does not have the value.
bool SetNumber(TestVector& vector, size_t owner, const Quantity& quantity, int64_t number) {
  Operator& op = vector.graphs[0].Main()->operators[owner];
  Attributes& attributes = op.attributes;
  if (quantity.kind == Quantity::Kind::kConstant) {
    const TensorType type = attributes.Value(AttributeId::kValues).tensor_type();
    const Tensor value = Tensor::FromIntegers(type.type, type.shape, {{number}});
    attributes.Set(AttributeId::kValues, value);
    return value.Integer(0) == number;
  }
  if (NumberByName(op.op, quantity, "true")) {
    attributes.Set(quantity.attribute, number != 0);
  } else {
    attributes.Set(quantity.attribute, static_cast<int32_t>(number));
  }
  return true;
}

void ChangeNumber(TestVector& vector, const Quantity& quantity, int64_t number) {
  if (NumberIn(vector, quantity) == number) return;
  if (auto changed = WithNumber(vector, quantity, number)) vector = std::move(*changed);
}

}  // namespace

std::vector<Quantity> VariedQuantities(Op op) {
  std::vector<Quantity> varied;
  for (const Quantity& quantity : QuantitiesOf(op)) {
    if (quantity.kind == Quantity::Kind::kConstant) varied.push_back(quantity);
    if (quantity.kind != Quantity::Kind::kAttribute) continue;
    const AttributeId id = quantity.attribute;
    if (id == AttributeId::kAccType || id == AttributeId::kType) continue;  // part of the row
    // Numbers without names have no values that all operators could have.
    const bool has_names = NumberByName(op, quantity, "true") || NumberText(op, quantity, 1) != "1";
    if (has_names) varied.push_back(quantity);
  }
  return varied;
}

std::optional<int64_t> NumberIn(const TestVector& vector, const Quantity& quantity) {
  const auto owner = OwnerOf(vector, quantity);
  if (!owner) return std::nullopt;
  const Block& main = *vector.graphs[0].Main();
  const Operator& op = main.operators[*owner];
  if (IsConstant(op.op)) return op.attributes.Value(AttributeId::kValues).Integer(0);
  const auto numbers = Measure(main, op, quantity);
  return numbers && numbers->size() == 1 ? std::optional((*numbers)[0]) : std::nullopt;
}

std::pair<int64_t, int64_t> BoundsOf(const TestVector& vector, const Quantity& quantity) {
  if (quantity.kind == Quantity::Kind::kAttribute) return {0, INT32_MAX};
  const Operator& constant = vector.graphs[0].Main()->operators[*OwnerOf(vector, quantity)];
  const DType type = constant.attributes.Value(AttributeId::kValues).type();
  return {MinimumInteger(type), MaximumInteger(type)};
}

std::optional<TestVector> WithNumber(const TestVector& vector, const Quantity& quantity,
                                     int64_t number) {
  const auto owner = OwnerOf(vector, quantity);
  if (!owner) return std::nullopt;
  TestVector changed = vector;
  if (!SetNumber(changed, *owner, quantity, number)) return std::nullopt;
  if (IsValid(changed)) return changed;
  for (Tensor& input : changed.steps[0].inputs) {
    input = Tensor::Splat(input.type(), input.shape(), 0);
  }
  return IsValid(changed) ? std::optional(std::move(changed)) : std::nullopt;
}

TestVector LikeBase(TestVector vector, const TestVector& base, const std::optional<Quantity>& but) {
  const auto index = OnlyOperator(base);
  if (!index || !OnlyOperator(vector)) return vector;
  const Operator& op = base.graphs[0].Main()->operators[static_cast<size_t>(*index)];
  for (const Quantity& quantity : VariedQuantities(op.op)) {
    const auto wanted = NumberIn(base, quantity);
    if (quantity == but) continue;
    if (wanted) {
      ChangeNumber(vector, quantity, *wanted);
    } else if (quantity.kind == Quantity::Kind::kAttribute && NumberIn(vector, quantity)) {
      vector.graphs[0].Main()->operators[*OwnerOf(vector, quantity)].attributes.Remove(
          quantity.attribute);  // it may be absent
    }
  }
  for (int position = 0; position < std::ssize(op.inputs); ++position) {
    if (IsInput(base, *index, position)) {
      MakeInput(vector, position);
    } else {
      MakeConstant(vector, position);
    }
  }
  return vector;
}

TestVector WithZeros(TestVector vector) {
  const auto index = OnlyOperator(vector);
  if (!index) return vector;
  const Op op = vector.graphs[0].Main()->operators[static_cast<size_t>(*index)].op;
  for (const Quantity& quantity : VariedQuantities(op)) {
    if (quantity.kind == Quantity::Kind::kConstant) ChangeNumber(vector, quantity, 0);
  }
  return vector;
}

}  // namespace assay
