// SPDX-License-Identifier: Apache-2.0
#include "term_domain.h"

#include "operator.h"

namespace assay {

// --- integers

TermId TermDomain::RequireBetween(TermId x, int64_t low, int64_t high, const char* rule) {
  const TermNode& node = (*arena_)[x];
  if (node.low >= low && node.high <= high) return x;
  RequireTerm(arena_->Within(x, low, high), rule);
  if (requirements_ == Requirements::kFacts && !guard_) arena_->Assume(x, low, high);
  return x;
}

void TermDomain::RequireTrue(TermId condition, const char* rule) {
  RequireTerm(arena_->Select(condition, Integer(1), Integer(0)), rule);
}

void TermDomain::RequireTerm(TermId holds, const char* rule) {
  if (guard_) holds = arena_->Or(arena_->Complement(*guard_), holds);
  if (arena_->IsTrue(holds)) return;
  if (arena_->IsFalse(holds)) return judgement_.Require(false, rule);
  conditions_.push_back({holds, rule});
  if (requirements_ == Requirements::kFacts) arena_->Assume(holds, 1, 1);
}

// --- logic and selection

void TermDomain::Update(DType, std::span<TermId> table, TermId index, TermId x) const {
  if (arena_->IsConstant(index)) {
    const auto i = static_cast<uint64_t>(arena_->Number(index));
    if (i < table.size()) table[i] = x;
    return;
  }
  for (size_t i = 0; i < table.size(); ++i) {
    const TermId here = arena_->Equal(index, Integer(static_cast<int64_t>(i)));
    table[i] = arena_->Select(here, x, table[i]);
  }
}

// --- numbers of either class

TermId TermDomain::Add(DType type, TermId a, TermId b, const char* rule) {
  if (IsFloat(type)) return arena_->FloatAdd(a, b);
  return RequireRange(*this, type, AddInteger(a, b), rule);
}
// a - b = a + -b, in fp64 as well.
TermId TermDomain::Sub(DType type, TermId a, TermId b, const char* rule) {
  if (IsFloat(type)) return arena_->FloatAdd(a, arena_->Negate(b));
  return RequireRange(*this, type, SubInteger(a, b), rule);
}

// --- floats

TermId TermDomain::Pow(DType type, TermId a, TermId b) const {
  const TermId operands[] = {a, b};
  return arena_->Elementary(static_cast<int64_t>(Op::kPow), type, operands);
}

TermId TermDomain::FloatToInteger(DType, DType to, TermId a, const char* nan_rule) {
  RequireTerm(arena_->Complement(arena_->IsNan(a)), nan_rule);
  return arena_->FloatToInteger(to, a);
}

// --- sums

TermId TermDomain::SumWithin(const DotRule& rule, std::span<const TermId> terms) {
  const int64_t low = MinimumInteger(rule.acc_type), high = MaximumInteger(rule.acc_type);
  RequireTerm(arena_->SumsWithin(low, high, terms), rule.overflow);
  const TermId sum = arena_->Sum(terms);
  if (requirements_ == Requirements::kFacts && !guard_) arena_->Assume(sum, low, high);
  return sum;
}

TermId TermDomain::Dot(const DotRule& rule, std::span<const TermId> a, std::span<const TermId> b,
                       std::span<const TermId>, const TermId* bias) {
  const bool is_float = IsFloat(rule.acc_type);
  std::vector<TermId> products;
  products.reserve(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    products.push_back(is_float ? arena_->FloatMultiply(a[i], b[i]) : arena_->Multiply(a[i], b[i]));
  }
  if (is_float) {
    const TermId sum = arena_->FloatSum(rule.acc_type, products);
    return bias == nullptr ? sum : arena_->FloatAdd(sum, *bias);
  }
  const TermId sum = SumWithin(rule, products);
  return bias == nullptr
             ? sum
             : RequireRange(*this, rule.out_type, AddInteger(sum, *bias), rule.overflow);
}

TermId TermDomain::Sum(const DotRule& rule, std::span<const TermId> a) {
  return IsFloat(rule.in_type) ? arena_->FloatSum(rule.acc_type, a) : SumWithin(rule, a);
}

TermId TermDomain::Average(const DotRule& rule, std::span<const TermId> a, int64_t count) {
  return arena_->FloatQuotient(Sum(rule, a), count);
}

}  // namespace assay
