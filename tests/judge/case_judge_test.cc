// SPDX-License-Identifier: Apache-2.0
// Tests that a process which an earlier vector has damaged makes no false findings.
#include "case_judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "block_builder.h"
#include "executor.h"
#include "finding_text.h"

namespace assay::case_judge_test {
namespace {

constexpr char kType[] = "i32[2]";

// Returns a vector of one operator with one or two operands.
TestVector VectorOf(Op op, int operands = 1) {
  BlockBuilder b;
  std::vector<TensorIndex> inputs;
  TestVector vector;
  vector.requirements = {"PRO-INT"};
  Step& step = vector.steps.emplace_back();
  for (int i = 0; i < operands; ++i) {
    inputs.push_back(b.Input(kType));
    step.inputs.push_back(TensorOf("i32[2]{3,4}"));
  }
  b.Outputs({b.Add(op, inputs, kType)});
  vector.graphs = {GraphOf({b.block})};
  EXPECT_TRUE(Expect(vector, {}));
  return vector;
}

bool Has(const TestVector& vector, Op op) {
  return std::ranges::any_of(vector.Operators(),
                             [op](const PlacedOperator& placed) { return placed.op.op == op; });
}

// One process for all vectors. It gives wrong results for some vectors, depending on the vectors
// before.
class SharedProcess : public Backend {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    if (is_alone_) {
      seen_.clear();
      ++process_;
    }
    is_alone_ = false;
    ++runs;
    std::vector<Outcome> outcomes = ExecuteVector(vector, {});
    if (IsWrong(vector)) outcomes[0].outputs[0] = TensorOf("i32[2]{3,5}");
    for (const PlacedOperator& placed : vector.Operators()) seen_.insert(placed.op.op);
    return outcomes;
  }
  void RunNextAlone() override { is_alone_ = true; }
  int64_t Process() const override { return process_; }
  std::string Describe() const override { return "shared process"; }

  int runs = 0;

 protected:
  virtual bool IsWrong(const TestVector& vector) = 0;
  std::set<Op> seen_;  // operators that the process has run
  int64_t process_ = 0;

 private:
  bool is_alone_ = true;
};

class DamagedByAbs : public SharedProcess {
  bool IsWrong(const TestVector& vector) override {
    return Has(vector, Op::kAdd) && seen_.contains(Op::kAbs);
  }
};

// Judges vectors in order. Returns the results.
std::vector<CaseResult> JudgeAll(SharedProcess& backend, const std::vector<TestVector>& vectors) {
  CaseJudge judge(
      backend,
      [&vectors](int64_t index) -> Result<LoadedCase> {
        return LoadedCase{vectors[static_cast<size_t>(index)], {}};
      },
      [](int64_t index) { return "v" + std::to_string(index); }, 1);
  std::vector<CaseResult> results;
  for (size_t i = 0; i < vectors.size(); ++i) {
    results.push_back(judge.Judge(static_cast<int64_t>(i), {vectors[i], {}}));
  }
  return results;
}

// Returns 50 vectors that do no harm, with others at these positions.
std::vector<TestVector> Among50(const std::map<size_t, TestVector>& others) {
  std::vector<TestVector> vectors(50, VectorOf(Op::kBitwiseNot));
  for (const auto& [position, vector] : others) vectors[position] = vector;
  return vectors;
}

TEST(CaseJudge, NamesTheVectorAfterWhichAnotherIsWrong) {
  DamagedByAbs backend;
  const TestVector victim = VectorOf(Op::kAdd, 2);
  const auto results =
      JudgeAll(backend, Among50({{17, VectorOf(Op::kAbs)}, {40, victim}, {41, victim}}));
  const CaseResult& result = results[40];
  ASSERT_EQ(result.state, CaseState::kDisagrees) << result.note;
  EXPECT_EQ(result.damaged_by.vectors, std::vector<std::string>{"v17"});
  EXPECT_EQ(result.damaged_by.wrong, "ADD i32: wrong value");
  ASSERT_EQ(result.verdict.findings.size(), 1u);
  EXPECT_EQ(FindingHeadline(result.verdict.findings[0]), "ABS i32: later vectors are wrong");
  EXPECT_EQ(result.verdict.findings[0].got, "3");
  // The process that the search has damaged runs no other vector.
  EXPECT_EQ(results[41].state, CaseState::kAgrees);
  EXPECT_LE(backend.runs, 50 + 200);
}

// Reads beyond its tensors, where any vector has left something.
class ReadsBeyond : public SharedProcess {
  bool IsWrong(const TestVector& vector) override {
    return Has(vector, Op::kAdd) && !seen_.empty();
  }
};

TEST(CaseJudge, BlamesAVectorThatIsWrongAfterAnyOther) {
  ReadsBeyond backend;
  const auto results =
      JudgeAll(backend, {VectorOf(Op::kBitwiseNot), VectorOf(Op::kAbs), VectorOf(Op::kAdd, 2)});
  ASSERT_EQ(results[2].state, CaseState::kDisagrees) << results[2].note;
  EXPECT_EQ(FindingHeadline(results[2].verdict.findings[0]), "ADD i32: wrong after other vectors");
  EXPECT_EQ(results[2].damaged_by.vectors, std::vector<std::string>{"v1"});
}

// Is wrong after two vectors that lie in different halves.
class DamagedByTwo : public SharedProcess {
 protected:
  bool IsWrong(const TestVector& vector) override {
    return Has(vector, Op::kAdd) && seen_.contains(Op::kAbs) && seen_.contains(Op::kClz);
  }
};

TEST(CaseJudge, NamesOnlyTheVectorsThatAreNeededIfNoHalfDoesTheDamage) {
  DamagedByTwo backend;
  const std::vector<TestVector> vectors = {VectorOf(Op::kBitwiseNot), VectorOf(Op::kAbs),
                                           VectorOf(Op::kBitwiseNot), VectorOf(Op::kClz),
                                           VectorOf(Op::kAdd, 2)};
  const auto results = JudgeAll(backend, vectors);
  EXPECT_EQ(results[4].damaged_by.vectors, (std::vector<std::string>{"v1", "v3"}));
}

// CLZ is wrong alone, too.
class DamagedByAWrongVector : public DamagedByTwo {
  bool IsWrong(const TestVector& vector) override {
    return Has(vector, Op::kClz) || DamagedByTwo::IsWrong(vector);
  }
};

TEST(CaseJudge, NamesTheVectorThatIsWrongAloneAmongThoseThatAreLeft) {
  DamagedByAWrongVector backend;
  const auto results = JudgeAll(backend, {VectorOf(Op::kClz), VectorOf(Op::kBitwiseNot),
                                          VectorOf(Op::kAbs), VectorOf(Op::kAdd, 2)});
  ASSERT_EQ(results[3].state, CaseState::kDisagrees) << results[3].note;
  EXPECT_EQ(results[3].damaged_by.vectors.size(), 2u);
  EXPECT_EQ(FindingHeadline(results[3].verdict.findings[0]), "CLZ i32: later vectors are wrong");
}

// Is wrong in its third run, and never again.
class WrongOnce : public SharedProcess {
  bool IsWrong(const TestVector&) override { return runs == 3; }
};

// ABS crashes in a new process, and is wrong in another way in any other.
class CrashesAlone : public SharedProcess {
 public:
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    Result<std::vector<Outcome>> outcomes = SharedProcess::Run(vector);
    if (Has(vector, Op::kAbs) && seen_.size() == 1) {
      (*outcomes)[0] = {};
      (*outcomes)[0].kind = OutcomeKind::kCrashed;
    }
    return outcomes;
  }

 private:
  bool IsWrong(const TestVector& vector) override { return Has(vector, Op::kAbs); }
};

TEST(CaseJudge, BlamesNoOtherVectorIfOneFailsAloneInAnotherWay) {
  CrashesAlone backend;
  const auto results = JudgeAll(backend, {VectorOf(Op::kBitwiseNot), VectorOf(Op::kAbs)});
  ASSERT_EQ(results[1].state, CaseState::kDisagrees) << results[1].note;
  EXPECT_TRUE(results[1].damaged_by.vectors.empty());
  EXPECT_EQ(FindingHeadline(results[1].verdict.findings[0]), "ABS i32: crash");
}

TEST(CaseJudge, SaysThatAFindingCameOnce) {
  WrongOnce backend;
  const auto results = JudgeAll(backend, std::vector(4, VectorOf(Op::kAbs)));
  EXPECT_EQ(results[2].state, CaseState::kUndecided);
  EXPECT_EQ(results[2].note,
            "not repeatable: ABS i32: wrong value; right in a new process, and also after the "
            "vectors before it when they ran again");
  EXPECT_TRUE(results[2].verdict.findings.empty());
  EXPECT_EQ(results[3].state, CaseState::kAgrees);
}

class AlwaysWrong : public SharedProcess {
  bool IsWrong(const TestVector&) override { return true; }
};

TEST(CaseJudge, StartsFewProcessesForManyVectorsWithOneFinding) {
  AlwaysWrong backend;
  for (const CaseResult& result : JudgeAll(backend, std::vector(50, VectorOf(Op::kAbs)))) {
    EXPECT_EQ(result.state, CaseState::kDisagrees);
  }
  EXPECT_EQ(backend.Process(), 5);  // the first, and one for each of four repetitions
  EXPECT_EQ(backend.runs, 100);
}

// The smallest vector of a group may represent it in a report, so it is confirmed in a new process.
TEST(CaseJudge, ConfirmsTheSmallestVectorOfAGroupInANewProcess) {
  BlockBuilder b;
  const TensorIndex x = b.Input(kType);
  b.Outputs({b.Add(Op::kAbs, {b.Add(Op::kBitwiseNot, {x}, kType)}, kType)});
  TestVector large = VectorOf(Op::kAbs);
  large.graphs = {GraphOf({b.block})};
  ASSERT_TRUE(Expect(large, {}));
  std::vector<TestVector> vectors(10, large);
  vectors[8] = VectorOf(Op::kAbs);
  AloneRule rule;
  AlwaysWrong backend;
  for (const TestVector& vector : vectors) JudgeOnBackend(backend, {vector, {}}, "", 1, &rule);
  EXPECT_EQ(backend.Process(), 6);
}

}  // namespace
}  // namespace assay::case_judge_test
