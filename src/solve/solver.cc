// SPDX-License-Identifier: Apache-2.0
#include "solver.h"

#include <z3++.h>

#include <optional>
#include <vector>

#include "check.h"

namespace assay {
namespace {

// The names that SMT-LIB has for them, in the order of Logic.
constexpr const char* kLogicNames[] = {"QF_LIA", "QF_IDL", "QF_BV", "QF_UFBV"};

}  // namespace

class Solver::Impl {
 public:
  Impl(Logic logic, uint32_t effort_max)
      : solver_(context_, kLogicNames[static_cast<size_t>(logic)]) {
    z3::params parameters(context_);
    parameters.set("rlimit", effort_max);
    solver_.set(parameters);
  }

  z3::context& context() { return context_; }
  z3::solver& solver() { return solver_; }
  const z3::expr& At(Term term) const { return terms_.at(term.index); }

  Term Keep(z3::expr expression) {
    terms_.push_back(std::move(expression));
    return {static_cast<uint32_t>(terms_.size() - 1)};
  }

  z3::expr_vector All(std::span<const Term> terms) {
    z3::expr_vector all(context_);
    for (const Term term : terms) all.push_back(At(term));
    return all;
  }

  SolverAnswer Solve() {
    witness_.reset();
    const z3::check_result result = solver_.check();
    if (result == z3::sat) witness_ = solver_.get_model();
    return result == z3::sat     ? SolverAnswer::kSatisfiable
           : result == z3::unsat ? SolverAnswer::kUnsatisfiable
                                 : SolverAnswer::kUndecided;
  }

  z3::expr Witness(Term variable) const {
    Check(witness_.has_value(), "a witness of what is satisfiable");
    return witness_->eval(At(variable), /*model_completion=*/true);
  }

 private:
  z3::context context_;
  z3::solver solver_;
  std::vector<z3::expr> terms_;
  std::optional<z3::model> witness_;
};

Solver::Solver(Logic logic, uint32_t effort_max)
    : impl_(std::make_unique<Impl>(logic, effort_max)) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

Term Solver::Integer(int64_t value) { return impl_->Keep(impl_->context().int_val(value)); }
Term Solver::Bits(uint64_t value, unsigned width) {
  return impl_->Keep(impl_->context().bv_val(value, width));
}
Term Solver::IntegerVariable(const std::string& name) {
  return impl_->Keep(impl_->context().int_const(name.c_str()));
}
Term Solver::BitsVariable(const std::string& name, unsigned width) {
  return impl_->Keep(impl_->context().bv_const(name.c_str(), width));
}
Term Solver::BooleanVariable(const std::string& name) {
  return impl_->Keep(impl_->context().bool_const(name.c_str()));
}

Term Solver::Add(Term a, Term b) { return impl_->Keep(impl_->At(a) + impl_->At(b)); }
Term Solver::Multiply(Term a, Term b) { return impl_->Keep(impl_->At(a) * impl_->At(b)); }
Term Solver::Less(Term a, Term b) {
  const z3::expr &x = impl_->At(a), &y = impl_->At(b);
  return impl_->Keep(x.is_bv() ? z3::ult(x, y) : x < y);
}
Term Solver::LessOrEqual(Term a, Term b) {
  const z3::expr &x = impl_->At(a), &y = impl_->At(b);
  return impl_->Keep(x.is_bv() ? z3::ule(x, y) : x <= y);
}
Term Solver::Equal(Term a, Term b) { return impl_->Keep(impl_->At(a) == impl_->At(b)); }

Term Solver::LessSigned(Term a, Term b) { return impl_->Keep(z3::slt(impl_->At(a), impl_->At(b))); }
Term Solver::DivideSigned(Term a, Term b) { return impl_->Keep(impl_->At(a) / impl_->At(b)); }
Term Solver::ShiftLeft(Term a, Term b) { return impl_->Keep(z3::shl(impl_->At(a), impl_->At(b))); }
Term Solver::ShiftRightSigned(Term a, Term b) {
  return impl_->Keep(z3::ashr(impl_->At(a), impl_->At(b)));
}
Term Solver::BitAnd(Term a, Term b) { return impl_->Keep(impl_->At(a) & impl_->At(b)); }
Term Solver::BitOr(Term a, Term b) { return impl_->Keep(impl_->At(a) | impl_->At(b)); }
Term Solver::BitXor(Term a, Term b) { return impl_->Keep(impl_->At(a) ^ impl_->At(b)); }

Term Solver::ResizeSigned(Term a, unsigned width) {
  const z3::expr& x = impl_->At(a);
  const unsigned from = x.get_sort().bv_size();
  return impl_->Keep(width <= from ? x.extract(width - 1, 0) : z3::sext(x, width - from));
}
Term Solver::ResizeUnsigned(Term a, unsigned width) {
  const z3::expr& x = impl_->At(a);
  const unsigned from = x.get_sort().bv_size();
  return impl_->Keep(width <= from ? x.extract(width - 1, 0) : z3::zext(x, width - from));
}
Term Solver::IfThenElse(Term condition, Term a, Term b) {
  return impl_->Keep(z3::ite(impl_->At(condition), impl_->At(a), impl_->At(b)));
}

Term Solver::Apply(const std::string& name, std::span<const Term> words, unsigned width) {
  z3::context& context = impl_->context();
  z3::sort_vector domain(context);
  for (const Term word : words) domain.push_back(impl_->At(word).get_sort());
  const z3::func_decl function = context.function(name.c_str(), domain, context.bv_sort(width));
  return impl_->Keep(function(impl_->All(words)));
}

Term Solver::Not(Term a) { return impl_->Keep(!impl_->At(a)); }
Term Solver::And(std::span<const Term> all) { return impl_->Keep(z3::mk_and(impl_->All(all))); }
Term Solver::Or(std::span<const Term> any) { return impl_->Keep(z3::mk_or(impl_->All(any))); }
Term Solver::Implies(Term a, Term b) {
  return impl_->Keep(z3::implies(impl_->At(a), impl_->At(b)));
}
Term Solver::AtLeast(std::span<const Term> of, unsigned count) {
  return impl_->Keep(z3::atleast(impl_->All(of), count));
}

void Solver::Assert(Term term) { impl_->solver().add(impl_->At(term)); }
SolverAnswer Solver::Solve() { return impl_->Solve(); }

int64_t Solver::IntegerOf(Term variable) const {
  return impl_->Witness(variable).get_numeral_int64();
}
uint64_t Solver::BitsOf(Term variable) const {
  return impl_->Witness(variable).get_numeral_uint64();
}
bool Solver::BooleanOf(Term variable) const { return impl_->Witness(variable).is_true(); }

}  // namespace assay
