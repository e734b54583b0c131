// SPDX-License-Identifier: Apache-2.0
#include "model_power.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>

#include "interrupt.h"
#include "judge_outcomes.h"
#include "made_operands.h"
#include "model_report.h"
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

// Tells whether a fault is one of an operator, which a window that ends with it has as well.
bool IsOfOneOperator(WiringKind kind) {
  return kind != WiringKind::kOtherTensor && kind != WiringKind::kBufferReused;
}

// Returns the position of the main block in Graph::Blocks().
int32_t MainPosition(const TestVector& model) {
  const std::vector<std::reference_wrapper<const Block>> blocks = model.graphs[0].Blocks();
  const auto main = std::ranges::find_if(
      blocks, [&](const Block& block) { return &block == model.graphs[0].Main(); });
  return static_cast<int32_t>(main - blocks.begin());
}

// Returns the numbers of the layers, by their places in the model: of a block that is called at
// several places, the first ones.
std::map<OperatorPlace, size_t> NumbersOf(const TestVector& model, const NeededPart& part,
                                          const std::vector<CalledBlock>& called) {
  std::map<OperatorPlace, size_t> numbers;
  const auto add = [&](int32_t block, const NeededPart& of_block, size_t before) {
    for (size_t i = 0; i < of_block.operators.size(); ++i) {
      numbers.try_emplace({0, block, of_block.operators[i]}, before + i + 1);
    }
  };
  add(MainPosition(model), part, 0);
  for (const CalledBlock& each : called) add(each.block, each.part, each.layers_before);
  return numbers;
}

// Returns the numbers of the layers with which a window ends, wherever it occurs with layers only
// that `takes` takes.
std::vector<size_t> LastLayersOf(const Window& window,
                                 const std::map<OperatorPlace, size_t>& numbers,
                                 const std::function<bool(size_t number)>& takes) {
  std::vector<size_t> layers;
  const auto size = static_cast<size_t>(window.size);
  for (size_t first = 0; first + size <= window.stands_for.size(); first += size) {
    const std::span<const OperatorPlace> places(&window.stands_for[first], size);
    const bool all = std::ranges::all_of(places, [&](const OperatorPlace& place) {
      const auto found = numbers.find(place);
      return found != numbers.end() && takes(found->second);
    });
    if (all) layers.push_back(numbers.at(places.back()));
  }
  return layers;
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

bool ModelPower::TakeWorkOfWiring(int64_t work) {
  if (work > kWorkOfWiring - work_of_wiring_) return false;
  work_of_wiring_ += work;
  return true;
}

void ModelPower::MeasureReach(const std::vector<CalledBlock>& called) {
  const auto note = [this](size_t layer, const std::string& what, bool is_reached) {
    bool& known = reach_[{layer, what}];
    if (is_reached && !known) ++new_;
    known = known || is_reached;
  };
  for (const CalledBlock& each : called) {
    const size_t layer = each.caller_layer;
    if (each.role == AttributeId::kThenGraph) note(layer, "its then_graph", each.is_run);
    if (each.role == AttributeId::kElseGraph) note(layer, "its else_graph", each.is_run);
    if (each.role != AttributeId::kBodyGraph) continue;
    constexpr const char* kTurns[] = {"no iteration", "one iteration", "several iterations"};
    for (size_t i = 0; i < each.turns.size(); ++i) note(layer, kTurns[i], each.turns[i]);
  }
}

void ModelPower::FindWiring(const TestVector& model, const NeededPart& part,
                            const std::vector<CalledBlock>& called) {
  wiring_.emplace();
  std::vector<Op> layers;
  std::set<int32_t> done;  // a block that is called at several places has its faults at the first
  const auto add = [&](const TestVector& of, const NeededPart& in, int32_t block, size_t before) {
    for (const int32_t position : in.operators) {
      layers.push_back(MainOf(of).operators[static_cast<size_t>(position)].op);
    }
    if (!done.insert(block).second) return;
    for (WiringFault fault : WiringFaultsOf(of, in)) {
      fault.layer += before;
      wiring_->push_back({fault, block});
    }
  };
  add(model, part, MainPosition(model), 0);
  for (const CalledBlock& each : called) {
    add(each.model, each.part, each.block, each.layers_before);
  }
  for (StateFault& fault : StateFaultsOf(model, layers)) of_state_.push_back({std::move(fault)});
}

void ModelPower::MeasureWiring(const TestVector& model, const NeededPart& part,
                               const std::vector<CalledBlock>& called) {
  if (!wiring_) FindWiring(model, part, called);
  const int64_t work = ExecutionWork(model);
  for (StatePower& each : of_state_) {
    if (each.state != FaultState::kOpen || Interrupted()) continue;
    if (!TakeWorkOfWiring(work)) return;
    each.is_measured = true;
    if (!Disagrees(model, ExecuteVector(model, ExecutionOf(each.fault.mutant)))) continue;
    each.state = FaultState::kShown;
    ++new_;
  }
  TestVector wrong = model;
  Block right;  // the block that the last fault was planted in
  int32_t planted = -1;
  for (WiringPower& each : *wiring_) {
    if (each.state != FaultState::kOpen || Interrupted()) continue;
    if (!TakeWorkOfWiring(work)) return;
    Block& block = wrong.graphs[0].Blocks()[static_cast<size_t>(each.block)];
    if (planted != each.block) right = block;
    planted = each.block;
    Plant(each.fault, block);
    const std::vector<Outcome> outcomes = ExecuteVector(wrong, ExecutionOf(nullptr));
    block.operators = right.operators;
    block.outputs = right.outputs;
    block.tensors.resize(right.tensors.size());
    each.is_measured = true;
    // A backend may do anything where a REQUIRE is broken.
    const bool is_valid = std::ranges::all_of(
        outcomes, [](const Outcome& step) { return step.kind == OutcomeKind::kValid; });
    if (!is_valid || !Disagrees(model, outcomes)) continue;
    each.state = FaultState::kShown;
    ++new_;
  }
}

void ModelPower::MeasureByTaps(const TestVector& model, const std::vector<ModelValues>& steps) {
  const Block& main = MainOf(model);
  const std::vector<int32_t> producers = main.Producers();
  const auto is_constant = [&](TensorIndex tensor) {
    const int32_t at = producers[static_cast<size_t>(tensor)];
    return at >= 0 && IsConstant(main.operators[static_cast<size_t>(at)].op);
  };
  for (size_t s = 0; s < steps.size(); ++s) {
    std::map<TensorIndex, Tensor> values = steps[s].values;
    const auto window_at = TappedWindowAt(model, static_cast<int32_t>(s), steps[s].values);
    for (size_t i = 0; i < main.inputs.size(); ++i) {
      values.emplace(main.inputs[i], model.steps[s].inputs[i]);
    }
    for (WiringPower& each : *wiring_) {
      const auto& [kind, layer, reader, from, to] = each.fault;
      const bool is_operand = reader >= 0 && each.block == MainPosition(model);
      if (each.state != FaultState::kOpen || !is_operand || Interrupted()) continue;
      const auto tapped = window_at(reader);
      const auto other = values.find(to);
      if (!tapped || tapped->window.size != 1 || other == values.end()) continue;
      std::vector<TensorIndex> operands;  // those that are inputs of the window, in order
      for (const TensorIndex operand : main.operators[static_cast<size_t>(reader)].inputs) {
        const bool is_known = std::ranges::count(operands, operand) > 0 || is_constant(operand);
        if (!is_known) operands.push_back(operand);
      }
      const auto at = static_cast<size_t>(std::ranges::find(operands, from) - operands.begin());
      TestVector right = tapped->window.vector;
      std::vector<Tensor>& inputs = right.steps[0].inputs;
      if (inputs.size() != operands.size() || at == inputs.size()) continue;
      if (!TakeWorkOfWiring(ExecutionWork(right))) return;
      TestVector wrong = right;
      wrong.steps[0].inputs[at] = other->second;
      const bool is_valid = Expect(right, {.inputs_shown = tapped->inputs_shown}) &&
                            right.steps[0].expected == OutcomeKind::kValid;
      each.is_measured = true;
      if (!is_valid || !Disagrees(right, ExecuteVector(wrong, {}))) continue;
      each.state = FaultState::kShown;
      ++new_;
    }
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
                                           int64_t most, bool always) {
  std::vector<MadeOperands> made;
  for (size_t i = 0; i < configurations_.size(); ++i) {
    ConfigurationPower& configuration = configurations_[i];
    const size_t number = configuration.layers[0];
    if (!configuration.is_measured || !takes(number)) continue;
    int64_t left = most;
    int64_t first = always ? std::max<int64_t>(1, kWorkOfAlways / ExecutionWork(examples_[i])) : 0;
    for (int64_t k = 0; k < kMadeMost && left > 0; ++k) {
      const bool any_open = configuration.Count(FaultState::kOpen) > 0;
      if ((first <= 0 && !any_open) || Interrupted()) break;
      std::optional<TestVector> vector = WithMadeOperands(examples_[i], seed, k);
      if (!vector) continue;
      const bool shows = Try(configuration, *vector, FaultState::kShownMade);
      if (first-- <= 0 && !shows) continue;
      made.push_back({number, std::move(*vector),
                      "alone, on operands made for it; on the model's values it agrees"});
      --left;
    }
    for (TestVector& vector : TryEveryValue(configuration, examples_[i], most)) {
      made.push_back({number, std::move(vector),
                      "alone, on operands made for it; on the model's values it agrees"});
    }
  }
  return made;
}

std::vector<TestVector> ModelPower::TryEveryValue(ConfigurationPower& configuration,
                                                  const TestVector& example, int64_t most) {
  std::vector<EveryValueTrials::Fault> faults;
  for (auto& [mutant, state] : configuration.faults) {
    if (state != FaultState::kOpen || !IsOfElements(mutant->twist)) continue;
    const auto run = [fault = mutant](const TestVector& vector) {
      return ExecuteVector(vector, ExecutionOf(fault));
    };
    faults.push_back({std::string(mutant->id), run, &state});
  }
  return every_value_.Try(example, faults, declared_, most);
}

struct ModelPower::WindowTrial {
  WiringFault wiring = {};              // of the window's main block, if there is no mutant
  std::vector<WiringPower*> same = {};  // the same fault in the model
  FusedPower fused = {};
  FaultState state = FaultState::kOpen;
  bool is_tried = false;

  std::vector<Outcome> Run(const TestVector& window) const {
    if (fused.mutant != nullptr) return ExecuteVector(window, ExecutionOf(fused.mutant));
    TestVector wrong = window;
    Plant(wiring, *wrong.graphs[0].Main());
    return ExecuteVector(wrong, {});
  }
};

std::vector<ModelPower::WindowTrial> ModelPower::TrialsOf(const Window& window,
                                                          const std::vector<size_t>& layers) {
  std::vector<WindowTrial> trials;
  const Block& main = MainOf(window.vector);
  const auto last = static_cast<size_t>(window.size);  // the number of its last operator
  for (const WiringFault& fault : WiringFaultsOf(window.vector, PartNeededBy(main, main.outputs))) {
    if (fault.layer != last) continue;
    WindowTrial trial = {.wiring = fault};
    for (WiringPower& each : *wiring_) {
      const bool is_same = each.fault.kind == fault.kind && IsOfOneOperator(fault.kind) &&
                           std::ranges::count(layers, each.fault.layer) > 0 &&
                           !softmax_layers_.contains(each.fault.layer);
      if (is_same && each.state == FaultState::kOpen) trial.same.push_back(&each);
    }
    if (!trial.same.empty()) trials.push_back(std::move(trial));
  }
  std::vector<Op> operators;  // in the order of execution
  for (const Operator& each : main.operators) {
    if (!IsConstant(each.op)) operators.push_back(each.op);
  }
  const Op op = operators.back();
  const bool rounds = op == Op::kClamp || op == Op::kRescale || op == Op::kCast;
  if (operators.size() != 2 || !rounds || operators[0] == op) return trials;
  const auto alone = std::ranges::find_if(configurations_, [&](const ConfigurationPower& each) {
    return std::ranges::count(each.layers, layers[0]) > 0;
  });
  if (alone == configurations_.end()) return trials;
  for (const auto& [mutant, state] : alone->faults) {
    if (state != FaultState::kShown && state != FaultState::kShownMade) continue;
    trials.push_back({.fused = {mutant, operators[0], layers}});
  }
  return trials;
}

bool ModelPower::Try(std::vector<WindowTrial>& trials, const TestVector& window) {
  const int64_t work = ExecutionWork(window);
  bool shows = false;
  for (WindowTrial& trial : trials) {
    if (trial.state != FaultState::kOpen || Interrupted()) continue;
    work_of_windows_ += work;
    trial.is_tried = true;
    const std::vector<Outcome> outcomes = trial.Run(window);
    if (trial.fused.mutant == nullptr && outcomes[0].kind != OutcomeKind::kValid) continue;
    if (!Disagrees(window, outcomes)) continue;
    trial.state = FaultState::kShownMade;
    shows = true;
  }
  return shows;
}

std::vector<TestVector> ModelPower::TryEveryValue(std::vector<WindowTrial>& trials,
                                                  const TestVector& window) {
  std::vector<EveryValueTrials::Fault> faults;
  for (WindowTrial& trial : trials) {
    const Mutant* mutant = trial.fused.mutant;
    if (trial.state != FaultState::kOpen) continue;
    if (mutant != nullptr && !IsOfElements(mutant->twist)) continue;
    const auto run = [&trial](const TestVector& vector) { return trial.Run(vector); };
    const auto& [kind, layer, reader, from, to] = trial.wiring;
    const std::string wiring = std::to_string(static_cast<int>(kind)) + ":" + std::to_string(from) +
                               ":" + std::to_string(to);
    faults.push_back({mutant != nullptr ? std::string(mutant->id) : wiring, run, &trial.state});
  }
  std::vector<TestVector> showing = every_value_.Try(window, faults, declared_, std::ssize(faults));
  for (WindowTrial& trial : trials) {
    trial.is_tried = trial.is_tried || trial.state != FaultState::kOpen;
  }
  return showing;
}

void ModelPower::TryWindow(Window& window, std::vector<WindowTrial> trials, uint64_t seed,
                           size_t layer, std::vector<MadeOperands>& made) {
  const bool is_small = ExecutionWork(window.vector) <= kWorkOfWindow;
  const std::string seen_by = "in the window " + window.operators;
  if (is_small && !trials.empty() && ExpectWindow(window) && Try(trials, window.vector)) {
    made.push_back({layer, window.vector, seen_by});
  }
  for (int64_t k = 0; is_small && k < kMadeMost; ++k) {
    const bool any_open = std::ranges::any_of(
        trials, [](const WindowTrial& trial) { return trial.state == FaultState::kOpen; });
    if (!any_open || work_of_windows_ > kWorkOfWindows || Interrupted()) break;
    std::optional<TestVector> vector = WithMadeOperands(window.vector, seed, k);
    if (!vector || !Try(trials, *vector)) continue;
    made.push_back({layer, std::move(*vector), seen_by + ", on operands made for it"});
  }
  if (is_small && !Interrupted()) {
    for (TestVector& vector : TryEveryValue(trials, window.vector)) {
      made.push_back({layer, std::move(vector), seen_by + ", on operands made for it"});
    }
  }
  for (WindowTrial& trial : trials) {
    const bool is_alone = std::ranges::count(trials, trial.wiring.kind, [](const auto& each) {
                            return each.wiring.kind;
                          }) == 1;
    for (WiringPower* each : trial.same) {
      each->is_measured = each->is_measured || trial.is_tried;
      // Other operands of the operator may show what this one cannot.
      if (trial.state != FaultState::kCannotShow || is_alone) each->state = trial.state;
    }
    if (trial.fused.mutant == nullptr) continue;
    trial.fused.state = trial.state;
    if (trial.is_tried) {
      fused_.push_back(trial.fused);
    } else {
      fused_not_measured_ += std::ssize(trial.fused.layers);
    }
  }
}

void ModelPower::TrySoftmaxes(const TestVector& model, const NeededPart& part, uint64_t seed,
                              const std::function<bool(size_t number)>& takes,
                              std::vector<MadeOperands>& made) {
  const Block& main = MainOf(model);
  const std::vector<Softmax> softmaxes = SoftmaxesOf(main, part);
  if (softmaxes.empty()) return;
  const ModelValues values = ValuesOf(model, part);
  for (const Softmax& softmax : softmaxes) {
    std::map<TensorIndex, Tensor> shown = values.values;
    bool all_taken = true;
    size_t layer = 0;  // that subtracts
    for (const int32_t position : softmax.operators) {
      const auto at = std::ranges::find(part.operators, position) - part.operators.begin();
      all_taken = all_taken && takes(static_cast<size_t>(at) + 1);
      if (position == softmax.subtraction()) layer = static_cast<size_t>(at) + 1;
      if (position == softmax.operators.back()) continue;
      shown.erase(main.operators[static_cast<size_t>(position)].outputs[0]);
    }
    softmax_layers_.insert(layer);
    auto tapped = TappedWindowAt(model, 0, shown)(softmax.operators.back());
    if (!all_taken || !tapped || Interrupted()) continue;
    Window& window = tapped->window;
    const Block& inner = MainOf(window.vector);
    std::vector<WindowTrial> trials;
    for (const WiringFault& fault :
         WiringFaultsOf(window.vector, PartNeededBy(inner, inner.outputs))) {
      const auto maker = inner.Producers()[static_cast<size_t>(fault.from)];
      if (fault.kind != WiringKind::kOperatorSkipped || maker < 0) continue;
      if (inner.operators[static_cast<size_t>(maker)].op != Op::kSub) continue;
      for (WiringPower& each : *wiring_) {
        const bool is_same = each.fault.kind == fault.kind && each.fault.layer == layer;
        if (is_same && each.state == FaultState::kOpen) {
          trials.push_back({.wiring = fault, .same = {&each}});
        }
      }
    }
    TryWindow(window, std::move(trials), seed, layer, made);
  }
}

std::vector<MadeOperands> ModelPower::MakeInWindows(
    const TestVector& model, const NeededPart& part, uint64_t seed,
    const std::function<bool(size_t number)>& takes) {
  std::vector<MadeOperands> made;
  if (!wiring_ || ConstantBytesOf(model) > kConstantBytesMost) return made;
  TrySoftmaxes(model, part, seed, takes, made);
  const std::map<OperatorPlace, size_t> numbers =
      NumbersOf(model, part, CalledBlocksOf(model, part));
  std::vector<Window> windows =
      FindWindows(model, {.operators_max = kWindowOperators, .sets_max = 32}).windows;
  std::ranges::stable_sort(windows, {}, &Window::size);
  for (Window& window : windows) {
    const std::vector<size_t> layers = LastLayersOf(window, numbers, takes);
    if (window.size < 2 || layers.empty()) continue;
    TryWindow(window, TrialsOf(window, layers), seed, layers[0], made);
  }
  return made;
}

bool ModelPower::HasOpenFaults() const {
  const auto is_open = [](const ConfigurationPower& each) {
    return each.is_measured && IsFloat(each.use.type) && each.Count(FaultState::kOpen) > 0;
  };
  return std::ranges::any_of(configurations_, is_open) ||
         (wiring_ && std::ranges::count(*wiring_, FaultState::kOpen, &WiringPower::state) > 0);
}

void ModelPower::TakeLattice(const ModelPower& lattice) {
  std::set<std::pair<size_t, const Mutant*>> shown;  // by layer
  for (const ConfigurationPower& each : lattice.configurations_) {
    for (const auto& [mutant, state] : each.faults) {
      if (state != FaultState::kShown) continue;
      for (const size_t layer : each.layers) shown.emplace(layer, mutant);
    }
  }
  for (ConfigurationPower& each : configurations_) {
    for (auto& fault : each.faults) {
      const auto is_shown = [&](size_t layer) { return shown.contains({layer, fault.first}); };
      if (fault.second != FaultState::kOpen) continue;
      if (std::ranges::any_of(each.layers, is_shown)) fault.second = FaultState::kShownLattice;
    }
  }
  // Constants are in other places there, so a fault is known by its kind and layer. Those of a
  // layer and kind are in the same order.
  std::map<std::pair<size_t, WiringKind>, std::vector<FaultState>> wiring;
  for (const WiringPower& each : lattice.wiring_.value_or(std::vector<WiringPower>())) {
    wiring[{each.fault.layer, each.fault.kind}].push_back(each.state);
  }
  std::map<std::pair<size_t, WiringKind>, size_t> seen;
  for (WiringPower& each : *wiring_) {
    const auto key = std::pair(each.fault.layer, each.fault.kind);
    const size_t at = seen[key]++;
    const std::vector<FaultState>& there = wiring[key];
    const bool is_shown = at < there.size() && there[at] == FaultState::kShown;
    if (each.state == FaultState::kOpen && is_shown) each.state = FaultState::kShownLattice;
  }
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
                                configuration.Count(FaultState::kShownMade),
                                configuration.Count(FaultState::kShownLattice)};
    of.faults = of.AllShown() + configuration.Count(FaultState::kOpen);
    sum.faults += of.faults;
    sum.shown += of.shown;
    sum.shown_made += of.shown_made;
    sum.shown_lattice += of.shown_lattice;
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
  const auto add = [&](size_t layer, FaultState state) {
    PowerSummary::OfLayer& of = by_layer[layer];
    of.layer = layer;
    ++of.faults, ++sum.faults;
    if (state == FaultState::kShown) ++of.shown, ++sum.shown;
    if (state == FaultState::kShownMade) ++of.shown_made, ++sum.shown_made;
    if (state == FaultState::kShownLattice) ++of.shown_lattice, ++sum.shown_lattice;
  };
  std::map<WiringKind, std::set<size_t>> open_wiring;
  for (const auto& [fault, block, state, is_measured] :
       wiring_.value_or(std::vector<WiringPower>())) {
    if (!takes(fault.layer)) continue;
    if (!is_measured) {
      ++sum.wiring_not_measured;
      continue;
    }
    if (state == FaultState::kCannotShow) {
      ++sum.cannot_show;
      continue;
    }
    add(fault.layer, state);
    if (state == FaultState::kOpen) open_wiring[fault.kind].insert(fault.layer);
  }
  for (const auto& [fault, state, is_measured] : of_state_) {
    const auto& [mutant, numbers] = fault;
    if (std::ranges::none_of(numbers, takes)) continue;
    measured.insert(numbers.begin(), numbers.end());
    if (!is_measured) {
      ++sum.wiring_not_measured;
      continue;
    }
    ++sum.faults;
    sum.shown += state == FaultState::kShown ? 1 : 0;
    for (const size_t number : numbers) {
      if (!takes(number)) continue;
      PowerSummary::OfLayer& of = by_layer[number];
      of.layer = number;
      ++of.faults;
      of.shown += state == FaultState::kShown ? 1 : 0;
      if (state == FaultState::kOpen) open[mutant].push_back(number);
    }
  }
  for (const auto& [of, is_reached] : reach_) {
    if (!is_reached) sum.not_reached.push_back({of.first, of.second});
  }
  sum.wiring_not_measured += fused_not_measured_;
  std::map<std::pair<const Mutant*, Op>, std::set<size_t>> open_fused;
  for (const auto& [mutant, before, numbers, state] : fused_) {
    for (const size_t number : numbers) {
      if (!takes(number)) continue;
      if (state == FaultState::kCannotShow) {
        ++sum.cannot_show;
        continue;
      }
      add(number, state);
      if (state == FaultState::kOpen) open_fused[{mutant, before}].insert(number);
    }
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
  for (const auto& [fault, numbers] : open_fused) {
    sum.not_shown.push_back(
        {std::string(fault.first->id) + " behind " + std::string(OperatorName(fault.second)),
         std::string(fault.first->what),
         {numbers.begin(), numbers.end()}});
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
