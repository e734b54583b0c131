// SPDX-License-Identifier: Apache-2.0
#include "every_value_trials.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "every_value.h"
#include "interrupt.h"
#include "judge_outcomes.h"
#include "model_values.h"
#include "mutant_trials.h"
#include "windows.h"

namespace assay {
namespace {

bool FillInExpectation(TestVector& vector) {
  Window window;
  window.vector = std::move(vector);
  const bool is_sound = ExpectWindow(window);
  vector = std::move(window.vector);
  return is_sound;
}

// Returns the element of a tensor at a place as Finding::position has it: "[17,0,3]".
int64_t ValueAt(const Tensor& tensor, const std::string& position) {
  int64_t index = 0;
  const char* text = position.c_str();
  for (const int32_t dimension : tensor.shape().dims()) {
    char* end = nullptr;
    index = index * dimension + std::strtoll(text + 1, &end, 10);
    text = end;
  }
  return IsFloat(tensor.type()) ? tensor.FloatBits(index) : tensor.Integer(index);
}

// Judges what a fault makes of a vector. Returns nothing if that says neither that it shows nor
// that it does not: a backend may do anything where a REQUIRE is broken.
std::optional<CaseResult> ResultOf(const EveryValueTrials::Fault& fault, const TestVector& vector,
                                   const BackendDeclarations& declared) {
  const std::vector<Outcome> outcomes = fault.run(vector);
  if (outcomes[0].kind != OutcomeKind::kValid) return std::nullopt;
  CaseResult result;
  JudgeOutcomes(vector, outcomes, declared, result);
  const bool is_decided = result.state == CaseState::kAgrees ||
                          result.state == CaseState::kUndecided ||
                          result.state == CaseState::kDisagrees;
  return is_decided ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace

std::vector<TestVector> EveryValueTrials::Try(const TestVector& alone,
                                              std::span<const Fault> faults,
                                              const BackendDeclarations& declared, int64_t most) {
  std::vector<TestVector> showing;
  if (faults.empty() || work_ > kWorkMost) return showing;
  std::optional<WideOperands> wide = WidenOperands(alone);
  if (!wide) return showing;
  const Graph& graph = wide->vector.graphs[0];
  auto known = std::ranges::find(known_, graph, &Known::graph);
  if (known == known_.end()) known = known_.insert(known, Known{graph, {}});
  const int64_t work = ExecutionWork(wide->vector);
  work_ += wide->executions * work;
  std::optional<bool> is_sound;
  std::set<Values> shown_with;
  for (const Fault& fault : faults) {
    if (!known->shows_with.contains(fault.name)) {
      if (work_ > kWorkMost || Interrupted()) return showing;
      if (!is_sound) {
        work_ += work;
        is_sound = FillInExpectation(wide->vector);
      }
      if (!*is_sound) return showing;
      work_ += work;
      const std::optional<CaseResult> result = ResultOf(fault, wide->vector, declared);
      if (!result) continue;
      Values& values = known->shows_with[fault.name];
      for (const Tensor& input : wide->vector.steps[0].inputs) {
        if (result->state != CaseState::kDisagrees) break;
        values.push_back(ValueAt(input, result->verdict.findings[0].position));
      }
    }
    const Values& values = known->shows_with.at(fault.name);
    if (values.empty()) {
      if (wide->has_all_values) *fault.state = FaultState::kCannotShow;
      continue;
    }
    if (std::ssize(showing) >= most && !shown_with.contains(values)) continue;
    TestVector vector = alone;
    for (size_t i = 0; i < values.size(); ++i) {
      const auto& [type, shape] = MainOf(alone).TypeOf(MainOf(alone).inputs[i]);
      vector.steps[0].inputs[i] = Tensor::Splat(type, shape, values[i]);
    }
    if (!FillInExpectation(vector)) continue;
    const std::optional<CaseResult> result = ResultOf(fault, vector, declared);
    if (!result || result->state != CaseState::kDisagrees) continue;
    *fault.state = FaultState::kShownMade;
    if (shown_with.insert(values).second) showing.push_back(std::move(vector));
  }
  return showing;
}

}  // namespace assay
