#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "executor.h"
#include "mutants.h"

namespace assay {

// What a mutant does to control flow and state in one execution. Without a mutant, or with one of
// another operator, every function leaves things as they are.
template <class D>
class MutantControl {
 public:
  using Element = typename D::Element;
  using Value = InFlightOf<D>;

  MutantControl(const Mutant* mutant, ContextOf<D>& context) : mutant_(mutant), context_(context) {
    if (mutant != nullptr) at_start_ = context;
  }

  // Whether the mutant in force has this twist in this operator.
  bool Has(Op op, Twist twist) const {
    return mutant_ != nullptr && mutant_->twist == twist && mutant_->HoldsFor(op);
  }

  // COND_IF: the condition, and the values for and from the block.
  bool Condition(bool condition) const;
  void Arguments(Op op, std::vector<Value>& values) const;
  void Results(Op op, std::vector<Value>& values) const;

  // WHILE_LOOP: whether the body runs in this iteration, when the condition says `goes_on`; what
  // the body hands on, from the values it was given.
  bool GoesOn(int64_t iteration, bool goes_on) const;
  void Carry(const std::vector<Value>& given, std::vector<Value>& next) const;

  // A block that control flow runs: the variables before it, an iteration of a loop, and after it.
  void Enters(Op op);
  void Iterates();
  void Leaves(Op op);

  // VARIABLE: whether a declaration finds and leaves `seen` as it should, and makes the variable
  // anew if it says otherwise than the one before.
  bool ClearsSeen() const { return !Has(Op::kVariable, Twist::kSeenStays); }
  bool SetsSeenAgain() const { return !Has(Op::kVariable, Twist::kSeenLost); }
  bool MakesAnew(const Variable<D>& known, const TensorType& type) const {
    return Has(Op::kVariable, Twist::kRedeclares) && known.value.type() != type;
  }

  // VARIABLE: one that was just declared with its initial value. VARIABLE_WRITE: one that was just
  // written, and what it held before. VARIABLE_READ: the variable that is read.
  void Initialised(Variable<D>& variable) const;
  void Written(const std::string& name, Variable<D>& variable, const Value& old);
  const Variable<D>& Read(const std::string& name, const Variable<D>& variable);

 private:
  const Mutant* mutant_;
  ContextOf<D>& context_;
  ContextOf<D> at_start_;          // what the execution began with
  std::set<std::string> written_;  // variables that it has written
  // What control flow began with, innermost last; what the last iteration began with.
  std::vector<std::map<std::string, Variable<D>>> outside_;
  std::map<std::string, Variable<D>> before_iteration_;
};

extern template class MutantControl<ValueDomain>;
extern template class MutantControl<BoundDomain>;

}  // namespace assay
