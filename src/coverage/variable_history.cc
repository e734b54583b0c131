// SPDX-License-Identifier: Apache-2.0
#include "variable_history.h"

namespace assay {
namespace {

const StateRules& RulesOf(const TestVector& vector) {
  const StateRules* rules = StateRulesByName(vector.semantics);
  return rules != nullptr ? *rules : AllStateRules()[0];
}

VariableState StateOf(const VariableStatus& status) {
  if (status.type == nullptr) return VariableState::kAbsent;
  if (status.written) return status.seen ? VariableState::kFullSeen : VariableState::kFull;
  return status.seen ? VariableState::kEmptySeen : VariableState::kEmpty;
}

TensorType DeclaredType(const Operator& op) {
  return {op.attributes.type(AttributeId::kType),
          Shape(op.attributes.Ints(AttributeId::kVarShape))};
}

// Returns one of three events: correct, of another shape, or of another type.
VariableEvent Matching(const TensorType& type, const TensorType& expected, VariableEvent right,
                       VariableEvent bad_shape, VariableEvent bad_type) {
  if (type.shape != expected.shape) return bad_shape;
  return type.type != expected.type ? bad_type : right;
}

VariableEvent Declaration(const Operator& op, const TensorType& known) {
  const TensorType type = DeclaredType(op);
  if (type != known) return VariableEvent::kDeclareOther;
  if (!op.attributes.Has(AttributeId::kInitialValue)) return VariableEvent::kDeclare;
  const TensorType value = op.attributes.Value(AttributeId::kInitialValue).tensor_type();
  if (value.type != type.type) return VariableEvent::kDeclareBadType;
  return value.shape != type.shape ? VariableEvent::kDeclareBadShape
                                   : VariableEvent::kDeclareWithValue;
}

}  // namespace

VariableHistory::VariableHistory(const TestVector& vector)
    : rules_(RulesOf(vector)), table_(TableOf(rules_)) {
  for (const auto& [block, op] : vector.Operators()) {
    if (!IsVariableOperator(op.op) || !op.attributes.Has(AttributeId::kName)) continue;
    auto& type = types_[VariableKey(rules_, op.attributes.Text(AttributeId::kName))];
    if (op.op == Op::kVariable && op.attributes.Has(AttributeId::kVarShape) && !type) {
      type = DeclaredType(op);
    }
  }
}

void VariableHistory::Begins(const Trace::StatusLookup& status_of) {
  for (const auto& [key, type] : types_) {
    Append(key, {StateOf(status_of(key)), VariableEvent::kExecute});
  }
}

void VariableHistory::Touches(const VariableTouch& touch) {
  Append(std::string(touch.key), {StateOf(touch.before), EventOf(touch)});
}

VariableEvent VariableHistory::EventOf(const VariableTouch& touch) const {
  using enum VariableEvent;
  const Operator& op = touch.op;
  const auto declared = types_.find(std::string(touch.key));
  const TensorType* known = touch.before.type;
  if (known == nullptr && declared != types_.end() && declared->second && op.op != Op::kVariable) {
    known = &*declared->second;
  }
  if (op.op == Op::kVariable) return Declaration(op, known != nullptr ? *known : DeclaredType(op));
  const bool reads = op.op == Op::kVariableRead;
  const TensorType& type = touch.block.TypeOf(reads ? op.outputs[0] : op.inputs[0]);
  if (known == nullptr) return reads ? kRead : kWrite;
  return reads ? Matching(type, *known, kRead, kReadBadShape, kReadBadType)
               : Matching(type, *known, kWrite, kWriteBadShape, kWriteBadType);
}

void VariableHistory::Append(const std::string& key, const VariableStep& step) {
  if (broken_) return;
  steps_.push_back(step);
  const auto [last, first_time] = last_.try_emplace({context_, key}, step);
  if (!first_time) {
    pairs_.emplace_back(last->second, step);
    last->second = step;
  }
  const VariableTable::Entry& entry = table_.At(step.state, step.event);
  broken_ = entry.has_value() && entry->rule != nullptr;
}

}  // namespace assay
