// SPDX-License-Identifier: Apache-2.0
#include "mutant_control.h"

#include <algorithm>
#include <utility>

namespace assay {
namespace {

// Returns the tensor with element 0 in all places, or with zeros.
template <class D>
InFlightOf<D> Filled(const InFlightOf<D>& value, bool with_first) {
  using Element = typename D::Element;
  const DomainTensor<Element>& tensor = value.elements();
  const Element element = with_first ? tensor[0] : D().Zero(tensor.type.type);
  const std::vector<Element> elements(tensor.elements->size(), element);
  return InFlightOf<D>(
      DomainTensor<Element>{tensor.type, std::make_shared<const std::vector<Element>>(elements)});
}

template <class Value>
void ExchangeEnds(std::vector<Value>& values) {
  if (values.size() < 2 || values.front().type() != values.back().type()) return;
  std::swap(values.front(), values.back());
}

}  // namespace

template <class D>
bool MutantControl<D>::Condition(bool condition) const {
  if (Has(Op::kCondIf, Twist::kThenAlways)) return true;
  if (Has(Op::kCondIf, Twist::kElseAlways)) return false;
  return condition != Has(Op::kCondIf, Twist::kConditionNegated);
}

template <class D>
void MutantControl<D>::Arguments(Op op, std::vector<Value>& values) const {
  if (Has(op, Twist::kArgumentsReversed)) ExchangeEnds(values);
  if (Has(op, Twist::kArgumentStale) && values.size() > 1) {
    values.back() = Filled<D>(values.back(), false);
  }
}

template <class D>
void MutantControl<D>::Results(Op op, std::vector<Value>& values) const {
  if (Has(op, Twist::kOutputsReversed)) ExchangeEnds(values);
}

template <class D>
bool MutantControl<D>::GoesOn(int64_t iteration, bool goes_on) const {
  if (iteration == 0 && Has(Op::kWhileLoop, Twist::kBodyFirst)) return true;
  if (iteration == 1 && Has(Op::kWhileLoop, Twist::kBodyOnce)) return false;
  if (iteration == 4 && Has(Op::kWhileLoop, Twist::kLoopStopsAtFour)) return false;
  return goes_on;
}

template <class D>
void MutantControl<D>::Carry(const std::vector<Value>& given, std::vector<Value>& next) const {
  if (!Has(Op::kWhileLoop, Twist::kLoopCarriesFirstOnly) || next.empty()) return;
  std::copy(given.begin() + 1, given.end(), next.begin() + 1);
}

template <class D>
void MutantControl<D>::Enters(Op op) {
  if (!Has(op, Twist::kWritesUndone) && !Has(op, Twist::kNestedForgets)) return;
  outside_.push_back(context_.variables);
  if (Has(op, Twist::kNestedForgets)) context_.variables.clear();
}

template <class D>
void MutantControl<D>::Iterates() {
  if (Has(Op::kWhileLoop, Twist::kLastWritesUndone)) before_iteration_ = context_.variables;
}

template <class D>
void MutantControl<D>::Leaves(Op op) {
  if (Has(op, Twist::kWritesUndone) || Has(op, Twist::kNestedForgets)) {
    context_.variables = std::move(outside_.back());
    outside_.pop_back();
  }
  if (op == Op::kWhileLoop && Has(op, Twist::kLastWritesUndone) && !before_iteration_.empty()) {
    context_.variables = std::exchange(before_iteration_, {});
  }
}

template <class D>
void MutantControl<D>::Initialised(Variable<D>& variable) const {
  const bool first = Has(Op::kVariable, Twist::kInitialValueFirst);
  if (!first && !Has(Op::kVariable, Twist::kInitialValueLost)) return;
  variable.value = Filled<D>(variable.value, first);
}

template <class D>
void MutantControl<D>::Written(const std::string& name, Variable<D>& variable, const Value& old) {
  const Op op = Op::kVariableWrite;
  if (mutant_ == nullptr || !mutant_->HoldsFor(op)) return;
  const bool first = written_.insert(name).second;
  const bool lost = Has(op, Twist::kWriteLost) || (Has(op, Twist::kWritesOnce) && !first);
  if (lost && variable.is_written) variable.value = old;
  const bool first_only = Has(op, Twist::kWritesFirstElement);
  if ((first_only || Has(op, Twist::kWritesAllButLast)) && variable.is_written) {
    const std::vector<Element>& before = *old.elements().elements;
    const std::vector<Element>& now = *variable.value.elements().elements;
    std::vector<Element> elements = first_only ? before : now;
    (first_only ? elements.front() : elements.back()) = first_only ? now.front() : before.back();
    variable.value = Value(DomainTensor<Element>{
        variable.value.type(), std::make_shared<const std::vector<Element>>(std::move(elements))});
  }
  if (!Has(op, Twist::kWritesEverywhere)) return;
  for (auto& [other_name, other] : context_.variables) {
    if (other.value.type() == variable.value.type()) other.value = variable.value;
  }
}

template <class D>
const Variable<D>& MutantControl<D>::Read(const std::string& name, const Variable<D>& variable) {
  const Op op = Op::kVariableRead;
  if (Has(op, Twist::kReadsInitial)) {
    const auto known = at_start_.variables.find(name);
    if (known != at_start_.variables.end() && known->second.is_written) return known->second;
  }
  if (Has(op, Twist::kReadsFirst)) {
    for (const auto& [other_name, other] : context_.variables) {
      if (other.is_written && other.value.type() == variable.value.type()) return other;
    }
  }
  if (!Has(op, Twist::kReadsZeroed) && !Has(op, Twist::kReadsFirstElement)) return variable;
  Variable<D>& held = at_start_.variables[name];
  held = variable;
  if (Has(op, Twist::kReadsFirstElement)) {
    held.value = Filled<D>(held.value, true);
    return held;
  }
  Variable<D>& zeroed = context_.variables[name];
  zeroed.value = Filled<D>(zeroed.value, false);
  return held;
}

template class MutantControl<ValueDomain>;
template class MutantControl<BoundDomain>;

}  // namespace assay
