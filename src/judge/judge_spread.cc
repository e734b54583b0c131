// SPDX-License-Identifier: Apache-2.0
#include "judge_spread.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ensemble_run.h"
#include "finding_text.h"
#include "judge_vector.h"
#include "spread_origin.h"
#include "time_limit.h"
#include "windows.h"

namespace assay {
namespace {

// The time that the ensemble may take for a vector. A vector that reaches it is left out.
constexpr double kSpreadCpuSeconds = 120, kSpreadWallSeconds = 600;

using Members = std::vector<std::vector<Outcome>>;

// Tells the case whose fault it is that a member is outside the set of its vector: of the file, if
// the set is another than this program computes; else it is a defect.
void ConcludeOutside(const TestVector& vector, const Members& members, const std::string& outside,
                     CaseResult& result) {
  TestVector own = vector;
  const bool expects = Expect(own, OptionsFor(vector, {}));
  const std::string outside_own = expects ? MemberOutside(own, members) : "";
  result.state = outside_own.empty() ? CaseState::kBadInput : CaseState::kDefect;
  result.note = outside_own.empty()
                    ? "the vector does not expect what this version computes: " + outside
                    : outside_own;
}

// Compares the vague elements. Sets result.spread, except for `from`.
void CompareWithMembers(const TestVector& vector, const Members& members,
                        const std::vector<Outcome>& got, CaseResult& result) {
  SpreadResult& spread = result.spread;
  for (size_t step = 0; step < vector.steps.size(); ++step) {
    for (size_t i = 0; i < vector.steps[step].outputs.size(); ++i) {
      const Expectation& expected = vector.steps[step].outputs[i];
      if (!IsVague(expected)) continue;
      const SpreadDistance one = DistanceOfOutput(members, got, step, i, &expected);
      spread.elements += one.undecided;
      if (one.compared == 0 || one.distance <= spread.distance) continue;
      spread.distance = one.distance;
      spread.step = static_cast<int32_t>(step);
      spread.output = static_cast<int32_t>(i);
      spread.element = one.element;
    }
  }
}

// Returns "output 1 is 57.3 times the spread of 15 compliant executors away from them, element 7
// furthest".
std::string DistanceText(const SpreadResult& spread, const TestVector& vector) {
  const auto tenths = static_cast<int64_t>(std::min(spread.distance, 1e12) * 10);
  std::string text = "output " + std::to_string(spread.output);
  if (vector.steps.size() > 1) text += " of step " + std::to_string(spread.step);
  text += " is " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
          " times the spread of " + std::to_string(Ensemble().size()) +
          " compliant executors away from them, element " + std::to_string(spread.element) +
          " furthest";
  if (!spread.from.empty()) text += ", from " + spread.from + " on";
  return text;
}

}  // namespace

std::string MemberOutside(const TestVector& vector,
                          const std::vector<std::vector<Outcome>>& members) {
  for (size_t i = 0; i < members.size(); ++i) {
    const Verdict verdict = JudgeVector(vector, members[i]);
    if (verdict.kind != VerdictKind::kDisagrees) continue;
    return "member " + std::string(Ensemble()[i].name) +
           " of the ensemble is outside its own set: " + FindingHeadline(verdict.findings[0]);
  }
  return "";
}

void JudgeSpread(Backend& backend, const TestVector& vector, CaseResult& result) {
  if (MultiplyAccumulates(vector) > kSpreadMultiplyAccumulatesMax) {
    return AddNote("too large for the ensemble", result);
  }
  const TimeLimit limit(kSpreadCpuSeconds, kSpreadWallSeconds);
  const Members members = ExecuteEnsemble(vector, {}, kEnsembleSeed);
  if (members.size() < Ensemble().size()) {
    return AddNote("too large for the ensemble", result);
  }
  const std::string outside = MemberOutside(vector, members);
  if (!outside.empty()) return ConcludeOutside(vector, members, outside, result);
  const Result<std::vector<Outcome>> got = backend.Run(vector);
  if (!got) return;
  CompareWithMembers(vector, members, *got, result);
  SpreadResult& spread = result.spread;
  if (spread.distance <= kSpreadThreshold) return;
  spread.from = FindOrigin(backend, vector, static_cast<size_t>(spread.step),
                           static_cast<size_t>(spread.output));
  result.state = CaseState::kSuspect;
  result.note = DistanceText(spread, vector);
}

}  // namespace assay
