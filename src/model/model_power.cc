// SPDX-License-Identifier: Apache-2.0
#include "model_power.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "ensemble_run.h"
#include "interrupt.h"
#include "judge_outcomes.h"
#include "made_operands.h"
#include "model_values.h"
#include "mutant_trials.h"

namespace assay {
namespace {

constexpr int64_t kMadeMost = 8;  // operands that are made for a configuration

// Returns what an execution of a vector takes.
int64_t WorkOf(const TestVector& alone) {
  int64_t work = MultiplyAccumulates(alone);
  for (const TensorInfo& tensor : MainOf(alone).tensors) work += tensor.type.shape.Elements();
  return work;
}

// Returns the faults of an operator, before anything is tried.
std::map<const Mutant*, FaultState> FaultsOf(Op op) {
  std::map<const Mutant*, FaultState> faults;
  for (const Mutant& mutant : AllMutants()) {
    const bool is_kernel =
        mutant.twist > Twist::kRuleOverlooked && mutant.twist < Twist::kConditionNegated;
    if (!is_kernel || mutant.op != op) continue;
    faults[&mutant] = mutant.equivalent.empty() ? FaultState::kOpen : FaultState::kCannotShow;
  }
  return faults;
}

}  // namespace

int64_t ConfigurationPower::Count(FaultState state) const {
  return std::ranges::count(faults, state, [](const auto& each) { return each.second; });
}

void ModelPower::Measure(size_t number, const Window& alone) {
  const auto [at, is_new] = positions_.try_emplace(alone.identity, configurations_.size());
  if (is_new) {
    const OperatorUse use = OperatorsOf(alone.vector)[0];
    const int64_t work = WorkOf(alone.vector);
    const bool is_measured = work <= kWorkOfLayer && work_ <= kWorkOfModel;
    configurations_.push_back({use, {}, is_measured, FaultsOf(use.op)});
    TestVector& example = examples_.emplace_back();
    if (is_measured) example = alone.vector;
    for (Step& step : example.steps) step.outputs.clear();
  }
  ConfigurationPower& configuration = configurations_[at->second];
  if (!std::ranges::count(configuration.layers, number)) configuration.layers.push_back(number);
  Try(configuration, alone.vector, FaultState::kShown);
}

bool ModelPower::Try(ConfigurationPower& configuration, const TestVector& alone, FaultState state) {
  if (!configuration.is_measured) return false;
  const int64_t work = WorkOf(alone);
  bool shows = false;
  for (auto& [mutant, known] : configuration.faults) {
    if (known != FaultState::kOpen || Interrupted()) continue;
    work_ += work;
    bool reached = false;
    ExecutionOptions options = ExecutionOf(mutant);
    options.mutant_reached = &reached;
    CaseResult result;
    JudgeOutcomes(alone, ExecuteVector(alone, options), declared_, result);
    if (result.state == CaseState::kDisagrees) {
      known = state;
      shows = true;
      ++new_;
    } else if (!reached) {
      known = FaultState::kCannotShow;
    }
  }
  return shows;
}

std::vector<MadeOperands> ModelPower::Make(uint64_t seed,
                                           const std::function<bool(size_t number)>& takes) {
  std::vector<MadeOperands> made;
  for (size_t i = 0; i < configurations_.size(); ++i) {
    ConfigurationPower& configuration = configurations_[i];
    const size_t number = configuration.layers[0];
    for (int64_t k = 0; k < kMadeMost && configuration.is_measured && takes(number); ++k) {
      if (configuration.Count(FaultState::kOpen) == 0 || Interrupted()) break;
      std::optional<TestVector> vector = WithMadeOperands(examples_[i], seed, k);
      if (!vector || !Try(configuration, *vector, FaultState::kShownMade)) continue;
      made.push_back({number, std::move(*vector)});
    }
  }
  return made;
}

int64_t PowerSummary::Percent() const {
  return faults == 0 ? 100 : 100 * (shown + shown_made) / faults;
}

PowerSummary Summary(const std::vector<ConfigurationPower>& configurations, size_t layers,
                     const std::function<bool(size_t number)>& takes) {
  PowerSummary sum;
  std::map<size_t, PowerSummary::OfLayer> by_layer;
  std::map<const Mutant*, std::vector<size_t>> open;
  for (const ConfigurationPower& configuration : configurations) {
    std::vector<size_t> numbers;
    std::ranges::copy_if(configuration.layers, std::back_inserter(numbers), takes);
    if (numbers.empty() || !configuration.is_measured) continue;
    PowerSummary::OfLayer of = {0, 0, configuration.Count(FaultState::kShown),
                                configuration.Count(FaultState::kShownMade)};
    of.faults = of.shown + of.shown_made + configuration.Count(FaultState::kOpen);
    sum.faults += of.faults;
    sum.shown += of.shown;
    sum.shown_made += of.shown_made;
    sum.cannot_show += configuration.Count(FaultState::kCannotShow);
    for (const size_t number : numbers) {
      of.layer = number;
      by_layer[number] = of;
    }
    for (const auto& [mutant, state] : configuration.faults) {
      if (state != FaultState::kOpen) continue;
      open[mutant].insert(open[mutant].end(), numbers.begin(), numbers.end());
    }
  }
  for (size_t number = 1; number <= layers; ++number) {
    if (!takes(number)) continue;
    const auto found = by_layer.find(number);
    if (found == by_layer.end()) {
      sum.not_measured.push_back(number);
    } else {
      sum.layers.push_back(found->second);
    }
  }
  for (auto& [mutant, numbers] : open) {
    std::ranges::sort(numbers);
    sum.not_shown.push_back({std::string(mutant->id), std::string(mutant->what), numbers});
  }
  return sum;
}

}  // namespace assay
