// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "levels.h"
#include "scalar.h"
#include "test_vector.h"

namespace assay {

// An editor of a vector of one step that breaks one operator of the main block. Edits keep the
// vector writable: the contents of an operand change with its type.
class FaultEdit {
 public:
  // Edits the first operator `op` of the main block.
  FaultEdit(TestVector& vector, Op op);

  Block& main() { return *vector_.graphs[0].Main(); }
  Operator& op() { return main().operators[at_]; }
  std::vector<Tensor>& step_inputs() { return vector_.steps[0].inputs; }

  const TensorType& InputType(size_t i) { return main().TypeOf(op().inputs[i]); }
  const TensorType& OutputType(size_t i) { return main().TypeOf(op().outputs[i]); }
  // Returns the elements of a constant operand; null if it is not constant.
  const Tensor* Constant(size_t i);

  // Gives an operand another type or shape. It keeps its elements, repeated or cut as the shape
  // requires. If its element type changes, the elements become zeros.
  void SetInput(size_t i, const TensorType& type);
  void SetConstant(size_t i, Tensor value);
  void SetOutput(size_t i, const TensorType& type);
  // Makes a constant operand an input of the graph that holds the same elements.
  void MakeVariable(size_t i);
  TensorIndex AddTensor(const TensorType& type);

  // Returns the static rules that the operator breaks as it is now, without those of graphs.
  // Returns nullopt if a constant that they read is missing.
  std::optional<std::vector<const char*>> BrokenRules(const Level& level);

  // Sets the shapes of the outputs by the shape rule of the operator as it is now. Returns false if
  // the rule gives none.
  bool InferOutputs();

 private:
  // The types of operands and results, and the elements of the operands that rules read.
  struct Operands {
    std::vector<TensorType> inputs, outputs;
    std::vector<std::vector<Scalar>> elements;
    std::vector<std::span<const Scalar>> constants;
  };
  std::optional<Operands> ReadOperands();
  Operator* ProducerOf(TensorIndex tensor);
  // Returns the position of an input in the list of inputs of the graph, if it is one.
  std::optional<size_t> InputPosition(TensorIndex tensor);

  TestVector& vector_;
  size_t at_ = 0;
};

// One way to break an operator. It returns false if it does not apply.
using OperatorFault = std::function<bool(FaultEdit&)>;

// Returns ways to break the operator `op` of a valid vector: other types and shapes of operands and
// results, missing or extra operands, other values of attributes and constants. `types` are the
// element types that the target has. A fault may break no rule or several; call CheckVector() to
// find out.
std::vector<OperatorFault> FaultsOf(const TestVector& valid, Op op, std::span<const DType> types,
                                    const Level& level);

}  // namespace assay
