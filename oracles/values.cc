// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"
#include "oracle.h"
#include "suspect.h"

namespace assay {
namespace {

Verdict WrongCount(const Step& step, const Outcome& outcome, const Graph& graph) {
  Finding finding;
  finding.violation = Violation::kType;
  finding.expected = std::to_string(step.outputs.size()) + " outputs";
  finding.got = std::to_string(outcome.outputs.size()) + " outputs";
  const Suspect suspect = ProducerOf(graph, 0);
  finding.op = suspect.op;
  finding.type = suspect.type;
  Verdict verdict;
  verdict.kind = VerdictKind::kDisagrees;
  verdict.findings.push_back(std::move(finding));
  return verdict;
}

Verdict Judge(const TestVector& vector, std::span<const Outcome> outcomes, int index) {
  Verdict verdict;
  const auto at = static_cast<size_t>(index);
  const Step& step = vector.steps[at];
  if (step.expected != OutcomeKind::kValid || at >= outcomes.size() ||
      outcomes[at].kind != OutcomeKind::kValid) {
    return verdict;  // a question for the outcome oracle
  }
  const Outcome& outcome = outcomes[at];
  const Graph& graph = vector.GraphOf(step);
  if (outcome.outputs.size() != step.outputs.size()) return WrongCount(step, outcome, graph);
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const Comparison comparison = Compare(step.outputs[i], outcome.outputs[i]);
    verdict.judged_elements += comparison.judged;
    verdict.undecided_elements += comparison.undecided;
    if (!comparison.Wrong()) continue;
    Finding finding = FindingOf(comparison, step.outputs[i], Violation::kValue);
    Blame(finding, graph, i);
    if (!comparison.type_differs) BlameVariable(vector, at, i, outcome.outputs[i], finding);
    verdict.findings.push_back(std::move(finding));
  }
  if (!verdict.findings.empty()) {
    verdict.kind = VerdictKind::kDisagrees;
  } else if (verdict.judged_elements > 0) {
    verdict.kind = VerdictKind::kAgrees;
  } else if (verdict.undecided_elements > 0) {
    verdict.reason = "no sound rule reaches the outputs";
  }
  return verdict;
}

constexpr OracleCanary kCanaries[] = {{Violation::kValue, "swapped-operands"},
                                      {Violation::kType, "wrong-rank"}};

}  // namespace

namespace oracles {
extern const Oracle values_oracle = {
    .name = "values",
    .question = "does every element lie within what the numeric rule admits?",
    .relies_on = "the recorded expectation and the bounds of accuracy.h",
    .canaries = kCanaries,
    .judge = Judge,
};
}  // namespace oracles
}  // namespace assay
