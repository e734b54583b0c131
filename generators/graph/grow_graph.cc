// SPDX-License-Identifier: Apache-2.0
#include "grow_graph.h"

#include "branches_and_loops.h"
#include "compiler_idioms.h"
#include "network_idioms.h"

namespace assay {
namespace {

// Adds a leaf for the graph to start from.
void GrowLeaf(GraphBuilder& builder, const Menu& menu) {
  Choices& choices = builder.choices();
  const DType type = menu.PickAny(choices).first;
  Wish none;
  Draft draft(builder, none);
  const Shape shape = draft.DrawShape(1, 5, builder.options().elements_max);
  Tensor value = DrawTensor(choices, {type, shape}, ValueRange::All(type), builder.mode());
  if (choices.OneIn(6)) {
    builder.AddConstant(std::move(value));
  } else {
    builder.AddInput(std::move(value));
  }
}

bool GrowOperator(GraphBuilder& builder, const Menu& menu, Vague vague) {
  Choices& choices = builder.choices();
  const bool take = vague == Vague::kTake;
  const MaybeValue focus =
      builder.Pick([take](const PoolValue& value) { return take || !value.vague; });
  const MenuEntry& entry = !focus || choices.OneIn(8)
                               ? menu.PickAny(choices)
                               : menu.Pick(choices, builder.TypeOf(*focus).type);
  Wish wish;
  wish.op = entry.op;
  wish.type_row = entry.type_row;
  wish.attribute_class = static_cast<int>(choices.Below(RecipeOf(entry.op)->classes.size()));
  const GraphBuilder::Mark mark = builder.mark();
  const MaybeValue result = Grow(builder, wish);
  if (!result) return false;
  // A vague result tests little: keep few of the operators that make one.
  if (!take && builder[*result].vague && !choices.OneIn(8)) {
    builder.Rollback(mark);
    return false;
  }
  return true;
}

}  // namespace

TestVector GrowGraph(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                     int64_t operators, ValueMode mode, bool control_flow, Vague vague) {
  GraphBuilder builder(choices, options, mode);
  GrowLeaf(builder, menu);
  if (choices.OneIn(2)) GrowLeaf(builder, menu);
  for (int64_t tries = 0; builder.operators() < operators && tries < 8 * operators; ++tries) {
    if (control_flow && choices.OneIn(8)) {
      choices.Below(2) == 0 ? GrowCondIf(builder, menu, 1) : GrowWhileLoop(builder, menu, 1);
    } else if (choices.OneIn(8)) {
      GrowIdiom(builder, menu);
    } else if (mode == ValueMode::kCalm && choices.OneIn(4)) {
      GrowNetworkIdiom(builder, menu);
    } else {
      GrowOperator(builder, menu, vague);
    }
  }
  std::vector<ValueIndex> outputs = builder.Unread();
  if (outputs.empty()) return {};
  // Sometimes adds an output that other operators read as well.
  if (choices.OneIn(4)) {
    const MaybeValue read =
        builder.Pick([](const PoolValue& v) { return v.uses > 0 && v.origin == Origin::kResult; });
    if (read) outputs.push_back(*read);
  }
  return builder.FinishVector(outputs);
}

}  // namespace assay
