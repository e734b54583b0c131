#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "test_vector.h"

namespace assay {

// Edits of one graph of a vector, for the shrink moves. An edit leaves the vector well-formed but
// for types, which Reinfer() works out again, and expectations, which Expect() does.

// What an edit changes: the main block of one graph and the inputs of the steps that run it.
class GraphEdit {
 public:
  GraphEdit(TestVector& vector, int32_t graph);

  Block& main() { return *vector_.graphs[static_cast<size_t>(graph_)].Main(); }
  Graph& graph() { return vector_.graphs[static_cast<size_t>(graph_)]; }
  TestVector& vector() { return vector_; }
  // The steps that run the graph, in order.
  const std::vector<size_t>& steps() const { return steps_; }

  const TensorType& TypeOf(TensorIndex t) { return main().TypeOf(t); }
  // What step `step` (a position in steps()) gives to an input of the main block.
  Tensor& InputValue(size_t step, TensorIndex input);

  TensorIndex AddTensor(std::string name, TensorType type);
  // A new input of the main block; one value of that type per step of steps().
  TensorIndex AddInput(std::string name, const TensorType& type, const std::vector<Tensor>& values);
  void RemoveInput(TensorIndex input);
  // All operators and outputs read `to` where they read `from`.
  void ReplaceUses(TensorIndex from, TensorIndex to);
  // Another value for a constant operand of one operator alone; others keep the old one.
  void SetConstant(size_t op, size_t operand, Tensor value);

  // The elements of a constant operand; null if it is none.
  const Tensor* Constant(size_t op, size_t operand);

  // Drops what nothing needs: operators without effect, tensors, inputs, repeated outputs, regions
  // that nothing runs. Places the constants that SetConstant() made.
  void Sweep();

 private:
  TestVector& vector_;
  int32_t graph_;
  std::vector<size_t> steps_;
  std::vector<Operator> made_;  // constants that wait for their place at the front
};

// The blocks of a graph beside the main one: those that control flow runs.
std::vector<Block*> NestedBlocks(Graph& graph);

// Drops what nothing in such a block needs; its inputs stay, which others give it.
void SweepNested(Block& block);

// Drops the regions, and the blocks of the main region, that no block reachable from the main block
// runs.
void SweepRegions(Graph& graph);

// Readers of each tensor: operator positions; outputs of the block count as position -1.
std::vector<std::vector<int32_t>> ReadersOf(const Block& block);

// Drops the graphs that no step runs and the contexts that none uses, renumbering the others.
void SweepVector(TestVector& vector);

enum class Kept : uint8_t { kFirst, kLast };  // elements along an axis that becomes shorter

// That part of a tensor along every axis; `to` is nowhere longer.
Tensor Crop(const Tensor& tensor, const Shape& to, Kept kept);

// All tensors of the main blocks, as each step leaves them: by step, then by tensor. No value where
// there is none to know (shapes, variables, steps that end in an error).
std::vector<std::vector<Tensor>> EvaluateAll(const TestVector& vector);

}  // namespace assay
