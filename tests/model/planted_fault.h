// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend.h"
#include "executor.h"
#include "test_vector.h"

namespace assay {

// Ways in which a backend may get one layer wrong.
enum class LayerFault : uint8_t {
  kLostBias,         // the bias of a dot product is zero
  kReversedWeights,  // the weights of a dot product are in the reverse order
  kClampedTooEarly,  // an integer result is clamped at a quarter of its range
  kDroppedChannel,   // the last channel of the result is zero
  kOnePercent,       // the result is 1 % larger
  kLowerPrecision,   // the result goes through bf16
  kOtherOperand,     // an operand is another tensor of its type: a stale buffer, a wrong residual
};
inline constexpr LayerFault kAllLayerFaults[] = {
    LayerFault::kLostBias,       LayerFault::kReversedWeights, LayerFault::kClampedTooEarly,
    LayerFault::kDroppedChannel, LayerFault::kOnePercent,      LayerFault::kLowerPrecision,
    LayerFault::kOtherOperand};
std::string_view LayerFaultName(LayerFault fault);

// Plants the fault in the operator, of any block, whose first result has this name. Returns false,
// and changes nothing, if it is not there or cannot have the fault.
bool PlantFault(LayerFault fault, std::string_view tensor, Graph& graph);

// The reference executor on graphs with a planted fault.
class FaultyBackend : public Backend {
 public:
  // Graphs with fewer operators than `operators_min` are right: the fault is one of fused layers.
  FaultyBackend(LayerFault fault, std::string tensor, int64_t operators_min = 0)
      : fault_(fault), tensor_(std::move(tensor)), operators_min_(operators_min) {}

  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    TestVector changed = vector;
    for (Graph& graph : changed.graphs) {
      if (graph.OperatorCount() >= operators_min_) PlantFault(fault_, tensor_, graph);
    }
    return ExecuteVector(changed, {});
  }
  std::string Describe() const override { return "faulty"; }

 private:
  LayerFault fault_;
  std::string tensor_;
  int64_t operators_min_;
};

}  // namespace assay
