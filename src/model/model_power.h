// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "called_blocks.h"
#include "case_result.h"
#include "declaration_names.h"
#include "every_value_trials.h"
#include "fault_state.h"
#include "model_state.h"
#include "model_values.h"
#include "model_wiring.h"
#include "mutants.h"
#include "outcome.h"
#include "power_summary.h"
#include "test_vector.h"
#include "windows.h"

namespace assay {

// The faults that a verdict on a model would have noticed. A fault is a mutant of the operator of a
// layer, which is shown if the layer alone, computed by the mutant, would disagree; or it stands
// between layers (model_wiring.h), and is shown if the whole model would. Layers with the same
// operator, types, attributes, shapes and compile-time constants are one configuration.

struct ConfigurationPower {
  OperatorUse use;
  std::vector<size_t> layers;  // numbers, from 1
  bool is_measured = true;     // false for a layer that is too large
  std::map<const Mutant*, FaultState> faults;
  int64_t Count(FaultState state) const;
};

struct WiringPower {
  WiringFault fault;
  int32_t block = 0;  // of the model, in Graph::Blocks()
  FaultState state = FaultState::kOpen;
  bool is_measured = false;
};

struct StatePower {
  StateFault fault;
  FaultState state = FaultState::kOpen;
  bool is_measured = false;
};

// A mutant of a layer right behind another operator, as if only a fused kernel had the fault.
struct FusedPower {
  const Mutant* mutant;
  Op before;                   // the operator before the layer
  std::vector<size_t> layers;  // numbers, from 1
  FaultState state = FaultState::kOpen;
};

// Operands for a layer, or for a window that ends with it.
struct MadeOperands {
  size_t layer = 0;     // number, from 1: the first of its configuration
  TestVector vector;    // with its expectation
  std::string seen_by;  // one line: the way in which a fault of the layer is seen there
};

// Measures what the vectors of single layers show.
class ModelPower {
 public:
  // Work is counted in multiply-accumulates and elements of executions. A layer that takes more
  // than kWorkOfLayer is not measured, nor is any new one after kWorkOfModel.
  static constexpr int64_t kWorkOfLayer = int64_t{1} << 22;
  static constexpr int64_t kWorkOfModel = int64_t{1} << 29;

  // `declared`: by the backend. What it excuses shows no fault.
  explicit ModelPower(BackendDeclarations declared) : declared_(std::move(declared)) {}

  // Tries the faults that nothing has shown yet on a layer, alone on values of the model. `number`
  // is that of the layer. After a signal (interrupt.h), nothing is tried.
  void Measure(size_t number, const Window& alone);

  // Tries the faults between layers, and those of control flow and state, that nothing has shown
  // yet: on the whole model, with all of its steps. `model` has its expectation, and `called` are
  // the blocks that it calls. A fault costs an execution of the model, and those are not measured
  // that would take more than kWorkOfWiring together.
  static constexpr int64_t kWorkOfWiring = int64_t{1} << 30;
  void MeasureWiring(const TestVector& model, const NeededPart& part,
                     const std::vector<CalledBlock>& called);

  // Tries the faults of MeasureWiring() that are an operand of a layer of the main block, for a
  // backend whose taps are judged and used: a layer is then judged on the operands that the backend
  // shows, with the work that is left. `steps` are the values of the model.
  void MeasureByTaps(const TestVector& model, const std::vector<ModelValues>& steps);

  // Notes which branches the model takes, and how often its loops run.
  void MeasureReach(const std::vector<CalledBlock>& called);

  // Returns how many faults were shown, and how many branches and numbers of iterations reached,
  // for the first time since the last call.
  int64_t TakeNew() { return std::exchange(new_, 0); }

  // Returns true if a fault of a layer of floats, or one between layers, is open.
  bool HasOpenFaults() const;

  // Takes over what the same model with weights on a lattice has shown of its layers.
  void TakeLattice(const ModelPower& lattice);

  // Tries the faults that are left on operands made for their layers. Returns those that show one
  // for the first time, at most `most` for a configuration. `takes` says which layers, by their
  // numbers. Those of element-wise layers are tried on all values at last. With `always`, the first
  // operands are also returned if they show none: NaN, infinities and limits may show what no row
  // of the table has. There are as many of them as take kWorkOfAlways, but at least one for a
  // configuration.
  static constexpr int64_t kMadeMost = 8;  // operands that are tried for a configuration
  static constexpr int64_t kWorkOfAlways = int64_t{1} << 20;
  std::vector<MadeOperands> Make(uint64_t seed, const std::function<bool(size_t number)>& takes,
                                 int64_t most = kMadeMost, bool always = false);

  // Tries faults of fusion on windows of two and three layers, with values of the model and with
  // operands made for them: the operator at the end of the window is skipped or done twice, as
  // far as the whole model has not shown that (that of a softmax, in a window with all of it); and
  // the mutants of a CLAMP, RESCALE or CAST that the
  // layer alone shows, only behind the operator before it. Returns what shows one for the first
  // time. Windows that take more than kWorkOfWindow are left out, as are all after kWorkOfWindows,
  // and all of a model with more constants than kConstantBytesMost.
  static constexpr int kWindowOperators = 3;
  static constexpr int64_t kWorkOfWindow = int64_t{1} << 20;
  static constexpr int64_t kWorkOfWindows = int64_t{1} << 28;
  static constexpr int64_t kConstantBytesMost = int64_t{1} << 26;
  std::vector<MadeOperands> MakeInWindows(const TestVector& model, const NeededPart& part,
                                          uint64_t seed,
                                          const std::function<bool(size_t number)>& takes);

  const std::vector<ConfigurationPower>& configurations() const { return configurations_; }

  // Sums up the layers that `takes` takes, of those with numbers from 1 to `layers`.
  PowerSummary Summary(size_t layers, const std::function<bool(size_t number)>& takes) const;

 private:
  // Tells whether a vector disagrees with what an execution has given.
  bool Disagrees(const TestVector& vector, const std::vector<Outcome>& outcomes) const;
  // Lists the faults between layers, and those of control flow and state.
  void FindWiring(const TestVector& model, const NeededPart& part,
                  const std::vector<CalledBlock>& called);
  // Counts an execution of the whole model. Returns false if there is no work left for it.
  bool TakeWorkOfWiring(int64_t work);
  // Tries the open faults of a configuration on a vector of its layer. Those that it shows get the
  // state. Returns true if there are some.
  bool Try(ConfigurationPower& configuration, const TestVector& alone, FaultState state);
  // Tries them on every value of its operands.
  std::vector<TestVector> TryEveryValue(ConfigurationPower& configuration,
                                        const TestVector& example, int64_t most);
  struct WindowTrial;
  // Returns the faults of the last operator of a window that are still to be shown. It ends with
  // the layers of these numbers.
  std::vector<WindowTrial> TrialsOf(const Window& window, const std::vector<size_t>& layers);
  // Tries the open ones of them on the window with some operands. Returns true if one shows.
  bool Try(std::vector<WindowTrial>& trials, const TestVector& window);
  // Tries them on every value of its operands.
  std::vector<TestVector> TryEveryValue(std::vector<WindowTrial>& trials, const TestVector& window);
  // Tries them on the values of the model and on made operands, and counts them. Adds what shows
  // one to `made`, for a layer.
  void TryWindow(Window& window, std::vector<WindowTrial> trials, uint64_t seed, size_t layer,
                 std::vector<MadeOperands>& made);
  // Tries the subtractions of the maximum in softmaxes.
  void TrySoftmaxes(const TestVector& model, const NeededPart& part, uint64_t seed,
                    const std::function<bool(size_t number)>& takes,
                    std::vector<MadeOperands>& made);

  BackendDeclarations declared_;
  std::map<std::string, size_t> positions_;  // of configurations, by Window::identity
  std::vector<ConfigurationPower> configurations_;
  std::vector<TestVector> examples_;  // a layer alone of each configuration, without expectation
  std::optional<std::vector<WiringPower>> wiring_;  // nothing before the first MeasureWiring()
  std::vector<StatePower> of_state_;
  // Tells for each thing that a layer of control flow can do ("its else_graph") if it did so.
  std::map<std::pair<size_t, std::string>, bool> reach_;
  std::set<size_t> softmax_layers_;  // that subtract the maximum
  std::vector<FusedPower> fused_;
  int64_t fused_not_measured_ = 0;
  EveryValueTrials every_value_;
  int64_t work_ = 0, work_of_wiring_ = 0, work_of_windows_ = 0;
  int64_t new_ = 0;
};

}  // namespace assay
