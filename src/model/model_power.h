// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "case_result.h"
#include "declaration_names.h"
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

enum class FaultState : uint8_t {
  kOpen,        // nothing has shown it
  kShown,       // by values of the model
  kShownMade,   // only by operands that were made for the layer
  kCannotShow,  // it changes nothing in this configuration, or no result can tell it
};

struct ConfigurationPower {
  OperatorUse use;
  std::vector<size_t> layers;  // numbers, from 1
  bool is_measured = true;     // false for a layer that is too large
  std::map<const Mutant*, FaultState> faults;
  int64_t Count(FaultState state) const;
};

struct WiringPower {
  WiringFault fault;
  FaultState state = FaultState::kOpen;
  bool is_measured = false;
};

// Operands that show a fault of a layer that the model's own values do not show.
struct MadeOperands {
  size_t layer = 0;   // number, from 1: the first of its configuration
  TestVector vector;  // with its expectation
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

  // Tries the faults between layers that nothing has shown yet. `model` has its expectation. A
  // fault costs an execution of the model, and those are not measured that would take more than
  // kWorkOfWiring together.
  static constexpr int64_t kWorkOfWiring = int64_t{1} << 30;
  void MeasureWiring(const TestVector& model, const NeededPart& part);

  // Returns how many faults were shown for the first time since the last call.
  int64_t TakeNew() { return std::exchange(new_, 0); }

  // Tries the faults that are left on operands made for their layers. Returns those that show one
  // for the first time, at most `most` for a configuration. `takes` says which layers, by their
  // numbers.
  static constexpr int64_t kMadeMost = 8;  // operands that are tried for a configuration
  std::vector<MadeOperands> Make(uint64_t seed, const std::function<bool(size_t number)>& takes,
                                 int64_t most = kMadeMost);

  const std::vector<ConfigurationPower>& configurations() const { return configurations_; }

  // Sums up the layers that `takes` takes, of those with numbers from 1 to `layers`.
  PowerSummary Summary(size_t layers, const std::function<bool(size_t number)>& takes) const;

 private:
  // Tells whether a vector disagrees with what an execution has given.
  bool Disagrees(const TestVector& vector, const std::vector<Outcome>& outcomes) const;
  // Tries the open faults of a configuration on a vector of its layer. Those that it shows get the
  // state. Returns true if there are some.
  bool Try(ConfigurationPower& configuration, const TestVector& alone, FaultState state);

  BackendDeclarations declared_;
  std::map<std::string, size_t> positions_;  // of configurations, by Window::identity
  std::vector<ConfigurationPower> configurations_;
  std::vector<TestVector> examples_;  // a layer alone of each configuration, without expectation
  std::optional<std::vector<WiringPower>> wiring_;  // nothing before the first MeasureWiring()
  int64_t work_ = 0, work_of_wiring_ = 0;
  int64_t new_ = 0;
};

}  // namespace assay
