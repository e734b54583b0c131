// SPDX-License-Identifier: Apache-2.0
#include "declared_verdict.h"

#include <algorithm>
#include <utility>

#include "declaration_names.h"
#include "executor.h"
#include "finding_text.h"
#include "flushing.h"
#include "judge_vector.h"

namespace assay {
namespace {

bool IsOpen(const Expectation& expectation) {
  return std::ranges::any_of(expectation.error, [](double error) { return error != 0; });  // or NaN
}

// The outcomes of a run, and how they are judged.
struct Answers {
  std::span<const Outcome> outcomes;
  const Expecting& expecting;
  const Judging& judging;

  // Judges by the expectation under some declarations. Returns an undecided verdict if there is
  // none.
  Verdict JudgeUnder(const Declarations& declarations) const {
    const std::optional<TestVector> vector = expecting(declarations);
    return vector ? judging(*vector, outcomes) : Verdict();
  }
};

// Returns the declarations that the findings rest on: the first of `declared` that is enough for
// the same finding, otherwise all of them.
Declarations BasisOf(const Finding& finding, const Declarations& declared, const Answers& answers) {
  const BackendDeclarations all{declared};
  for (const DeclarationRow& row : AllDeclarations()) {
    if (!(all.*row.field)) continue;
    BackendDeclarations one;
    one.*row.field = true;
    if (one == declared) break;
    const Verdict verdict = answers.JudgeUnder(one);
    if (verdict.kind != VerdictKind::kDisagrees) continue;
    if (verdict.findings[0].Signature() == finding.Signature()) return one;
  }
  return declared;
}

void RestOn(const Declarations& declarations, std::vector<Finding>& findings) {
  for (Finding& finding : findings) finding.rests_on = DeclarationNames({declarations});
}

// Adds to a verdict without findings the elements that a narrower expectation has judged.
void Raise(Verdict& verdict, const Verdict& narrower) {
  if (narrower.judged_elements <= verdict.judged_elements) return;
  verdict.judged_elements = narrower.judged_elements;
  verdict.undecided_elements = narrower.undecided_elements;
  if (narrower.kind != VerdictKind::kAgrees) return;
  verdict.kind = VerdictKind::kAgrees;
  verdict.reason = narrower.reason;
}

}  // namespace

Expecting ExpectationUnder(const TestVector& vector) {
  return [&vector](const Declarations& declarations) -> std::optional<TestVector> {
    TestVector narrower = vector;
    if (!Expect(narrower, {.declarations = declarations})) return std::nullopt;
    for (size_t i = 0; i < vector.steps.size(); ++i) {
      if (narrower.steps[i].expected != vector.steps[i].expected) return std::nullopt;
    }
    return narrower;
  };
}

bool IsLattice(const TestVector& vector) {
  return std::ranges::find(vector.tags, "lattice") != vector.tags.end();
}

bool LeavesElementsOpen(const TestVector& vector) {
  return std::ranges::any_of(vector.steps, [](const Step& step) {
    const auto is_open = [](const auto& entry) { return IsOpen(entry.second); };
    return std::ranges::any_of(step.outputs, IsOpen) ||
           std::ranges::any_of(step.state_after, is_open);
  });
}

DeclaredVerdict JudgeAsDeclared(const TestVector& vector, std::span<const Outcome> outcomes,
                                const Declarations& declared, const Expecting& expecting) {
  return JudgeAsDeclared(vector, outcomes, declared, expecting, JudgeVector);
}

DeclaredVerdict JudgeAsDeclared(const TestVector& vector, std::span<const Outcome> outcomes,
                                const Declarations& all_declared, const Expecting& expecting,
                                const Judging& judging) {
  DeclaredVerdict result{judging(vector, outcomes), ""};
  const Answers answers{outcomes, expecting, judging};
  Declarations declared = all_declared;
  declared.taps_used = false;  // narrows no expectation
  Verdict& verdict = result.verdict;
  const bool declares = declared != Declarations();
  const bool asks_more = IsLattice(vector) && !declared.plain_sums;
  if (!declares && !asks_more) return result;
  if (verdict.kind == VerdictKind::kDisagrees) return result;
  std::vector<Finding> flushing = FindingsOfFlushing(vector, outcomes, declared);
  if (!flushing.empty()) {
    verdict.kind = VerdictKind::kDisagrees;
    verdict.findings = std::move(flushing);
    return result;
  }
  if (!LeavesElementsOpen(vector)) return result;
  if (declares) {
    Verdict narrower = answers.JudgeUnder(declared);
    if (narrower.kind == VerdictKind::kDisagrees) {
      verdict = std::move(narrower);
      RestOn(BasisOf(verdict.findings[0], declared, answers), verdict.findings);
      return result;
    }
    Raise(verdict, narrower);
  }
  if (!asks_more) return result;
  Declarations more = declared;
  more.plain_sums = true;
  Verdict asked = answers.JudgeUnder(more);
  if (asked.kind != VerdictKind::kDisagrees) return result;
  RestOn(more, asked.findings);
  verdict.findings = std::move(asked.findings);
  result.suspicion =
      "a finding if the backend declared plain-sums: " + FindingHeadline(verdict.findings[0]);
  return result;
}

}  // namespace assay
