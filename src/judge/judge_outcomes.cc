// SPDX-License-Identifier: Apache-2.0
#include "judge_outcomes.h"

#include <algorithm>
#include <utility>

#include "declared_verdict.h"
#include "suspect.h"
#include "vector_facts.h"

namespace assay {
namespace {

bool AllUnsupported(std::span<const Outcome> outcomes) {
  return std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) {
    return outcome.kind == OutcomeKind::kUnsupported;
  });
}

// Returns the operator that a backend names when it does not support a vector.
OperatorUse RefusedIn(const TestVector& vector, std::string_view words) {
  for (const Graph& graph : vector.graphs) {
    const Suspect named = NamedIn(graph, words);
    if (named.op != Op::kUnknown) return {named.op, named.type};
  }
  return {};
}

}  // namespace

void CallUnsupported(const TestVector& vector, std::string why, CaseResult& result) {
  result.state = CaseState::kUnsupported;
  result.refused = RefusedIn(vector, why);
  result.note = std::move(why);
}

bool ConcludeUnsupported(const TestVector& vector, std::span<const Outcome> outcomes,
                         CaseResult& result) {
  if (!AllUnsupported(outcomes)) return false;
  CallUnsupported(vector, outcomes.empty() ? "a vector without steps" : outcomes[0].message,
                  result);
  return true;
}

void Conclude(Verdict verdict, CaseResult& result) {
  result.verdict = std::move(verdict);
  result.note = result.verdict.reason;
  switch (result.verdict.kind) {
    case VerdictKind::kAgrees:
      result.state = CaseState::kAgrees;
      return;
    case VerdictKind::kDisagrees:
      result.state = CaseState::kDisagrees;
      return;
    case VerdictKind::kUndecided:
      result.state = CaseState::kUndecided;
      return;
  }
}

void JudgeOutcomes(const TestVector& vector, std::span<const Outcome> outcomes,
                   const BackendDeclarations& declared, CaseResult& result) {
  if (ConcludeUnsupported(vector, outcomes, result)) return;
  if (const std::string_view why = WhyBeyond(declared, vector); !why.empty()) {
    return CallUnsupported(vector, std::string(why), result);
  }
  DeclaredVerdict declared_verdict =
      JudgeAsDeclared(vector, outcomes, declared, ExpectationUnder(vector));
  Conclude(std::move(declared_verdict.verdict), result);
  if (!declared_verdict.suspicion.empty()) {
    result.state = CaseState::kSuspect;
    result.note = std::move(declared_verdict.suspicion);
  }
  for (Finding& finding : result.verdict.findings) {
    // Nobody may crash or hang, however the text is read.
    if (HasNoResults(finding.violation)) continue;
    finding.readings = BasisOf(vector, finding.step, finding.tensor).readings;
  }
  if (result.state != CaseState::kDisagrees) result.log.clear();
}

std::vector<OperatorUse> OperatorsOf(const TestVector& vector) {
  std::vector<OperatorUse> uses;
  for (const auto& [block, op] : vector.Operators()) {
    if (!IsConstant(op.op)) uses.push_back({op.op, CharacteristicType(block, op)});
  }
  std::sort(uses.begin(), uses.end());
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  return uses;
}

CaseResult NewCase(const TestVector& vector, std::string path) {
  CaseResult result;
  result.vector = std::move(path);
  result.name = vector.name;
  result.kind = vector.provenance.kind;
  result.operators = OperatorsOf(vector);
  return result;
}

}  // namespace assay
