#include "judge.h"

#include <algorithm>

#include "finding_text.h"

namespace assay {
namespace {

OutcomeKind WorstOf(const std::vector<Outcome>& outcomes) {
  OutcomeKind worst = OutcomeKind::kValid;  // the enumerators go from good to bad
  for (const Outcome& outcome : outcomes) worst = std::max(worst, outcome.kind);
  return worst;
}

bool AllUnsupported(const std::vector<Outcome>& outcomes) {
  return std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) {
    return outcome.kind == OutcomeKind::kUnsupported;
  });
}

// Fills in outcome, verdict and state of one run.
void JudgeOnce(Backend& backend, const TestVector& vector, CaseResult& result) {
  std::string why;
  if (!backend.Supports(vector, &why)) {
    result.state = CaseState::kUnsupported;
    result.note = why;
    return;
  }
  const Result<std::vector<Outcome>> outcomes = backend.Run(vector);
  if (!outcomes) {
    result.state = outcomes.error().kind == Error::Kind::kUnsupported ? CaseState::kUnsupported
                                                                      : CaseState::kUndecided;
    result.note = outcomes.error().message;
    return;
  }
  result.outcome = outcomes->empty() ? OutcomeKind::kUnsupported : WorstOf(*outcomes);
  if (AllUnsupported(*outcomes)) {
    result.state = CaseState::kUnsupported;
    result.note = outcomes->empty() ? "no steps" : (*outcomes)[0].message;
    return;
  }
  result.verdict = JudgeVector(vector, *outcomes);
  switch (result.verdict.kind) {
    case VerdictKind::kAgrees:
      result.state = CaseState::kAgrees;
      break;
    case VerdictKind::kDisagrees:
      result.state = CaseState::kDisagrees;
      break;
    case VerdictKind::kUndecided:
      result.state = CaseState::kUndecided;
      break;
  }
  result.note = result.verdict.reason;
}

std::string SignatureOf(const CaseResult& result) {
  return result.state == CaseState::kDisagrees ? result.verdict.findings[0].Signature() : "";
}

}  // namespace

std::vector<OperatorUse> OperatorsOf(const TestVector& vector) {
  std::vector<OperatorUse> uses;
  for (const Graph& graph : vector.graphs) {
    for (const Region& region : graph.regions) {
      for (const Block& block : region.blocks) {
        for (const Operator& op : block.operators) {
          uses.push_back({op.op, CharacteristicType(block, op)});
        }
      }
    }
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

CaseResult JudgeOnBackend(Backend& backend, const TestVector& vector, std::string path) {
  CaseResult result = NewCase(vector, std::move(path));
  JudgeOnce(backend, vector, result);
  if (result.state != CaseState::kDisagrees) return result;
  const std::string again = SignatureOnBackend(backend, vector);
  if (again == SignatureOf(result)) return result;
  const std::string headline = FindingHeadline(result.verdict.findings[0]);
  result.state = CaseState::kUndecided;
  result.verdict.kind = VerdictKind::kUndecided;
  result.verdict.findings.clear();
  result.verdict.reason = "flaky: not the same when run again: " + headline;
  result.note = result.verdict.reason;
  return result;
}

std::string SignatureOnBackend(Backend& backend, const TestVector& vector) {
  CaseResult result;
  JudgeOnce(backend, vector, result);
  return SignatureOf(result);
}

}  // namespace assay
