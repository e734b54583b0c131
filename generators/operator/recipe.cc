// SPDX-License-Identifier: Apache-2.0
#include "recipe.h"

#include <algorithm>
#include <array>

#include "check.h"
#include "operator_facts.h"

namespace assay {
namespace {

Requirements TargetOf(const GeneratorOptions& options) {
  if (!options.target.Empty()) return options.target;
  Requirements all;
  for (const FeatureRow& row : AllFeatures()) {
    if (row.feature != Feature::kExtDynamic) all = all | Requirements{row.feature};
  }
  return all;
}

bool Contains(const std::vector<DType>& types, DType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// Returns a dimension for a partner that stretches where the other operand has 1.
int32_t Stretched(Choices& choices, int32_t dimension_max) {
  return choices.Between32(2, std::max(2, std::min(dimension_max, 5)));
}

}  // namespace

Shape Draft::DrawShape(int rank_min, int rank_max, int64_t budget) {
  // Ranks 2 to 4 are the most common, every rank occurs.
  constexpr std::array<int8_t, 20> kRanks = {0, 1, 1, 2, 2, 2, 2, 3, 3, 3,
                                             3, 3, 4, 4, 4, 4, 4, 5, 5, 6};
  const int highest = std::max(
      rank_min, std::min({rank_max, builder_.level().max_rank, builder_.options().rank_max}));
  const int drawn = wish_.rank ? *wish_.rank : static_cast<int>(choices().Pick(kRanks));
  const int rank = std::clamp(drawn, rank_min, highest);
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) shape.PushBack(1);
  if (rank == 0) return shape;
  int64_t room = budget >> choices().Below(3);
  const int first = static_cast<int>(choices().Below(static_cast<uint64_t>(rank)));
  for (int i = 0; i < rank; ++i) {
    const int64_t most = std::min<int64_t>(dimension_max(), room);
    if (most < 2 || choices().OneIn(6)) continue;
    const int axis = (first + i) % rank;
    shape[axis] = choices().Between32(2, static_cast<int32_t>(most));
    room /= shape[axis];
  }
  return shape;
}

int Draft::Fresh(const TensorType& type, const ValueRange& range) {
  LeafKind kind = LeafKind::kAny;
  if (static_cast<int>(op_.inputs.size()) == wish_.leaf_position) kind = wish_.leaf_kind;
  if (kind == LeafKind::kAny) {
    const uint64_t choice = choices().Below(8);
    kind = choice < 5 ? LeafKind::kInput : choice < 7 ? LeafKind::kConstant : LeafKind::kSplat;
  }
  if (kind == LeafKind::kInput && builder_.closed()) kind = LeafKind::kConstant;
  const ValueMode mode = builder_.mode();
  if (kind == LeafKind::kSweep) {
    // Ranges of floats keep results finite, which is not the aim here.
    const bool any = IsFloat(type.type) && range.may_be_special;
    const ValueRange swept = any ? ValueRange::All(type.type) : range;
    return Append(builder_.AddInput(DrawTensor(choices(), type, swept, ValueMode::kSweep)));
  }
  if (kind == LeafKind::kInput) {
    return Append(builder_.AddInput(DrawTensor(choices(), type, range, mode)));
  }
  if (kind == LeafKind::kConstant) {
    return Append(builder_.AddConstant(DrawTensor(choices(), type, range, mode)));
  }
  return Append(builder_.AddConstant(DrawSplat(choices(), type, range, mode)));
}

int Draft::FreshOf(Tensor value) {
  const bool wished = static_cast<int>(op_.inputs.size()) == wish_.leaf_position;
  const bool constant =
      builder_.closed() || (wished ? wish_.leaf_kind != LeafKind::kInput : choices().OneIn(3));
  return Append(constant ? builder_.AddConstant(std::move(value))
                         : builder_.AddInput(std::move(value)));
}

int Draft::ShapeOperand(const Shape& dims) {
  const std::vector<int64_t> values(dims.begin(), dims.end());
  return ShapeOperand(values);
}

int Draft::Of(const TensorType& type, const ValueRange& range) {
  if (TakesFromPool(3)) {
    const MaybeValue found = builder_.Pick([&](const PoolValue& value) {
      return value.type() == type && !value.vague && Within(value, range);
    });
    if (found) return Append(*found);
  }
  return Fresh(type, range);
}

int Draft::Partner(DType type, const Shape& with, const ValueRange& range) {
  if (TakesFromPool(3)) {
    const MaybeValue found = builder_.Pick([&](const PoolValue& value) {
      Shape joint;
      return value.type().type == type && !value.vague && Within(value, range) &&
             BroadcastShape(value.type().shape, with, joint) && joint.Elements() <= elements_max();
    });
    if (found) return Append(*found);
  }
  Shape shape = with;
  int64_t joint = with.Elements();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (choices().Below(3) != 0) continue;
    if (with[axis] > 1) {
      shape[axis] = 1;
    } else {
      const int32_t wide = Stretched(choices(), dimension_max());
      if (joint * wide > elements_max()) continue;
      shape[axis] = wide;
      joint *= wide;
    }
  }
  return Fresh({type, shape}, range);
}

void Draft::SetNanMode() {
  const NanMode mode = choices().Below(2) == 0 ? NanMode::kPropagate : NanMode::kIgnore;
  Set(AttributeId::kNanMode, static_cast<int32_t>(mode));
}

MaybeValue Draft::Finish() {
  return builder_.Add(std::move(op_), OutputTypes(wish_.op, wish_.type_row));
}

std::span<const Recipe> AllRecipes() {
  static const std::vector<Recipe> recipes = [] {
    std::vector<Recipe> all;
    for (const auto family :
         {ElementWiseRecipes(), LayoutRecipes(), WindowRecipes(), ConversionRecipes()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    std::sort(all.begin(), all.end(), [](const Recipe& a, const Recipe& b) { return a.op < b.op; });
    return all;
  }();
  return recipes;
}

const Recipe* RecipeOf(Op op) {
  static const auto table = [] {
    std::array<const Recipe*, kOperatorCount + 1> by_op{};
    for (const Recipe& recipe : AllRecipes()) by_op[static_cast<size_t>(recipe.op)] = &recipe;
    return by_op;
  }();
  return table[static_cast<size_t>(op)];
}

MaybeValue Grow(GraphBuilder& builder, const Wish& wish) {
  const Recipe* recipe = RecipeOf(wish.op);
  Check(recipe != nullptr, "a recipe for the wished operator");
  const GraphBuilder::Mark mark = builder.mark();
  Draft draft(builder, wish);
  const MaybeValue result = recipe->propose(draft) ? draft.Finish() : std::nullopt;
  if (!result) builder.Rollback(mark);
  return result;
}

bool AllowsType(const GeneratorOptions& options, DType type) {
  return options.types.empty() || type == DType::kShape || Contains(options.types, type);
}

bool AllowsOperator(const GeneratorOptions& options, Op op) {
  return options.operators.empty() || std::find(options.operators.begin(), options.operators.end(),
                                                op) != options.operators.end();
}

std::vector<int> AllowedRows(const GeneratorOptions& options, Op op) {
  std::vector<int> rows;
  if (!AllowsOperator(options, op)) return rows;
  const OperatorRow& row = RowOf(op);
  const Requirements target = TargetOf(options);
  for (size_t i = 0; i < row.type_rows.size(); ++i) {
    const TypeRow& types = row.type_rows[i];
    bool allowed = IsSupported(types, target) && options.AllowsRow(op, i);
    // Accumulator types are the types of no tensor, so they are not checked.
    for (const ArgumentRow& argument : row.arguments) {
      if (argument.direction == Direction::kAttribute || !argument.type_variable) continue;
      allowed = allowed && AllowsType(options, TypeIn(types, argument));
    }
    if (allowed) rows.push_back(static_cast<int>(i));
  }
  return rows;
}

std::vector<DType> AllowedTypes(const GeneratorOptions& options, Op op) {
  std::vector<DType> types;
  for (const int row : AllowedRows(options, op)) {
    types.push_back(RowOf(op).type_rows[static_cast<size_t>(row)].types[0]);
  }
  return types;
}

bool AllowsGraph(const GeneratorOptions& options, const Graph& graph) {
  const Block& main = *graph.Main();
  return std::ranges::all_of(main.operators, [&](const Operator& op) {
    const std::span<const TypeRow> rows = RowOf(op.op).type_rows;
    const TypeRow* const own = TypeRowOf(main, op);
    return std::ranges::any_of(AllowedRows(options, op.op),
                               [&](int row) { return &rows[static_cast<size_t>(row)] == own; });
  });
}

}  // namespace assay
