// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "test_vector.h"

namespace assay {

// Edits of one graph of a vector, for the shrink moves. An edit leaves the vector well-formed
// except for its types and expectations. Reinfer() computes the types again, and Expect() the
// expectations.

// The parts that an edit changes: the main block of one graph and the inputs of the steps that run
// it.
class GraphEdit {
 public:
  GraphEdit(TestVector& vector, int32_t graph);

  Block& main() { return *vector_.graphs[static_cast<size_t>(graph_)].Main(); }
  Graph& graph() { return vector_.graphs[static_cast<size_t>(graph_)]; }
  TestVector& vector() { return vector_; }
  // Returns the indices of the steps that run the graph, in order.
  const std::vector<size_t>& steps() const { return steps_; }

  const TensorType& TypeOf(TensorIndex t) { return main().TypeOf(t); }
  // Returns the value that step `step` (a position in steps()) gives to an input of the main block.
  Tensor& InputValue(size_t step, TensorIndex input);

  TensorIndex AddTensor(std::string name, TensorType type);
  // Adds an input of the main block, with one value of that type for each step of steps().
  TensorIndex AddInput(std::string name, const TensorType& type, const std::vector<Tensor>& values);
  void RemoveInput(TensorIndex input);
  // Sets another value for a constant operand of one operator; other operators keep the old one.
  void SetConstant(size_t op, size_t operand, Tensor value);

  // Returns the elements of a constant operand; null if it is not constant.
  const Tensor* Constant(size_t op, size_t operand);

  // Drops what nothing needs: operators without effect, tensors, inputs, repeated outputs, and
  // regions that nothing runs. Inserts the constants that SetConstant() made.
  void Sweep();

 private:
  TestVector& vector_;
  int32_t graph_;
  std::vector<size_t> steps_;
  std::vector<Operator> made_;  // constants that wait for their place at the front
};

// Makes all operators and outputs of the block that read `from` read `to`.
void ReplaceUses(Block& block, TensorIndex from, TensorIndex to);

// Returns the blocks of a graph other than the main one: those that control flow runs.
std::vector<Block*> NestedBlocks(Graph& graph);

// Drops what nothing in such a block needs. Its inputs stay, because operators outside provide
// them.
void SweepNested(Block& block);

// Drops the regions, and the blocks of the main region, that no block reachable from the main block
// runs.
void SweepRegions(Graph& graph);

// Something that reads a tensor: the operator at a position, or none if the block itself does,
// because the tensor is one of its outputs.
using Reader = std::optional<int32_t>;
// Returns the readers of each tensor.
std::vector<std::vector<Reader>> ReadersOf(const Block& block);

// Drops the graphs that no step runs and the contexts that none uses, renumbering the others.
void SweepVector(TestVector& vector);

enum class Kept : uint8_t { kFirst, kLast };  // elements along an axis that becomes shorter

// Returns that part of a tensor along every axis; `to` must be nowhere longer.
Tensor Crop(const Tensor& tensor, const Shape& to, Kept kept);

// Returns all tensors of the main blocks after each step: by step, then by tensor. A tensor has no
// value if none is known (shapes, variables, steps that end in an error).
std::vector<std::vector<Tensor>> EvaluateAll(const TestVector& vector);

}  // namespace assay
