#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "levels.h"
#include "scalar.h"
#include "test_vector.h"

namespace assay {

// A vector of one step in which one operator of the main block is to be spoilt. Edits keep the
// vector writable: what a changed operand holds is changed with it.
class FaultEdit {
 public:
  // The first operator `op` of the main block.
  FaultEdit(TestVector& vector, Op op);

  Block& main() { return *vector_.graphs[0].Main(); }
  Operator& op() { return main().operators[at_]; }
  std::vector<Tensor>& step_inputs() { return vector_.steps[0].inputs; }

  const TensorType& InputType(size_t i) { return main().TypeOf(op().inputs[i]); }
  const TensorType& OutputType(size_t i) { return main().TypeOf(op().outputs[i]); }
  // The elements of a constant operand, or null.
  const Tensor* Constant(size_t i);

  // Another type or shape of an operand; it keeps its elements, repeated or cut as the shape asks,
  // unless their type changes: then they are zeros.
  void SetInput(size_t i, const TensorType& type);
  void SetConstant(size_t i, Tensor value);
  void SetOutput(size_t i, const TensorType& type);
  // A constant operand becomes an input of the graph that holds the same.
  void MakeVariable(size_t i);
  TensorIndex AddTensor(const TensorType& type);

  // The static rules that the operator breaks as it is now, those of graphs aside; nothing if a
  // constant that they read is missing.
  std::optional<std::vector<const char*>> BrokenRules(const Level& level);

  // The shapes of the outputs that the shape rule gives to the operator as it is now; false if it
  // gives none.
  bool InferOutputs();

 private:
  // The operands, and the elements of those that rules read.
  struct Operands {
    std::vector<TensorType> inputs, outputs;
    std::vector<std::vector<Scalar>> elements;
    std::vector<std::span<const Scalar>> constants;
  };
  std::optional<Operands> ReadOperands();
  Operator* ProducerOf(TensorIndex tensor);
  // Where an input of the graph stands in the list of inputs, or -1.
  std::ptrdiff_t InputPosition(TensorIndex tensor);

  TestVector& vector_;
  size_t at_ = 0;
};

// One way to spoil an operator; false if it does not apply.
using OperatorFault = std::function<bool(FaultEdit&)>;

// Ways to spoil the operator `op` of a valid vector: other types and shapes of operands and
// results, operands missing or too many, attributes and constants of other values. `types`: the
// element types that a target has. What a fault breaks, if anything, is for CheckVector() to say.
std::vector<OperatorFault> FaultsOf(const TestVector& valid, Op op, std::span<const DType> types,
                                    const Level& level);

}  // namespace assay
