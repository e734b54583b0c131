// SPDX-License-Identifier: Apache-2.0
#include "expander.h"

#include "operator_set.h"

namespace assay {
namespace {

// Returns true if every value of type `from` is a value of type `to`, which takes more bytes.
bool Widens(DType from, DType to) {
  if (ElementBytes(to) <= ElementBytes(from)) return false;
  if (IsFloat(from)) return to == DType::kFp32 || (ElementBytes(from) == 1 && IsFloat(to));
  return IsInteger(from) && IsInteger(to);
}

}  // namespace

bool IsElementWise(const Operator& op) {
  if (op.op == Op::kRescale && op.attributes.Flag(AttributeId::kPerChannel)) return false;
  return ops::DefinitionOf(op.op).traits.element_wise != ops::ElementWise::kNo;
}

bool OnlyChooses(const Operator& op, DType type) {
  switch (ops::DefinitionOf(op.op).traits.results) {
    case ops::ResultOrigin::kChosen:
    case ops::ResultOrigin::kCompared:
      return true;
    case ops::ResultOrigin::kResigned:
    case ops::ResultOrigin::kRounded:
      return IsFloat(type);
    case ops::ResultOrigin::kPassed:
    case ops::ResultOrigin::kCalculated:
      break;
  }
  return false;
}

std::optional<ExpanderKind> ExpanderKindOf(const Block& block, const Operator& op) {
  switch (op.op) {
    case Op::kTile:
      return ExpanderKind::kTile;
    case Op::kPad:
      return ExpanderKind::kPad;
    case Op::kConcat:
      return ExpanderKind::kConcat;
    case Op::kGather:
      return ExpanderKind::kGather;
    case Op::kResize:
      if (static_cast<ResizeMode>(op.attributes.Int(AttributeId::kMode)) != ResizeMode::kNearest) {
        return std::nullopt;
      }
      return ExpanderKind::kResizeNearest;
    case Op::kCast:
      if (!Widens(block.TypeOf(op.inputs[0]).type, block.TypeOf(op.outputs[0]).type)) {
        return std::nullopt;
      }
      return ExpanderKind::kWideningCast;
    default:
      return std::nullopt;
  }
}

size_t ExpandedOperands(const Operator& op) { return op.op == Op::kConcat ? op.inputs.size() : 1; }

std::vector<bool> TouchedAxes(ExpanderKind kind, const Operator& op, const Shape& from,
                              const Shape& to) {
  std::vector<bool> touched(static_cast<size_t>(to.rank()), false);
  switch (kind) {
    case ExpanderKind::kConcat:
      touched[static_cast<size_t>(op.attributes.Int(AttributeId::kAxis))] = true;
      break;
    case ExpanderKind::kGather:
      touched[1] = true;
      break;
    case ExpanderKind::kResizeNearest:
      touched[1] = touched[2] = true;
      break;
    default:
      for (int axis = 0; axis < to.rank(); ++axis) {
        touched[static_cast<size_t>(axis)] = to[axis] != from[axis];
      }
  }
  return touched;
}

}  // namespace assay
