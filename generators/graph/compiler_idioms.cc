// SPDX-License-Identifier: Apache-2.0
#include "compiler_idioms.h"

#include <numeric>

namespace assay {
namespace {

// Two operators in sequence; the second reads the first's result.
struct Pair {
  Op first, second;
};
constexpr Pair kCompilerPairs[] = {
    // The same operator twice: merged into one, or cancelled.
    {Op::kCast, Op::kCast},
    {Op::kClamp, Op::kClamp},
    {Op::kReshape, Op::kReshape},
    {Op::kTranspose, Op::kTranspose},
    {Op::kReverse, Op::kReverse},
    {Op::kPad, Op::kPad},
    {Op::kSlice, Op::kSlice},
    {Op::kTile, Op::kTile},
    {Op::kConcat, Op::kConcat},
    {Op::kIdentity, Op::kIdentity},
    {Op::kNegate, Op::kNegate},
    {Op::kAbs, Op::kAbs},
    {Op::kLogicalNot, Op::kLogicalNot},
    {Op::kBitwiseNot, Op::kBitwiseNot},
    {Op::kRescale, Op::kRescale},
    {Op::kReduceSum, Op::kReduceSum},
    {Op::kReduceMax, Op::kReduceMax},
    {Op::kReduceMin, Op::kReduceMin},
    {Op::kMaximum, Op::kMinimum},
    {Op::kLogicalRightShift, Op::kLogicalLeftShift},
    {Op::kGather, Op::kGather},
    // Exchanged with each other, or undone.
    {Op::kConcat, Op::kSlice},
    {Op::kPad, Op::kSlice},
    {Op::kTile, Op::kSlice},
    {Op::kReshape, Op::kTranspose},
    {Op::kTranspose, Op::kReshape},
    {Op::kReverse, Op::kSlice},
    {Op::kTranspose, Op::kReverse},
    {Op::kAbs, Op::kNegate},
    {Op::kCeil, Op::kFloor},
    {Op::kEqual, Op::kLogicalNot},
    {Op::kGreater, Op::kSelect},
    {Op::kTranspose, Op::kReduceSum},
    {Op::kReshape, Op::kReduceMax},
    {Op::kTile, Op::kAdd},
    {Op::kSlice, Op::kMul},
    // Fused into one kernel.
    {Op::kMul, Op::kAdd},
    {Op::kMul, Op::kReduceSum},
    {Op::kConv2d, Op::kAdd},
    {Op::kConv2d, Op::kRescale},
    {Op::kConv2d, Op::kClamp},
    {Op::kDepthwiseConv2d, Op::kRescale},
    {Op::kMatmul, Op::kAdd},
    {Op::kMatmul, Op::kRescale},
    {Op::kPad, Op::kConv2d},
    {Op::kPad, Op::kAvgPool2d},
    {Op::kPad, Op::kMaxPool2d},
    {Op::kTranspose, Op::kConv2d},
    {Op::kTranspose, Op::kMatmul},
    {Op::kReshape, Op::kMatmul},
    {Op::kRescale, Op::kClamp},
    {Op::kExp, Op::kReciprocal},
    {Op::kReduceSum, Op::kReciprocal},
    {Op::kMul, Op::kRsqrt},
    {Op::kClamp, Op::kCast},
    {Op::kCast, Op::kRescale},
};

// Adds one operator of the menu on a value, of any attribute class, with a second operand of kind
// `second`. Returns its first result.
MaybeValue GrowOn(GraphBuilder& builder, const Menu& menu, Op op, ValueIndex value,
                  LeafKind second = LeafKind::kAny) {
  const MenuEntry* entry = menu.Find(builder.choices(), op, builder.TypeOf(value).type);
  if (entry == nullptr) return std::nullopt;
  Wish wish;
  wish.op = op;
  wish.type_row = entry->type_row;
  wish.attribute_class = static_cast<int>(builder.choices().Below(RecipeOf(op)->classes.size()));
  wish.first_operand = value;
  if (second != LeafKind::kAny) {
    wish.leaf_position = 1;
    wish.leaf_kind = second;
  }
  return Grow(builder, wish);
}

// Returns a value of the pool that is not vague, of a type that the operator reads, if there
// is one.
MaybeValue PickFor(GraphBuilder& builder, const Menu& menu, Op op) {
  return builder.Pick(
      [&](const PoolValue& value) { return !value.vague && menu.Reads(op, value.type().type); });
}

bool GrowPair(GraphBuilder& builder, const Menu& menu) {
  const Pair pair = builder.choices().Pick(kCompilerPairs);
  const MaybeValue start = PickFor(builder, menu, pair.first);
  if (!start) return false;
  const MaybeValue first = GrowOn(builder, menu, pair.first, *start);
  return first && GrowOn(builder, menu, pair.second, *first);
}

// Adds an operation with a neutral or absorbing constant: x + 0, 0 + x, x - 0, x * 1, 1 * x, x * 0,
// x & -1, x | 0, max(x, lowest)...
bool GrowNeutral(GraphBuilder& builder, const Menu& menu) {
  struct Neutral {
    Op op;
    double value;
  };
  constexpr Neutral kNeutrals[] = {
      {Op::kAdd, 0},        {Op::kAdd, -0.0},    {Op::kSub, 0},        {Op::kMul, 1},
      {Op::kMul, 0},        {Op::kMul, -1},      {Op::kMul, 2},        {Op::kBitwiseAnd, -1},
      {Op::kBitwiseAnd, 0}, {Op::kBitwiseOr, 0}, {Op::kBitwiseXor, 0}, {Op::kBitwiseXor, -1},
      {Op::kLogicalAnd, 1}, {Op::kLogicalOr, 0}, {Op::kLogicalXor, 1}, {Op::kIntdiv, 1},
      {Op::kIntdiv, 2},     {Op::kPow, 1},       {Op::kMaximum, 0},    {Op::kMinimum, 0}};
  Choices& choices = builder.choices();
  const Neutral neutral = choices.Pick(kNeutrals);
  const MaybeValue x = PickFor(builder, menu, neutral.op);
  if (!x) return false;
  const TensorType type = builder.TypeOf(*x);
  Shape shape = type.shape;
  if (choices.Below(2) == 0) {
    for (int axis = 0; axis < shape.rank(); ++axis) shape[axis] = 1;
  }
  const MenuEntry* entry = menu.Find(choices, neutral.op, type.type);
  const ValueIndex splat = builder.AddConstant(Filled({type.type, shape}, neutral.value));
  Operator op = {neutral.op, {}, {*x, splat}, {}};
  if (neutral.op != Op::kSub && neutral.op != Op::kIntdiv && neutral.op != Op::kPow &&
      choices.OneIn(3)) {
    std::swap(op.inputs[0], op.inputs[1]);
  }
  if (neutral.op == Op::kMaximum || neutral.op == Op::kMinimum) {
    op.attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kPropagate));
  }
  if (neutral.op != Op::kMul) return builder.Add(std::move(op)).has_value();
  op.inputs.push_back(builder.AddConstant(Tensor::Splat(DType::kInt8, Shape{1}, 0)));
  return builder.Add(std::move(op), {&entry->result, 1}).has_value();
}

// Adds an operator that reads the same value on both sides: x - x, max(x, x), x == x, select(c, x,
// x).
bool GrowTwice(GraphBuilder& builder, const Menu& menu) {
  constexpr Op kOps[] = {Op::kSub,       Op::kAdd,        Op::kMaximum,    Op::kMinimum,
                         Op::kEqual,     Op::kGreater,    Op::kBitwiseXor, Op::kBitwiseAnd,
                         Op::kBitwiseOr, Op::kLogicalXor, Op::kLogicalAnd, Op::kGreaterEqual};
  const Op wanted = builder.choices().Pick(kOps);
  const MaybeValue x = PickFor(builder, menu, wanted);
  if (!x) return false;
  Attributes attributes;
  if (wanted == Op::kMaximum || wanted == Op::kMinimum) {
    attributes.Set(AttributeId::kNanMode, static_cast<int32_t>(NanMode::kIgnore));
  }
  const MenuEntry* entry = menu.Find(builder.choices(), wanted, builder.TypeOf(*x).type);
  return builder.Add(wanted, {*x, *x}, std::move(attributes), entry->result).has_value();
}

// Adds a SELECT with a constant condition: all true, all false, or mixed.
bool GrowConstantSelect(GraphBuilder& builder, const Menu& menu) {
  Choices& choices = builder.choices();
  const MaybeValue x = builder.Pick([&](const PoolValue& value) {
    return !value.vague && menu.Reads(Op::kSelect, DType::kBool) &&
           FindTypeRow(Op::kSelect, std::array{DType::kBool, value.type().type, value.type().type},
                       std::array{value.type().type});
  });
  if (!x) return false;
  const TensorType type = builder.TypeOf(*x);
  const TensorType condition = {DType::kBool, type.shape};
  const ValueRange either = ValueRange::All(DType::kBool);
  const ValueIndex c =
      builder.AddConstant(choices.OneIn(3) ? DrawTensor(choices, condition, either, builder.mode())
                                           : DrawSplat(choices, condition, either, builder.mode()));
  const ValueIndex y =
      builder.AddConstant(DrawTensor(choices, type, ValueRange::All(type.type), builder.mode()));
  const bool is_swapped = choices.Below(2) == 0;
  return builder.Add(Op::kSelect, {c, is_swapped ? y : *x, is_swapped ? *x : y}).has_value();
}

// Adds an operator that has constant operands only, as a target of constant folding.
bool GrowOfConstants(GraphBuilder& builder, const Menu& menu) {
  constexpr Op kOps[] = {
      Op::kReduceSum, Op::kReduceMax, Op::kReduceMin,  Op::kReduceProduct,
      Op::kReduceAll, Op::kReduceAny, Op::kConcat,     Op::kReshape,
      Op::kTranspose, Op::kAdd,       Op::kSub,        Op::kMul,
      Op::kMul,       Op::kIntdiv,    Op::kEqual,      Op::kGreater,
      Op::kCast,      Op::kSlice,     Op::kPad,        Op::kReverse,
      Op::kTile,      Op::kNegate,    Op::kReciprocal, Op::kArithmeticRightShift};
  Choices& choices = builder.choices();
  const Op wanted = choices.Pick(kOps);
  const DType type =
      builder.TypeOf(static_cast<ValueIndex>(choices.Below(builder.pool().size()))).type;
  if (!menu.Reads(wanted, type)) return false;
  Wish probe;
  Draft draft(builder, probe);
  const Shape shape = draft.DrawShape(1, 4, builder.options().elements_max / 4);
  const ValueRange range = ValueRange::All(type);
  const ValueIndex constant = builder.AddConstant(
      choices.OneIn(2) ? DrawSplat(choices, {type, shape}, range, builder.mode())
                       : DrawTensor(choices, {type, shape}, range, builder.mode()));
  const LeafKind second = choices.OneIn(2) ? LeafKind::kSplat : LeafKind::kConstant;
  return GrowOn(builder, menu, wanted, constant, second).has_value();
}

// Adds a PAD and a window operator. The constant of PAD is the value that the window takes padding
// for: the lowest value for a maximum, zero for a sum. Compilers make one operator of the two.
bool GrowPadded(GraphBuilder& builder, const Menu& menu) {
  constexpr Op kWindows[] = {Op::kMaxPool2d, Op::kMaxPool2d, Op::kAvgPool2d, Op::kConv2d,
                             Op::kDepthwiseConv2d};
  Choices& choices = builder.choices();
  const Op wanted = choices.Pick(kWindows);
  MaybeValue x = builder.Pick([&](const PoolValue& value) {
    return value.type().shape.rank() == 4 && menu.Reads(wanted, value.type().type);
  });
  if (!x) {
    const DType type = menu.PickAny(choices).first;
    if (!menu.Reads(wanted, type) || builder.closed()) return false;
    const int32_t height = choices.Between32(1, 4);
    const int32_t width = choices.Between32(1, 4);
    const Shape shape = {1, height, width, choices.Between32(1, 3)};
    x = builder.AddInput(DrawTensor(choices, {type, shape}, ValueRange::All(type), builder.mode()));
  }
  const DType type = builder.TypeOf(*x).type;
  std::vector<int64_t> padding(8, 0);
  for (size_t i = 2; i < 6; ++i) padding[i] = choices.Between(0, 2);
  const double neutral = wanted == Op::kMaxPool2d ? ValueRange::All(type).low : 0;
  const ValueIndex amounts = builder.AddShape(padding);
  const ValueIndex value = builder.AddConstant(Filled({type, {1}}, neutral));
  const MaybeValue padded = builder.Add(Op::kPad, {*x, amounts, value});
  return padded && GrowOn(builder, menu, wanted, *padded);
}

std::vector<int32_t> DrawPermutation(Choices& choices, size_t rank) {
  std::vector<int32_t> perms(rank);
  std::iota(perms.begin(), perms.end(), 0);
  for (size_t i = rank; i > 1; --i) {
    std::swap(perms[i - 1], perms[static_cast<size_t>(choices.Below(i))]);
  }
  return perms;
}

std::vector<int32_t> Inverse(const std::vector<int32_t>& perms) {
  std::vector<int32_t> inverse(perms.size());
  for (size_t i = 0; i < perms.size(); ++i) {
    inverse[static_cast<size_t>(perms[i])] = static_cast<int32_t>(i);
  }
  return inverse;
}

MaybeValue AddTranspose(GraphBuilder& builder, ValueIndex x, std::vector<int32_t> perms) {
  return builder.Add(Op::kTranspose, {x}, {{AttributeId::kPerms, std::move(perms)}});
}

// Adds a TRANSPOSE, element-wise operators whose other operands are constants, and the inverse
// TRANSPOSE. A compiler may remove both if it transposes the constants instead.
bool GrowBetweenTransposes(GraphBuilder& builder, const Menu& menu) {
  constexpr Op kBetween[] = {Op::kNegate,     Op::kAbs,        Op::kClamp,     Op::kAdd,
                             Op::kMul,        Op::kMaximum,    Op::kLogicalOr, Op::kLogicalAnd,
                             Op::kLogicalNot, Op::kBitwiseXor, Op::kCast,      Op::kRescale,
                             Op::kTable,      Op::kGreater,    Op::kSub,       Op::kReciprocal};
  Choices& choices = builder.choices();
  const MaybeValue x = builder.Pick([&](const PoolValue& value) {
    return value.type().shape.rank() >= 2 && !value.vague &&
           menu.Reads(Op::kTranspose, value.type().type);
  });
  if (!x) return false;
  const int rank = builder.TypeOf(*x).shape.rank();
  const std::vector<int32_t> perms = DrawPermutation(choices, static_cast<size_t>(rank));
  MaybeValue value = AddTranspose(builder, *x, perms);
  int64_t missing = choices.Between(1, 3);
  for (int tries = 0; value && tries < 12 && missing > 0; ++tries) {
    const LeafKind second = choices.OneIn(4) ? LeafKind::kSplat : LeafKind::kConstant;
    const MaybeValue next = GrowOn(builder, menu, choices.Pick(kBetween), *value, second);
    if (!next) continue;
    value = next;
    --missing;
  }
  return value && missing == 0 && builder.TypeOf(*value).shape.rank() == rank &&
         AddTranspose(builder, *value, Inverse(perms));
}

// Adds a TRANSPOSE and its inverse, or REVERSE twice along one axis.
bool GrowUndone(GraphBuilder& builder, const Menu& menu) {
  Choices& choices = builder.choices();
  const bool transpose = choices.Below(2) == 0;
  const Op wanted = transpose ? Op::kTranspose : Op::kReverse;
  const MaybeValue x = builder.Pick([&](const PoolValue& value) {
    return value.type().shape.rank() >= 1 && menu.Reads(wanted, value.type().type);
  });
  if (!x) return false;
  const auto rank = static_cast<size_t>(builder.TypeOf(*x).shape.rank());
  if (transpose) {
    const std::vector<int32_t> perms = DrawPermutation(choices, rank);
    const MaybeValue middle = AddTranspose(builder, *x, perms);
    return middle && AddTranspose(builder, *middle, Inverse(perms));
  }
  const Attributes axis = {{AttributeId::kAxis, static_cast<int32_t>(choices.Below(rank))}};
  const MaybeValue middle = builder.Add(wanted, {*x}, axis);
  return middle && builder.Add(wanted, {*middle}, axis);
}

}  // namespace

bool GrowIdiom(GraphBuilder& builder, const Menu& menu) {
  using Idiom = bool (*)(GraphBuilder&, const Menu&);
  constexpr Idiom kIdioms[] = {GrowPair,
                               GrowPair,
                               GrowPair,
                               GrowNeutral,
                               GrowTwice,
                               GrowPadded,
                               GrowConstantSelect,
                               GrowOfConstants,
                               GrowOfConstants,
                               GrowUndone,
                               GrowBetweenTransposes};
  const GraphBuilder::Mark mark = builder.mark();
  if (builder.choices().Pick(kIdioms)(builder, menu)) return true;
  builder.Rollback(mark);
  return false;
}

}  // namespace assay
