// SPDX-License-Identifier: Apache-2.0
#include "judge_taps.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clean_text.h"
#include "declared_verdict.h"
#include "executor.h"
#include "finding_text.h"
#include "judge_case.h"
#include "judge_vector.h"
#include "oracle.h"
#include "tapped_windows.h"
#include "time_limit.h"
#include "vector_facts.h"

namespace assay {
namespace {

// The time that the reference executor may take for the expectations of a run.
constexpr double kTapsCpuSeconds = 60, kTapsWallSeconds = 300;
constexpr int64_t kBytesMax = int64_t{1} << 30;  // of all taps of a run

// The taps that a run is asked for, and the operators that they are to judge.
struct Question {
  TapRequest asked;
  std::vector<NeededPart> parts;  // by graph
  bool outputs_agree = true;      // in a run without taps
  bool is_whole = true;  // false: a variable is undecided, which these operators may not set
  int64_t operators = 0;
  int64_t bytes = 0;
};

// The outputs that depend on the operators which are asked for.
enum class Outputs : uint8_t { kVague, kAll };

Question QuestionOf(const TestVector& vector, Outputs which = Outputs::kVague) {
  std::vector<std::set<TensorIndex>> outputs(vector.graphs.size());
  Question question;
  for (const Step& step : vector.steps) {
    const auto graph = static_cast<size_t>(step.graph);
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      if (which == Outputs::kVague && !IsVague(step.outputs[i])) continue;
      outputs[graph].insert(vector.graphs[graph].Main()->outputs[i]);
    }
    question.is_whole &= std::ranges::all_of(
        step.state_after, [](const auto& entry) { return IsFullyDecided(entry.second); });
  }
  question.outputs_agree = which == Outputs::kVague;
  question.asked.resize(vector.graphs.size());
  question.parts.resize(vector.graphs.size());
  for (size_t g = 0; g < outputs.size(); ++g) {
    if (outputs[g].empty()) continue;
    const Block& main = *vector.graphs[g].Main();
    NeededPart part = PartNeededBy(main, {outputs[g].begin(), outputs[g].end()});
    question.operators += std::ssize(part.operators);
    const int64_t steps = std::ranges::count(vector.steps, static_cast<int32_t>(g), &Step::graph);
    for (const TensorIndex tensor : part.inner) {
      const TensorType& type = main.TypeOf(tensor);
      question.bytes += steps * type.shape.Elements() * ElementBytes(type.type);
    }
    question.asked[g] = part.inner;
    question.parts[g] = std::move(part);
  }
  return question;
}

// The result of a run with taps.
struct Seen {
  std::vector<Outcome> outcomes;
  std::string log;
  std::string failure;                 // one line: why nothing could be judged
  std::vector<Finding> findings;       // of the first operator that disagrees
  bool is_suspect = false;             // they rest on what is not declared
  std::optional<TappedWindow> window;  // the window that disagrees, if one does
  std::set<OperatorPlace> judged;      // operators in windows that agree
  bool covers = true;  // each operator that was asked for is in a fully decided window of each step
};

// Only the values count: the other oracles would take values that were shown for exact inputs.
Verdict JudgeValues(const TestVector& vector, std::span<const Outcome> outcomes) {
  const auto values = std::ranges::find(AllOracles(), "values", &Oracle::name);
  Verdict verdict = (*values)->judge(vector, outcomes, 0);
  for (Finding& finding : verdict.findings) finding.oracle = (*values)->name;
  return verdict;
}

// Judges the steps of a run one by one, until an operator disagrees.
class StepJudge {
 public:
  StepJudge(const TestVector& vector, const Question& question, const Declarations& declared,
            Seen& seen)
      : vector_(vector), question_(question), declared_(declared), seen_(seen) {}

  void Judge(int32_t index, std::map<TensorIndex, Tensor> shown) {
    const Step& step = vector_.steps[static_cast<size_t>(index)];
    const auto graph = static_cast<size_t>(step.graph);
    const NeededPart& part = question_.parts[graph];
    const Block& main = *vector_.graphs[graph].Main();
    if (part.operators.empty()) return;
    const Outcome& outcome = seen_.outcomes[static_cast<size_t>(index)];
    for (size_t i = 0; i < outcome.outputs.size(); ++i) {
      shown.emplace(main.outputs[i], outcome.outputs[i]);
    }
    if (HasWrongType(main, index, shown)) return;
    std::set<int32_t> covered;
    for (TappedWindow& tapped : TappedWindows(vector_, index, part, shown)) {
      JudgeWindow(tapped, shown, covered);
      if (!seen_.findings.empty()) return;
    }
    seen_.covers &= covered.size() == part.operators.size();
  }

 private:
  bool HasWrongType(const Block& main, int32_t index, const std::map<TensorIndex, Tensor>& shown) {
    for (const auto& [tensor, value] : shown) {
      const TensorType& type = main.TypeOf(tensor);
      if (value.tensor_type() == type) continue;
      const Operator* producer = main.ProducerOf(tensor);
      Finding& finding = seen_.findings.emplace_back();
      finding.oracle = "values";
      finding.violation = Violation::kType;
      finding.op = producer == nullptr ? Op::kUnknown : producer->op;
      finding.type = producer == nullptr ? type.type : CharacteristicType(main, *producer);
      finding.step = index;
      finding.tensor = main.tensors[static_cast<size_t>(tensor)].name;
      finding.expected = type.ToString();
      finding.got = value.tensor_type().ToString();
      finding.taps = OperatorLabel(finding.op);
      return true;
    }
    return false;
  }

  void JudgeWindow(TappedWindow& tapped, const std::map<TensorIndex, Tensor>& shown,
                   std::set<int32_t>& covered) {
    const Expecting expecting = [&](const Declarations& declarations) {
      return ExpectationOf(tapped, declarations);
    };
    const std::optional<TestVector> expected = expecting({});
    if (!expected) return;
    Outcome outcome;
    outcome.kind = OutcomeKind::kValid;
    for (const TensorIndex output : tapped.outputs) outcome.outputs.push_back(shown.at(output));
    // A shown value is rounded, so it does not tell where a subnormal number was kept or flushed.
    Declarations declared = declared_;
    declared.flushes_subnormals = declared.keeps_subnormals = false;
    DeclaredVerdict judged =
        JudgeAsDeclared(*expected, {&outcome, 1}, declared, expecting, JudgeValues);
    const Verdict& verdict = judged.verdict;
    if (verdict.kind == VerdictKind::kDisagrees) {
      seen_.findings = std::move(judged.verdict.findings);
      seen_.is_suspect = !declared_.taps_used;
      for (Finding& finding : seen_.findings) RestOnTaps(tapped, *expected, finding);
      seen_.window = std::move(tapped);
      return;
    }
    if (verdict.kind != VerdictKind::kAgrees) return;
    for (const OperatorPlace& place : tapped.window.stands_for) {
      seen_.judged.insert(place);
      if (verdict.undecided_elements == 0) covered.insert(place.op);
    }
  }

  // Returns the window with its expectation; nothing if there is none for a valid run.
  static std::optional<TestVector> ExpectationOf(const TappedWindow& tapped,
                                                 const Declarations& declarations) {
    TestVector vector = tapped.window.vector;
    const ExecutionOptions options{.declarations = declarations,
                                   .inputs_shown = tapped.inputs_shown};
    if (!Expect(vector, options)) return std::nullopt;
    if (vector.steps[0].expected != OutcomeKind::kValid) return std::nullopt;
    return vector;
  }

  static void RestOnTaps(const TappedWindow& tapped, const TestVector& vector, Finding& finding) {
    BackendDeclarations taps_used;
    taps_used.taps_used = true;
    finding.readings = BasisOf(vector, 0, finding.tensor).readings;
    finding.taps = tapped.window.operators;
    finding.step = tapped.window.step;
    finding.rests_on += (finding.rests_on.empty() ? "" : ", ") + DeclarationNames(taps_used);
  }

  const TestVector& vector_;
  const Question& question_;
  const Declarations declared_;
  Seen& seen_;
};

// Returns the reason why a run without a finding gave no complete answer; "" if there is none.
std::string FailureOf(const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.kind == OutcomeKind::kValid) continue;
    return OneLine(std::string(OutcomeName(outcome.kind)) +
                   (outcome.message.empty() ? "" : ": " + outcome.message));
  }
  return "";
}

// Takes the verdict on a run as a whole. Returns false if there is nothing to judge by taps. The
// time that taps take is not the backend's fault.
bool Completed(const TestVector& vector, const Question& question, Seen& seen) {
  seen.failure = FailureOf(seen.outcomes);
  const auto has_timed_out = [](const Outcome& outcome) {
    return outcome.kind == OutcomeKind::kTimedOut;
  };
  if (std::ranges::any_of(seen.outcomes, has_timed_out)) return false;
  if (!question.outputs_agree) return seen.failure.empty();
  Verdict verdict = JudgeVector(vector, seen.outcomes);
  if (verdict.kind != VerdictKind::kDisagrees) return seen.failure.empty();
  seen.failure.clear();
  seen.findings = std::move(verdict.findings);
  for (Finding& finding : seen.findings) {
    finding.taps = "whole graph";
    finding.message += (finding.message.empty() ? "" : "; ");
    finding.message += "the backend does this only when it is asked for taps";
  }
  return false;
}

Seen Observe(Backend& backend, const TestVector& vector, const Question& question) {
  Seen seen;
  Result<TappedRun> run = backend.RunWithTaps(vector, question.asked);
  if (!run) {
    seen.failure = OneLine(run.error().message);
    return seen;
  }
  seen.log = backend.Errors();
  seen.outcomes = std::move(run->outcomes);
  if (!Completed(vector, question, seen)) return seen;
  const TimeLimit limit(kTapsCpuSeconds, kTapsWallSeconds);
  StepJudge judge(vector, question, backend.Declared(), seen);
  for (size_t i = 0; i < vector.steps.size() && seen.findings.empty(); ++i) {
    judge.Judge(static_cast<int32_t>(i), std::move(run->taps[i]));
  }
  return seen;
}

// Returns true if the findings come again in each of `repeats` runs.
bool ComesAgain(Backend& backend, const TestVector& vector, const Question& question,
                const Seen& seen, int repeats) {
  for (int i = 0; i < repeats; ++i) {
    backend.RunNextAlone();
    const Seen again = Observe(backend, vector, question);
    if (again.findings.empty() || again.findings[0].Signature() != seen.findings[0].Signature()) {
      return false;
    }
  }
  return true;
}

// Returns true if the backend gives the same outputs, bit for bit, when it is asked for no taps.
bool IsWithoutTaps(Backend& backend, const TestVector& vector, const Seen& seen) {
  const Result<std::vector<Outcome>> plain = backend.Run(vector);
  return plain &&
         std::ranges::equal(*plain, seen.outcomes, {}, &Outcome::outputs, &Outcome::outputs);
}

// Makes the findings those of the case. Returns true if they are more than a suspicion.
bool Take(Seen seen, bool repeats, CaseResult& result) {
  const std::string headline = FindingHeadline(seen.findings[0]);
  if (!repeats) {
    result.state = CaseState::kUndecided;
    result.verdict.kind = VerdictKind::kUndecided;
    result.verdict.reason = result.note = "not repeatable: " + headline + " by taps";
    return true;
  }
  result.verdict.findings = std::move(seen.findings);
  if (seen.is_suspect) {
    result.state = CaseState::kSuspect;
    result.note = "a finding if the backend declared taps-used: " + headline;
    return false;
  }
  result.state = CaseState::kDisagrees;
  for (const Outcome& outcome : seen.outcomes) {
    result.outcome = std::max(result.outcome, outcome.kind);
  }
  result.log = std::move(seen.log);
  result.note.clear();
  result.verdict.kind = VerdictKind::kDisagrees;
  result.verdict.reason.clear();
  return true;
}

}  // namespace

bool JudgeTaps(Backend& backend, const TestVector& vector, int repeats, CaseResult& result) {
  if (!backend.OffersTaps(vector)) return false;
  const Question question = QuestionOf(vector);
  // The only operator is what has been judged already.
  if (question.operators < 2 || question.bytes > kBytesMax) return false;
  Seen seen = Observe(backend, vector, question);
  if (!seen.findings.empty()) {
    const bool comes_again = ComesAgain(backend, vector, question, seen, repeats);
    return Take(std::move(seen), comes_again, result);
  }
  if (!seen.failure.empty()) {
    AddNote("with taps: " + seen.failure, result);
    return false;
  }
  result.tapped = std::ssize(seen.judged);
  if (seen.judged.empty()) return false;
  if (!seen.covers || !question.is_whole) {
    AddNote("its taps agree", result);
    return false;
  }
  if (!IsWithoutTaps(backend, vector, seen)) {
    AddNote("its taps agree, but with them the outputs are others", result);
    return false;
  }
  result.state = CaseState::kAgrees;
  result.verdict.kind = VerdictKind::kAgrees;
  result.verdict.reason.clear();
  result.note = "judged by taps: " + std::to_string(result.tapped) +
                (result.tapped == 1 ? " operator" : " operators") + " judged, all agree";
  return true;
}

std::optional<Finding> FindingByTaps(Backend& backend, const TestVector& vector) {
  if (!backend.OffersTaps(vector) || !backend.Declared().taps_used) return std::nullopt;
  const Question question = QuestionOf(vector, Outputs::kAll);
  if (question.operators < 2 || question.bytes > kBytesMax) return std::nullopt;
  Seen seen = Observe(backend, vector, question);
  if (seen.findings.empty() || !ComesAgain(backend, vector, question, seen, 1)) {
    return std::nullopt;
  }
  return std::move(seen.findings[0]);
}

std::optional<FailingWindow> FindFailingTap(Backend& backend, const TestVector& vector) {
  if (!backend.OffersTaps(vector)) return std::nullopt;
  Seen seen = Observe(backend, vector, QuestionOf(vector));
  if (!seen.window) seen = Observe(backend, vector, QuestionOf(vector, Outputs::kAll));
  if (!seen.window || !ExpectWindow(seen.window->window)) return std::nullopt;
  const TestVector& window = seen.window->window.vector;
  backend.RunNextAlone();
  CaseResult alone = JudgeOnce(backend, window, "");
  if (alone.state != CaseState::kDisagrees) return std::nullopt;
  return FailingWindow{window, std::move(alone)};
}

}  // namespace assay
