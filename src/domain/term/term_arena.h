// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "float_classes.h"
#include "scalar.h"
#include "types.h"

namespace assay {

// The id of a term of a TermArena. Terms of one arena are equal if and only if their ids are equal.
using TermId = uint32_t;

// The range of the integers of terms.
inline constexpr int64_t kIntegerLeast = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kIntegerMost = std::numeric_limits<int64_t>::max();

// The operation of a term. "numbers" are parameters, "operands" are terms. Integers (also bool) are
// exact words of 64 bits that wrap around, and floats are doubles, as in ValueDomain.
enum class TermKind : uint8_t {
  kConstant,  // numbers: the word of the Scalar
  kInput,     // numbers: which input, which element of it

  // Integers.
  kSum,         // numbers: c, k...: c + k * operand + ...; operands ascend
  kProduct,     // of two operands or more, ascending
  kTruncate,    // numbers: bits. The low bits, sign-extended
  kZeroExtend,  // numbers: bits. The low bits as an unsigned number
  kClip,        // numbers: low, high
  kAnd,         // of two operands or more, ascending; kOr and kXor alike
  kOr,
  kXor,
  kShiftLeft,  // operand 0 by operand 1
  kShiftRight,
  kDivide,
  kCountLeadingZeros,  // numbers: bits
  kMaximum,            // of two operands or more, ascending
  kMinimum,
  kEqual,       // 0 or 1
  kGreater,     // operand 0 > operand 1
  kSumsWithin,  // numbers: low, high. True if all sums of the first operands lie within

  // Integers or floats.
  kSelect,  // operand 0 is not 0 ? operand 1 : operand 2
  kLookup,  // of operands 1, 2, ... the one of index operand 0; integer 0 beyond them
  kArgMax,  // numbers: NanMode, true for floats

  // Floats, where nothing else is said. IsFloatKind() relies on the order.
  kFloatAdd,       // in fp64; operands ascend
  kFloatMultiply,  // the same
  kNegate,
  kAbs,
  kFloor,
  kRound,         // numbers: DType
  kFloatMaximum,  // numbers: NanMode; of two or more, the first one that is greatest
  kFloatMinimum,  // the last one that is least
  kIsNan,         // 0 or 1, as the next three
  kFloatEqual,
  kFloatGreater,
  kFloatGreaterEqual,
  kElementary,      // numbers: Op, DType. EXP, LOG, POW...
  kBilinear,        // numbers: bits of dy, of dx; four corners
  kFloatToInteger,  // numbers: DType
  kIntegerToFloat,
  kFloatSum,       // numbers: DType of the accumulator; from 0 on, in order
  kFloatProduct,   // numbers: DType; from 1 on, in order
  kFloatQuotient,  // numbers: the divisor
};

// A term, and the facts that are known about it.
struct TermNode {
  TermKind kind = TermKind::kConstant;
  bool is_float = false;
  FloatClasses classes = 0;      // the classes of a float
  DType type = DType::kUnknown;  // a type that contains the value of a float, if known
  uint32_t first_operand = 0, operands = 0;
  uint32_t first_number = 0, numbers = 0;
  int64_t low = 0, high = 0;  // the range of an integer
};

// Hash-consed terms: expressions that are equal by the laws below are one term. Each maker returns
// the normal form of what the word of that name in ValueDomain computes. Every law holds bit by bit
// for all operands, except for NaN payloads. That includes -0, infinities and subnormals (which are
// kept). If a law has a condition on its operands (no NaN, no -0), it is used only if the condition
// is known to hold.
//
// The laws (the .cc files give the reasons):
// - Integers are polynomials modulo 2^64, so sums and products commute, associate and distribute.
//   Truncations are dropped in a sum that is truncated to at most as many bits.
// - Clips, shifts and comparisons by constants are merged. Ranges of terms are used to decide
//   comparisons.
// - Floats: a + b = b + a, a * b = b * a, a - b = a + -b. x + -0 = x, and x + 0 = x unless x may be
//   -0. x * 1 = x, x * -1 = -x, x + x = x * 2. Signs move out of products and roundings. Rounding a
//   value of a type to that type changes nothing. MAX and MIN associate, and commute unless zeros
//   of both signs may meet. Clamps by constants are merged.
class TermArena {
 public:
  // Makes an arena for at most `terms_max` terms. Beyond that, exhausted() is set and makers return
  // arbitrary terms.
  explicit TermArena(size_t terms_max);

  bool exhausted() const { return exhausted_; }
  size_t size() const { return nodes_.size(); }
  const TermNode& operator[](TermId term) const { return nodes_[term]; }
  std::span<const TermId> Operands(TermId term) const {
    return {operands_.data() + nodes_[term].first_operand, nodes_[term].operands};
  }
  std::span<const int64_t> Numbers(TermId term) const {
    return {numbers_.data() + nodes_[term].first_number, nodes_[term].numbers};
  }
  int64_t Number(TermId term, size_t i = 0) const { return Numbers(term)[i]; }
  bool IsConstant(TermId term) const { return nodes_[term].kind == TermKind::kConstant; }
  // Returns the value of a constant.
  Scalar Value(TermId term) const;

  // --- leaves
  TermId Integer(int64_t value);
  TermId Real(double value);
  TermId Constant(bool is_float, Scalar value);
  TermId Input(uint32_t input, int64_t element, DType type);

  // --- integers
  TermId Add(TermId a, TermId b) { return AddScaled(a, b, 1); }
  TermId Subtract(TermId a, TermId b) { return AddScaled(a, b, -1); }
  TermId Multiply(TermId a, TermId b);
  TermId Sum(std::span<const TermId> terms);
  TermId Truncate(int bits, TermId x);
  TermId ZeroExtend(int bits, TermId x);
  TermId Clip(TermId x, int64_t low, int64_t high);
  TermId And(TermId a, TermId b) { return Bitwise(TermKind::kAnd, a, b); }
  TermId Or(TermId a, TermId b) { return Bitwise(TermKind::kOr, a, b); }
  TermId Xor(TermId a, TermId b) { return Bitwise(TermKind::kXor, a, b); }
  TermId ShiftLeft(TermId x, TermId by);
  TermId ShiftRight(TermId x, TermId by);
  TermId Divide(TermId a, TermId b);
  TermId CountLeadingZeros(int bits, TermId x);
  TermId Maximum(TermId a, TermId b);
  TermId Minimum(TermId a, TermId b);
  TermId Equal(TermId a, TermId b);
  TermId Greater(TermId a, TermId b);
  TermId GreaterEqual(TermId a, TermId b) { return Complement(Greater(b, a)); }
  TermId Within(TermId x, int64_t low, int64_t high);
  TermId SumsWithin(int64_t low, int64_t high, std::span<const TermId> terms);
  // Returns 1 - x for a bool.
  TermId Complement(TermId x) { return Subtract(Integer(1), x); }

  // --- either
  TermId Select(TermId condition, TermId a, TermId b);
  TermId Lookup(TermId index, std::span<const TermId> table);
  TermId ArgMax(NanMode mode, std::span<const TermId> elements);

  // --- floats
  TermId FloatAdd(TermId a, TermId b);
  TermId FloatMultiply(TermId a, TermId b);
  TermId Negate(TermId x);
  TermId Abs(TermId x);
  TermId Floor(TermId x);
  TermId Ceil(TermId x) { return Negate(Floor(Negate(x))); }
  TermId Round(DType type, TermId x);
  TermId FloatMaximum(NanMode mode, TermId a, TermId b);
  TermId FloatMinimum(NanMode mode, TermId a, TermId b);
  TermId IsNan(TermId x);
  TermId FloatEqual(TermId a, TermId b);
  TermId FloatGreater(TermId a, TermId b);
  TermId FloatGreaterEqual(TermId a, TermId b);
  TermId Elementary(int64_t op, DType type, std::span<const TermId> operands);
  TermId Bilinear(std::span<const TermId, 4> corners, double dy, double dx);
  TermId FloatToInteger(DType to, TermId x);
  TermId IntegerToFloat(TermId x);
  TermId FloatSum(DType accumulator, std::span<const TermId> terms);
  TermId FloatProduct(DType type, std::span<const TermId> factors);
  TermId FloatQuotient(TermId x, int64_t divisor);

  // Records that an integer is known to lie within low..high. Terms that are made later may rely on
  // it.
  void Assume(TermId x, int64_t low, int64_t high);
  bool IsTrue(TermId x) const { return nodes_[x].low == 1 && nodes_[x].high == 1; }
  bool IsFalse(TermId x) const { return nodes_[x].low == 0 && nodes_[x].high == 0; }
  // Returns true if a float is a value of the type for all inputs.
  bool IsOfType(TermId x, DType type);

 private:
  // The range of an integer result.
  struct Range {
    int64_t low, high;
  };
  struct Polynomial;

  TermId Make(TermKind kind, std::span<const TermId> operands, std::span<const int64_t> numbers);
  TermId Make(TermKind kind, std::initializer_list<TermId> operands,
              std::initializer_list<int64_t> numbers = {});
  TermId Intern(TermKind kind, bool is_float, std::span<const TermId> operands,
                std::span<const int64_t> numbers);
  void Grow();
  uint64_t HashOf(TermKind kind, bool is_float, std::span<const TermId> operands,
                  std::span<const int64_t> numbers) const;
  bool Is(TermId term, TermKind kind, bool is_float, std::span<const TermId> operands,
          std::span<const int64_t> numbers) const;
  void Describe(TermId term);  // computes the range or the classes
  Range RangeOf(TermId term) const;
  Range RangeOfProduct(TermId term) const;
  Range RangeOfShift(TermId term) const;
  Range RangeOfSelect(TermId term) const;
  Range Union(std::span<const TermId> terms) const;
  FloatClasses ClassesOf(TermId term) const;

  bool Fits(TermId x, int64_t low, int64_t high) const {
    return nodes_[x].low >= low && nodes_[x].high <= high;
  }
  bool MayBe(TermId x, FloatClasses classes) const { return (nodes_[x].classes & classes) != 0; }
  bool IsKind(TermId x, TermKind kind) const { return nodes_[x].kind == kind; }
  bool IsInteger(TermId x, int64_t value) const {
    return IsConstant(x) && !nodes_[x].is_float && Number(x) == value;
  }

  Polynomial PolynomialOf(TermId x) const;
  std::optional<Range> ExactRange(const Polynomial& polynomial) const;
  TermId TermOf(Polynomial& polynomial);
  TermId AddScaled(TermId a, TermId b, int64_t factor);
  TermId MonomialProduct(TermId a, TermId b);
  Polynomial Product(const Polynomial& a, const Polynomial& b);
  Polynomial ResidueOf(int bits, TermId x);
  TermId Residue(int bits, TermId x);
  TermId Bitwise(TermKind kind, TermId a, TermId b);
  TermId WithConstant(TermKind kind, std::vector<TermId> operands, int64_t constant);
  TermId Extreme(TermKind kind, TermId a, TermId b);
  TermId LessThan(Polynomial& polynomial, int64_t bound);
  TermId FloatExtreme(TermKind kind, NanMode mode, TermId a, TermId b);
  struct Bounded {
    TermId x, bound;
    NanMode mode;
  };
  std::optional<Bounded> OneBound(TermId term, TermKind kind) const;
  std::optional<TermId> MergedClamps(const Bounded& outer);
  bool ZerosMeet(std::span<const TermId> operands) const;
  bool IsInnocuous(DType type, TermId rounded);
  TermId ScaledTwice(DType type, TermId x);
  std::vector<TermId> Flattened(TermKind kind, TermId a, TermId b) const;

  size_t terms_max_;
  bool exhausted_ = false;
  std::vector<TermNode> nodes_;
  std::vector<TermId> operands_;
  std::vector<int64_t> numbers_;
  std::vector<TermId> table_;  // open addressing; kEmpty marks an empty slot
};

// Returns the value of a term of this kind for known operands, as the words of ValueDomain compute
// it. Not for inputs.
Scalar EvaluateTerm(TermKind kind, std::span<const Scalar> operands,
                    std::span<const int64_t> numbers);

}  // namespace assay
