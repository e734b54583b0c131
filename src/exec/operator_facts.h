#pragma once

#include <string>
#include <vector>

#include "graph.h"
#include "operator_table.h"

namespace assay {

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
    bool by_dimension = false;          // "[N,K,C]"
    std::vector<Dimension> dimensions;  // if by_dimension
    int whole_symbol = -1;              // "shape1": index of the symbol for the whole shape, or -1
    int length_of_rank = 0;             // "[2*rank(shape1)]" is 2, "[rank(shape)]" 1, else 0
    int ranked_symbol = -1;             // of which shape
    std::string rank_level;             // the level check on its rank: "ADD/LEVEL_CHECK/1"
  };
  std::vector<Operand> inputs;  // tensors and shapes, in order; a list is one entry
  std::vector<Operand> outputs;
  std::vector<const ArgumentRow*> attributes;
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
