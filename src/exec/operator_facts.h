#pragma once

#include <string>
#include <vector>

#include "graph.h"
#include "operator_table.h"

namespace assay {

// What the value of an attribute has to be.
enum class AttributeForm : uint8_t {
  kInt,
  kFlag,
  kText,
  kNanMode,
  kResizeMode,
  kRoundingMode,
  kAccumulator,   // a type that acc_type_t names
  kVariableType,  // one that var_t names
  kTensor,
  kElement,  // a tensor of one element of the type of operand 0
  kInts,
  kIntPerAxis,  // as many as operand 0 has axes
};

// What the executor asks of an operator's row for every call, worked out once per operator.
struct OperatorFacts {
  // A dimension of an argument's shape in the Arguments table: a symbol ("N") that stands for the
  // same number wherever it occurs in the row, a literal, or nothing that can be checked here.
  struct Dimension {
    enum Kind : uint8_t { kSymbol, kLiteral, kFree } kind;
    int32_t value;  // index of the symbol, or the literal
  };
  struct Operand {
    const ArgumentRow* row;
    bool is_shape = false;              // a shape_t
    bool by_dimension = false;          // "[N,K,C]"
    std::vector<Dimension> dimensions;  // if by_dimension
    int whole_symbol = -1;              // "shape1": index of the symbol for the whole shape, or -1
    int length_of_rank = 0;             // "[2*rank(shape1)]" is 2, "[rank(shape)]" 1, else 0
    int ranked_symbol = -1;             // of which shape
    std::string rank_level;             // the level check on its rank: "ADD/LEVEL_CHECK/1"
  };
  struct Attribute {
    const ArgumentRow* row;
    AttributeForm form;
    int length;  // of a list of numbers, or -1
  };
  std::vector<Operand> inputs;  // tensors and shapes, in order; a list is one entry
  std::vector<Operand> outputs;
  std::vector<Attribute> attributes;
  int dimension_symbols = 0;
  int whole_symbols = 0;
  int input_list = -1;  // position of the list argument, or -1
  int output_list = -1;
  uint32_t constant_inputs = 0;  // bit i: the rules read the elements of input i

  // Rule ids that live as long as the program.
  std::string arguments, attribute_rule, types, tensor_size, index_to_offset;
};

const OperatorFacts& FactsOf(Op op);

// The type row that the operator's operands and attributes have, or null if there is none.
const TypeRow* TypeRowOf(const Block& block, const Operator& op);

// The extensions that its attributes need on top of its type row's: those of rounding modes.
Requirements ModesOf(const Operator& op);

}  // namespace assay
