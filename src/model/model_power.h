// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "case_result.h"
#include "declaration_names.h"
#include "mutants.h"
#include "test_vector.h"
#include "windows.h"

namespace assay {

// The faults that a verdict on a model would have noticed. A fault is a mutant of the operator of a
// layer. It is shown if the layer alone, computed by the mutant, would disagree. Layers with the
// same operator, types, attributes, shapes and compile-time constants are one configuration.

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

// A count of these faults, for a person.
struct PowerSummary {
  struct OfLayer {
    size_t layer = 0;  // number, from 1
    int64_t faults = 0, shown = 0, shown_made = 0;
    friend bool operator==(const OfLayer&, const OfLayer&) = default;
  };
  struct NotShown {
    std::string fault, what;
    std::vector<size_t> layers;
    friend bool operator==(const NotShown&, const NotShown&) = default;
  };
  // By configuration. `faults` is the number of those that are shown or open.
  int64_t faults = 0, shown = 0, shown_made = 0, cannot_show = 0;
  std::vector<OfLayer> layers;       // in their order
  std::vector<size_t> not_measured;  // layers
  std::vector<NotShown> not_shown;   // in the order of the table of mutants

  // Returns the share of the faults that is shown, in percent, rounded down; 100 if there are none.
  int64_t Percent() const;
  friend bool operator==(const PowerSummary&, const PowerSummary&) = default;
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

  // Returns how many faults were shown for the first time since the last call.
  int64_t TakeNew() { return std::exchange(new_, 0); }

  // Tries the faults that are left on operands made for their layers. Returns those that show one
  // for the first time. `takes` says which layers, by their numbers.
  std::vector<MadeOperands> Make(uint64_t seed, const std::function<bool(size_t number)>& takes);

  const std::vector<ConfigurationPower>& configurations() const { return configurations_; }

 private:
  // Tries the open faults of a configuration on a vector of its layer. Those that it shows get the
  // state. Returns true if there are some.
  bool Try(ConfigurationPower& configuration, const TestVector& alone, FaultState state);

  BackendDeclarations declared_;
  std::map<std::string, size_t> positions_;  // of configurations, by Window::identity
  std::vector<ConfigurationPower> configurations_;
  std::vector<TestVector> examples_;  // a layer alone of each configuration, without expectation
  int64_t work_ = 0;
  int64_t new_ = 0;
};

// Sums up the layers that `takes` takes, of those with numbers from 1 to `layers`.
PowerSummary Summary(const std::vector<ConfigurationPower>& configurations, size_t layers,
                     const std::function<bool(size_t number)>& takes);

}  // namespace assay
