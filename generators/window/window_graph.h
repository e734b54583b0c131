// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "test_vector.h"
#include "windows.h"

namespace assay {

// Builds the vector of a window, operator by operator, from a block of a whole vector.
class WindowGraph {
 public:
  // `block` must outlive the object.
  explicit WindowGraph(const Block& block);

  bool Has(TensorIndex from) const { return index_.contains(from); }
  // Adds an operand of an operator that comes from outside: the CONST that produces it, or an input
  // with the value. A value that must be known at compile time becomes a constant.
  void AddOperand(const Operator& op, size_t input, const Operator* constant, const Tensor& value);
  // Adds an operator with its results. Its operands must be there.
  void AddOperator(const Operator& op);
  void AddOutput(TensorIndex from) { main().outputs.push_back(index_.at(from)); }

  // The tensors of the block that are the inputs of the window, in order.
  const std::vector<TensorIndex>& inputs() const { return inputs_; }
  // Returns the window with the names of its operators, its size and its identity, and without what
  // it gets from the whole vector (DescribeFrom()).
  Window Finish();

 private:
  Block& main() { return *window_.vector.graphs[0].Main(); }
  TensorIndex AddTensor(TensorIndex from);
  std::string Identity();

  const Block& block_;
  Window window_;
  std::vector<Op> operators_;
  std::vector<TensorIndex> inputs_;
  std::map<TensorIndex, TensorIndex> index_;  // from the block to the window
};

// Gives a window the facts that it has from the vector that it comes from.
void DescribeFrom(const TestVector& whole, Window& window);

}  // namespace assay
