// SPDX-License-Identifier: Apache-2.0
// Tests the interface to Z3. Each logic answers a question that a person can check, gives
// witnesses, and is limited by effort, not by time.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solver.h"

namespace assay::solve_test {
namespace {

TEST(Solver, Integers) {
  // 6 x + 9 y = 21 has solutions, 6 x + 9 y = 22 has none: 3 divides the left side.
  for (const auto& [sum, answer] :
       {std::pair(21, SolverAnswer::kSatisfiable), std::pair(22, SolverAnswer::kUnsatisfiable)}) {
    Solver solver(Logic::kIntegers);
    const Term x = solver.IntegerVariable("x"), y = solver.IntegerVariable("y");
    solver.Assert(solver.Equal(
        solver.Add(solver.Multiply(solver.Integer(6), x), solver.Multiply(solver.Integer(9), y)),
        solver.Integer(sum)));
    ASSERT_EQ(solver.Solve(), answer);
    if (answer == SolverAnswer::kSatisfiable) {
      EXPECT_EQ(6 * solver.IntegerOf(x) + 9 * solver.IntegerOf(y), sum);
    }
  }
}

TEST(Solver, Differences) {
  // x + 3 <= y, y + 4 <= z, z <= x + 6: around the circle 7 <= 6.
  Solver solver(Logic::kDifferences);
  const Term x = solver.IntegerVariable("x"), y = solver.IntegerVariable("y");
  const Term z = solver.IntegerVariable("z");
  solver.Assert(solver.LessOrEqual(solver.Add(x, solver.Integer(3)), y));
  solver.Assert(solver.LessOrEqual(solver.Add(y, solver.Integer(4)), z));
  EXPECT_EQ(solver.Solve(), SolverAnswer::kSatisfiable);
  EXPECT_LE(solver.IntegerOf(x) + 7, solver.IntegerOf(z));
  solver.Assert(solver.LessOrEqual(z, solver.Add(x, solver.Integer(6))));
  EXPECT_EQ(solver.Solve(), SolverAnswer::kUnsatisfiable);
}

TEST(Solver, BitsAreUnsignedAndWrapAround) {
  // x + 1 < x for 8 bits: only for 255.
  Solver solver(Logic::kBits);
  const Term x = solver.BitsVariable("x", 8);
  solver.Assert(solver.Less(solver.Add(x, solver.Bits(1, 8)), x));
  ASSERT_EQ(solver.Solve(), SolverAnswer::kSatisfiable);
  EXPECT_EQ(solver.BitsOf(x), 255u);
}

TEST(Solver, Booleans) {
  // At least two of three, not the first: the other two.
  Solver solver(Logic::kBits);
  const std::vector<Term> all = {solver.BooleanVariable("a"), solver.BooleanVariable("b"),
                                 solver.BooleanVariable("c")};
  solver.Assert(solver.AtLeast(all, 2));
  solver.Assert(solver.Not(all[0]));
  ASSERT_EQ(solver.Solve(), SolverAnswer::kSatisfiable);
  EXPECT_FALSE(solver.BooleanOf(all[0]));
  EXPECT_TRUE(solver.BooleanOf(all[1]));
  EXPECT_TRUE(solver.BooleanOf(all[2]));
  solver.Assert(solver.Implies(all[1], solver.Not(all[2])));
  EXPECT_EQ(solver.Solve(), SolverAnswer::kUnsatisfiable);
  EXPECT_EQ(Solver(Logic::kBits).Solve(), SolverAnswer::kSatisfiable);
}

TEST(Solver, NothingToChooseFrom) {
  Solver none(Logic::kIntegers);
  none.Assert(none.Or({}));
  EXPECT_EQ(none.Solve(), SolverAnswer::kUnsatisfiable);
  Solver all(Logic::kIntegers);
  all.Assert(all.And({}));
  EXPECT_EQ(all.Solve(), SolverAnswer::kSatisfiable);
}

TEST(Solver, GivesUpAfterTheEffort) {
  // Eleven buffers of different sizes in a pool that is one byte too small.
  const auto pack = [](uint32_t effort) {
    Solver solver(Logic::kDifferences, effort);
    std::vector<Term> offsets;
    const auto size = [](int64_t i) { return 1 + i % 5; };
    for (int64_t i = 0; i < 11; ++i) {
      offsets.push_back(solver.IntegerVariable("offset" + std::to_string(i)));
      solver.Assert(solver.LessOrEqual(solver.Integer(0), offsets.back()));
      solver.Assert(solver.LessOrEqual(offsets.back(), solver.Integer(30 - size(i))));
    }
    for (size_t i = 0; i < offsets.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const auto below = [&](size_t a, size_t b) {
          const Term end = solver.Add(offsets[a], solver.Integer(size(static_cast<int64_t>(a))));
          return solver.LessOrEqual(end, offsets[b]);
        };
        const Term either[] = {below(i, j), below(j, i)};
        solver.Assert(solver.Or(either));
      }
    }
    return solver.Solve();
  };
  EXPECT_EQ(pack(100'000), SolverAnswer::kUndecided);
}

// Returns an x of 8 bits for which `equation` is true, or -1 if there is none.
int64_t Solved(Term (*equation)(Solver& solver, Term x)) {
  Solver solver(Logic::kBits);
  const Term x = solver.BitsVariable("x", 8);
  solver.Assert(equation(solver, x));
  return solver.Solve() == SolverAnswer::kSatisfiable ? static_cast<int64_t>(solver.BitsOf(x)) : -1;
}

TEST(Solver, WordsWithASign) {
  // The only word less than -127 is -128, 0x80.
  EXPECT_EQ(Solved([](Solver& s, Term x) { return s.LessSigned(x, s.Bits(0x81, 8)); }), 0x80);
  // -7 / 2 = -3, towards zero: of all x with x / 2 = -3 only -7 is odd.
  EXPECT_EQ(Solved([](Solver& s, Term x) {
              const Term all[] = {s.Equal(s.DivideSigned(x, s.Bits(2, 8)), s.Bits(0xfd, 8)),
                                  s.Equal(s.BitAnd(x, s.Bits(1, 8)), s.Bits(1, 8))};
              return s.And(all);
            }),
            0xf9);
  // 0x80 >> 3 = 0xf0 with copies of the sign; 0x81 << 1 drops the high bit.
  EXPECT_EQ(Solved([](Solver& s, Term x) {
              return s.Equal(x, s.ShiftRightSigned(s.Bits(0x80, 8), s.Bits(3, 8)));
            }),
            0xf0);
  EXPECT_EQ(Solved([](Solver& s, Term x) {
              return s.Equal(x, s.ShiftLeft(s.Bits(0x81, 8), s.Bits(1, 8)));
            }),
            0x02);
  // 0x0c | 0x05 = 0x0d, and 0x0d ^ 0x0c = 0x01.
  EXPECT_EQ(Solved([](Solver& s, Term x) {
              return s.Equal(s.BitXor(x, s.Bits(0x0c, 8)),
                             s.BitXor(s.BitOr(s.Bits(0x0c, 8), s.Bits(0x05, 8)), s.Bits(0x0c, 8)));
            }),
            0x0d);
  // 4 bits 0x9 are -7 or 9; of 0x1f9 the low 8 bits are 0xf9.
  EXPECT_EQ(Solved([](Solver& s, Term x) { return s.Equal(x, s.ResizeSigned(s.Bits(0x9, 4), 8)); }),
            0xf9);
  EXPECT_EQ(
      Solved([](Solver& s, Term x) { return s.Equal(x, s.ResizeUnsigned(s.Bits(0x9, 4), 8)); }),
      0x09);
  EXPECT_EQ(
      Solved([](Solver& s, Term x) { return s.Equal(x, s.ResizeSigned(s.Bits(0x1f9, 9), 8)); }),
      0xf9);
  EXPECT_EQ(Solved([](Solver& s, Term x) {
              const Term is_one = s.Equal(s.Bits(1, 1), s.Bits(0, 1));
              return s.Equal(x, s.IfThenElse(is_one, s.Bits(5, 8), s.Bits(6, 8)));
            }),
            6);
}

TEST(Solver, FunctionsOfWordsAreFunctionsAndNoMore) {
  const auto differ = [](bool same) {
    Solver solver(Logic::kBitsAndFunctions);
    const Term x = solver.BitsVariable("x", 8), y = solver.BitsVariable("y", 8);
    if (same) solver.Assert(solver.Equal(x, y));
    const Term f_x = solver.Apply("f", {&x, 1}, 4), f_y = solver.Apply("f", {&y, 1}, 4);
    solver.Assert(solver.Not(solver.Equal(f_x, f_y)));
    return solver.Solve();
  };
  EXPECT_EQ(differ(true), SolverAnswer::kUnsatisfiable);
  EXPECT_EQ(differ(false), SolverAnswer::kSatisfiable);
}

}  // namespace
}  // namespace assay::solve_test
