// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "block_builder.h"
#include "equal_graphs.h"

// Helpers for tests of pairs of graphs, and of the verdicts on them.
namespace assay::testing {

inline std::string TextOf(const FoldVerdict& verdict) {
  std::string text(FoldVerdictName(verdict.kind));
  if (verdict.kind == FoldVerdictKind::kEqual) {
    return text + ": " + std::string(FoldArgumentText(verdict.argument));
  }
  return text + ": " + verdict.reason;
}

// Expects that a claimed difference shows when the vector runs: an output of AFTER's steps differs
// from that of BEFORE's, or they end differently.
inline void ExpectToReplay(const FoldVerdict& verdict) {
  ASSERT_TRUE(verdict.counterexample.has_value());
  const TestVector& vector = *verdict.counterexample;
  const std::vector<Outcome> outcomes = ExecuteVector(vector, {});
  ASSERT_EQ(outcomes.size(), vector.steps.size());
  const size_t half = outcomes.size() / 2;
  bool differs = false;
  for (size_t i = 0; i < half; ++i) {
    const Outcome &before = outcomes[i], &after = outcomes[i + half];
    EXPECT_EQ(vector.steps[i].inputs, vector.steps[i + half].inputs);
    EXPECT_EQ(before.kind, OutcomeKind::kValid);
    EXPECT_EQ(before.kind, vector.steps[i].expected);
    differs |=
        before.kind != after.kind || before.outputs != after.outputs || before.state != after.state;
  }
  EXPECT_TRUE(differs);
  ASSERT_EQ(vector.fold_pairs.size(), 1u);
  EXPECT_FALSE(vector.fold_pairs[0].equal);
}

inline FoldVerdict Checked(const Graph& before, const Graph& after,
                           const FoldCheckOptions& options = {}) {
  FoldVerdict verdict = CheckFold(before, after, options);
  if (verdict.kind == FoldVerdictKind::kDifferent) ExpectToReplay(verdict);
  return verdict;
}

inline Graph Unary(std::string_view type, Op op, Attributes attributes = {}) {
  BlockBuilder b;
  const TensorIndex x = b.Input(type);
  return GraphWith(b, {b.Add(op, {x}, type, std::move(attributes))});
}

inline Graph Identity(std::string_view type) { return Unary(type, Op::kIdentity); }

// Returns the graph x OP constant.
inline Graph WithConstant(std::string_view type, Op op, std::string_view constant) {
  BlockBuilder b;
  const TensorIndex x = b.Input(type);
  std::vector<TensorIndex> operands = {x, b.Constant(constant)};
  if (op == Op::kMul) operands.push_back(b.Constant("i8[1]{0}"));
  return GraphWith(b, {b.Add(op, operands, type)});
}

inline FoldCheckOptions Proving() {
  FoldCheckOptions options;
  options.structural = false;
  options.prove = true;
  return options;
}

}  // namespace assay::testing
