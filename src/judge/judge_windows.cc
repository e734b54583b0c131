// SPDX-License-Identifier: Apache-2.0
#include "judge_windows.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "finding_text.h"
#include "graph_edit.h"
#include "judge_case.h"
#include "time_limit.h"
#include "windows.h"

namespace assay {
namespace {

constexpr int64_t kWindowsMax = 32;  // of a vector, beyond those that are needed to cover it
constexpr int64_t kCoveringMax = 512;
constexpr WindowLimits kLimits = {.operators_max = 4, .sets_max = 32};
// The time that the reference executor may take for the windows of a vector.
constexpr double kWindowsCpuSeconds = 10, kWindowsWallSeconds = 60;

// Returns the vector without the operators on which no vague output depends: those are judged by
// the outputs.
TestVector VaguePart(const TestVector& vector) {
  TestVector part = vector;
  for (size_t g = 0; g < part.graphs.size(); ++g) {
    Block* main = part.graphs[g].Main();
    if (main == nullptr) continue;
    std::set<TensorIndex> kept;
    for (const Step& step : part.steps) {
      if (static_cast<size_t>(step.graph) != g) continue;
      for (size_t i = 0; i < step.outputs.size(); ++i) {
        if (IsVague(step.outputs[i])) kept.insert(main->outputs[i]);
      }
    }
    main->outputs.assign(kept.begin(), kept.end());
    SweepNested(*main);
    SweepRegions(part.graphs[g]);
  }
  return part;
}

// Returns the first windows of the vector, and of the others those that decide an operator that no
// window before them has decided.
std::vector<Window> WindowsOf(const TestVector& vector) {
  const TimeLimit limit(kWindowsCpuSeconds, kWindowsWallSeconds);
  std::vector<Window> windows;
  std::set<OperatorPlace> covered;
  for (Window& window : FindWindows(vector, kLimits).windows) {
    const bool is_new = std::ranges::any_of(
        window.stands_for, [&](const OperatorPlace& place) { return !covered.contains(place); });
    if (std::ssize(windows) >= (is_new ? kCoveringMax : kWindowsMax)) continue;
    if (!ExpectWindow(window)) continue;
    if (IsFullyDecided(window.vector)) {
      covered.insert(window.stands_for.begin(), window.stands_for.end());
    }
    windows.push_back(std::move(window));
  }
  return windows;
}

// Returns true if every operator is in a window that decides all elements of its outputs.
bool Cover(const std::vector<Window>& windows, const TestVector& vector) {
  std::set<OperatorPlace> covered;
  for (const Window& window : windows) {
    if (!IsFullyDecided(window.vector)) continue;
    covered.insert(window.stands_for.begin(), window.stands_for.end());
  }
  return std::ranges::all_of(WorkingPlaces(vector), [&covered](const OperatorPlace& place) {
    return covered.contains(place);
  });
}

std::vector<const TestVector*> VectorsOf(const std::vector<Window>& windows) {
  std::vector<const TestVector*> vectors;
  for (const Window& window : windows) vectors.push_back(&window.vector);
  return vectors;
}

// Returns the window that the first finding of a run of all windows is about.
const Window& Blamed(const std::vector<Window>& windows, const CaseResult& together) {
  return windows[static_cast<size_t>(together.verdict.findings[0].step)];
}

// Judges a window alone after it has disagreed among others. Its finding becomes that of the case.
void JudgeAlone(Backend& backend, const Window& window, const Finding& seen,
                const std::string& path, int repeats, CaseResult& result) {
  backend.RunNextAlone();
  CaseResult alone = JudgeOnBackend(backend, {window.vector, {}}, path, repeats);
  if (alone.state != CaseState::kDisagrees) {
    result.state = CaseState::kUndecided;
    result.verdict.kind = VerdictKind::kUndecided;
    result.verdict.reason = "not repeatable: " + FindingHeadline(seen) + " in a window";
    result.note = result.verdict.reason;
    return;
  }
  result.state = CaseState::kDisagrees;
  result.outcome = std::max(result.outcome, alone.outcome);
  result.log = std::move(alone.log);
  result.note.clear();
  result.verdict.kind = VerdictKind::kDisagrees;
  result.verdict.reason.clear();
  result.verdict.findings = std::move(alone.verdict.findings);
  for (Finding& finding : result.verdict.findings) {
    finding.window = window.operators;
    finding.step = window.step;
  }
}

}  // namespace

TestVector Together(const TestVector& whole, const std::vector<const TestVector*>& vectors) {
  TestVector all;
  all.name = whole.name;
  all.spec = whole.spec;
  all.requirements = whole.requirements;
  all.level = whole.level;
  all.semantics = whole.semantics;
  for (const TestVector* vector : vectors) {
    const auto number = static_cast<int32_t>(all.graphs.size());
    all.graphs.push_back(vector->graphs[0]);
    Step& step = all.steps.emplace_back(vector->steps[0]);
    step.context = step.graph = number;
  }
  return all;
}

void JudgeWindows(Backend& backend, const TestVector& vector, const std::string& path, int repeats,
                  CaseResult& result) {
  const TestVector part = VaguePart(vector);
  // The only window of one operator is what has been judged already.
  if (WorkingPlaces(part).size() < 2) return;
  const std::vector<Window> windows = WindowsOf(part);
  if (windows.empty()) return;
  const CaseResult together = JudgeOnce(backend, Together(part, VectorsOf(windows)), path);
  if (together.state == CaseState::kDisagrees) {
    JudgeAlone(backend, Blamed(windows, together), together.verdict.findings[0], path, repeats,
               result);
    return;
  }
  const bool agree =
      together.state == CaseState::kAgrees && together.outcome == OutcomeKind::kValid;
  if (agree) result.windows = std::ssize(windows);
  if (agree && Cover(windows, part)) {
    result.state = CaseState::kAgrees;
    result.verdict.kind = VerdictKind::kAgrees;
    result.verdict.reason.clear();
    result.note = "judged by windows: " + std::to_string(windows.size()) +
                  (windows.size() == 1 ? " window" : " windows") + " judged, all agree";
  } else {
    // The number of windows is not in the note: reports count cases with the same note together.
    AddNote(agree ? "its windows agree" : "not all of its windows could be judged", result);
  }
}

std::optional<FailingWindow> FindFailingWindow(Backend& backend, const TestVector& vector) {
  const std::vector<Window> windows = WindowsOf(VaguePart(vector));
  if (windows.empty()) return std::nullopt;
  const CaseResult together = JudgeOnce(backend, Together(vector, VectorsOf(windows)), "");
  if (together.state != CaseState::kDisagrees) return std::nullopt;
  const TestVector& window = Blamed(windows, together).vector;
  backend.RunNextAlone();
  CaseResult alone = JudgeOnce(backend, window, "");
  if (alone.state != CaseState::kDisagrees) return std::nullopt;
  return FailingWindow{window, std::move(alone)};
}

}  // namespace assay
