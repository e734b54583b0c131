#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace assay {

// A term of a Solver; no other solver knows it.
struct Term {
  uint32_t index = 0;
};

// What kind of terms a solver is asked about: each logic has a procedure of its own.
enum class Logic : uint8_t {
  kIntegers,          // sums and multiples of unbounded integers, compared
  kDifferences,       // variables and constants, and differences of two, compared
  kBits,              // words of fixed width; they wrap around, and compare as unsigned numbers
  kBitsAndFunctions,  // the same, and functions of words of which nothing is known
};

enum class Answer : uint8_t { kSatisfiable, kUnsatisfiable, kUndecided };

// Asks Z3 whether all that is asserted can hold at once. A question takes at most so much effort,
// in units of Z3's own, and never depends on time. Not for several
// threads.
class Solver {
 public:
  static constexpr uint32_t kEffortDefault = 200'000'000;

  explicit Solver(Logic logic, uint32_t effort_max = kEffortDefault);
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  Term Integer(int64_t value);
  Term Bits(uint64_t value, unsigned width);
  // Variables of one name are the same.
  Term IntegerVariable(const std::string& name);
  Term BitsVariable(const std::string& name, unsigned width);
  Term BooleanVariable(const std::string& name);

  // Of two integers, or of words of one width.
  Term Add(Term a, Term b);
  Term Multiply(Term a, Term b);  // of integers one a constant
  Term Less(Term a, Term b);
  Term LessOrEqual(Term a, Term b);
  Term Equal(Term a, Term b);

  // Of words of one width, as numbers with a sign. Shifts are by the unsigned number b, and drop
  // what leaves the word; DivideSigned() truncates towards zero, and is not for b = 0.
  Term LessSigned(Term a, Term b);
  Term DivideSigned(Term a, Term b);
  Term ShiftLeft(Term a, Term b);
  Term ShiftRightSigned(Term a, Term b);
  Term BitAnd(Term a, Term b);
  Term BitOr(Term a, Term b);
  Term BitXor(Term a, Term b);
  // A word of `width` bits: the low ones, or with copies of the sign, or with zeros before it.
  Term ResizeSigned(Term a, unsigned width);
  Term ResizeUnsigned(Term a, unsigned width);
  Term IfThenElse(Term condition, Term a, Term b);
  // The result, of `width` bits, of the function of that name. Functions of one name take as many
  // words of the same widths and give words of one width.
  Term Apply(const std::string& name, std::span<const Term> words, unsigned width);

  Term Not(Term a);
  Term And(std::span<const Term> all);  // true if there is none
  Term Or(std::span<const Term> any);   // false if there is none
  Term Implies(Term a, Term b);
  Term AtLeast(std::span<const Term> of, unsigned count);

  void Assert(Term term);
  Answer Solve();

  // Of the last answer, if that was kSatisfiable: what a variable is in the witness.
  int64_t IntegerOf(Term variable) const;
  uint64_t BitsOf(Term variable) const;
  bool BooleanOf(Term variable) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
