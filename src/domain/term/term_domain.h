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
// The words are in a file of their own, as those of MutantDomain are.
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
  Element Store(DType type, Element x) const;

  // --- integers
  Element AddInteger(Element a, Element b) const;
  Element SubInteger(Element a, Element b) const;
  Element MulInteger(Element a, Element b) const;
  Element RequireRange(DType type, Element x, const char* rule);
  Element RequireBetween(Element x, int64_t low, int64_t high, const char* rule);
  void RequireTrue(Element condition, const char* rule);
  Element Truncate(DType type, Element x) const;
  Element ZeroExtend(int bits, Element x) const;
  Element Clip(Element x, int64_t low, int64_t high) const;
  Element And(Element a, Element b) const;
  Element Or(Element a, Element b) const;
  Element Xor(Element a, Element b) const;
  Element Not(Element a) const;
  Element ShiftLeft(Element x, Element by) const;
  Element ShiftRight(Element x, Element by) const;
  Element DivInteger(Element a, Element b) const;
  Element CountLeadingZeros(int bits, Element x) const;

  // --- logic and selection
  Element LogicalNot(Element a) const;
  Element Select(DType type, Element condition, Element a, Element b) const;
  Element Lookup(DType type, std::span<const Element> table, Element index) const;
  void Update(DType type, std::span<Element> table, Element index, Element x) const;

  // --- numbers of either class
  Element Add(DType type, Element a, Element b, const char* rule);
  Element Sub(DType type, Element a, Element b, const char* rule);
  Element IsNan(DType type, Element x) const;
  Element Equal(DType type, Element a, Element b) const;
  Element Greater(DType type, Element a, Element b) const;
  Element GreaterEqual(DType type, Element a, Element b) const;
  Element Max(DType type, NanMode mode, Element a, Element b) const;
  Element Min(DType type, NanMode mode, Element a, Element b) const;
  Element ArgMax(DType type, NanMode mode, std::span<const Element> elements) const;

  // --- floats
  Element Mul(DType type, Element a, Element b) const;
  Element Abs(DType type, Element a) const;
  Element Negate(DType type, Element a) const;
  Element Ceil(DType type, Element a) const;
  Element Floor(DType type, Element a) const;
  Element Exp(DType type, Element a) const;
  Element Log(DType type, Element a) const;
  Element Sin(DType type, Element a) const;
  Element Cos(DType type, Element a) const;
  Element Tanh(DType type, Element a) const;
  Element Erf(DType type, Element a) const;
  Element Sigmoid(DType type, Element a) const;
  Element Reciprocal(DType type, Element a) const;
  Element Rsqrt(DType type, Element a) const;
  Element Pow(DType type, Element a, Element b) const;
  Element Bilinear(DType type, double maximum, std::span<const Element, 4> corners, double dy,
                   double dx) const;
  Element FloatToInteger(DType from, DType to, Element a, const char* nan_rule);
  Element IntegerToFloat(DType from, DType to, Element a) const;
  Element FloatToFloat(DType from, DType to, Element a) const;
  Element InexactRound(Element result, Element, Element, Element, Element, int64_t, int64_t) const {
    return result;
  }

  // --- sums
  Element Dot(const DotRule& rule, std::span<const Element> a, std::span<const Element> b,
              std::span<const Element> padding, const Element* bias);
  Element Sum(const DotRule& rule, std::span<const Element> a);
  Element Average(const DotRule& rule, std::span<const Element> a, int64_t count);
  Element Product(DType type, std::span<const Element> a) const;
  static std::optional<double> MaximumMagnitude(DType, std::span<const Element>) { return {}; }
  static double Quantum(DType, std::span<const Element>) { return 0; }

 private:
  Element Unary(Op op, DType type, Element a) const;
  void RequireTerm(Element holds, const char* rule);
  // Returns the sum of integers. Every partial sum has to be within the accumulator's range.
  TermId SumWithin(const DotRule& rule, std::span<const TermId> terms);

  TermArena* arena_;
  Requirements requirements_;
  std::optional<TermId> guard_;
  std::vector<Condition> conditions_;
};

}  // namespace assay
