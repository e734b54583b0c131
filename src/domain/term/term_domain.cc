// SPDX-License-Identifier: Apache-2.0
#include "term_domain.h"

#include "operator.h"

namespace assay {

TermId TermDomain::Store(DType type, TermId x) const {
  return IsFloat(type) ? arena_->Round(type, x) : x;
}

// --- integers

TermId TermDomain::AddInteger(TermId a, TermId b) const { return arena_->Add(a, b); }
TermId TermDomain::SubInteger(TermId a, TermId b) const { return arena_->Subtract(a, b); }
TermId TermDomain::MulInteger(TermId a, TermId b) const { return arena_->Multiply(a, b); }

TermId TermDomain::RequireRange(DType type, TermId x, const char* rule) {
  return RequireBetween(x, MinimumInteger(type), MaximumInteger(type), rule);
}

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

TermId TermDomain::Truncate(DType type, TermId x) const {
  return arena_->Truncate(IntegerBits(type), x);
}
TermId TermDomain::ZeroExtend(int bits, TermId x) const { return arena_->ZeroExtend(bits, x); }
TermId TermDomain::Clip(TermId x, int64_t low, int64_t high) const {
  return arena_->Clip(x, low, high);
}
TermId TermDomain::And(TermId a, TermId b) const { return arena_->And(a, b); }
TermId TermDomain::Or(TermId a, TermId b) const { return arena_->Or(a, b); }
TermId TermDomain::Xor(TermId a, TermId b) const { return arena_->Xor(a, b); }
TermId TermDomain::Not(TermId a) const { return arena_->Subtract(Integer(-1), a); }
TermId TermDomain::ShiftLeft(TermId x, TermId by) const { return arena_->ShiftLeft(x, by); }
TermId TermDomain::ShiftRight(TermId x, TermId by) const { return arena_->ShiftRight(x, by); }
TermId TermDomain::DivInteger(TermId a, TermId b) const { return arena_->Divide(a, b); }
TermId TermDomain::CountLeadingZeros(int bits, TermId x) const {
  return arena_->CountLeadingZeros(bits, x);
}

// --- logic and selection

TermId TermDomain::LogicalNot(TermId a) const { return arena_->Equal(a, Integer(0)); }
TermId TermDomain::Select(DType, TermId condition, TermId a, TermId b) const {
  return arena_->Select(condition, a, b);
}
TermId TermDomain::Lookup(DType, std::span<const TermId> table, TermId index) const {
  return arena_->Lookup(index, table);
}

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
  return RequireRange(type, AddInteger(a, b), rule);
}
// a - b = a + -b, in fp64 as well.
TermId TermDomain::Sub(DType type, TermId a, TermId b, const char* rule) {
  if (IsFloat(type)) return arena_->FloatAdd(a, arena_->Negate(b));
  return RequireRange(type, SubInteger(a, b), rule);
}
TermId TermDomain::IsNan(DType, TermId x) const { return arena_->IsNan(x); }
TermId TermDomain::Equal(DType type, TermId a, TermId b) const {
  return IsFloat(type) ? arena_->FloatEqual(a, b) : arena_->Equal(a, b);
}
TermId TermDomain::Greater(DType type, TermId a, TermId b) const {
  return IsFloat(type) ? arena_->FloatGreater(a, b) : arena_->Greater(a, b);
}
TermId TermDomain::GreaterEqual(DType type, TermId a, TermId b) const {
  return IsFloat(type) ? arena_->FloatGreaterEqual(a, b) : arena_->GreaterEqual(a, b);
}
TermId TermDomain::Max(DType type, NanMode mode, TermId a, TermId b) const {
  return IsFloat(type) ? arena_->FloatMaximum(mode, a, b) : arena_->Maximum(a, b);
}
TermId TermDomain::Min(DType type, NanMode mode, TermId a, TermId b) const {
  return IsFloat(type) ? arena_->FloatMinimum(mode, a, b) : arena_->Minimum(a, b);
}
TermId TermDomain::ArgMax(DType, NanMode mode, std::span<const TermId> elements) const {
  return arena_->ArgMax(mode, elements);
}

// --- floats

TermId TermDomain::Unary(Op op, DType type, TermId a) const {
  return arena_->Elementary(static_cast<int64_t>(op), type, {&a, 1});
}

TermId TermDomain::Mul(DType, TermId a, TermId b) const { return arena_->FloatMultiply(a, b); }
TermId TermDomain::Abs(DType, TermId a) const { return arena_->Abs(a); }
TermId TermDomain::Negate(DType, TermId a) const { return arena_->Negate(a); }
TermId TermDomain::Ceil(DType, TermId a) const { return arena_->Ceil(a); }
TermId TermDomain::Floor(DType, TermId a) const { return arena_->Floor(a); }
TermId TermDomain::Exp(DType type, TermId a) const { return Unary(Op::kExp, type, a); }
TermId TermDomain::Log(DType type, TermId a) const { return Unary(Op::kLog, type, a); }
TermId TermDomain::Sin(DType type, TermId a) const { return Unary(Op::kSin, type, a); }
TermId TermDomain::Cos(DType type, TermId a) const { return Unary(Op::kCos, type, a); }
TermId TermDomain::Tanh(DType type, TermId a) const { return Unary(Op::kTanh, type, a); }
TermId TermDomain::Erf(DType type, TermId a) const { return Unary(Op::kErf, type, a); }
TermId TermDomain::Sigmoid(DType type, TermId a) const { return Unary(Op::kSigmoid, type, a); }
TermId TermDomain::Reciprocal(DType type, TermId a) const {
  return Unary(Op::kReciprocal, type, a);
}
TermId TermDomain::Rsqrt(DType type, TermId a) const { return Unary(Op::kRsqrt, type, a); }
TermId TermDomain::Pow(DType type, TermId a, TermId b) const {
  const TermId operands[] = {a, b};
  return arena_->Elementary(static_cast<int64_t>(Op::kPow), type, operands);
}
TermId TermDomain::Bilinear(DType, double, std::span<const TermId, 4> corners, double dy,
                            double dx) const {
  return arena_->Bilinear(corners, dy, dx);
}

TermId TermDomain::FloatToInteger(DType, DType to, TermId a, const char* nan_rule) {
  RequireTerm(arena_->Complement(arena_->IsNan(a)), nan_rule);
  return arena_->FloatToInteger(to, a);
}
TermId TermDomain::IntegerToFloat(DType, DType, TermId a) const {
  return arena_->IntegerToFloat(a);
}
TermId TermDomain::FloatToFloat(DType, DType, TermId a) const { return a; }

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
  return bias == nullptr ? sum : RequireRange(rule.out_type, AddInteger(sum, *bias), rule.overflow);
}

TermId TermDomain::Sum(const DotRule& rule, std::span<const TermId> a) {
  return IsFloat(rule.in_type) ? arena_->FloatSum(rule.acc_type, a) : SumWithin(rule, a);
}

TermId TermDomain::Average(const DotRule& rule, std::span<const TermId> a, int64_t count) {
  return arena_->FloatQuotient(Sum(rule, a), count);
}

TermId TermDomain::Product(DType type, std::span<const TermId> a) const {
  return arena_->FloatProduct(type, a);
}

}  // namespace assay
