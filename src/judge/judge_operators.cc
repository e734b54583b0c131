// SPDX-License-Identifier: Apache-2.0
#include "judge_operators.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "executor.h"
#include "finding_text.h"
#include "judge_taps.h"
#include "tapped_outputs.h"
#include "tapped_windows.h"
#include "time_limit.h"
#include "windows.h"

namespace assay {
namespace {

constexpr size_t kNamedMax = 4;
constexpr size_t kOperatorsMax = 512;  // that run alone
constexpr size_t kOneByOneMax = 64;    // that run in a run of their own
constexpr int64_t kInnerBytesMax = int64_t{1} << 26;
// The time that the reference executor may take for the values and expectations of a step.
constexpr double kCpuSeconds = 10, kWallSeconds = 60;

bool IsWrongTensor(const Finding& finding) {
  return finding.violation == Violation::kValue || finding.violation == Violation::kState ||
         finding.violation == Violation::kType;
}

// Returns the part of a main block that consists of all of its operators.
NeededPart AllOf(const Block& main) {
  std::vector<TensorIndex> results;
  for (const Operator& op : main.operators) {
    results.insert(results.end(), op.outputs.begin(), op.outputs.end());
  }
  return PartNeededBy(main, results);
}

int64_t BytesOf(const Block& main, const NeededPart& part) {
  int64_t bytes = 0;
  for (const TensorIndex tensor : part.inner) {
    bytes += main.TypeOf(tensor).shape.Elements() * ElementBytes(main.TypeOf(tensor).type);
  }
  return bytes;
}

// Returns the operators of the main block in a step, each as a window with the values of that step,
// in the order of execution. Behind them are those of other blocks, with the first values that they
// get.
std::vector<Window> OperatorsOfStep(const TestVector& vector, int32_t step) {
  std::vector<Window> windows;
  const Step& invoked = vector.steps[static_cast<size_t>(step)];
  const auto graph = static_cast<size_t>(invoked.graph);
  const Block* main = vector.graphs[graph].Main();
  if (main == nullptr || WorkingPlaces(vector).size() < 2) return windows;
  const TimeLimit limit(kCpuSeconds, kWallSeconds);
  const NeededPart part = AllOf(*main);
  if (BytesOf(*main, part) > kInnerBytesMax) return windows;
  TapRequest asked(vector.graphs.size());
  asked[graph] = part.inner;
  TappedRun run = TakeTapsFromOutputs(
      vector, asked,
      ExecuteVector(WithTapsAsOutputs(vector, asked), {.elements_max = kKeptElementsMax}));
  const Outcome& outcome = run.outcomes[static_cast<size_t>(step)];
  if (outcome.kind != OutcomeKind::kValid) return windows;
  std::map<TensorIndex, Tensor>& values = run.taps[static_cast<size_t>(step)];
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    values.emplace(main->outputs[i], outcome.outputs[i]);
  }
  const auto add = [&windows](Window window) {
    if (windows.size() < kOperatorsMax && ExpectWindow(window))
      windows.push_back(std::move(window));
  };
  for (TappedWindow& tapped : TappedWindows(vector, step, part, values)) {
    add(std::move(tapped.window));
  }
  if (vector.graphs[graph].Blocks().size() < 2) return windows;
  for (Window& window : FindWindows(vector, {.operators_max = 1}).windows) {
    const OperatorPlace& place = window.stands_for[0];
    const Block& block = vector.graphs[graph].Blocks()[static_cast<size_t>(place.block)];
    if (place.graph == invoked.graph && &block != main) add(std::move(window));
  }
  return windows;
}

// A window that is wrong.
struct WrongWindow {
  const Window* window;
  Finding finding;
};

// Judges windows in one run, or one by one if they cannot run together. Returns those that are
// wrong.
std::vector<WrongWindow> WrongOnes(Backend& backend, const TestVector& vector,
                                   const std::vector<Window>& windows) {
  std::vector<const TestVector*> vectors;
  for (const Window& window : windows) vectors.push_back(&window.vector);
  const TestVector all = Together(vector, vectors);
  std::vector<Outcome> outcomes;
  if (backend.WhyNotTaken(all).empty()) {
    Result<std::vector<Outcome>> run = backend.Run(all);
    if (!run) return {};
    outcomes = std::move(*run);
  }
  const bool together = outcomes.size() == windows.size() &&
                        std::ranges::all_of(outcomes, [](const Outcome& outcome) {
                          return outcome.kind == OutcomeKind::kValid;
                        });
  std::vector<WrongWindow> wrong;
  for (size_t i = 0; i < (together ? windows.size() : std::min(windows.size(), kOneByOneMax));
       ++i) {
    CaseResult result = NewCase(windows[i].vector, "");
    if (together) {
      JudgeOutcomes(windows[i].vector, {&outcomes[i], 1}, backend.Declared(), result);
    } else {
      result = JudgeOnce(backend, windows[i].vector, "");
    }
    if (result.state != CaseState::kDisagrees) continue;
    const Finding& finding = result.verdict.findings[0];
    if (IsWrongTensor(finding)) wrong.push_back({&windows[i], finding});
  }
  return wrong;
}

// An operator that is wrong, and its position in the main block; none if it is in another block.
struct WrongOperator {
  Finding finding;
  std::optional<int32_t> position;
};

// Returns true if a finding on a step may come from an operator of the step.
bool DependsOn(const Block& main, const Finding& finding, std::optional<int32_t> position) {
  const auto output = std::ranges::find_if(main.outputs, [&](TensorIndex tensor) {
    return main.tensors[static_cast<size_t>(tensor)].name == finding.tensor;
  });
  if (!position || finding.violation == Violation::kState || output == main.outputs.end()) {
    return true;
  }
  const NeededPart part = PartNeededBy(main, {*output});
  return std::ranges::find(part.operators, *position) != part.operators.end();
}

// Runs a window once more, and nothing else. Returns its result if it is wrong in the same way.
std::optional<CaseResult> WrongAgain(Backend& backend, const WrongWindow& wrong) {
  CaseResult result = JudgeOnce(backend, wrong.window->vector, "");
  const bool is_wrong = result.state == CaseState::kDisagrees &&
                        result.verdict.findings[0].Signature() == wrong.finding.Signature();
  if (!is_wrong) return std::nullopt;
  return result;
}

// Returns the operators of a step that are wrong alone. `whole` is the result of the vector.
std::vector<WrongOperator> WrongAloneIn(Backend& backend, const TestVector& vector, int32_t step,
                                        AloneRule& rule, const CaseResult& whole) {
  std::vector<WrongOperator> wrong;
  const std::vector<Window> windows = OperatorsOfStep(vector, step);
  if (windows.empty()) return wrong;
  const Graph& graph = vector.GraphOf(vector.steps[static_cast<size_t>(step)]);
  std::map<std::string, bool> again;  // by signature: the first one is wrong when it runs again
  for (WrongWindow& seen : WrongOnes(backend, vector, windows)) {
    const std::string signature = seen.finding.Signature();
    if (!again.contains(signature)) {
      if (again.size() == kNamedMax) continue;
      CaseResult named;
      named.operators = whole.operators;
      named.verdict.findings = {seen.finding};
      if (backend.Process() == 0 || rule.Takes(named)) backend.RunNextAlone();
      again[signature] = WrongAgain(backend, seen).has_value();
    }
    if (!again[signature]) continue;
    Finding& finding = seen.finding;
    finding.window = seen.window->operators;
    finding.step = step;
    const OperatorPlace& place = seen.window->stands_for[0];
    const Block& block = graph.Blocks()[static_cast<size_t>(place.block)];
    wrong.push_back({std::move(finding), std::nullopt});
    if (&block == graph.Main()) wrong.back().position = place.op;
  }
  return wrong;
}

// Returns the operator that is wrong by taps; nothing if none is.
std::optional<WrongOperator> WrongByTaps(Backend& backend, const TestVector& vector,
                                         const Block& main) {
  std::optional<Finding> finding = FindingByTaps(backend, vector);
  if (!finding) return std::nullopt;
  const auto tensor = main.FindTensor(finding->tensor);
  const Operator* producer = tensor ? main.ProducerOf(*tensor) : nullptr;
  if (producer == nullptr) return std::nullopt;
  return WrongOperator{std::move(*finding), static_cast<int32_t>(producer - main.operators.data())};
}

}  // namespace

void NameWrongOperators(Backend& backend, const TestVector& vector, AloneRule& rule,
                        CaseResult& result) {
  if (result.state != CaseState::kDisagrees) return;
  const Finding& seen = result.verdict.findings[0];
  if (!seen.window.empty() || !seen.taps.empty() || !IsWrongTensor(seen)) return;
  const int32_t step = seen.step;
  const Block& main = *vector.GraphOf(vector.steps[static_cast<size_t>(step)]).Main();
  std::vector<WrongOperator> wrong = WrongAloneIn(backend, vector, step, rule, result);
  if (wrong.empty()) {
    if (auto by_taps = WrongByTaps(backend, vector, main)) wrong.push_back(std::move(*by_taps));
  }
  std::vector<Finding> findings = std::exchange(result.verdict.findings, {});
  // An output that an operator of its own makes wrong has a finding already.
  const auto is_named = [&wrong](const Finding& finding) {
    return std::ranges::any_of(
        wrong, [&](const WrongOperator& op) { return op.finding.tensor == finding.tensor; });
  };
  std::set<std::string> told;  // signatures
  for (const Finding& finding : findings) {
    if (is_named(finding)) told.insert(finding.Signature());
  }
  for (WrongOperator& op : wrong) {
    for (Finding& other : findings) {
      if (!other.follows.empty() || is_named(other)) continue;
      if (DependsOn(main, other, op.position)) other.follows = op.finding.tensor;
    }
    if (!told.insert(op.finding.Signature()).second) continue;
    if (op.finding.message.empty()) op.finding.message = findings[0].message;
    result.verdict.findings.push_back(op.finding);
  }
  std::ranges::move(findings, std::back_inserter(result.verdict.findings));
  std::stable_partition(result.verdict.findings.begin(), result.verdict.findings.end(),
                        [](const Finding& finding) { return finding.follows.empty(); });
}

std::optional<FailingWindow> FindFailingOperator(Backend& backend, const TestVector& vector,
                                                 const Finding& finding) {
  if (finding.step < 0 || finding.step >= std::ssize(vector.steps)) return std::nullopt;
  const std::vector<Window> windows = OperatorsOfStep(vector, finding.step);
  if (windows.empty()) return std::nullopt;
  for (const WrongWindow& seen : WrongOnes(backend, vector, windows)) {
    if (seen.finding.Signature() != finding.Signature()) continue;
    backend.RunNextAlone();
    std::optional<CaseResult> alone = WrongAgain(backend, seen);
    if (alone) return FailingWindow{seen.window->vector, std::move(*alone)};
  }
  return std::nullopt;
}

}  // namespace assay
