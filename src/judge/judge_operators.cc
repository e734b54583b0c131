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
constexpr size_t kTriesMax = 8;        // windows of several operators that run once more
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

// Returns the sets of two to four operators that FindWindows() finds, small ones first, with the
// values of a step.
std::vector<Window> SetsOfStep(const TestVector& vector, int32_t step) {
  std::vector<Window> sets;
  const size_t operators = WorkingPlaces(vector).size();
  if (operators > kOperatorsMax) return sets;
  // The sets of one operator are among them.
  const WindowLimits limits = {.operators_max = 4,
                               .sets_max = static_cast<int64_t>(1 + kOperatorsMax / operators)};
  const TimeLimit limit(kCpuSeconds, kWallSeconds);
  TestVector from_step = vector;
  std::swap(from_step.steps[0], from_step.steps[static_cast<size_t>(step)]);
  std::vector<Window> all = FindWindows(from_step, limits).windows;
  std::ranges::stable_sort(all, {}, &Window::size);
  for (Window& window : all) {
    const bool is_set = window.size > 1 && window.stands_for[0].graph == from_step.steps[0].graph;
    if (is_set && sets.size() < kOperatorsMax && ExpectWindow(window)) {
      sets.push_back(std::move(window));
    }
  }
  return sets;
}

// Returns a finding on a window, which names all operators if there are several.
Finding InWindow(const Window& window, Finding finding) {
  finding.window = window.operators;
  if (window.size == 1) return finding;
  finding.op = Op::kUnknown;
  finding.rule.clear();
  finding.graph = window.operators;
  for (const auto& [block, op] : window.vector.Operators()) {
    if (IsConstant(op.op)) continue;
    finding.type = CharacteristicType(block, op);
    break;
  }
  finding.message = "none of these operators is wrong alone";
  return finding;
}

// A window that was judged, and its finding if it is wrong.
struct JudgedWindow {
  const Window* window;
  std::optional<Finding> finding;
};

// Judges windows in one run, or one by one if they cannot run together. Returns those that agree,
// those that are wrong in a tensor or by `violation`, and single operators that crash: one that
// writes beyond its memory may do no more than change others in a graph.
std::vector<JudgedWindow> JudgeEach(Backend& backend, const TestVector& vector,
                                    const std::vector<Window>& windows, Violation violation) {
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
  std::vector<JudgedWindow> judged;
  for (size_t i = 0; i < (together ? windows.size() : std::min(windows.size(), kOneByOneMax));
       ++i) {
    CaseResult result = NewCase(windows[i].vector, "");
    if (together) {
      JudgeOutcomes(windows[i].vector, {&outcomes[i], 1}, backend.Declared(), result);
    } else {
      result = JudgeOnce(backend, windows[i].vector, "");
    }
    if (result.state == CaseState::kAgrees) judged.push_back({&windows[i], std::nullopt});
    if (result.state != CaseState::kDisagrees) continue;
    const Finding& finding = result.verdict.findings[0];
    const bool crashes = finding.violation == Violation::kCrash && windows[i].size == 1;
    if (IsWrongTensor(finding) || finding.violation == violation || crashes) {
      judged.push_back({&windows[i], InWindow(windows[i], finding)});
    }
  }
  return judged;
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
std::optional<CaseResult> WrongAgain(Backend& backend, const JudgedWindow& wrong) {
  CaseResult result = JudgeOnce(backend, wrong.window->vector, "");
  const bool is_wrong =
      result.state == CaseState::kDisagrees &&
      InWindow(*wrong.window, result.verdict.findings[0]).Signature() == wrong.finding->Signature();
  if (!is_wrong) return std::nullopt;
  return result;
}

// The operators of a step when each runs alone.
struct OperatorsAlone {
  std::vector<WrongOperator> wrong;
  std::set<OperatorUse> right;
};

// Runs the operators of a step alone. `whole` is the result of the vector.
OperatorsAlone RunAlone(Backend& backend, const TestVector& vector, AloneRule& rule,
                        const CaseResult& whole) {
  OperatorsAlone alone;
  const int32_t step = whole.verdict.findings[0].step;
  const std::vector<Window> windows = OperatorsOfStep(vector, step);
  if (windows.empty()) return alone;
  const Graph& graph = vector.GraphOf(vector.steps[static_cast<size_t>(step)]);
  std::map<std::string, bool> again;  // by signature: the first one is wrong when it runs again
  for (JudgedWindow& seen :
       JudgeEach(backend, vector, windows, whole.verdict.findings[0].violation)) {
    const OperatorPlace& place = seen.window->stands_for[0];
    const Block& block = graph.Blocks()[static_cast<size_t>(place.block)];
    const Operator& op = block.operators[static_cast<size_t>(place.op)];
    const std::string signature = seen.finding ? seen.finding->Signature() : "";
    if (seen.finding && !again.contains(signature)) {
      if (again.size() == kNamedMax) continue;
      CaseResult named;
      named.operators = whole.operators;
      named.verdict.findings = {*seen.finding};
      if (backend.Process() == 0 || rule.Takes(named)) backend.RunNextAlone();
      again[signature] = WrongAgain(backend, seen).has_value();
      if (!again[signature]) rule.SawDamage();
    }
    if (!seen.finding || !again[signature]) {
      alone.right.insert({op.op, CharacteristicType(block, op)});
      continue;
    }
    seen.finding->step = step;
    alone.wrong.push_back({std::move(*seen.finding), std::nullopt});
    if (&block == graph.Main()) alone.wrong.back().position = place.op;
  }
  for (const WrongOperator& op : alone.wrong) alone.right.erase({op.finding.op, op.finding.type});
  return alone;
}

// Returns the smallest set of operators of a step that are wrong together; nothing if none is.
std::optional<WrongOperator> WrongTogether(Backend& backend, const TestVector& vector,
                                           int32_t step) {
  const std::vector<Window> sets = SetsOfStep(vector, step);
  if (sets.empty()) return std::nullopt;
  size_t tries = 0;
  for (JudgedWindow& seen : JudgeEach(backend, vector, sets, Violation::kValue)) {
    if (!seen.finding) continue;
    if (tries++ == kTriesMax) break;
    backend.RunNextAlone();
    if (!WrongAgain(backend, seen)) continue;
    seen.finding->step = step;
    return WrongOperator{std::move(*seen.finding), std::nullopt};
  }
  return std::nullopt;
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
  const Finding seen = result.verdict.findings[0];
  const bool is_crash = seen.violation == Violation::kCrash && seen.op != Op::kUnknown;
  const bool is_one = !seen.window.empty() && seen.window.find(',') == std::string::npos;
  if (is_one || (!is_crash && !IsWrongTensor(seen))) return;
  if (seen.step < 0 || seen.step >= std::ssize(vector.steps)) return;
  const Block* const block = vector.GraphOf(vector.steps[static_cast<size_t>(seen.step)]).Main();
  if (block == nullptr) return;
  const Block& main = *block;
  const bool is_part = !seen.window.empty() || !seen.taps.empty();
  OperatorsAlone alone = RunAlone(backend, vector, rule, result);
  std::vector<WrongOperator>& wrong = alone.wrong;
  const std::set<OperatorUse>& right = alone.right;
  // No backend computes a constant: a crash that shows there comes from another operator.
  const auto is_right = [&](const Finding& finding) {
    return right.contains({finding.op, finding.type}) || (is_crash && IsConstant(finding.op));
  };
  if ((is_part || is_crash) && !is_right(seen)) return;
  if (wrong.empty() && !is_crash && is_right(seen)) {
    if (auto set = WrongTogether(backend, vector, seen.step)) wrong.push_back(std::move(*set));
  }
  if (wrong.empty() && is_part) return;
  if (wrong.empty() && !is_crash) {
    auto by_taps = WrongByTaps(backend, vector, main);
    if (by_taps && !is_right(by_taps->finding)) wrong.push_back(std::move(*by_taps));
  }
  std::vector<Finding> findings = std::exchange(result.verdict.findings, {});
  // An output that an operator of its own makes wrong has a finding already.
  const auto is_named = [&](const Finding& finding) {
    return !is_crash && std::ranges::any_of(wrong, [&](const WrongOperator& op) {
      return op.finding.tensor == finding.tensor;
    });
  };
  std::set<std::string> told;  // signatures
  for (const Finding& finding : findings) {
    if (is_named(finding)) told.insert(finding.Signature());
  }
  for (WrongOperator& op : wrong) {
    // The finding on a set, or on a crash of another operator, takes the place of the one seen.
    if (op.finding.op == Op::kUnknown || op.finding.violation == Violation::kCrash) {
      std::erase_if(findings,
                    [&op](const Finding& finding) { return finding.tensor == op.finding.tensor; });
    }
    for (Finding& other : findings) {
      if (!other.follows.empty() || is_named(other)) continue;
      if (DependsOn(main, other, op.position)) other.follows = op.finding.tensor;
    }
    if (!told.insert(op.finding.Signature()).second) continue;
    if (op.finding.message.empty()) op.finding.message = seen.message;
    result.verdict.findings.push_back(op.finding);
  }
  for (Finding& finding : findings) {
    if (!finding.follows.empty() || is_named(finding) || !is_right(finding)) continue;
    if (finding.violation == Violation::kState) continue;  // alone, it writes no variable
    finding.op = Op::kUnknown;
    finding.type = DType::kUnknown;
    finding.rule.clear();
    if (finding.message.empty()) finding.message = "no operator that it depends on is wrong alone";
  }
  std::ranges::move(findings, std::back_inserter(result.verdict.findings));
  std::stable_partition(result.verdict.findings.begin(), result.verdict.findings.end(),
                        [](const Finding& finding) { return finding.follows.empty(); });
}

std::optional<FailingWindow> FindFailingOperator(Backend& backend, const TestVector& vector,
                                                 const Finding& finding) {
  if (finding.step < 0 || finding.step >= std::ssize(vector.steps)) return std::nullopt;
  const std::vector<Window> windows = finding.op == Op::kUnknown
                                          ? SetsOfStep(vector, finding.step)
                                          : OperatorsOfStep(vector, finding.step);
  if (windows.empty()) return std::nullopt;
  for (const JudgedWindow& seen : JudgeEach(backend, vector, windows, finding.violation)) {
    if (!seen.finding || seen.finding->Signature() != finding.Signature()) continue;
    backend.RunNextAlone();
    std::optional<CaseResult> alone = WrongAgain(backend, seen);
    if (alone) return FailingWindow{seen.window->vector, std::move(*alone)};
  }
  return std::nullopt;
}

}  // namespace assay
