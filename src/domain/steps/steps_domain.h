// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calculation.h"
#include "value_domain.h"

namespace assay {

// An element of the steps domain: its value, and the step that makes it.
struct SteppedElement {
  Scalar value;
  StepId step = 0;
};

// The domain that answers the question "how does the result come about". Its words compute what
// those of ValueDomain compute, and record each step in a Calculation. A word that does not change
// its operand is no step.
//
// The words are in a file of their own, as those of MutantDomain are.
class StepsDomain : public DomainBase {
 public:
  using Element = SteppedElement;
  using Result = Element;

  explicit StepsDomain(Calculation& calculation) : calculation_(&calculation) {}

  // --- stored elements
  Element FromScalar(DType type, Scalar value) const;
  Element Integer(int64_t value) const;
  Element Real(double value) const;
  Element Zero(DType type) const { return IsFloat(type) ? Real(0) : Integer(0); }
  Element Store(DType type, Element x) const;

  // --- integers
  Element AddInteger(Element a, Element b) const;
  Element SubInteger(Element a, Element b) const;
  Element MulInteger(Element a, Element b) const;
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
  Element Elementary(Op op, DType type, Element a) const;
  Element Pow(DType type, Element a, Element b) const;
  Element Bilinear(DType type, double maximum, std::span<const Element, 4> corners, double dy,
                   double dx) const;
  Element FloatToInteger(DType from, DType to, Element a, const char* nan_rule);
  Element IntegerToFloat(DType from, DType to, Element a) const;

  // --- sums
  Element Dot(const DotRule& rule, std::span<const Element> a, std::span<const Element> b,
              std::span<const Element> padding, const Element* bias);
  Element Sum(const DotRule& rule, std::span<const Element> a);
  Element Average(const DotRule& rule, std::span<const Element> a, int64_t count);
  Element Product(DType type, std::span<const Element> a) const;

 private:
  // Return the element of a step with this value.
  Element OfInteger(const char* form, Scalar value, std::initializer_list<Element> operands,
                    DType type = DType::kUnknown) const;
  Element OfFloat(const char* form, Scalar value, std::initializer_list<Element> operands,
                  DType type = DType::kUnknown) const;
  // Returns the values of elements, for a word of ValueDomain.
  static std::vector<Scalar> ValuesOf(std::span<const Element> elements);
  static std::vector<StepId> StepsOf(std::span<const Element> elements);
  Element ChainOf(const char* form, bool is_float, Scalar value,
                  std::span<const Element> elements) const;

  ValueDomain words_;
  Calculation* calculation_;
};

}  // namespace assay
