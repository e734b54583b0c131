// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "graph_builder.h"
#include "operator_table.h"

namespace assay {

// The ways to make a fresh operand.
enum class LeafKind : uint8_t { kAny, kInput, kConstant, kSplat, kSweep };

inline constexpr int kAnyRank = kLevelMaxRank;  // as the upper bound of a rank

// A request to a recipe: what it should propose.
struct Wish {
  Op op = Op::kUnknown;
  int type_row = 0;                  // of the operator's type rows
  int attribute_class = 0;           // of the recipe's classes
  std::optional<int> rank;           // of fresh shapes, where possible
  bool from_pool = true;             // operands may come from the pool; otherwise all are fresh
  MaybeValue first_operand;          // another one is taken if it does not fit
  std::optional<int> leaf_position;  // of the operand that must be of `leaf_kind` if it is fresh
  LeafKind leaf_kind = LeafKind::kAny;
};

// An operator under construction: operands in the order of the row, attributes, types of the
// results.
class Draft {
 public:
  Draft(GraphBuilder& builder, const Wish& wish) : builder_(builder), wish_(wish) {
    op_.op = wish.op;
    op_.inputs.reserve(5);  // only lists are longer
  }

  GraphBuilder& builder() { return builder_; }
  Choices& choices() { return builder_.choices(); }
  Op op() const { return op_.op; }
  // Returns the type of a type variable ("in_t") in the wished type row.
  DType type(std::string_view variable) const { return TypeOf(wish_.op, wish_.type_row, variable); }
  int type_row() const { return wish_.type_row; }
  int attribute_class() const { return wish_.attribute_class; }
  // Returns true if the vector is about this operator alone.
  bool alone() const { return !wish_.from_pool; }
  // Returns true if the operand at this position begins with a number of every class.
  bool sweeps(int position) const {
    return wish_.leaf_kind == LeafKind::kSweep && wish_.leaf_position == position;
  }
  bool special() const { return MayBeSpecial(builder_.mode()); }
  const PoolValue& operand(int i) const { return builder_[op_.inputs[static_cast<size_t>(i)]]; }
  const Shape& shape(int i = 0) const { return operand(i).type().shape; }

  // Returns a shape of a rank within bounds, of at most `elements_max` elements.
  Shape DrawShape(int rank_min, int rank_max, int64_t elements_max);
  int64_t elements_max() const { return builder_.options().elements_max; }
  int32_t dimension_max() const { return builder_.options().dimension_max; }

  // Operands. The first two functions prefer a pool value that fits; all return the position of the
  // operand.
  //
  // Appends any value of a type, of a rank and within a range. Values that are not vague are
  // preferred.
  template <class Fits>
  int Any(DType type, int rank_min, int rank_max, const ValueRange& range, Fits fits) {
    if (wish_.first_operand && op_.inputs.empty()) {
      const TensorType& forced = builder_.TypeOf(*wish_.first_operand);
      if (forced.type == type && forced.shape.rank() >= rank_min &&
          forced.shape.rank() <= rank_max && fits(forced.shape)) {
        return Append(*wish_.first_operand);
      }
    }
    if (TakesFromPool(op_.inputs.empty() ? 16 : 3)) {
      const bool clear = !choices().OneIn(8);
      const MaybeValue found = builder_.Pick([&](const PoolValue& value) {
        return value.type().type == type && value.type().shape.rank() >= rank_min &&
               value.type().shape.rank() <= rank_max && (!value.vague || !clear) &&
               Within(value, range) && fits(value.type().shape);
      });
      if (found) return Append(*found);
    }
    return AnyFresh(type, rank_min, rank_max, range, fits);
  }
  int Any(DType type, int rank_min, int rank_max, const ValueRange& range) {
    return Any(type, rank_min, rank_max, range, [](const Shape&) { return true; });
  }
  int Any(DType type, int rank_min, int rank_max) {
    return Any(type, rank_min, rank_max, ValueRange::All(type));
  }
  // Appends a value of a type and shape.
  int Of(const TensorType& type, const ValueRange& range);
  // Appends a value of `type` whose shape broadcasts with `with` to at most elements_max().
  int Partner(DType type, const Shape& with, const ValueRange& range);
  // Appends a fresh leaf.
  int Fresh(const TensorType& type, const ValueRange& range);
  int FreshOf(Tensor value);  // with the given elements: an input or a constant
  // Appends a compile-time constant.
  int Constant(Tensor value) { return Append(builder_.AddConstant(std::move(value))); }
  // Appends a constant of a single element, which operators of a graph share in three of four
  // cases.
  int Constant(DType type, int64_t integer) {
    const bool shared = wish_.from_pool && choices().Below(4) != 0;
    return Append(builder_.AddNumber(type, integer, shared));
  }
  int ShapeOperand(std::span<const int64_t> values) { return Append(builder_.AddShape(values)); }
  int ShapeOperand(const Shape& dims);
  int Append(ValueIndex value) {
    op_.inputs.push_back(value);
    return static_cast<int>(op_.inputs.size()) - 1;
  }

  void Set(AttributeId id, AttributeValue value) { op_.attributes.Set(id, std::move(value)); }
  void SetNanMode();

  // Adds the operator to the builder, with results of the types of the row. Returns the first
  // result.
  MaybeValue Finish();

  static bool Within(const PoolValue& value, const ValueRange& range) {
    return value.low >= range.low && value.high <= range.high &&
           !(range.nonzero && value.low <= 0 && value.high >= 0) &&
           (range.may_be_special || !value.has_special);
  }

 private:
  bool TakesFromPool(uint64_t of) {
    return wish_.from_pool && !choices().OneIn(of) &&
           static_cast<int>(op_.inputs.size()) != wish_.leaf_position;
  }
  template <class Fits>
  int AnyFresh(DType type, int rank_min, int rank_max, const ValueRange& range, Fits fits) {
    Shape shape;
    for (int tries = 0; tries < 4; ++tries) {
      shape = DrawShape(rank_min, rank_max, elements_max());
      if (fits(shape)) break;
    }
    return Fresh({type, shape}, range);
  }

  GraphBuilder& builder_;
  const Wish& wish_;
  Operator op_;
};

// A way to make an operator: its attribute classes, and a function that fills in a draft. Every
// class has a name for people; class 0 is the plain one.
struct Recipe {
  Op op;
  std::span<const std::string_view> classes;
  // Returns false if the pool and the options have nothing suitable.
  bool (*propose)(Draft& draft);
};

// Returns null for operators without a recipe: CONST, CONST_SHAPE, CUSTOM, control flow and state.
const Recipe* RecipeOf(Op op);
std::span<const Recipe> AllRecipes();

// Proposes the wished operator and adds it. Returns its first result, or none, with the builder
// unchanged.
MaybeValue Grow(GraphBuilder& builder, const Wish& wish);

// Returns the type rows of an operator that the options allow by target, operators and types.
std::vector<int> AllowedRows(const GeneratorOptions& options, Op op);
// Returns the types that its first type variable has in these rows.
std::vector<DType> AllowedTypes(const GeneratorOptions& options, Op op);
// Return true if the options allow the type or the operator.
bool AllowsType(const GeneratorOptions& options, DType type);
bool AllowsOperator(const GeneratorOptions& options, Op op);
// Returns true if the options allow every operator of the graph's main block, with its types.
bool AllowsGraph(const GeneratorOptions& options, const Graph& graph);

// The recipes by family; recipe.cc joins them.
std::span<const Recipe> ElementWiseRecipes();
std::span<const Recipe> LayoutRecipes();
std::span<const Recipe> WindowRecipes();
std::span<const Recipe> ConversionRecipes();

}  // namespace assay
