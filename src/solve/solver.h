// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace assay {

// A term of a Solver. Terms of one solver have no meaning for another.
struct Term {
  uint32_t index = 0;
};

// The kind of terms that a solver is asked about. Each logic has a procedure of its own.
enum class Logic : uint8_t {
  kIntegers,          // sums and multiples of unbounded integers, compared
  kDifferences,       // variables and constants, and differences of two, compared
  kBits,              // words of fixed width; they wrap around, and compare as unsigned numbers
  kBitsAndFunctions,  // the same, and uninterpreted functions of words
};

enum class SolverAnswer : uint8_t { kSatisfiable, kUnsatisfiable, kUndecided };

// Asks Z3 whether everything that is asserted can hold at once. The effort for a question is
// bounded in Z3's own units, and never depends on time. A solver may be used by one thread only.
class Solver {
 public:
  static constexpr uint32_t kEffortDefault = 200'000'000;

  explicit Solver(Logic logic, uint32_t effort_max = kEffortDefault);
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  Term Integer(int64_t value);
  Term Bits(uint64_t value, unsigned width);
  // Variables of the same name are the same.
  Term IntegerVariable(const std::string& name);
  Term BitsVariable(const std::string& name, unsigned width);
  Term BooleanVariable(const std::string& name);

  // These functions take two integers, or two words of the same width.
  Term Add(Term a, Term b);
  Term Multiply(Term a, Term b);  // of two integers, one must be a constant
  Term Less(Term a, Term b);
  Term LessOrEqual(Term a, Term b);
  Term Equal(Term a, Term b);

  // These functions take words of the same width, as numbers with a sign. Shifts are by the
  // unsigned number b, and drop the bits that leave the word. DivideSigned() truncates towards
  // zero; b must not be 0.
  Term LessSigned(Term a, Term b);
  Term DivideSigned(Term a, Term b);
  Term ShiftLeft(Term a, Term b);
  Term ShiftRightSigned(Term a, Term b);
  Term BitAnd(Term a, Term b);
  Term BitOr(Term a, Term b);
  Term BitXor(Term a, Term b);
  // Return a word of `width` bits: the low bits of `a`, or `a` after copies of its sign
  // (ResizeSigned) or after zeros (ResizeUnsigned).
  Term ResizeSigned(Term a, unsigned width);
  Term ResizeUnsigned(Term a, unsigned width);
  Term IfThenElse(Term condition, Term a, Term b);
  // Returns the result, of `width` bits, of the function `name`. All functions of one name take the
  // same number of words of the same widths, and return words of the same width.
  Term Apply(const std::string& name, std::span<const Term> words, unsigned width);

  Term Not(Term a);
  Term And(std::span<const Term> all);  // true if there is none
  Term Or(std::span<const Term> any);   // false if there is none
  Term Implies(Term a, Term b);
  Term AtLeast(std::span<const Term> of, unsigned count);

  void Assert(Term term);
  SolverAnswer Solve();

  // Return the value of a variable in the witness. The last answer must be kSatisfiable.
  int64_t IntegerOf(Term variable) const;
  uint64_t BitsOf(Term variable) const;
  bool BooleanOf(Term variable) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
