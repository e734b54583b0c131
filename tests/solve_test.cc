// The door to Z3: each logic answers a question that a person can check, gives witnesses, and gives
// up by effort, not by time.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solver.h"

namespace assay {
namespace {

TEST(Solver, Integers) {
  // 6 x + 9 y = 21 has solutions, 6 x + 9 y = 22 has none: 3 divides the left side.
  for (const auto& [sum, answer] :
       {std::pair(21, Answer::kSatisfiable), std::pair(22, Answer::kUnsatisfiable)}) {
    Solver solver(Logic::kIntegers);
    const Term x = solver.IntegerVariable("x"), y = solver.IntegerVariable("y");
    solver.Assert(solver.Equal(
        solver.Add(solver.Multiply(solver.Integer(6), x), solver.Multiply(solver.Integer(9), y)),
        solver.Integer(sum)));
    ASSERT_EQ(solver.Solve(), answer);
    if (answer == Answer::kSatisfiable) {
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
  EXPECT_EQ(solver.Solve(), Answer::kSatisfiable);
  EXPECT_LE(solver.IntegerOf(x) + 7, solver.IntegerOf(z));
  solver.Assert(solver.LessOrEqual(z, solver.Add(x, solver.Integer(6))));
  EXPECT_EQ(solver.Solve(), Answer::kUnsatisfiable);
}

TEST(Solver, BitsAreUnsignedAndWrapAround) {
  // x + 1 < x for 8 bits: only for 255.
  Solver solver(Logic::kBits);
  const Term x = solver.BitsVariable("x", 8);
  solver.Assert(solver.Less(solver.Add(x, solver.Bits(1, 8)), x));
  ASSERT_EQ(solver.Solve(), Answer::kSatisfiable);
  EXPECT_EQ(solver.BitsOf(x), 255u);
}

TEST(Solver, Booleans) {
  // At least two of three, not the first: the other two.
  Solver solver(Logic::kBits);
  const std::vector<Term> all = {solver.BooleanVariable("a"), solver.BooleanVariable("b"),
                                 solver.BooleanVariable("c")};
  solver.Assert(solver.AtLeast(all, 2));
  solver.Assert(solver.Not(all[0]));
  ASSERT_EQ(solver.Solve(), Answer::kSatisfiable);
  EXPECT_FALSE(solver.BooleanOf(all[0]));
  EXPECT_TRUE(solver.BooleanOf(all[1]));
  EXPECT_TRUE(solver.BooleanOf(all[2]));
  solver.Assert(solver.Implies(all[1], solver.Not(all[2])));
  EXPECT_EQ(solver.Solve(), Answer::kUnsatisfiable);
  EXPECT_EQ(Solver(Logic::kBits).Solve(), Answer::kSatisfiable);
}

TEST(Solver, NothingToChooseFrom) {
  Solver none(Logic::kIntegers);
  none.Assert(none.Or({}));
  EXPECT_EQ(none.Solve(), Answer::kUnsatisfiable);
  Solver all(Logic::kIntegers);
  all.Assert(all.And({}));
  EXPECT_EQ(all.Solve(), Answer::kSatisfiable);
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
  EXPECT_EQ(pack(100'000), Answer::kUndecided);
}

}  // namespace
}  // namespace assay
