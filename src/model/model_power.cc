// SPDX-License-Identifier: Apache-2.0
#include "model_power.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "interrupt.h"
#include "judge_outcomes.h"
#include "made_operands.h"
#include "model_values.h"
#include "mutant_trials.h"

namespace assay {
namespace {

// Returns the faults of an operator, before anything is tried.
std::map<const Mutant*, FaultState> FaultsOf(Op op) {
  std::map<const Mutant*, FaultState> faults;
  for (const Mutant& mutant : AllMutants()) {
    if (!IsOfKernel(mutant.twist) || mutant.op != op) continue;
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
    const int64_t work = ExecutionWork(alone.vector);
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

bool ModelPower::Disagrees(const TestVector& vector, const std::vector<Outcome>& outcomes) const {
  CaseResult result;
  JudgeOutcomes(vector, outcomes, declared_, result);
  return result.state == CaseState::kDisagrees;
}

void ModelPower::MeasureWiring(const TestVector& model, const NeededPart& part) {
  if (!wiring_) {
    wiring_.emplace();
    for (const WiringFault& fault : WiringFaultsOf(model, part)) wiring_->push_back({fault});
  }
  const int64_t work = ExecutionWork(model);
  TestVector wrong = model;
  Block& main = *wrong.graphs[0].Main();
  const std::vector<Operator> operators = main.operators;
  const std::vector<TensorIndex> outputs = main.outputs;
  for (WiringPower& each : *wiring_) {
    if (each.state != FaultState::kOpen || Interrupted()) continue;
    if (work > kWorkOfWiring - work_of_wiring_) return;
    work_of_wiring_ += work;
    Plant(each.fault, main);
    const std::vector<Outcome> outcomes = ExecuteVector(wrong, {});
    main.operators = operators;
    main.outputs = outputs;
    each.is_measured = true;
    // A backend may do anything where a REQUIRE is broken.
    if (outcomes[0].kind != OutcomeKind::kValid || !Disagrees(model, outcomes)) continue;
    each.state = FaultState::kShown;
    ++new_;
  }
}

bool ModelPower::Try(ConfigurationPower& configuration, const TestVector& alone, FaultState state) {
  if (!configuration.is_measured) return false;
  const int64_t work = ExecutionWork(alone);
  bool shows = false;
  for (auto& [mutant, known] : configuration.faults) {
    if (known != FaultState::kOpen || Interrupted()) continue;
    work_ += work;
    bool reached = false;
    ExecutionOptions options = ExecutionOf(mutant);
    options.mutant_reached = &reached;
    if (Disagrees(alone, ExecuteVector(alone, options))) {
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
                                           const std::function<bool(size_t number)>& takes,
                                           int64_t most) {
  std::vector<MadeOperands> made;
  for (size_t i = 0; i < configurations_.size(); ++i) {
    ConfigurationPower& configuration = configurations_[i];
    const size_t number = configuration.layers[0];
    if (!configuration.is_measured || !takes(number)) continue;
    int64_t left = most;
    for (int64_t k = 0; k < kMadeMost && left > 0; ++k) {
      if (configuration.Count(FaultState::kOpen) == 0 || Interrupted()) break;
      std::optional<TestVector> vector = WithMadeOperands(examples_[i], seed, k);
      if (!vector || !Try(configuration, *vector, FaultState::kShownMade)) continue;
      made.push_back({number, std::move(*vector)});
      --left;
    }
  }
  return made;
}

PowerSummary ModelPower::Summary(size_t layers,
                                 const std::function<bool(size_t number)>& takes) const {
  PowerSummary sum;
  std::map<size_t, PowerSummary::OfLayer> by_layer;
  std::set<size_t> measured;  // layers alone
  std::map<const Mutant*, std::vector<size_t>> open;
  for (const ConfigurationPower& configuration : configurations_) {
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
      measured.insert(number);
    }
    for (const auto& [mutant, state] : configuration.faults) {
      if (state != FaultState::kOpen) continue;
      open[mutant].insert(open[mutant].end(), numbers.begin(), numbers.end());
    }
  }
  std::map<WiringKind, std::set<size_t>> open_wiring;
  for (const auto& [fault, state, is_measured] : wiring_.value_or(std::vector<WiringPower>())) {
    if (!takes(fault.layer)) continue;
    if (!is_measured) {
      ++sum.wiring_not_measured;
      continue;
    }
    const bool is_shown = state == FaultState::kShown;
    PowerSummary::OfLayer& of = by_layer[fault.layer];
    of.layer = fault.layer;
    ++of.faults, ++sum.faults;
    of.shown += is_shown ? 1 : 0;
    sum.shown += is_shown ? 1 : 0;
    if (!is_shown) open_wiring[fault.kind].insert(fault.layer);
  }
  for (size_t number = 1; number <= layers; ++number) {
    if (!takes(number)) continue;
    if (!measured.contains(number)) sum.not_measured.push_back(number);
    const auto found = by_layer.find(number);
    if (found != by_layer.end()) sum.layers.push_back(found->second);
  }
  for (auto& [mutant, numbers] : open) {
    std::ranges::sort(numbers);
    sum.not_shown.push_back({std::string(mutant->id), std::string(mutant->what), numbers});
  }
  for (const WiringFaultRow& row : kWiringFaults) {
    const std::set<size_t>& numbers = open_wiring[row.kind];
    if (!numbers.empty()) {
      sum.not_shown.push_back({row.id, row.what, {numbers.begin(), numbers.end()}});
    }
  }
  return sum;
}

}  // namespace assay
