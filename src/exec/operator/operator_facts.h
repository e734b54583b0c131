// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "graph.h"
#include "operator_table.h"

namespace assay {

// The required form of an attribute's value.
enum class AttributeForm : uint8_t {
  kInt,
  kFlag,
  kText,
  kNanMode,
  kResizeMode,
  kRoundingMode,
  kAccumulator,   // a type of acc_type_t
  kVariableType,  // a type of var_t
  kTensor,
  kElement,  // a tensor of one element of the type of operand 0
  kInts,
  kIntPerAxis,  // as many as operand 0 has axes
};

// The facts of an operator's row that the executor needs for every call, computed once per
// operator. The struct is small: otherwise graphs of many operators would evict it from the caches
// again and again.
struct OperatorFacts {
  // A dimension of an argument's shape in the Arguments table. It is a symbol ("N") that has the
  // same value wherever it occurs in the row, a literal, or something that cannot be checked here.
  struct Dimension {
    enum Kind : uint8_t { kSymbol, kLiteral, kFree } kind;
    int16_t value;  // index of the symbol, or the literal
  };
  static constexpr size_t kMostDimensions = 5;
  struct alignas(64) Operand {
    const ArgumentRow* row = nullptr;
    const char* rank_level = "";         // the level check on its rank: "ADD/LEVEL_CHECK/1"
    std::optional<RankRange> rank = {};  // of the row, as is this
    bool compile_time_constant = false;
    bool is_shape = false;                    // a shape_t
    bool by_dimension = false;                // "[N,K,C]"
    uint8_t dimension_count = 0;              // if by_dimension
    std::optional<int8_t> whole_symbol = {};  // "shape1": index of the symbol for the whole shape
    int8_t length_of_rank = 0;                // "[2*rank(shape1)]" is 2, "[rank(shape)]" 1, else 0
    int8_t ranked_symbol = 0;                 // of which shape, if length_of_rank is not 0
    std::array<Dimension, kMostDimensions> all_dimensions = {};
    std::span<const Dimension> dimensions() const {
      return std::span(all_dimensions).first(dimension_count);
    }
  };
  struct Attribute {
    AttributeId id;
    AttributeForm form;
    bool optional;
    std::optional<int8_t> length;  // of a list of numbers
  };
  std::vector<Operand> inputs;  // tensors and shapes, in order; a list is one entry
  std::vector<Operand> outputs;
  std::vector<Attribute> attributes;
  int dimension_symbols = 0;
  std::optional<size_t> input_list;  // position of the list argument
  std::optional<size_t> output_list;
  uint32_t constant_inputs = 0;  // bit i: the rules read the elements of input i
  bool NeedsConstant(size_t input) const {
    return input < 32 && (constant_inputs >> input & 1) != 0;
  }

  // The rule ids.
  const char* arguments = "";
  const char* attribute_rule = "";
  const char* types = "";
  const char* tensor_size = "";
  const char* index_to_offset = "";
};

const OperatorFacts& FactsOf(Op op);

// Returns the type row for the operator's operands and attributes, or null if there is none.
const TypeRow* TypeRowOf(const Block& block, const Operator& op);

// Returns the extensions that the operator's attributes (rounding modes) need in addition to its
// type row's.
Requirements ModesOf(const Operator& op);

}  // namespace assay
