// SPDX-License-Identifier: Apache-2.0
#include "argument_classes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "check.h"
#include "enum_names.h"
#include "float_format.h"

namespace assay {
namespace {

using Names = std::vector<std::string_view>;
using Numbers = std::vector<int64_t>;

// The kind of an argument, which determines the classes of its numbers.
enum class Kind : uint8_t {
  kNone,
  kFlag,        // bool_t
  kEnumerator,  // modes
  kAxis,
  kWindow,    // kernel, stride, dilation: a number for each spatial axis
  kPadding,   // of convolutions: a pair for each spatial axis
  kPoolPad,   // of pools: less than the kernel, so that no level limits it
  kOutPad,    // the same, may be negative
  kPerms,     // a permutation
  kClampMin,  // bounds
  kClampMax,
  kInitialValue,
  kZeroPoint,
  kShiftAmount,  // MUL, RESCALE
  kMultiplier,
  kPadPairs,  // PAD: a pair for each axis
  kPadValue,
  kNewShape,
  kStart,
  kSize,
  kMultiples,
  kScale,   // RESIZE: y_n, y_d, x_n, x_d
  kSigned,  // RESIZE: offset, border
};

Kind KindOfAttribute(Op op, const ArgumentRow& argument) {
  if (argument.type == "bool_t") return Kind::kFlag;
  if (!EnumeratorNames(*argument.attribute).empty()) return Kind::kEnumerator;
  switch (*argument.attribute) {
    case AttributeId::kAxis:
      return Kind::kAxis;
    case AttributeId::kKernel:
    case AttributeId::kStride:
    case AttributeId::kDilation:
      return Kind::kWindow;
    case AttributeId::kPad:
      return op == Op::kAvgPool2d || op == Op::kMaxPool2d ? Kind::kPoolPad : Kind::kPadding;
    case AttributeId::kOutPad:
      return Kind::kOutPad;
    case AttributeId::kPerms:
      return Kind::kPerms;
    case AttributeId::kMinVal:
      return Kind::kClampMin;
    case AttributeId::kMaxVal:
      return Kind::kClampMax;
    case AttributeId::kInitialValue:
      return Kind::kInitialValue;
    default:
      return Kind::kNone;
  }
}

Kind KindOf(Op op, const ArgumentRow& argument) {
  if (argument.direction == Direction::kAttribute) return KindOfAttribute(op, argument);
  if (argument.direction != Direction::kInput || !argument.compile_time_constant) {
    return Kind::kNone;
  }
  const std::string_view name = argument.name;
  if (name.ends_with("_zp")) return Kind::kZeroPoint;
  constexpr std::pair<std::string_view, Kind> kByName[] = {
      {"shift", Kind::kShiftAmount}, {"multiplier", Kind::kMultiplier},
      {"padding", Kind::kPadPairs},  {"pad_const", Kind::kPadValue},
      {"shape", Kind::kNewShape},    {"start", Kind::kStart},
      {"size", Kind::kSize},         {"multiples", Kind::kMultiples},
      {"scale", Kind::kScale},       {"offset", Kind::kSigned},
      {"border", Kind::kSigned},
  };
  const auto* known = FindRow(kByName, &std::pair<std::string_view, Kind>::first, name);
  return known == nullptr ? Kind::kNone : known->second;
}

// Return the greatest and the least shift. MUL has them from a REQUIRE, RESCALE from
// apply_scale_32.
int64_t ShiftLimit(Op op) { return op == Op::kMul ? 63 : 62; }
int64_t ShiftLeast(Op op) { return op == Op::kMul ? 0 : 2; }

bool AllAre(const Numbers& numbers, int64_t value) {
  return std::all_of(numbers.begin(), numbers.end(), [&](int64_t x) { return x == value; });
}

bool AnyIs(const Numbers& numbers, int64_t value) {
  return std::find(numbers.begin(), numbers.end(), value) != numbers.end();
}

// Collects the names of conditions that hold.
class Met {
 public:
  Met& If(bool holds, std::string_view name) {
    if (holds) names_.push_back(name);
    return *this;
  }
  Names names() { return std::move(names_); }

 private:
  Names names_;
};

// Returns the sides of the kernel that a convolution's dilation stretches, which are those of its
// weight; nothing for other operators.
Numbers KernelSides(const ExecutedOperator& executed) {
  const Op op = executed.op.op;
  if (op != Op::kConv2d && op != Op::kConv3d && op != Op::kDepthwiseConv2d) return {};
  const Shape& weight = executed.inputs[1]->type.shape;
  const int first = op == Op::kDepthwiseConv2d ? 0 : 1;
  const int last = op == Op::kConv3d ? 4 : first + 2;
  Numbers sides;
  for (int axis = first; axis < last; ++axis) sides.push_back(weight[axis]);
  return sides;
}

Names WindowMet(const ExecutedOperator& executed, AttributeId id, const Numbers& numbers,
                const Level& level) {
  bool at_limit = AnyIs(numbers, id == AttributeId::kStride ? level.max_stride : level.max_kernel);
  if (id == AttributeId::kDilation) {
    const Numbers sides = KernelSides(executed);
    at_limit = false;
    for (size_t i = 0; i < sides.size(); ++i) {
      at_limit |= numbers[i] > 1 && numbers[i] * sides[i] == level.max_kernel;
    }
  }
  return Met()
      .If(AllAre(numbers, 1), "1")
      .If(!AllAre(numbers, 1), "more")
      .If(!AllAre(numbers, numbers[0]), "differs by axis")
      .If(at_limit, "limit of the level")
      .names();
}

// Returns the classes of pairs (before, after), one for each axis.
Names PairsMet(const Numbers& numbers, int64_t limit) {
  bool before = false, after = false, uneven = false;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
    before |= numbers[i] > 0;
    after |= numbers[i + 1] > 0;
    uneven |= numbers[i] != numbers[i + 1];
  }
  return Met()
      .If(AllAre(numbers, 0), "none")
      .If(before, "before")
      .If(after, "after")
      .If(uneven, "uneven")
      .If(limit > 0 && AnyIs(numbers, limit), "limit of the level")
      .names();
}

Names SignsMet(const Numbers& numbers) {
  const auto any = [&](auto holds) { return std::any_of(numbers.begin(), numbers.end(), holds); };
  return Met()
      .If(any([](int64_t x) { return x < 0; }), "negative")
      .If(any([](int64_t x) { return x == 0; }), "zero")
      .If(any([](int64_t x) { return x > 0; }), "positive")
      .names();
}

Names PermsMet(const Numbers& perms) {
  Numbers identity(perms.size());
  std::iota(identity.begin(), identity.end(), 0);
  const Numbers reversed(identity.rbegin(), identity.rend());
  return Met()
      .If(perms == identity, "identity")
      .If(perms == reversed && perms.size() > 1, "reversed")
      .If(perms != identity && perms != reversed, "other")
      .names();
}

Names ScaleMet(const Numbers& scale, const Level& level) {
  Met met;
  bool limit = false;
  for (size_t i = 0; i + 1 < scale.size(); i += 2)
    limit |= scale[i] == level.max_scale * scale[i + 1];
  met.If(scale[0] > scale[1], "larger").If(scale[0] < scale[1], "smaller");
  met.If(scale[0] == scale[1], "same").If(limit, "limit of the level");
  return met.If(scale[0] * scale[3] != scale[2] * scale[1], "differs by axis").names();
}

Names NewShapeMet(int before, int after) {
  return Met()
      .If(before == after, "same rank")
      .If(before > after, "lower rank")
      .If(before < after, "higher rank")
      .If(after == 0, "rank 0")
      .names();
}

// Returns the classes of numbers relative to the bounds of their range.
Names RangeMet(const Numbers& numbers, int64_t least, int64_t greatest) {
  const auto inside = [&](int64_t x) { return x > least && x < greatest; };
  return Met()
      .If(AnyIs(numbers, least), "least")
      .If(std::any_of(numbers.begin(), numbers.end(), inside), "inside")
      .If(AnyIs(numbers, greatest), "greatest")
      .names();
}

Names ZeroPointMet(DType type, const Numbers& numbers) {
  if (IsFloat(type)) return {"zero"};
  const int64_t low = MinimumInteger(type), high = MaximumInteger(type);
  const int64_t x = numbers[0];
  return Met()
      .If(x == 0, "zero")
      .If(x == low, "lowest")
      .If(x == high, "highest")
      .If(x != 0 && x != low && x != high, "other")
      .names();
}

// Returns the classes of min_val or max_val relative to the other bound and the type.
Names BoundMet(const ExecutedOperator& executed, Kind kind) {
  const Tensor& low = executed.op.attributes.Value(AttributeId::kMinVal);
  const Tensor& high = executed.op.attributes.Value(AttributeId::kMaxVal);
  const DType type = low.type();
  const auto number = [](const Tensor& tensor) {
    return IsFloat(tensor.type()) ? tensor.Float(0) : static_cast<double>(tensor.Integer(0));
  };
  const double extreme = IsFloat(type)             ? FormatOf(type).max
                         : kind == Kind::kClampMin ? -static_cast<double>(MinimumInteger(type))
                                                   : static_cast<double>(MaximumInteger(type));
  const double x = kind == Kind::kClampMin ? -number(low) : number(high);
  return Met()
      .If(x >= extreme, "end of the type")
      .If(x < extreme, "inside")
      .If(number(low) == number(high), "both the same")
      .names();
}

const DomainTensor<Scalar>& OperandOf(const ExecutedOperator& executed, const OperatorRow& row,
                                      const ArgumentRow& argument) {
  size_t position = 0;
  for (const ArgumentRow& other : row.arguments) {
    if (&other == &argument) break;
    position += other.direction == Direction::kInput;
  }
  return *executed.inputs[position];
}

// Returns the numbers of an attribute or of a compile-time constant; nothing if they are no
// integers.
Numbers NumbersOf(const ExecutedOperator& executed, const OperatorRow& row,
                  const ArgumentRow& argument) {
  Numbers numbers;
  if (argument.direction == Direction::kAttribute) {
    const AttributeValue* value = executed.op.attributes.Find(*argument.attribute);
    if (value == nullptr) return {};
    if (const auto* list = std::get_if<std::vector<int32_t>>(value)) {
      numbers.assign(list->begin(), list->end());
    } else if (const auto* one = std::get_if<int32_t>(value)) {
      numbers.push_back(*one);
    } else if (const auto* flag = std::get_if<bool>(value)) {
      numbers.push_back(*flag);
    }
    return numbers;
  }
  for (const Scalar& x : *OperandOf(executed, row, argument).elements) {
    numbers.push_back(x.integer());
  }
  return numbers;
}

}  // namespace

std::vector<std::string_view> ClassesOf(Op op, const ArgumentRow& argument) {
  static const std::map<Kind, Names> kClasses = {
      {Kind::kFlag, {"false", "true"}},
      {Kind::kAxis, {"first", "inner", "last"}},
      {Kind::kWindow, {"1", "more", "differs by axis", "limit of the level"}},
      {Kind::kPadding, {"none", "before", "after", "uneven", "limit of the level"}},
      {Kind::kPoolPad, {"none", "before", "after", "uneven"}},
      {Kind::kOutPad, {"negative", "zero", "positive"}},
      {Kind::kPerms, {"identity", "reversed", "other"}},
      {Kind::kClampMin, {"end of the type", "inside", "both the same"}},
      {Kind::kClampMax, {"end of the type", "inside", "both the same"}},
      {Kind::kInitialValue, {"given", "absent"}},
      {Kind::kZeroPoint, {"zero", "lowest", "highest", "other"}},
      {Kind::kShiftAmount, {"least", "inside", "greatest"}},
      {Kind::kMultiplier, {"least", "inside", "greatest"}},
      {Kind::kPadPairs, {"none", "before", "after", "uneven"}},
      {Kind::kPadValue, {"zero", "other"}},
      {Kind::kNewShape, {"same rank", "lower rank", "higher rank", "rank 0"}},
      {Kind::kStart, {"zero", "other"}},
      {Kind::kSize, {"whole", "part", "1"}},
      {Kind::kMultiples, {"1", "more"}},
      {Kind::kScale, {"larger", "smaller", "same", "limit of the level", "differs by axis"}},
      {Kind::kSigned, {"negative", "zero", "positive"}},
  };
  const Kind kind = KindOf(op, argument);
  if (kind == Kind::kEnumerator) {
    const std::span<const std::string_view> names = EnumeratorNames(*argument.attribute);
    return {names.begin(), names.end()};
  }
  if (kind == Kind::kNone) return {};
  const auto classes = kClasses.find(kind);
  Check(classes != kClasses.end(), "classes of the argument's kind");
  return classes->second;
}

std::vector<std::string_view> ClassesMet(const ExecutedOperator& executed, const OperatorRow& row,
                                         const ArgumentRow& argument, const Level& level) {
  const Kind kind = KindOf(row.op, argument);
  if (kind == Kind::kNone) return {};
  if (kind == Kind::kInitialValue) {
    return {executed.op.attributes.Has(AttributeId::kInitialValue) ? "given" : "absent"};
  }
  if (kind == Kind::kClampMin || kind == Kind::kClampMax) return BoundMet(executed, kind);
  const Numbers numbers = NumbersOf(executed, row, argument);
  if (numbers.empty() && kind != Kind::kNewShape && kind != Kind::kPerms) {
    // An optional flag that is missing is false. An empty list pads, starts and tiles nothing.
    return kind == Kind::kFlag ? Names{"false"} : Names{};
  }
  const bool data = !executed.inputs.empty();
  const Shape& shape = data ? executed.inputs[0]->type.shape : executed.outputs[0].shape;
  switch (kind) {
    case Kind::kFlag:
      return {numbers[0] != 0 ? "true" : "false"};
    case Kind::kEnumerator: {
      const std::span<const std::string_view> all = EnumeratorNames(*argument.attribute);
      const auto at = static_cast<size_t>(numbers[0] - 1);
      return at < all.size() ? Names{all[at]} : Names{};
    }
    case Kind::kAxis:
      return Met()
          .If(numbers[0] == 0, "first")
          .If(numbers[0] == shape.rank() - 1, "last")
          .If(numbers[0] > 0 && numbers[0] < shape.rank() - 1, "inner")
          .names();
    case Kind::kWindow:
      return WindowMet(executed, *argument.attribute, numbers, level);
    case Kind::kPadding:
      return PairsMet(numbers, level.max_kernel);
    case Kind::kPoolPad:
    case Kind::kPadPairs:
      return PairsMet(numbers, 0);
    case Kind::kOutPad:
    case Kind::kSigned:
      return SignsMet(numbers);
    case Kind::kPerms:
      return PermsMet(numbers);
    case Kind::kZeroPoint:
      return ZeroPointMet(OperandOf(executed, row, argument).type.type, numbers);
    case Kind::kShiftAmount:
      return RangeMet(numbers, ShiftLeast(row.op), ShiftLimit(row.op));
    case Kind::kMultiplier: {
      const bool wide = executed.op.attributes.Flag(AttributeId::kScale32);
      return RangeMet(numbers, 0, MaximumInteger(wide ? DType::kInt32 : DType::kInt16));
    }
    case Kind::kPadValue:
      return {numbers[0] == 0 ? "zero" : "other"};
    case Kind::kNewShape:
      return NewShapeMet(shape.rank(), executed.outputs[0].shape.rank());
    case Kind::kStart:
      return Met().If(AnyIs(numbers, 0), "zero").If(!AllAre(numbers, 0), "other").names();
    case Kind::kSize: {
      const Shape& out = executed.outputs[0].shape;
      return Met()
          .If(out == shape, "whole")
          .If(out != shape, "part")
          .If(AnyIs(numbers, 1), "1")
          .names();
    }
    case Kind::kMultiples:
      return Met().If(AnyIs(numbers, 1), "1").If(!AllAre(numbers, 1), "more").names();
    case Kind::kScale:
      return ScaleMet(numbers, level);
    case Kind::kNone:
    case Kind::kClampMin:
    case Kind::kClampMax:
    case Kind::kInitialValue:
      break;
  }
  return {};
}

}  // namespace assay
