// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "operator.h"
#include "profiles.h"
#include "types.h"

namespace assay {

// The operator set of TOSA 1.0.2 as data: every row restates a row of the specification's
// tosa.xml or a condition of its pseudocode. The build generates the rows from
// corpus/spec/tosa_1_0_2.json with generate_operators.

enum class Direction : uint8_t { kInput, kAttribute, kOutput };

// The upper bound of a rank that is the level's MAX_RANK; kLevelMaxRank - 1 is "MAX_RANK - 1".
inline constexpr int kLevelMaxRank = 1 << 20;

// The ranks that a tensor may have: `min` to `max`, or to RankMax() of `max`.
struct RankRange {
  int min, max;
};

// One row of an operator's Arguments table.
struct ArgumentRow {
  std::string_view name;
  Direction direction;
  std::optional<AttributeId> attribute;  // of an attribute
  std::string_view type;                 // "tensor_t", "shape_t", "tensor_list_t", "i32_t", ...

  // The element type as written: "in_t", "i8_t", "" if there is none. It is a type variable (its
  // index in OperatorRow::type_variables), or one type, or neither. Neither are RESCALE's "mul_t"
  // (i32 if scale32, i16 otherwise), and lists of any types (CUSTOM, COND_IF and WHILE_LOOP). If
  // `type` of an attribute is a type variable (CLAMP), this is that variable.
  std::string_view element;
  std::optional<size_t> type_variable;
  DType fixed;  // kUnknown if none

  std::string_view shape;         // "[N,IH,IW,C]", "shape1", "" where there is none
  std::optional<RankRange> rank;  // if the table states it
  bool compile_time_constant;     // in all profiles; EXT-DYNAMIC lifts it for inputs
  bool optional;
  bool list;  // any number of tensors
};

// Returns the upper bound of a rank at a level, for the `max` of a RankRange.
constexpr int RankMax(int rank_max, int level_max_rank) {
  const int below = kLevelMaxRank - rank_max;
  return below <= 1 ? level_max_rank - below : rank_max;
}

// One row of an operator's Supported Data Types table.
struct TypeRow {
  std::string_view mode;                 // "signed 8x8 with int32 accumulate"
  std::array<DType, 4> types;            // by type variable; kUnknown beyond the last
  std::span<const Requirements> any_of;  // a target that contains any of these must support it
};

// Returns the element type of an argument in a type row; kUnknown if the row leaves it open.
constexpr DType TypeIn(const TypeRow& row, const ArgumentRow& argument) {
  return argument.type_variable ? row.types[*argument.type_variable] : argument.fixed;
}

// Returns true if a target that implements `features` has to support the row.
bool IsSupported(const TypeRow& row, Requirements features);

enum class RuleKind : uint8_t {
  kErrorIf,     // the condition makes the graph an error
  kRequire,     // unless the condition holds, the graph is unpredictable
  kLevelCheck,  // the same; "value <= LIMIT", from the Arguments table
  kTarget,      // outside what a target claims: decides nothing about the graph
};

// One condition of an operator. RuleId() in rules.h writes its id.
struct RuleRow {
  RuleKind kind;
  int number;                    // position within its kind in the specification, from 1; or 0
  std::string_view name;         // if number is 0: the library helper that states it, or one of
                                 // the checks of every operator (arguments, attributes, types)
  std::string_view text;         // the condition as written
  std::string_view unreachable;  // why no graph can break it alone; empty if one can
};

struct OperatorRow {
  Op op;
  std::string_view name;      // "CONV2D"
  std::string_view category;  // "tensor", "elementwise-binary", ...
  std::span<const ArgumentRow> arguments;
  std::span<const std::string_view> type_variables;  // "in_t", "weight_t", ...
  std::span<const TypeRow> type_rows;
  std::span<const RuleRow> rules;  // of every operator, ERROR_IF, REQUIRE, LEVEL_CHECK, of helpers
  std::string_view precision;      // how far an implementation may be off, in one sentence
};

// Returns all operators, in the order of the specification.
std::span<const OperatorRow> AllOperators();

// The names of all attributes, in the order of AttributeId: "acc_type".
std::span<const std::string_view> AllAttributes();

// Not for kUnknown.
const OperatorRow& RowOf(Op op);

// Returns the argument row of an attribute; null if the operator has no such attribute.
const ArgumentRow* FindAttribute(Op op, AttributeId attribute);

// Returns true if a number of operands is possible: exactly that of the table or, if there is a
// list, at least the number of the other operands.
bool AcceptsCounts(Op op, size_t inputs, size_t outputs);

// Returns the index into type_rows of the row that the operands have; nothing if there is none, or
// if their number is wrong. `inputs` and `outputs` are the element types of the operands in
// argument order: kShape for a shape_t, and every tensor of a list in its place. `attribute_type`
// is the accumulator that `acc_type` names, or the type that VARIABLE's `type` names; kUnknown for
// other operators.
//
// Rows never differ in implied variables only (RESIZE resize_t, NEGATE and REDUCE_SUM acc_t), so
// the answer is unique. RESIZE rows carry their mode as text: see ResizeModeOf().
std::optional<int> FindTypeRow(Op op, std::span<const DType> inputs, std::span<const DType> outputs,
                               DType attribute_type = DType::kUnknown);

// Returns the element types of the outputs in a type row, with a list as one; kUnknown if the row
// leaves them open.
std::span<const DType> OutputTypes(Op op, int type_row);

// Returns the type of a type variable in a row; kUnknown if the operator has no variable of that
// name.
DType TypeOf(Op op, int type_row, std::string_view type_variable);

// Returns the only resize mode that a type row of RESIZE allows ("signed 8, nearest"); kUnknown if
// it allows both.
ResizeMode ResizeModeOf(int type_row);

}  // namespace assay
