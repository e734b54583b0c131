// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "graph.h"
#include "levels.h"
#include "run_operator.h"
#include "test_vector.h"

namespace assay {

// A main block under construction, with the reference value of each tensor. It has no limit on
// sizes but those of the level, and evaluates each operator once, in the value domain.
class NetworkGraph {
 public:
  explicit NetworkGraph(const Level& level) : level_(level) {}

  TensorIndex AddInput(Tensor value);
  TensorIndex AddConstant(Tensor value);
  // Adds a constant of one element, of shape [1], or returns the one that is there already.
  TensorIndex AddNumber(DType type, int64_t integer_or_bits);
  TensorIndex AddShape(std::span<const int64_t> values);
  // Adds an operator and evaluates it. `result` is the output's type where the inputs leave it
  // open. The operator must be valid, because networks are valid by construction.
  TensorIndex Add(Op op, std::vector<TensorIndex> inputs, Attributes attributes = {},
                  DType result = DType::kUnknown);

  const ValueTensor& ValueOf(TensorIndex i) const { return values_[static_cast<size_t>(i)]; }
  DType TypeOf(TensorIndex i) const { return ValueOf(i).type().type; }
  const Shape& ShapeOf(TensorIndex i) const { return ValueOf(i).type().shape; }
  // Returns all elements, which a double holds exactly.
  std::vector<double> ElementsOf(TensorIndex i) const;
  const Block& block() const { return block_; }

  // Returns a graph with the block as `main`. Moves the inputs to a step. The object is empty
  // afterwards.
  Graph Finish(std::vector<TensorIndex> outputs, Step& step);

 private:
  TensorIndex Declare(char letter, ValueTensor value);

  Level level_;
  Block block_;
  std::vector<ValueTensor> values_;
  std::map<std::pair<DType, int64_t>, TensorIndex> numbers_;
};

}  // namespace assay
