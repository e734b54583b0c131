// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <optional>

#include "domain.h"
#include "elementary.h"
#include "elementary_functions.h"
#include "float_format.h"

namespace assay {

// The domain that answers the question "what is the right result". Integers (also bool and shape)
// are exact int64. An unstored float is the unrounded fp64 that the pseudocode computes; Store()
// rounds it to its type.
class ValueDomain : public DomainBase {
 public:
  using Element = Scalar;
  using Result = Element;

  // --- stored elements
  static Element FromScalar(DType, Scalar value) { return value; }
  static Scalar ToScalar(const Element& x) { return x; }
  Element Integer(int64_t value) const { return Scalar::OfInteger(value); }
  Element Real(double value) const { return Scalar::OfFloat(value); }
  Element Zero(DType type) const { return IsFloat(type) ? Real(0.0) : Integer(0); }
  // Returns the element as the output tensor stores it.
  Element Store(DType type, Element x) const {
    return IsFloat(type) ? Real(RoundToType(type, x.real())) : x;
  }

  // --- integers (exact in int64; wraps like the specification's 64-bit temporaries) -------------
  Element AddInteger(Element a, Element b) const { return Integer(Wrapping(a, b, 0)); }
  Element SubInteger(Element a, Element b) const { return Integer(Wrapping(a, b, 1)); }
  Element MulInteger(Element a, Element b) const { return Integer(Wrapping(a, b, 2)); }
  // REQUIRE(low <= x && x <= high); returns x.
  Element RequireBetween(Element x, int64_t low, int64_t high, const char* rule) {
    judgement_.Require(x.integer() >= low && x.integer() <= high, rule);
    return x;
  }
  // REQUIRE(cond), cond a bool element.
  void RequireTrue(Element condition, const char* rule) {
    judgement_.Require(condition.integer() != 0, rule);
  }
  // Returns the low bits of x, sign-extended: static_cast to an integer type.
  Element Truncate(DType type, Element x) const {
    const int unused = 64 - IntegerBits(type);
    return Integer(static_cast<int64_t>(static_cast<uint64_t>(x.integer()) << unused) >> unused);
  }
  // zero_extend: returns the low `bits` bits of x as an unsigned number; bits < 64.
  Element ZeroExtend(int bits, Element x) const {
    return Integer(x.integer() & static_cast<int64_t>((uint64_t{1} << bits) - 1));
  }
  // apply_clip_s on integers; low <= high.
  Element Clip(Element x, int64_t low, int64_t high) const {
    return Integer(x.integer() < low ? low : x.integer() > high ? high : x.integer());
  }
  Element And(Element a, Element b) const { return Integer(a.integer() & b.integer()); }
  Element Or(Element a, Element b) const { return Integer(a.integer() | b.integer()); }
  Element Xor(Element a, Element b) const { return Integer(a.integer() ^ b.integer()); }
  Element Not(Element a) const { return Integer(~a.integer()); }
  // Shift by 0..63. The left shift drops bits above bit 63; the right shift is arithmetic.
  Element ShiftLeft(Element x, Element by) const {
    return Integer(static_cast<int64_t>(static_cast<uint64_t>(x.integer()) << (by.integer() & 63)));
  }
  Element ShiftRight(Element x, Element by) const {
    return Integer(x.integer() >> (by.integer() & 63));
  }
  // Divides and truncates toward zero. Division by zero gives zero (after the REQUIRE that forbids
  // it).
  Element DivInteger(Element a, Element b) const {
    if (b.integer() == 0) return Integer(0);
    if (b.integer() == -1) return SubInteger(Integer(0), a);
    return Integer(a.integer() / b.integer());
  }
  // Returns the number of leading zeros of the low `bits` bits.
  Element CountLeadingZeros(int bits, Element x) const {
    return Integer(std::countl_zero(static_cast<uint64_t>(ZeroExtend(bits, x).integer())) -
                   (64 - bits));
  }

  // --- logic and selection
  Element LogicalNot(Element a) const { return Integer(a.integer() == 0 ? 1 : 0); }
  Element Select(DType, Element condition, Element a, Element b) const {
    return condition.integer() != 0 ? a : b;
  }
  // `type` is the type of the elements.
  // Returns table[index]. The caller has REQUIREd that the index is within the table.
  Element Lookup(DType, std::span<const Element> table, Element index) const {
    const auto i = static_cast<uint64_t>(index.integer());
    return i < table.size() ? table[i] : Element{};
  }
  // Sets table[index] = x, under the same condition.
  void Update(DType, std::span<Element> table, Element index, Element x) const {
    const auto i = static_cast<uint64_t>(index.integer());
    if (i < table.size()) table[i] = x;
  }

  // --- numbers of either class, by the type of the operands
  // apply_add_s, apply_sub_s: integers must stay in the type's range (`rule`); floats in fp64.
  Element Add(DType type, Element a, Element b, const char* rule) {
    if (IsFloat(type)) return Real(a.real() + b.real());
    return RequireRange(*this, type, AddInteger(a, b), rule);
  }
  Element Sub(DType type, Element a, Element b, const char* rule) {
    if (IsFloat(type)) return Real(a.real() - b.real());
    return RequireRange(*this, type, SubInteger(a, b), rule);
  }
  Element IsNan(DType, Element x) const { return Integer(std::isnan(x.real())); }
  // Compare operands; the result is a bool element, false if an operand is NaN.
  Element Equal(DType type, Element a, Element b) const {
    return Integer(IsFloat(type) ? a.real() == b.real() : a.integer() == b.integer());
  }
  Element Greater(DType type, Element a, Element b) const {
    return Integer(IsFloat(type) ? a.real() > b.real() : a.integer() > b.integer());
  }
  Element GreaterEqual(DType type, Element a, Element b) const {
    return Integer(IsFloat(type) ? a.real() >= b.real() : a.integer() >= b.integer());
  }
  // apply_max_s, apply_min_s with the NaN propagation mode (ignored for integers).
  Element Max(DType type, NanMode mode, Element a, Element b) const {
    if (!IsFloat(type)) return a.integer() >= b.integer() ? a : b;
    if (std::isnan(a.real()) || std::isnan(b.real())) return PickNan(mode, a, b);
    return a.real() >= b.real() ? a : b;
  }
  Element Min(DType type, NanMode mode, Element a, Element b) const {
    if (!IsFloat(type)) return a.integer() < b.integer() ? a : b;
    if (std::isnan(a.real()) || std::isnan(b.real())) return PickNan(mode, a, b);
    return a.real() < b.real() ? a : b;
  }
  // Returns the index of the first maximum (ARGMAX). A NaN is greater than anything under
  // PROPAGATE, and less than anything under IGNORE. If all are NaN, the index is 0.
  Element ArgMax(DType type, NanMode mode, std::span<const Element> elements) const;

  // --- floats: a result has the accuracy rule of its operator
  Element Mul(DType, Element a, Element b) const { return Real(a.real() * b.real()); }
  Element Abs(DType, Element a) const { return Real(std::fabs(a.real())); }
  Element Negate(DType, Element a) const { return Real(-a.real()); }
  Element Ceil(DType, Element a) const { return Real(std::ceil(a.real())); }
  Element Floor(DType, Element a) const { return Real(std::floor(a.real())); }
  // EXP, LOG, SIN, COS, TANH, ERF, SIGMOID, RECIPROCAL and RSQRT.
  Element Elementary(Op op, DType, Element a) const {
    return Real(ElementaryFunctionOf(op).value(a.real()));
  }
  Element Pow(DType, Element a, Element b) const { return Real(assay::Pow(a.real(), b.real())); }
  // RESIZE in mode BILINEAR: corners v00, v01, v10, v11 at the distances dy and dx from v00, 0..1.
  // `maximum` is MaximumMagnitude() of the whole input, on which the bound depends.
  Element Bilinear(DType, double, std::span<const Element, 4> corners, double dy, double dx) const {
    double acc = corners[0].real() * (1.0 - dy) * (1.0 - dx);
    acc += corners[1].real() * (1.0 - dy) * dx;
    acc += corners[2].real() * dy * (1.0 - dx);
    acc += corners[3].real() * dy * dx;
    return Real(acc);
  }
  // CAST. Float to integer rounds to nearest, ties to even, and then saturates. A REQUIRE excludes
  // NaN.
  Element FloatToInteger(DType from, DType to, Element a, const char* nan_rule);
  Element IntegerToFloat(DType from, DType to, Element a) const;

  // --- sums
  // Returns the sum of a[i]*b[i] in order. For integers, every running sum must fit acc_type.
  // Positions in the padding are not in `a`; `padding` holds the b-operands at these positions.
  // (They matter only to the bound domain, where an Inf or NaN makes the bound undecided.) The
  // bias, unless null, is added last, in out_type. For integers, an empty `b` means ones.
  Element Dot(const DotRule& rule, std::span<const Element> a, std::span<const Element> b,
              std::span<const Element> padding, const Element* bias);
  // Computes Dot() and Sum() for floats: adds product(0), product(1), ... in order, then the bias.
  template <class Product>
  static double FloatSum(size_t count, Product product, std::optional<double> bias) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += product(i);
    return bias ? sum + *bias : sum;
  }
  // Returns the sum of the elements in order (REDUCE_SUM).
  Element Sum(const DotRule& rule, std::span<const Element> a);
  // Returns the float average (AVG_POOL2D): the sum in order, divided by count.
  Element Average(const DotRule& rule, std::span<const Element> a, int64_t count);
  // Returns the product of floats in order (REDUCE_PRODUCT).
  Element Product(DType type, std::span<const Element> a) const;

 private:
  static int64_t Wrapping(Element a, Element b, int operation) {
    const auto x = static_cast<uint64_t>(a.integer());
    const auto y = static_cast<uint64_t>(b.integer());
    return static_cast<int64_t>(operation == 0 ? x + y : operation == 1 ? x - y : x * y);
  }
  Element PickNan(NanMode mode, Element a, Element b) const {
    if (mode == NanMode::kIgnore) return std::isnan(a.real()) ? b : a;
    return std::isnan(a.real()) ? a : b;
  }
};

}  // namespace assay
