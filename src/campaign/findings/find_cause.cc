// SPDX-License-Identifier: Apache-2.0
#include "find_cause.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "canaries.h"
#include "executor.h"
#include "finding_text.h"
#include "finding_to_keep.h"
#include "judge_case.h"
#include "judge_vector.h"
#include "mutant_trials.h"
#include "refusal_probes.h"
#include "shrink_moves.h"
#include "windows.h"

namespace assay {
namespace {

// An operator of a vector that is wrong alone.
struct WrongAlone {
  TestVector vector;
  Finding finding;
};

// The operators of a vector when each runs alone.
struct OperatorsAlone {
  std::optional<WrongAlone> wrong;  // the first one
  bool are_right = true;            // all of them were judged, and agree
};

// Judges a vector alone, and again in a new process if it disagrees: what ran before may have
// damaged the process.
CaseResult JudgeAlone(Backend& backend, const TestVector& vector) {
  return JudgeOnBackend(backend, {vector, {}}, "");
}

OperatorsAlone RunAlone(Backend& backend, const TestVector& vector) {
  OperatorsAlone alone;
  for (Window& window : FindWindows(vector, {.operators_max = 1}).windows) {
    const CaseResult result =
        ExpectWindow(window) ? JudgeAlone(backend, window.vector) : CaseResult{};
    if (result.state != CaseState::kAgrees) alone.are_right = false;
    if (result.state != CaseState::kDisagrees) continue;
    const Finding& finding = result.verdict.findings[0];
    if (HasNoResults(finding.violation)) continue;
    alone.wrong = WrongAlone{std::move(window.vector), finding};
    break;
  }
  return alone;
}

// Returns the first constant of the main blocks that is wrong as an output, with no other operator
// in the graph.
std::optional<WrongAlone> WrongConstant(Backend& backend, const TestVector& vector) {
  for (const Graph& graph : vector.graphs) {
    for (const Operator& op : graph.Main()->operators) {
      if (op.op != Op::kConst) continue;
      TestVector alone = vector;
      alone.graphs = {EmptyGraph()};
      Block& main = *alone.graphs[0].Main();
      main.tensors = {graph.Main()->tensors[static_cast<size_t>(op.outputs[0])]};
      main.operators = {{op.op, op.attributes, {}, {0}}};
      main.outputs = {0};
      alone.steps.assign(1, {});
      if (!Expect(alone, {})) continue;
      const CaseResult result = JudgeAlone(backend, alone);
      if (result.state != CaseState::kDisagrees) continue;
      const Finding& finding = result.verdict.findings[0];
      if (!HasNoResults(finding.violation)) return WrongAlone{std::move(alone), finding};
    }
  }
  return std::nullopt;
}

// The largest difference of floats, as a share of the tensor's largest number, that may come from
// rounding rather than from a fault.
constexpr double kRoundingShare = 0x1p-7;

bool AreAlike(const Tensor& a, const Tensor& b, double share) {
  if (a.tensor_type() != b.tensor_type()) return false;
  if (!IsFloat(a.type())) return a == b;
  double largest = 0;
  for (int64_t i = 0; i < a.elements(); ++i) {
    if (std::isfinite(a.Float(i))) largest = std::max(largest, std::fabs(a.Float(i)));
  }
  for (int64_t i = 0; i < a.elements(); ++i) {
    const double x = a.Float(i), y = b.Float(i);
    const bool same = x == y || (std::isnan(x) && std::isnan(y));
    if (!same && !(std::fabs(x - y) <= share * largest)) return false;
  }
  return true;
}

bool AreAlike(const std::vector<Outcome>& a, const std::vector<Outcome>& b, double share) {
  return std::ranges::equal(a, b, [&](const Outcome& x, const Outcome& y) {
    return x.kind == y.kind &&
           std::ranges::equal(x.outputs, y.outputs,
                              [&](const auto& s, const auto& t) { return AreAlike(s, t, share); });
  });
}

// Returns the ids of the canaries and mutants of an operator that give what the backend gives.
std::vector<std::string> LooksLike(Backend& backend, const TestVector& vector, Op op) {
  std::vector<std::string> ids;
  const Result<std::vector<Outcome>> got = backend.Run(vector);
  if (!got) return ids;
  // Results that differ from right ones by rounding alone have to be the same number by number.
  const std::vector<Outcome> right = ExecuteVector(vector, {});
  const double share = AreAlike(*got, right, kRoundingShare) ? 0 : kRoundingShare;
  if (AreAlike(*got, right, share)) return ids;
  const auto try_all = [&](std::span<const Mutant> mutants) {
    for (const Mutant& mutant : mutants) {
      if (!mutant.HoldsFor(op)) continue;
      const std::vector<Outcome> same = ExecuteVector(vector, ExecutionOf(&mutant));
      if (AreAlike(*got, same, share)) ids.emplace_back(mutant.id);
    }
  };
  try_all(AllCanaries());
  try_all(AllMutants());
  return ids;
}

// Returns the vector with all constants as inputs that may be inputs; nothing if there are none.
std::optional<TestVector> WithoutConstants(const TestVector& vector) {
  std::optional<TestVector> changed;
  for (int32_t graph = 0; graph < std::ssize(vector.graphs); ++graph) {
    // Each move removes an operator, so the positions behind it change.
    for (int32_t op = 0;;) {
      const TestVector& from = changed ? *changed : vector;
      const Block& main = *from.graphs[static_cast<size_t>(graph)].Main();
      if (op >= std::ssize(main.operators)) break;
      Candidate candidate = ConstantToInput(from, graph, op);
      if (candidate) {
        changed = std::move(candidate);
        op = 0;
      } else {
        ++op;
      }
    }
  }
  return changed;
}

BlamedPass PassBlamedFor(Backend& backend, const TestVector& vector, const Finding& finding) {
  // No pass makes a compiler accept an invalid graph.
  const Step& step = vector.steps[static_cast<size_t>(finding.step)];
  if (step.expected != OutcomeKind::kValid) return {};
  const FindingToKeep kept(vector, finding);
  return backend.BlamePass(vector, [&](const std::vector<Outcome>& outcomes) {
    const Verdict verdict = JudgeVector(vector, outcomes);
    if (verdict.kind == VerdictKind::kAgrees) return Answer::kRight;
    const bool is_wrong = !verdict.findings.empty() && kept.Is(verdict.findings[0]);
    return is_wrong ? Answer::kWrong : Answer::kOther;
  });
}

}  // namespace

FindingCause FindCause(Backend& backend, const TestVector& vector, const Finding& finding) {
  FindingCause cause;
  const bool refused = finding.violation == Violation::kOutcome && finding.got == "error";
  if (refused && finding.pass.empty()) cause.changed_by = PassBlamedFor(backend, vector, finding);
  if (HasNoResults(finding.violation) || refused || finding.violation == Violation::kPlan) {
    return cause;
  }
  if (IsAccepted(finding) && RefusesNothing(backend)) {
    cause.refuses_nothing = true;
    return cause;
  }
  const std::vector<OperatorUse> uses = OperatorsOf(vector);
  OperatorsAlone operators = uses.size() > 1 ? RunAlone(backend, vector) : OperatorsAlone();
  std::optional<WrongAlone>& alone = operators.wrong;
  // A constant that is wrong makes every operator wrong that reads it.
  if (std::optional<WrongAlone> wrong = WrongConstant(backend, alone ? alone->vector : vector)) {
    alone = std::move(wrong);
    operators.are_right = false;
  }
  cause.changed_by = alone ? PassBlamedFor(backend, alone->vector, alone->finding)
                           : PassBlamedFor(backend, vector, finding);
  cause.needs_variables = operators.are_right && std::ranges::any_of(vector.graphs, HasVariables);
  if (cause.needs_variables) return cause;
  if (alone) {
    cause.alone = {alone->finding.op, alone->finding.type};
    cause.expected = alone->finding.expected;
    cause.got = alone->finding.got;
  }
  if (alone || uses.size() == 1) {
    cause.looks_like =
        LooksLike(backend, alone ? alone->vector : vector, alone ? alone->finding.op : uses[0].op);
  }
  // A test set of Appendix A is no test set if an operand comes from elsewhere.
  const bool is_constant = alone && alone->finding.op == Op::kConst;
  if (is_constant || finding.violation == Violation::kStatistics) return cause;
  std::optional<TestVector> changed = WithoutConstants(vector);
  if (changed && Expect(*changed, {})) {
    cause.needs_constants = JudgeOnce(backend, *changed, "").state == CaseState::kAgrees;
  }
  return cause;
}

}  // namespace assay
