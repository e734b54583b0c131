#include "expander.h"

#include <string_view>

#include "operator_table.h"

namespace assay {
namespace {

// Whether every value of one type is one of the other, which takes more bytes.
bool Widens(DType from, DType to) {
  if (ElementBytes(to) <= ElementBytes(from)) return false;
  if (IsFloat(from)) return to == DType::kFp32 || (ElementBytes(from) == 1 && IsFloat(to));
  return IsInteger(from) && IsInteger(to);
}

}  // namespace

bool IsElementWise(const Operator& op) {
  if (op.op == Op::kRescale) return !op.attributes.Flag(AttributeId::kPerChannel);
  if (op.op == Op::kCast || op.op == Op::kIdentity) return true;
  const std::string_view category = RowOf(op.op).category;
  return category == "activation" || category == "comparison" ||
         category.starts_with("elementwise-");
}

bool IsComparison(Op op) { return RowOf(op).category == "comparison"; }

bool OnlyChooses(const Operator& op, DType type) {
  switch (op.op) {
    case Op::kSelect:
    case Op::kMaximum:
    case Op::kMinimum:
    case Op::kClamp:
    case Op::kEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
      return true;
    case Op::kAbs:
    case Op::kNegate:
    case Op::kCeil:
    case Op::kFloor:
      return IsFloat(type);
    default:
      return false;
  }
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
