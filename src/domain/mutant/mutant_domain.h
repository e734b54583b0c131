// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value_domain.h"

namespace assay {

enum class Twist : uint8_t;  // mutants.h

// The value domain with one twist in its words. It computes the results of a mutant of an
// operator's kernel. Words that no twist changes are those of ValueDomain. REQUIREs are recorded as
// there, but only a canary's count, because other faulty kernels do not check themselves.
//
// The words are in a file of their own, not here, because meanings are instantiated for this domain
// too, and no mutant has to be fast.
class MutantDomain : public ValueDomain {
 public:
  explicit MutantDomain(Twist twist) : twist_(twist) {}

  // Returns true if a word was called that the twist changes for some values. Which words a meaning
  // calls never depends on values of elements, so otherwise no values show the twist.
  bool reached() const { return reached_; }

  Element Store(DType type, Element x) const;

  Element AddInteger(Element a, Element b) const;
  Element MulInteger(Element a, Element b) const;
  Element DivInteger(Element a, Element b) const;
  Element Truncate(DType type, Element x) const;
  Element ZeroExtend(int bits, Element x) const;
  Element Clip(Element x, int64_t low, int64_t high) const;
  Element And(Element a, Element b) const;
  Element Or(Element a, Element b) const;
  Element Xor(Element a, Element b) const;
  Element Not(Element a) const;
  Element ShiftLeft(Element x, Element by) const;
  Element ShiftRight(Element x, Element by) const;
  Element CountLeadingZeros(int bits, Element x) const;

  Element LogicalNot(Element a) const;
  Element Select(DType type, Element condition, Element a, Element b) const;
  Element Lookup(DType type, std::span<const Element> table, Element index) const;
  void Update(DType type, std::span<Element> table, Element index, Element x) const;

  Element Equal(DType type, Element a, Element b) const;
  Element Greater(DType type, Element a, Element b) const;
  Element GreaterEqual(DType type, Element a, Element b) const;
  Element Max(DType type, NanMode mode, Element a, Element b) const;
  Element Min(DType type, NanMode mode, Element a, Element b) const;
  Element ArgMax(DType type, NanMode mode, std::span<const Element> elements) const;

  Element Ceil(DType type, Element a) const;
  Element Floor(DType type, Element a) const;
  Element Bilinear(DType type, double maximum, std::span<const Element, 4> corners, double dy,
                   double dx) const;
  Element FloatToInteger(DType from, DType to, Element a, const char* nan_rule);
  Element IntegerToFloat(DType from, DType to, Element a) const;

  Element Dot(const DotRule& rule, std::span<const Element> a, std::span<const Element> b,
              std::span<const Element> padding, const Element* bias);
  Element Sum(const DotRule& rule, std::span<const Element> a);
  Element Average(const DotRule& rule, std::span<const Element> a, int64_t count);
  Element Product(DType type, std::span<const Element> a) const;

 private:
  bool Is(Twist twist) const {
    reached_ = reached_ || twist_ == twist;
    return twist_ == twist;
  }
  // Returns true if the twist is this one, and a or b is a NaN.
  bool IsForNan(Twist twist, DType type, Element a, Element b) const;
  // Returns the terms of a sum or the factors of a product after the twist.
  std::vector<Element> Terms(std::vector<Element> terms) const;
  // Return a running value as the accumulator of the twist stores it.
  double HeldFloat(DType type, double value) const;
  int64_t HeldInteger(DType type, int64_t value) const;
  // Returns the sum of the terms after the twist. Every running sum must fit acc_type.
  Element Total(const DotRule& rule, std::vector<Element> all);

  Twist twist_;
  mutable bool reached_ = false;
};

}  // namespace assay
