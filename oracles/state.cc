// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"
#include "oracle.h"
#include "suspect.h"

namespace assay {
namespace {

// Returns the operator that wrote the variable last, as far as the graphs tell: in the step's own
// graph, or in one that ran before it in the same context.
Suspect LastWriterOf(const TestVector& vector, size_t step, std::string_view name) {
  Suspect suspect;
  for (size_t i = step + 1; i-- > 0 && suspect.op == Op::kUnknown;) {
    if (vector.steps[i].context != vector.steps[step].context) continue;
    suspect = WriterOf(vector.GraphOf(vector.steps[i]), name);
  }
  return suspect;
}

Verdict Judge(const TestVector& vector, std::span<const Outcome> outcomes, int index) {
  Verdict verdict;
  const auto at = static_cast<size_t>(index);
  const Step& step = vector.steps[at];
  if (step.expected != OutcomeKind::kValid || at >= outcomes.size() ||
      outcomes[at].kind != OutcomeKind::kValid) {
    return verdict;  // a question for the outcome oracle
  }
  for (const auto& [name, expectation] : step.state_after) {
    const auto shown = outcomes[at].state.find(name);
    // A variable that the backend does not show is judged when a later step reads it.
    if (shown == outcomes[at].state.end()) continue;
    const Comparison comparison = Compare(expectation, shown->second);
    verdict.judged_elements += comparison.judged;
    verdict.undecided_elements += comparison.undecided;
    if (!comparison.Wrong()) continue;
    Finding finding = FindingOf(comparison, expectation, Violation::kState);
    const Suspect suspect = LastWriterOf(vector, at, name);
    finding.op = suspect.op;
    finding.type = suspect.type;
    finding.tensor = name;
    verdict.findings.push_back(std::move(finding));
  }
  if (!verdict.findings.empty()) {
    verdict.kind = VerdictKind::kDisagrees;
  } else if (verdict.judged_elements > 0) {
    verdict.kind = VerdictKind::kAgrees;
  }
  return verdict;
}

constexpr OracleCanary kCanaries[] = {{Violation::kState, "stale-variable"}};

}  // namespace

namespace oracles {
extern const Oracle state_oracle = {
    .name = "state",
    .question = "do the variables hold after the step what they must?",
    .relies_on = "the recorded state, and what the backend shows of its own",
    .canaries = kCanaries,
    .judge = Judge,
};
}  // namespace oracles
}  // namespace assay
