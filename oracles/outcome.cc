// SPDX-License-Identifier: Apache-2.0
#include "outcome.h"

#include "oracle.h"
#include "suspect.h"

namespace assay {
namespace {

Verdict Wrong(Finding finding, const Suspect& suspect) {
  finding.op = suspect.op;
  finding.type = suspect.type;
  Verdict verdict;
  verdict.kind = VerdictKind::kDisagrees;
  verdict.findings.push_back(std::move(finding));
  return verdict;
}

Verdict Undecided(std::string reason) {
  Verdict verdict;
  verdict.reason = std::move(reason);
  return verdict;
}

std::string ExpectedText(const Step& step) {
  switch (step.expected) {
    case OutcomeKind::kValid:
      return "an answer";
    case OutcomeKind::kUnpredictable:
      return "anything but a write outside its tensors (" + step.rule + ")";
    default:
      return "a refusal (" + step.rule + ")";
  }
}

Verdict Judge(const TestVector& vector, std::span<const Outcome> outcomes, int index) {
  const auto at = static_cast<size_t>(index);
  const Step& step = vector.steps[at];
  if (at >= outcomes.size()) return Undecided("not run");
  const Outcome& outcome = outcomes[at];
  if (step.expected == OutcomeKind::kUnpredictable && !outcome.wrote_outside) {
    return Undecided("unpredictable (" + step.rule + "): the backend " +
                     (outcome.kind == OutcomeKind::kCrashed    ? "crashed"
                      : outcome.kind == OutcomeKind::kTimedOut ? "did not end"
                                                               : "may do anything"));
  }
  const Graph& graph = vector.GraphOf(step);
  Finding finding;
  finding.rule = step.rule;
  finding.expected = ExpectedText(step);
  finding.got = OutcomeName(outcome.kind);
  finding.message = outcome.message;
  finding.pass = outcome.pass;
  switch (outcome.kind) {
    case OutcomeKind::kUnsupported:
      return Undecided(outcome.message.empty() ? "unsupported" : outcome.message);
    case OutcomeKind::kCrashed:
      finding.violation = Violation::kCrash;
      return Wrong(finding, NamedIn(graph, outcome.message + " " + outcome.pass));
    case OutcomeKind::kTimedOut:
      finding.violation = Violation::kTimeOut;
      return Wrong(finding, NamedIn(graph, outcome.message + " " + outcome.pass));
    case OutcomeKind::kValid:
      // `values` judges an answer to a step that must have one.
      if (step.expected == OutcomeKind::kValid) return Undecided("");
      finding.violation = Violation::kOutcome;
      finding.message = "accepted what it must refuse";
      return Wrong(finding, SubjectOf(graph, step.rule));
    case OutcomeKind::kError:
    case OutcomeKind::kUnpredictable:
      if (step.expected == OutcomeKind::kError && outcome.kind == OutcomeKind::kError) {
        Verdict verdict;
        verdict.kind = VerdictKind::kAgrees;
        return verdict;
      }
      finding.violation = Violation::kOutcome;
      if (finding.rule.empty()) finding.rule = outcome.rule;
      return Wrong(finding,
                   NamedIn(graph, outcome.rule + " " + outcome.message + " " + outcome.pass));
  }
  return Undecided("unknown outcome");
}

constexpr OracleCanary kCanaries[] = {{Violation::kOutcome, "missing-check"},
                                      {Violation::kCrash, "crashes"},
                                      {Violation::kTimeOut, "hangs"}};

}  // namespace

namespace oracles {
extern const Oracle outcome_oracle = {
    .name = "outcome",
    .question = "did the backend answer when it must, and refuse when it must?",
    .relies_on = "the recorded outcome, and that REQUIRE and level breaches leave all open",
    .canaries = kCanaries,
    .judge = Judge,
};
}  // namespace oracles
}  // namespace assay
