// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "accuracy.h"
#include "declarations.h"
#include "value_domain.h"

namespace assay {

// The degree to which the specification determines an element.
enum class Certainty : uint8_t {
  kExact,         // to one value (NaN payloads apart)
  kZeroSignOpen,  // to zero of either sign
  kBounded,       // to the values that WithinBound(reference, error) admits
  kUndecided,     // nothing sound is known
};

// An element of the bound domain: the element of the value domain, and the admitted values.
struct Bounded {
  Scalar value;          // floats: the unrounded fp64; when stored, rounded to the type
  double reference = 0;  // kBounded: the unrounded fp64 (INEXACT_ROUND: the middle of the integers)
  double error = 0;      // kBounded: allowed absolute error around the reference
  Certainty certainty = Certainty::kExact;
  double unit = 0;  // of a kBounded dot product: `out_err_bnd`, in which its error is measured
};

// A float and the numbers that a backend may have instead, as dot products use them.
struct Ball {
  double value;     // in the value domain
  double bound;     // the largest magnitude as output_bnd counts it: at least normal_min
  double absolute;  // |value|
  double outer;     // the largest magnitude. Infinite: nothing bounds it; NaN: it is a NaN.
};

// The domain that answers the question "how far off may this element be". It computes the same as
// ValueDomain, bit for bit, and also the set of numbers that a compliant backend may have there.
//
// If the operands of an operator are determined, its accuracy rule gives the set: a reference and
// an allowed error. A result that had to be rounded is not determined, even if only one value of
// its type is admitted, because a backend may pass it on in a type of higher precision (reading
// `operator-sequence`). An operator on such operands takes every number that may be passed on to
// it. Its set is an interval that contains all right results for these numbers. Ends are rounded
// outwards.
// - Store() makes a bounded element exact if its reference is a value of the type and the only one
//   within the bound.
// - Words that select or copy (Max, Min, Abs, Negate, Select, Lookup) keep bounds. If the choice is
//   open, the result may be any of the choices.
// - Comparisons are decided if everything within the bounds gives the same answer. Integers that
//   come from floats are intervals of integers.
// - A result is undecided if it may be a NaN or may not be, or if nothing bounds it.
//
// A subnormal of a type that may flush is bounded with error 0: the value itself, or zero. A rule
// on such an operand admits the results for the operands as they are and for all of them flushed
// (reading `flushed-operands`). It is undecided if these results are infinitely far apart.
//
// Declarations of a backend make the sets smaller.
class BoundDomain : public DomainBase {
 public:
  using Element = Bounded;
  using Result = Element;

  BoundDomain() = default;
  explicit BoundDomain(const Declarations& declarations) : declarations_(declarations) {}
  const Declarations& declarations() const { return declarations_; }

  // --- stored elements
  static Element FromScalar(DType type, Scalar value) {
    return IsFloat(type) ? Given(FormatOf(type), value.real()) : Given(value.integer());
  }
  // Returns an element of an input or a constant.
  static Element Given(int64_t value) { return {Scalar::OfInteger(value)}; }
  static Element Given(const FloatFormat& format, double value) {
    Element element = Calculated(format, value);
    if (value == 0) element.certainty = Certainty::kExact;  // its sign is known
    return element;
  }
  // Returns a result that is `value`, except for flushing and the sign of a zero.
  static Element Calculated(const FloatFormat& format, double value) {
    Element element = {Scalar::OfFloat(value), value, 0, Certainty::kExact};
    if (std::fabs(value) < format.normal_min) {
      if (value == 0)
        element.certainty = Certainty::kZeroSignOpen;
      else if (!format.must_keep_subnormals)
        element.certainty = Certainty::kBounded;
    }
    return element;
  }
  static Scalar ToScalar(const Element& x) { return x.value; }
  Element Integer(int64_t value) const { return {Scalar::OfInteger(value)}; }
  Element Real(double value) const { return {Scalar::OfFloat(value)}; }
  Element Zero(DType type) const { return {value_.Zero(type)}; }
  Element Store(DType type, const Element& x) const {
    if (!IsFloat(type)) return x;
    const double rounded = RoundToType(type, x.value.real());
    if (x.certainty <= Certainty::kZeroSignOpen) return Settled(type, rounded);
    return StoreUncertain(type, rounded, x);
  }

  // --- integers
  Element AddInteger(const Element& a, const Element& b) const {
    return Monotone(value_.AddInteger(a.value, b.value), Word::kAdd, a, b);
  }
  Element SubInteger(const Element& a, const Element& b) const {
    return Monotone(value_.SubInteger(a.value, b.value), Word::kSub, a, b);
  }
  Element MulInteger(const Element& a, const Element& b) const {
    return Monotone(value_.MulInteger(a.value, b.value), Word::kMul, a, b);
  }
  Element RequireBetween(const Element& x, int64_t low, int64_t high, const char* rule) {
    uncertain_requirement_ |= x.certainty != Certainty::kExact && !LiesBetween(x, low, high);
    judgement_.Require(x.value.integer() >= low && x.value.integer() <= high, rule);
    return x;
  }
  void RequireTrue(const Element& condition, const char* rule) {
    uncertain_requirement_ |= condition.certainty != Certainty::kExact;
    judgement_.Require(condition.value.integer() != 0, rule);
  }
  Element Truncate(DType type, const Element& x) const {
    return Kept(value_.Truncate(type, x.value), x, MinimumInteger(type), MaximumInteger(type));
  }
  Element ZeroExtend(int bits, const Element& x) const {
    return Kept(value_.ZeroExtend(bits, x.value), x, 0, (int64_t{1} << bits) - 1);
  }
  Element Clip(const Element& x, int64_t low, int64_t high) const;
  Element And(const Element& a, const Element& b) const {
    return Exact(value_.And(a.value, b.value), a, b);
  }
  Element Or(const Element& a, const Element& b) const {
    return Exact(value_.Or(a.value, b.value), a, b);
  }
  Element Xor(const Element& a, const Element& b) const {
    return Exact(value_.Xor(a.value, b.value), a, b);
  }
  Element Not(const Element& a) const { return Exact(value_.Not(a.value), a); }
  Element ShiftLeft(const Element& x, const Element& by) const {
    return Exact(value_.ShiftLeft(x.value, by.value), x, by);
  }
  Element ShiftRight(const Element& x, const Element& by) const {
    return Monotone(value_.ShiftRight(x.value, by.value), Word::kShiftRight, x, by);
  }
  Element DivInteger(const Element& a, const Element& b) const {
    return Exact(value_.DivInteger(a.value, b.value), a, b);
  }
  Element CountLeadingZeros(int bits, const Element& x) const {
    return Exact(value_.CountLeadingZeros(bits, x.value), x);
  }

  // --- logic and selection
  Element LogicalNot(const Element& a) const { return Exact(value_.LogicalNot(a.value), a); }
  Element Select(DType type, const Element& condition, const Element& a, const Element& b) const {
    const bool taken = condition.value.integer() != 0;
    if (condition.certainty == Certainty::kExact) return taken ? a : b;
    return EitherOf(type, taken ? a : b, taken ? b : a);
  }
  // Returns the element `taken`, if a backend may also take `other`.
  Element EitherOf(DType type, const Element& taken, const Element& other) const;
  Element Lookup(DType type, std::span<const Element> table, const Element& index) const;
  void Update(DType type, std::span<Element> table, const Element& index, const Element& x) const;

  // --- numbers of either class
  Element Add(DType type, const Element& a, const Element& b, const char* rule);
  Element Sub(DType type, const Element& a, const Element& b, const char* rule);
  Element IsNan(DType type, const Element& x) const;
  Element Equal(DType type, const Element& a, const Element& b) const;
  Element Greater(DType type, const Element& a, const Element& b) const;
  Element GreaterEqual(DType type, const Element& a, const Element& b) const;
  Element Max(DType type, NanMode mode, const Element& a, const Element& b) const;
  Element Min(DType type, NanMode mode, const Element& a, const Element& b) const;
  Element ArgMax(DType type, NanMode mode, std::span<const Element> elements);

  // --- floats
  // Stores Min(Max(x[i], lower), upper) in results[i].
  void Clamp(DType type, NanMode mode, std::span<const Element> x, const Element& lower,
             const Element& upper, std::span<Element> results) const;
  Element Mul(DType type, const Element& a, const Element& b) const;
  Element Abs(DType type, const Element& a) const;
  Element Negate(DType type, const Element& a) const;
  Element Ceil(DType type, const Element& a) const;
  Element Floor(DType type, const Element& a) const;
  Element Elementary(Op op, DType type, const Element& a) const;
  Element Pow(DType type, const Element& a, const Element& b) const;
  Element Bilinear(DType type, double maximum, std::span<const Element, 4> corners, double dy,
                   double dx) const;
  Element FloatToInteger(DType from, DType to, const Element& a, const char* nan_rule);
  Element IntegerToFloat(DType from, DType to, const Element& a) const;
  Element FloatToFloat(DType from, DType to, const Element& a) const;
  Element InexactRound(const Element& result, const Element& value, const Element& multiplier,
                       const Element& shift, const Element& output_zp, int64_t low,
                       int64_t high) const;

  // --- sums
  Element Dot(const DotRule& rule, std::span<const Element> a, std::span<const Element> b,
              std::span<const Element> padding, const Element* bias);
  Element Sum(const DotRule& rule, std::span<const Element> a);
  Element Average(const DotRule& rule, std::span<const Element> a, int64_t count);
  Element Product(DType type, std::span<const Element> a);
  // Returns the float dot product or sum that has these sums. `weights` is the change by other
  // weights. If `quantum` is not 0, all products and the bias are multiples of it.
  Element DotResult(const DotRule& rule, const Ball& sums, double weights, double quantum);
  // Returns the average with the sums of its elements.
  Element AverageResult(const DotRule& rule, const Ball& sums, int64_t count);
  // Computes with the value domain, if operands and results are determined. `compute` gets a
  // ValueDomain. This domain records what the ValueDomain records.
  template <class Work>
  void OnValues(Work compute) {
    compute(value_);
    Merge();
  }
  // Returns the rule of the last float dot product, sum or average.
  const std::optional<DotRule>& last_dot_rule() const { return last_dot_rule_; }
  // Returns the largest magnitude of elements of a float type. It is not finite if nothing bounds
  // it.
  std::optional<double> MaximumMagnitude(DType type, std::span<const Element> elements);
  // Returns the largest power of two that all elements of a float tensor are multiples of. Returns
  // 0 if there is none, or if the backend does not declare plain sums.
  double Quantum(DType type, std::span<const Element> elements);

  // Returns a stored element as the result of a graph, which has the type `type`. The result is
  // exact if the bound admits only one value.
  static Element Final(DType type, const Element& x);

 private:
  enum class Word : uint8_t { kAdd, kSub, kMul, kShiftRight };

  static Element Settled(DType type, double value) { return Calculated(FormatOf(type), value); }
  static Element StoreUncertain(DType type, double rounded, const Element& x);
  // Returns an integer or bool result of an exact rule. It is exact if its operands are.
  template <class... Operand>
  static Element Exact(Scalar value, const Operand&... operands) {
    const bool exact = (... && (operands.certainty == Certainty::kExact));
    return {value, 0, 0, exact ? Certainty::kExact : Certainty::kUndecided};
  }
  // Returns an integer result of a word that is monotone in each operand.
  Element Monotone(Scalar value, Word word, const Element& a, const Element& b) const {
    const bool exact = a.certainty == Certainty::kExact && b.certainty == Certainty::kExact;
    return exact ? Element{value} : MonotoneOfSets(value, word, a, b);
  }
  Element MonotoneOfSets(Scalar value, Word word, const Element& a, const Element& b) const;
  static bool LiesBetween(const Element& x, int64_t low, int64_t high);
  // Returns the result of a word that leaves integers from low to high as they are.
  static Element Kept(Scalar value, const Element& x, int64_t low, int64_t high) {
    if (x.certainty == Certainty::kBounded && LiesBetween(x, low, high)) return x;
    return Exact(value, x);
  }
  // Returns the error of a result that is rounded once: 0.5 ULP. If the backend declares plain
  // sums, it is 0 for a value of the type that is exact before it is rounded.
  double RoundingError(DType type, double reference, bool is_exact) const;
  // Returns a + sign * b.
  Element Sum(DType type, const Element& a, const Element& b, double sign) const;
  // Returns the maximum or minimum, which is `value` in the value domain.
  template <class Pick>
  Element Extreme(DType type, Scalar value, const Element& a, const Element& b, Pick pick) const;
  // Copies what the value domain has recorded.
  void Merge();
  Element IntegerDot(Scalar value, const DotRule& rule, std::span<const Element> a,
                     std::span<const Element> b, const Element* bias);

  ValueDomain value_;
  Declarations declarations_;
  std::optional<DotRule> last_dot_rule_;
  DotProductAccuracy last_accuracy_{DType::kFp32, 0};  // of it
  std::pair<DType, size_t> last_product_ = {DType::kUnknown, 0};
  double last_growth_ = 0;                               // ReduceProductGrowth() of it
  std::vector<Scalar> a_values_, b_values_;              // of one sum, dot product or selection
  std::vector<Ball> a_balls_, b_balls_, padding_balls_;  // of one sum or dot product
};

}  // namespace assay
