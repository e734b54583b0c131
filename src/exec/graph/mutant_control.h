// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "executor.h"
#include "mutants.h"

namespace assay {

// The changes by a mutant to control flow and state in one execution. Without a mutant, or with a
// mutant of another operator, no function changes anything.
template <class D>
class MutantControl {
 public:
  using Element = typename D::Element;
  using Value = InFlightOf<D>;

  MutantControl(const Mutant* mutant, ContextOf<D>& context) : mutant_(mutant), context_(context) {
    if (mutant != nullptr) at_start_ = context;
  }

  // Tells whether the mutant in force has this twist in this operator.
  bool Has(Op op, Twist twist) const {
    return mutant_ != nullptr && mutant_->twist == twist && mutant_->HoldsFor(op);
  }

  // COND_IF: change the condition, the values for the block, and the values from it.
  bool Condition(bool condition) const;
  void Arguments(Op op, std::vector<Value>& values) const;
  void Results(Op op, std::vector<Value>& values) const;

  // WHILE_LOOP: GoesOn() tells whether the body runs in this iteration if the condition says
  // `goes_on`. Carry() changes the values that the body passes on, given those that it received.
  bool GoesOn(int64_t iteration, bool goes_on) const;
  void Carry(const std::vector<Value>& given, std::vector<Value>& next) const;

  // Called for a block that control flow runs: before it, before an iteration of a loop, and after
  // it.
  void Enters(Op op);
  void Iterates();
  void Leaves(Op op);

  // VARIABLE: tell whether a declaration clears `seen`, whether a later one sets it again, and
  // whether one with another type makes the variable anew.
  bool ClearsSeen() const { return !Has(Op::kVariable, Twist::kSeenStays); }
  bool SetsSeenAgain() const { return !Has(Op::kVariable, Twist::kSeenLost); }
  bool MakesAnew(const Variable<D>& known, const TensorType& type) const {
    return Has(Op::kVariable, Twist::kRedeclares) && known.value.type() != type;
  }

  // VARIABLE: called after a declaration with an initial value. VARIABLE_WRITE: called after a
  // write, with the old value. VARIABLE_READ: returns the variable that is read.
  void Initialised(Variable<D>& variable) const;
  void Written(const std::string& name, Variable<D>& variable, const Value& old);
  const Variable<D>& Read(const std::string& name, const Variable<D>& variable);

 private:
  const Mutant* mutant_;
  ContextOf<D>& context_;
  ContextOf<D> at_start_;          // the state before the execution
  std::set<std::string> written_;  // the variables that the execution has written
  // The variables before each control flow operator in progress, innermost last, and before the
  // last iteration.
  std::vector<std::map<std::string, Variable<D>>> outside_;
  std::map<std::string, Variable<D>> before_iteration_;
};

extern template class MutantControl<ValueDomain>;
extern template class MutantControl<BoundDomain>;

}  // namespace assay
