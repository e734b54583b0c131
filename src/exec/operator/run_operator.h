#pragma once

#include <limits>
#include <vector>

#include "graph.h"
#include "in_flight.h"
#include "levels.h"
#include "operator_definition.h"

namespace assay {

struct Mutant;  // mutants.h

// Which implementation of an operator runs: its template, or its native kernel where it has one
// (bit-equal; a law over all operators holds them together).
enum class Kernels : uint8_t { kFast, kTemplate };

// The elements of the operands that rules read, as Signature::constants wants them.
template <class Value>
class OperandConstants {
 public:
  // Of the operands of `op`, which may have any types. The views are good until the next call.
  void Read(Op op, std::span<const Value* const> operands);
  std::span<const std::span<const Scalar>> views() const { return views_; }

 private:
  std::vector<std::span<const Scalar>> views_;
  std::vector<Scalar> room_;
};

// The part of execution that needs no graph: one operator on known operands in domain D.
// Checks the Arguments table and type rows (`OP/ERROR_IF/arguments`, `/attributes`, `/types`), the
// level, the operator's own rules, then computes. What is broken goes to d.judgement(); results are
// there only if it stays valid. Control flow and state operators belong to the interpreter.
template <class D>
struct OperatorRun {
  using Value = InFlightOf<D>;
  const Operator* op = nullptr;
  std::vector<const Value*> inputs;
  std::vector<TensorType> input_types;   // set: of `inputs`
  OperandConstants<Value> constants;     // the same
  std::vector<TensorType> output_types;  // as the graph declares them
  // The output types are what InferOutputs() gives for input_types and constants, which are those
  // of `inputs` already.
  bool types_inferred = false;
  // The static part has accepted this operator before, on operands of these types and the same
  // elements of compile-time constants: it is not asked again.
  bool was_accepted = false;
  bool accepted = false;       // set: by the static part
  std::vector<Value> outputs;  // the results
  // The results together may have as many elements; beyond it nothing is computed, and capped is
  // set, unless the operator is not valid anyway.
  int64_t elements_max = std::numeric_limits<int64_t>::max();
  bool capped = false;
  const Mutant* mutant = nullptr;  // the one in force, value domain only
};

template <class D>
void RunOperator(D& d, const Level& level, Kernels kernels, OperatorRun<D>& run);

extern template void RunOperator(ValueDomain&, const Level&, Kernels, OperatorRun<ValueDomain>&);
extern template void RunOperator(BoundDomain&, const Level&, Kernels, OperatorRun<BoundDomain>&);

// The static part alone: arguments, types, level and the operator's own checks.
void CheckOperator(const Signature& signature, const Level& level, Judgement& judgement,
                   std::span<const DType> types = {});

// Whether number and ranks of operands, lengths of constants and forms of attributes are those of
// the Arguments table: the functions of OperatorDefinition may be called for no other signature.
bool HasMeaning(const Signature& signature, const Level& level);

// Shapes and types of the outputs of an operator; false if there is none. For operators whose
// output type the inputs leave open, `outputs` holds the wished types. `constants` as in Signature.
bool InferOutputs(const Signature& signature, std::vector<TensorType>& outputs);

}  // namespace assay
