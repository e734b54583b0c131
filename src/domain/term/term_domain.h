// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "domain.h"
#include "term_arena.h"

namespace assay {

// The domain that answers the question "is it so for all inputs". An element is a term over the
// elements of the inputs. The words are those of ValueDomain and compute the same, for all inputs
// at once. A REQUIRE on elements becomes a condition, unless it is known to hold.
//
// Words of more than one call are in a file of their own, as those of MutantDomain are.
class TermDomain : public DomainBase {
 public:
  using Element = TermId;
  using Result = Element;

  // A REQUIRE that depends on the inputs: a term that is 0 or 1.
  struct Condition {
    TermId holds;
    const char* rule;
  };
  // The treatment of REQUIREs. Later terms may rely on facts, but not on claims.
  enum class Requirements : uint8_t { kFacts, kClaims };

  TermDomain(TermArena& arena, Requirements requirements)
      : arena_(&arena), requirements_(requirements) {}

  TermArena& arena() const { return *arena_; }
  const std::vector<Condition>& conditions() const { return conditions_; }
  // Sets a guard, a bool: later conditions have to hold only if the guard holds as well. Returns
  // the guard that it replaces.
  std::optional<TermId> Guard(std::optional<TermId> guard) { return std::exchange(guard_, guard); }
  std::optional<TermId> guard() const { return guard_; }

  // --- stored elements
  Element FromScalar(DType type, Scalar value) const {
    return arena_->Constant(IsFloat(type), value);
  }
  Element Integer(int64_t value) const { return arena_->Integer(value); }
  Element Real(double value) const { return arena_->Real(value); }
  Element Zero(DType type) const { return IsFloat(type) ? Real(0) : Integer(0); }
  Element Store(DType type, Element x) const { return IsFloat(type) ? arena_->Round(type, x) : x; }

  // --- integers
  Element AddInteger(Element a, Element b) const { return arena_->Add(a, b); }
  Element SubInteger(Element a, Element b) const { return arena_->Subtract(a, b); }
  Element MulInteger(Element a, Element b) const { return arena_->Multiply(a, b); }
  Element RequireBetween(Element x, int64_t low, int64_t high, const char* rule);
  void RequireTrue(Element condition, const char* rule);
  Element Truncate(DType type, Element x) const { return arena_->Truncate(IntegerBits(type), x); }
  Element ZeroExtend(int bits, Element x) const { return arena_->ZeroExtend(bits, x); }
  Element Clip(Element x, int64_t low, int64_t high) const { return arena_->Clip(x, low, high); }
  Element And(Element a, Element b) const { return arena_->And(a, b); }
  Element Or(Element a, Element b) const { return arena_->Or(a, b); }
  Element Xor(Element a, Element b) const { return arena_->Xor(a, b); }
  Element Not(Element a) const { return arena_->Subtract(Integer(-1), a); }
  Element ShiftLeft(Element x, Element by) const { return arena_->ShiftLeft(x, by); }
  Element ShiftRight(Element x, Element by) const { return arena_->ShiftRight(x, by); }
  Element DivInteger(Element a, Element b) const { return arena_->Divide(a, b); }
  Element CountLeadingZeros(int bits, Element x) const {
    return arena_->CountLeadingZeros(bits, x);
  }

  // --- logic and selection
  Element LogicalNot(Element a) const { return arena_->Equal(a, Integer(0)); }
  Element Select(DType, Element condition, Element a, Element b) const {
    return arena_->Select(condition, a, b);
  }
  Element Lookup(DType, std::span<const Element> table, Element index) const {
    return arena_->Lookup(index, table);
  }
  void Update(DType type, std::span<Element> table, Element index, Element x) const;

  // --- numbers of either class
  Element Add(DType type, Element a, Element b, const char* rule);
  Element Sub(DType type, Element a, Element b, const char* rule);
  Element IsNan(DType, Element x) const { return arena_->IsNan(x); }
  Element Equal(DType type, Element a, Element b) const {
    return IsFloat(type) ? arena_->FloatEqual(a, b) : arena_->Equal(a, b);
  }
  Element Greater(DType type, Element a, Element b) const {
    return IsFloat(type) ? arena_->FloatGreater(a, b) : arena_->Greater(a, b);
  }
  Element GreaterEqual(DType type, Element a, Element b) const {
    return IsFloat(type) ? arena_->FloatGreaterEqual(a, b) : arena_->GreaterEqual(a, b);
  }
  Element Max(DType type, NanMode mode, Element a, Element b) const {
    return IsFloat(type) ? arena_->FloatMaximum(mode, a, b) : arena_->Maximum(a, b);
  }
  Element Min(DType type, NanMode mode, Element a, Element b) const {
    return IsFloat(type) ? arena_->FloatMinimum(mode, a, b) : arena_->Minimum(a, b);
  }
  Element ArgMax(DType, NanMode mode, std::span<const Element> elements) const {
    return arena_->ArgMax(mode, elements);
  }

  // --- floats
  Element Mul(DType, Element a, Element b) const { return arena_->FloatMultiply(a, b); }
  Element Abs(DType, Element a) const { return arena_->Abs(a); }
  Element Negate(DType, Element a) const { return arena_->Negate(a); }
  Element Ceil(DType, Element a) const { return arena_->Ceil(a); }
  Element Floor(DType, Element a) const { return arena_->Floor(a); }
  Element Elementary(Op op, DType type, Element a) const {
    return arena_->Elementary(static_cast<int64_t>(op), type, {&a, 1});
  }
  Element Pow(DType type, Element a, Element b) const;
  Element Bilinear(DType, double, std::span<const Element, 4> corners, double dy, double dx) const {
    return arena_->Bilinear(corners, dy, dx);
  }
  Element FloatToInteger(DType from, DType to, Element a, const char* nan_rule);
  Element IntegerToFloat(DType, DType, Element a) const { return arena_->IntegerToFloat(a); }

  // --- sums
  Element Dot(const DotRule& rule, std::span<const Element> a, std::span<const Element> b,
              std::span<const Element> padding, const Element* bias);
  Element Sum(const DotRule& rule, std::span<const Element> a);
  Element Average(const DotRule& rule, std::span<const Element> a, int64_t count);
  Element Product(DType type, std::span<const Element> a) const {
    return arena_->FloatProduct(type, a);
  }

 private:
  void RequireTerm(Element holds, const char* rule);
  // Returns the sum of integers. Every partial sum has to be within the accumulator's range.
  TermId SumWithin(const DotRule& rule, std::span<const TermId> terms);

  TermArena* arena_;
  Requirements requirements_;
  std::optional<TermId> guard_;
  std::vector<Condition> conditions_;
};

}  // namespace assay
