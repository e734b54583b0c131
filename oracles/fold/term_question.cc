// SPDX-License-Identifier: Apache-2.0
#include "term_question.h"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>

namespace assay {
namespace {

constexpr unsigned kWord = 64;

// Returns the number of bits of an integer within low..high, with its sign.
unsigned WidthOf(int64_t low, int64_t high) {
  const auto bits = [](int64_t x) {
    return static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(x < 0 ? ~x : x))) + 1;
  };
  return std::max(bits(low), bits(high));
}

// Translates terms of an arena into terms of a solver.
class Translation {
 public:
  Translation(const TermArena& arena, Solver& solver) : arena_(arena), solver_(solver) {}

  // Returns the bit vector of a term, of Width(x) bits.
  Term Of(TermId x) {
    if (const auto known = terms_.find(x); known != terms_.end()) return known->second;
    // Operands first, without recursion: terms may be deep.
    std::vector<TermId> open = {x};
    while (!open.empty()) {
      const TermId term = open.back();
      const size_t before = open.size();
      for (const TermId operand : arena_.Operands(term)) {
        if (!terms_.contains(operand)) open.push_back(operand);
      }
      if (open.size() > before) continue;
      open.pop_back();
      if (!terms_.contains(term)) terms_.emplace(term, Translate(term));
    }
    return terms_.at(x);
  }
  Term IsTrue(TermId x) { return solver_.Not(solver_.Equal(Of(x), Number(0, Width(x)))); }
  const std::vector<std::pair<TermId, Term>>& inputs() const { return inputs_; }

  unsigned Width(TermId x) const {
    const TermNode& node = arena_[x];
    return node.is_float ? kWord : WidthOf(node.low, node.high);
  }

 private:
  Term Number(int64_t value, unsigned width) {
    const uint64_t mask = width >= kWord ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    return solver_.Bits(static_cast<uint64_t>(value) & mask, width);
  }
  Term At(TermId x, unsigned width) { return solver_.ResizeSigned(terms_.at(x), width); }
  Term Bool(Term condition, unsigned width) {
    return solver_.IfThenElse(condition, Number(1, width), Number(0, width));
  }
  Term Least(Term a, Term b) { return solver_.IfThenElse(solver_.LessSigned(a, b), a, b); }
  Term Greatest(Term a, Term b) { return solver_.IfThenElse(solver_.LessSigned(a, b), b, a); }
  unsigned WidthOfAll(std::span<const TermId> terms) const {
    unsigned width = 1;
    for (const TermId x : terms) width = std::max(width, Width(x));
    return width;
  }

  template <class F>
  Term Fold(std::span<const TermId> operands, unsigned width, F f) {
    Term all = At(operands[0], width);
    for (const TermId x : operands.subspan(1)) all = f(all, At(x, width));
    return all;
  }

  Term Translate(TermId x) {
    const TermNode& node = arena_[x];
    const unsigned width = Width(x);
    const auto operands = arena_.Operands(x);
    const auto numbers = arena_.Numbers(x);
    switch (node.kind) {
      case TermKind::kConstant:
        return Number(numbers[0], width);
      case TermKind::kInput:
        return Input(x, width);
      case TermKind::kSum: {  // modulo 2^width, as what follows
        Term sum = Number(numbers[0], width);
        for (size_t i = 0; i < operands.size(); ++i) {
          sum = solver_.Add(
              sum, solver_.Multiply(Number(numbers[i + 1], width), At(operands[i], width)));
        }
        return sum;
      }
      case TermKind::kProduct:
        return Fold(operands, width, [&](Term a, Term b) { return solver_.Multiply(a, b); });
      case TermKind::kAnd:
        return Fold(operands, width, [&](Term a, Term b) { return solver_.BitAnd(a, b); });
      case TermKind::kOr:
        return Fold(operands, width, [&](Term a, Term b) { return solver_.BitOr(a, b); });
      case TermKind::kXor:
        return Fold(operands, width, [&](Term a, Term b) { return solver_.BitXor(a, b); });
      case TermKind::kTruncate:
        return Resized(operands[0], static_cast<unsigned>(numbers[0]), width, true);
      case TermKind::kZeroExtend:
        return Resized(operands[0], static_cast<unsigned>(numbers[0]), width, false);
      case TermKind::kClip:
        return Clip(operands[0], numbers[0], numbers[1], width);
      case TermKind::kMaximum:
      case TermKind::kMinimum: {
        const bool greatest = node.kind == TermKind::kMaximum;
        const Term extreme = Fold(operands, WidthOfAll(operands), [&](Term a, Term b) {
          return greatest ? Greatest(a, b) : Least(a, b);
        });
        return solver_.ResizeSigned(extreme, width);
      }
      case TermKind::kShiftLeft:
        return solver_.ResizeSigned(solver_.ShiftLeft(At(operands[0], kWord), Amount(operands[1])),
                                    width);
      case TermKind::kShiftRight:
        return ShiftRight(operands[0], operands[1], width);
      case TermKind::kDivide:
        return Divide(operands[0], operands[1], width);
      case TermKind::kCountLeadingZeros:
        return CountLeadingZeros(operands[0], static_cast<unsigned>(numbers[0]), width);
      case TermKind::kEqual: {
        const unsigned w = WidthOfAll(operands);
        return Bool(solver_.Equal(At(operands[0], w), At(operands[1], w)), width);
      }
      case TermKind::kGreater: {
        const unsigned w = WidthOfAll(operands);
        return Bool(solver_.LessSigned(At(operands[1], w), At(operands[0], w)), width);
      }
      case TermKind::kSumsWithin:
        return SumsWithin(operands, numbers, width);
      case TermKind::kSelect:
        return solver_.IfThenElse(IsTrue(operands[0]), At(operands[1], width),
                                  At(operands[2], width));
      case TermKind::kLookup:
        return Lookup(operands, width);
      default:
        return Unknown(x, width);
    }
  }

  Term Input(TermId x, unsigned width) {
    const auto numbers = arena_.Numbers(x);
    const Term input = solver_.BitsVariable(
        "x" + std::to_string(numbers[0]) + "_" + std::to_string(numbers[1]), width);
    inputs_.emplace_back(x, input);
    const TermNode& node = arena_[x];
    if (!node.is_float) {
      solver_.Assert(solver_.Not(solver_.LessSigned(input, Number(node.low, width))));
      solver_.Assert(solver_.Not(solver_.LessSigned(Number(node.high, width), input)));
    }
    return input;
  }

  // Returns the low `bits` bits of x, as a number with or without a sign.
  Term Resized(TermId x, unsigned bits, unsigned width, bool is_signed) {
    const Term low = At(x, bits);
    return is_signed ? solver_.ResizeSigned(low, width)
                     : solver_.ResizeSigned(solver_.ResizeUnsigned(low, bits + 1), width);
  }

  // Clips x to bounds, but not to bounds that x cannot pass.
  Term Clip(TermId x, int64_t low, int64_t high, unsigned width) {
    low = std::max(low, arena_[x].low);
    high = std::min(high, arena_[x].high);
    const unsigned w = std::max(Width(x), WidthOf(low, high));
    return solver_.ResizeSigned(Least(Greatest(At(x, w), Number(low, w)), Number(high, w)), width);
  }

  Term Amount(TermId by) { return solver_.BitAnd(At(by, kWord), Number(63, kWord)); }

  Term ShiftRight(TermId x, TermId by, unsigned width) {
    const unsigned w = std::max(Width(x), 8u);  // 63 is a number of 8 bits
    const Term amount = solver_.ResizeUnsigned(Amount(by), w);
    return solver_.ResizeSigned(solver_.ShiftRightSigned(At(x, w), amount), width);
  }

  // Divides with one bit more, so that the least number divided by -1 fits.
  Term Divide(TermId a, TermId b, unsigned width) {
    const unsigned w = std::min(std::max(Width(a), Width(b)) + 1, kWord);
    const Term divisor = At(b, w), zero = Number(0, w);
    const Term is_zero = solver_.Equal(divisor, zero);
    const Term quotient =
        solver_.DivideSigned(At(a, w), solver_.IfThenElse(is_zero, Number(1, w), divisor));
    return solver_.ResizeSigned(solver_.IfThenElse(is_zero, zero, quotient), width);
  }

  Term CountLeadingZeros(TermId x, unsigned bits, unsigned width) {
    const Term word = At(x, bits);
    Term count = Number(bits, width);
    for (unsigned i = 0; i < bits; ++i) {  // the highest bit that is set has the last word
      const Term bit = solver_.BitAnd(word, Number(int64_t{1} << i, bits));
      const Term is_set = solver_.Not(solver_.Equal(bit, Number(0, bits)));
      count = solver_.IfThenElse(is_set, Number(bits - 1 - i, width), count);
    }
    return count;
  }

  Term SumsWithin(std::span<const TermId> operands, std::span<const int64_t> numbers,
                  unsigned width) {
    const unsigned w = WidthOfSums(operands, numbers);
    Term sum = Number(0, w);
    std::vector<Term> within;
    for (const TermId x : operands) {
      sum = solver_.Add(sum, At(x, w));
      within.push_back(solver_.Not(solver_.LessSigned(sum, Number(numbers[0], w))));
      within.push_back(solver_.Not(solver_.LessSigned(Number(numbers[1], w), sum)));
    }
    return Bool(solver_.And(within), width);
  }

  // Returns the width for the bounds and for every sum of some of the operands.
  unsigned WidthOfSums(std::span<const TermId> operands, std::span<const int64_t> bounds) const {
    int64_t low = bounds[0], high = bounds[1];
    for (const TermId x : operands) {
      const TermNode& node = arena_[x];
      if (__builtin_add_overflow(low, std::min<int64_t>(node.low, 0), &low)) return kWord;
      if (__builtin_add_overflow(high, std::max<int64_t>(node.high, 0), &high)) return kWord;
    }
    return WidthOf(low, high);
  }

  Term Lookup(std::span<const TermId> operands, unsigned width) {
    Term found = Number(0, width);
    for (size_t i = operands.size() - 1; i > 0; --i) {
      // A value that the index cannot have does not fit its width.
      const auto index = static_cast<int64_t>(i) - 1;
      if (index < arena_[operands[0]].low || index > arena_[operands[0]].high) continue;
      const Term here = solver_.Equal(terms_.at(operands[0]), Number(index, Width(operands[0])));
      found = solver_.IfThenElse(here, At(operands[i], width), found);
    }
    return found;
  }

  // Returns an uninterpreted function of the operands, named by its kind and numbers.
  Term Unknown(TermId x, unsigned width) {
    std::string name = "f" + std::to_string(static_cast<int>(arena_[x].kind));
    for (const int64_t number : arena_.Numbers(x)) name += "_" + std::to_string(number);
    name += "_" + std::to_string(arena_.Operands(x).size()) + "_" + std::to_string(width);
    std::vector<Term> words;
    for (const TermId operand : arena_.Operands(x)) words.push_back(At(operand, kWord));
    return solver_.Apply(name, words, width);
  }

  const TermArena& arena_;
  Solver& solver_;
  std::unordered_map<TermId, Term> terms_;
  std::vector<std::pair<TermId, Term>> inputs_;
};

}  // namespace

FoldAnswer AskWhetherTheyDiffer(const TermArena& arena, TermId a, TermId b,
                                std::span<const TermId> conditions, uint32_t effort_max) {
  Solver solver(Logic::kBitsAndFunctions, effort_max);
  Translation translation(arena, solver);
  for (const TermId condition : conditions) {
    translation.Of(condition);
    solver.Assert(translation.IsTrue(condition));
  }
  const unsigned width = std::max(translation.Width(a), translation.Width(b));
  const Term x = solver.ResizeSigned(translation.Of(a), width);
  const Term y = solver.ResizeSigned(translation.Of(b), width);
  solver.Assert(solver.Not(solver.Equal(x, y)));
  FoldAnswer answer;
  answer.answer = solver.Solve();
  if (answer.answer != SolverAnswer::kSatisfiable) return answer;
  for (const auto& [input, term] : translation.inputs()) {
    const unsigned bits = translation.Width(input);
    const auto word = static_cast<int64_t>(solver.BitsOf(term) << (kWord - bits));
    const int64_t value = word >> (kWord - bits);
    answer.inputs.emplace_back(input, arena[input].is_float
                                          ? Scalar::OfFloat(std::bit_cast<double>(value))
                                          : Scalar::OfInteger(value));
  }
  return answer;
}

}  // namespace assay
