// SPDX-License-Identifier: Apache-2.0
// Every operator alone: its type rows, its attribute classes, and each operand as a constant or a
// splat. It also covers special values, the tables of special values entry by entry, and the worked
// examples in the operator's file.
#include <algorithm>
#include <array>
#include <string>

#include "executor.h"
#include "operator_set.h"
#include "recipe.h"
#include "rules.h"
#include "special_tables.h"
#include "vector_facts.h"
#include "worked_example.h"

namespace assay::generators {

extern const Generator operator_generator;

namespace {

constexpr int kAttempts = 64;
constexpr int kLargeAttempts = 32;  // of them, those that insist on operands that hold a sweep
constexpr int kSpecialClasses = 3;
constexpr int kSweeps = 2;  // of one operand: small tensors do not hold a number of every class

struct ExampleCase {
  Op op;
  TestVector vector;
  std::vector<DType> types;
  std::array<Requirements, 2> needs;  // of a target that prefers one profile or the other
};

// Returns all worked examples as vectors, without those that end in unpredictable: they demand
// nothing of a backend.
const std::vector<ExampleCase>& Examples() {
  static const std::vector<ExampleCase> cases = [] {
    std::vector<ExampleCase> all;
    for (const ops::OperatorDefinition* definition : ops::AllDefinitions()) {
      for (const ops::Example& example : definition->examples) {
        Result<TestVector> vector = VectorOfExample(definition->op, example);
        if (!vector || vector->steps[0].expected == OutcomeKind::kUnpredictable) continue;
        // In a file a constant has the type and shape of its output, so its errors cannot be
        // written.
        const bool constant = IsConstant(definition->op);
        if (constant && vector->steps[0].expected == OutcomeKind::kError) continue;
        if (IsImpliedError(vector->steps[0].rule)) continue;  // of kind `invalid`, where asked for
        ExampleCase row = {definition->op, std::move(*vector), {}, {}};
        for (const TensorInfo& tensor : row.vector.graphs[0].Main()->tensors) {
          row.types.push_back(tensor.type.type);
        }
        row.needs = {RequirementsOf(row.vector, {Feature::kProInt}),
                     RequirementsOf(row.vector, {Feature::kProFp})};
        all.push_back(std::move(row));
      }
    }
    return all;
  }();
  return cases;
}

bool Allows(const GeneratorOptions& options, const ExampleCase& example) {
  if (!AllowsOperator(options, example.op)) return false;
  for (const DType type : example.types) {
    if (!AllowsType(options, type)) return false;
  }
  const Requirements& target = options.target;
  return target.Empty() || target.ContainsAll(example.needs[0]) ||
         target.ContainsAll(example.needs[1]);
}

// Returns the positions of the operands that need not be compile-time constants.
std::vector<int> FreeOperands(Op op) {
  std::vector<int> free;
  int position = 0;
  for (const ArgumentRow& argument : RowOf(op).arguments) {
    if (argument.direction != Direction::kInput) continue;
    if (!argument.compile_time_constant) free.push_back(position);
    ++position;
  }
  return free;
}

// The ranks that the first operand can have: `count` of them, from `least` on.
struct Ranks {
  int least = 0;
  int64_t count = 0;
};

Ranks RanksOf(Op op, const GeneratorOptions& options) {
  const int limit = std::min(options.level.max_rank, options.rank_max);
  for (const ArgumentRow& argument : RowOf(op).arguments) {
    if (argument.direction != Direction::kInput || !argument.rank) continue;
    const int least = argument.rank->min;
    const int most = std::min(RankMax(argument.rank->max, options.level.max_rank), limit);
    return {least, most > least ? most - least + 1 : 0};
  }
  return {};
}

// The numbers of targets of one type row of one operator, by kind. The targets are numbered in this
// order.
struct RowTargets {
  int64_t classes, leaves, special, tables, sweeps, ranks;
  int64_t count() const { return classes + leaves + special + tables + sweeps + ranks; }
};

RowTargets TargetsOfRow(const GeneratorOptions& options, const Recipe& recipe, int row) {
  bool is_float = false;
  for (const DType type : RowOf(recipe.op).type_rows[static_cast<size_t>(row)].types) {
    is_float |= IsFloat(type);
  }
  return {std::ssize(recipe.classes), 2 * std::ssize(FreeOperands(recipe.op)),
          is_float ? kSpecialClasses : 0, SpecialTableCount(recipe.op, row),
          kSweeps * std::ssize(FreeOperands(recipe.op)),
          // Only one type row covers the ranks, because shapes are the same for all.
          AllowedRows(options, recipe.op).front() == row ? RanksOf(recipe.op, options).count : 0};
}

struct Target {
  Wish wish;
  ValueMode mode = ValueMode::kFinite;
  std::optional<int> table;  // of special values, instead of what the wish says
  std::string title;
};

// Returns the number of targets of all operators and their type rows.
int64_t TargetCount(const GeneratorOptions& options) {
  int64_t count = 0;
  for (const Recipe& recipe : AllRecipes()) {
    for (const int row : AllowedRows(options, recipe.op))
      count += TargetsOfRow(options, recipe, row).count();
  }
  return count;
}

// Returns target `number`, which is below TargetCount().
Target TargetOf(const GeneratorOptions& options, int64_t number, Choices& choices) {
  for (const Recipe& recipe : AllRecipes()) {
    for (const int row : AllowedRows(options, recipe.op)) {
      const RowTargets targets = TargetsOfRow(options, recipe, row);
      if (number >= targets.count()) {
        number -= targets.count();
        continue;
      }
      Target target;
      Wish& wish = target.wish;
      wish.op = recipe.op;
      wish.type_row = row;
      wish.from_pool = false;
      std::string title;
      if (number < targets.classes) {
        wish.attribute_class = static_cast<int>(number);
        title = recipe.classes[static_cast<size_t>(number)];
      } else {
        wish.attribute_class = static_cast<int>(choices.Below(recipe.classes.size()));
        number -= targets.classes;
        if (number < targets.leaves) {
          const bool splat = number % 2 == 1;
          wish.leaf_position = FreeOperands(recipe.op)[static_cast<size_t>(number / 2)];
          wish.leaf_kind = splat ? LeafKind::kSplat : LeafKind::kConstant;
          title = splat ? "splat-operand" : "constant-operand";
        } else {
          target.mode = ValueMode::kSpecial;
          title = "special-values";
          number -= targets.leaves + targets.special;
          if (number >= targets.tables + targets.sweeps) {
            const int64_t above = number - targets.tables - targets.sweeps;
            wish.rank = RanksOf(recipe.op, options).least + static_cast<int>(above);
            wish.attribute_class = 0;  // others may have a rank of their own
            target.mode = ValueMode::kFinite;
            title = "rank";
          } else if (number >= targets.tables) {
            wish.leaf_position =
                FreeOperands(recipe.op)[static_cast<size_t>((number - targets.tables) / kSweeps)];
            wish.leaf_kind = LeafKind::kSweep;
            wish.attribute_class = 0;  // others may ask for operands of few elements
            title = "every-class-of-number";
          } else if (number >= 0) {
            target.table = static_cast<int>(number);
            title = SpecialTableTitle(wish.op, *target.table);
          }
        }
      }
      target.title = std::string(OperatorName(recipe.op)) + "-";
      for (const DType type : RowOf(recipe.op).type_rows[static_cast<size_t>(row)].types) {
        if (type != DType::kUnknown) target.title += std::string(TypeName(type)) + "-";
      }
      target.title += title;
      return target;
    }
  }
  return {};
}

// Returns true if the operand that must begin with a number of every class is large enough for
// them, or if there is no such operand.
bool HoldsSweep(const GraphBuilder& builder, const Wish& wish) {
  if (wish.leaf_kind != LeafKind::kSweep) return true;
  const ValueIndex operand =
      builder.LastOperator().inputs[static_cast<size_t>(*wish.leaf_position)];
  const TensorType& type = builder.TypeOf(operand);
  return type.shape.Elements() >= std::ssize(NumbersOfEveryClass(type.type));
}

int64_t ExampleCount(const GeneratorOptions& options) {
  const auto& examples = Examples();
  return std::count_if(examples.begin(), examples.end(),
                       [&](const ExampleCase& e) { return Allows(options, e); });
}

int64_t Targets(const GeneratorOptions& options) {
  return ExampleCount(options) + TargetCount(options);
}

std::optional<TestVector> MakeExample(const GeneratorOptions& options, uint64_t index) {
  uint64_t number = index;
  for (const ExampleCase& example : Examples()) {
    if (!Allows(options, example)) continue;
    if (number-- > 0) continue;
    TestVector vector = example.vector;
    // The expectation is the one that the example states by hand; the executor only adds the
    // bounds.
    const Step by_hand = vector.steps[0];
    if (!Expect(vector, {})) return std::nullopt;
    const Step& step = vector.steps[0];
    bool same = step.expected == by_hand.expected && step.rule == by_hand.rule &&
                step.outputs.size() == by_hand.outputs.size();
    for (size_t i = 0; same && i < step.outputs.size(); ++i) {
      same = step.outputs[i].value == by_hand.outputs[i].value;
    }
    if (!same) vector.steps[0] = by_hand;
    Describe(vector, options, operator_generator, index,
             std::string(OperatorName(example.op)) + "-example");
    vector.tags.push_back("example");
    return vector;
  }
  return std::nullopt;
}

std::optional<TestVector> Make(const GeneratorOptions& options, uint64_t index) {
  const int64_t examples = ExampleCount(options);
  if (static_cast<int64_t>(index) < examples) return MakeExample(options, index);
  const int64_t targets = TargetCount(options);
  if (targets == 0) return std::nullopt;
  Choices choices(
      Random::For(options.seed, index, operator_generator.kind, operator_generator.version));
  const int64_t number = (static_cast<int64_t>(index) - examples) % targets;
  const Target target = TargetOf(options, number, choices);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    GraphBuilder builder(choices, options, target.mode);
    const Wish& wish = target.wish;
    const MaybeValue result = target.table
                                  ? AddSpecialTable(builder, wish.op, wish.type_row, *target.table)
                                  : Grow(builder, wish);
    if (!result) continue;
    if (attempt < kLargeAttempts && !HoldsSweep(builder, wish)) continue;
    TestVector vector = builder.FinishVector(builder.Unread());
    Describe(vector, options, operator_generator, index, target.title);
    return vector;
  }
  return std::nullopt;
}

}  // namespace

const Generator operator_generator = {
    .kind = "operator",
    .help = "every operator, row of its type table and attribute class, one operator at a time",
    .version = 5,
    .targets = Targets,
    .make = Make,
};

}  // namespace assay::generators
