// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "bound_domain.h"
#include "graph.h"
#include "in_flight.h"
#include "levels.h"
#include "signature.h"

namespace assay {

struct Member;  // member.h
struct Mutant;  // mutants.h

// The implementation of an operator that runs: its template, or its native kernel if it has one.
// They are bit-equal; a test over all operators compares them.
enum class Kernels : uint8_t { kFast, kTemplate };

// The elements of the operands that rules read, in the form of Signature::constants.
template <class Value>
class OperandConstants {
 public:
  // Reads the operands of `op`, which may have any types. The views are valid until the next call.
  void Read(Op op, std::span<const Value* const> operands);
  std::span<const std::span<const Scalar>> views() const { return views_; }

 private:
  std::vector<std::span<const Scalar>> views_;
  std::vector<Scalar> room_;
};

// The part of execution that needs no graph: one operator on known operands in domain D. It checks
// the Arguments table and type rows (`OP/ERROR_IF/arguments`, `/attributes`, `/types`), the level
// and the operator's own rules. Then it computes. Broken rules go to d.judgement(); results exist
// only if it stays valid. Control flow and state operators belong to the interpreter.
template <class D>
struct OperatorRun {
  using Value = InFlightOf<D>;
  const Operator* op = nullptr;
  std::vector<const Value*> inputs;
  std::vector<TensorType> input_types;   // set: of `inputs`
  OperandConstants<Value> constants;     // the same
  std::vector<TensorType> output_types;  // as the graph declares them
  // True if the output types are those that InferOutputs() returns for input_types and constants,
  // and these are already set from `inputs`.
  bool types_inferred = false;
  // True if the static part has accepted this operator before, on operands of these types and with
  // the same elements of compile-time constants. Then it is not called again.
  bool was_accepted = false;
  bool accepted = false;       // set: by the static part
  std::vector<Value> outputs;  // the results
  // The largest number of elements that all results together may have. Beyond it nothing is
  // computed, and capped is set, unless the operator is invalid anyway.
  int64_t elements_max = std::numeric_limits<int64_t>::max();
  bool capped = false;
  const Mutant* mutant = nullptr;  // the one in force, value domain only
  bool mutant_reached = false;     // set: the mutant changes something, for some operands
  uint32_t constant_operands = 0;  // bits of those that constants of the graph give, for mutants
  // The member of the ensemble that computes, value domain only, and the seed of this operator.
  const Member* member = nullptr;
  uint64_t member_seed = 0;
};

template <class D>
void RunOperator(D& d, const Level& level, Kernels kernels, OperatorRun<D>& run);

extern template void RunOperator(ValueDomain&, const Level&, Kernels, OperatorRun<ValueDomain>&);
extern template void RunOperator(BoundDomain&, const Level&, Kernels, OperatorRun<BoundDomain>&);

// Runs only the static part: arguments, types, level and the operator's own checks.
void CheckOperator(const Signature& signature, const Level& level, Judgement& judgement,
                   std::span<const DType> types = {});

// Returns true if the number and ranks of operands, the lengths of constants and the forms of
// attributes are those of the Arguments table. The functions of OperatorDefinition may only be
// called for such a signature.
bool HasMeaning(const Signature& signature, const Level& level);

// Infers the shapes and types of the outputs of an operator. Returns false if there are none. If
// the inputs do not determine the output type, `outputs` must hold the desired types. `constants`
// is as in Signature.
bool InferOutputs(const Signature& signature, std::vector<TensorType>& outputs);

}  // namespace assay
