#include "blame.h"
#include "compare.h"
#include "oracle.h"

namespace assay {
namespace {

Verdict Judge(const TestVector& vector, std::span<const Outcome> outcomes, int index) {
  Verdict verdict;
  const auto at = static_cast<size_t>(index);
  const Step& step = vector.steps[at];
  if (step.expected != OutcomeKind::kValid || at >= outcomes.size() ||
      outcomes[at].kind != OutcomeKind::kValid) {
    return verdict;  // a question for the outcome oracle
  }
  const Graph& graph = vector.graphs[static_cast<size_t>(step.graph)];
  for (const auto& [name, expectation] : step.state_after) {
    const auto shown = outcomes[at].state.find(name);
    // What a backend does not show is seen when a later step reads it.
    if (shown == outcomes[at].state.end()) continue;
    const Comparison comparison = Compare(expectation, shown->second);
    verdict.judged_elements += comparison.judged;
    verdict.undecided_elements += comparison.undecided;
    if (!comparison.Wrong()) continue;
    Finding finding = FindingOf(comparison, expectation, "state");
    const Suspect suspect = WriterOf(graph, name);
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

}  // namespace

namespace oracles {
extern const Oracle state_oracle = {
    .name = "state",
    .question = "do the variables hold after the step what they must?",
    .relies_on = "the recorded state, and what the backend shows of its own",
    .judge = Judge,
};
}  // namespace oracles
}  // namespace assay
