// SPDX-License-Identifier: Apache-2.0
#include "fold_cause.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "operator_table.h"
#include "paired_runs.h"
#include "reduce.h"

namespace assay {
namespace {

constexpr int64_t kCallsMax = 500;

// A difference between a graph and the graph that the folder made of it.
struct Difference {
  std::string text, rewrites;
};

std::optional<Difference> DifferenceOf(MlirRewriter& rewriter, const TestVector& vector,
                                       const FoldCheckOptions& check) {
  Outcome outcome;
  const Result<std::optional<Graph>> after = rewriter.Rewrite(vector.graphs[0], outcome);
  if (!after || !*after) return std::nullopt;
  std::vector<FoldInvocation> invocations;
  for (const Step& step : vector.steps) invocations.push_back(step.inputs);
  const FoldRun run = RunBoth(vector.graphs[0], **after, invocations, check);
  if (run.kind != FoldRunKind::kDiffer) return std::nullopt;
  return Difference{run.text, outcome.rewrites};
}

// Returns "valid before, error after: CAST/ERROR_IF/types" for a graph that is no longer valid; ""
// for a graph that gives other values.
std::string_view BreachIn(std::string_view text) {
  return text.starts_with("valid before") ? text.substr(0, text.find(" at ")) : "";
}

std::set<std::string_view> PartsOf(std::string_view rewrites) {
  std::set<std::string_view> parts;
  while (!rewrites.empty()) {
    const size_t end = std::min(rewrites.find("; "), rewrites.size());
    parts.insert(rewrites.substr(0, end));
    rewrites.remove_prefix(std::min(end + 2, rewrites.size()));
  }
  return parts;
}

// Returns true if `parts` contain all of `fewer`. A pass without a pattern ("canonicalize" for a
// fold) is also contained if the pass applied patterns. The reason is that MLIR reports folds only
// if a pass did nothing else.
bool Hold(const std::set<std::string_view>& parts, const std::set<std::string_view>& fewer) {
  return std::ranges::all_of(fewer, [&](std::string_view part) {
    return std::ranges::any_of(parts, [&](std::string_view held) {
      return held == part || held.starts_with(std::string(part) + ": ");
    });
  });
}

}  // namespace

std::string FoldCause::Key() const {
  const std::optional<DType> known = TypeByName(type);
  const bool is_float = known && IsFloat(*known);
  return operators + "|" + (is_float ? "float" : "integer") + "|" + rewrites + "|" +
         std::string(BreachIn(difference));
}

std::optional<FoldCause> FindFoldCause(MlirRewriter& rewriter, const TestVector& vector,
                                       const FoldCheckOptions& check) {
  const std::optional<Difference> first = DifferenceOf(rewriter, vector, check);
  if (!first) return std::nullopt;
  const std::set<std::string_view> parts = PartsOf(first->rewrites);
  const auto is_same = [&](const TestVector& candidate) {
    const std::optional<Difference> now = DifferenceOf(rewriter, candidate, check);
    return now && BreachIn(now->text) == BreachIn(first->text) &&
           Hold(parts, PartsOf(now->rewrites));
  };
  FoldCause cause;
  cause.vector = Reduce(vector, is_same, {.calls_max = kCallsMax}).vector;
  const std::optional<Difference> last = DifferenceOf(rewriter, cause.vector, check);
  if (!last) return std::nullopt;
  cause.difference = last->text;
  cause.rewrites = last->rewrites;
  for (const auto& [block, op] : cause.vector.graphs[0].Operators()) {
    if (IsConstant(op.op)) continue;
    if (!cause.operators.empty()) cause.operators += ", ";
    cause.operators += OperatorName(op.op);
    cause.type = TypeName(CharacteristicType(block, op));
  }
  return cause;
}

}  // namespace assay
