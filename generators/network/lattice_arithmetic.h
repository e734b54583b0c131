// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "float_arithmetic.h"

namespace assay {

// The one layer of a lattice network whose weights have more than one bit. Few bits keep sums
// exact, but hide faults of lanes, dilation and the precision of weights.
enum class LatticeLayer : uint8_t { kSparse, kDense, kWide };

struct LatticePlan {
  DType type = DType::kFp32;
  // Coarser with each attempt: the unit is doubled, gates have fewer steps, ReLU gets a bound.
  int attempt = 0;
  LatticeLayer special = LatticeLayer::kSparse;
  int32_t special_layer = 0;        // its number among the layers with weights
  bool narrow_accumulator = false;  // fp16 instead of fp32, for fp16
  // The operator that follows the last layer, as a second output: SIGMOID, TANH, ERF or EXP. It is
  // inexact, but its operand is exact. kUnknown for none.
  Op last = Op::kUnknown;
};

// Weights, biases and inputs are few integers times one unit. Every product and every partial sum
// is then exact, in any order and in any precision from the stored type upwards. Weights and biases
// are chosen layer by layer on the data, such that most activations are strictly inside their
// bounds. CLAMP replaces softmax, GELU and gates.
class LatticeArithmetic final : public FloatArithmetic {
 public:
  LatticeArithmetic(NetworkGraph& graph, const LatticePlan& plan, Random random)
      : FloatArithmetic(graph, plan.type, random), plan_(plan) {}

  // Returns true if some layer found no exact weights. The graph is then useless.
  bool failed() const { return failed_; }

  TensorIndex Input(const Shape& shape) override;
  TensorIndex GlobalPool(TensorIndex x) override;
  TensorIndex Attend(TensorIndex q, TensorIndex k, TensorIndex v) override;
  TensorIndex Normalize(TensorIndex x) override { return x; }
  TensorIndex Gate(TensorIndex x) override;
  TensorIndex Squash(TensorIndex x) override { return Clamp(x, -4, 4); }
  TensorIndex Times(TensorIndex gate, TensorIndex x) override;
  TensorIndex Add(TensorIndex a, TensorIndex b) override;
  TensorIndex Complement(TensorIndex gate) override;
  std::vector<TensorIndex> Outputs(TensorIndex scores) override;

 private:
  class Chooser;  // of the weights of one layer

  Weights Choose(const LinearLayer& layer) override;
  void Reuse(const LinearLayer& layer) override;
  Bounds BoundsOf(Activation activation) const override;
  DType AccType(const DotShape& shape) const override;
  // Multiplies by a power of two that gives the elements a root mean square of 1 to 2, and rounds
  // down to multiples of 1 / steps.
  TensorIndex Steps(TensorIndex x, int steps);
  // Adds a product of two tensors of activations.
  TensorIndex ExactMatMul(TensorIndex a, TensorIndex b);
  // Fails if a result is not `expected(a, b)` of the elements, which have the same shape.
  TensorIndex ExactBinary(TensorIndex result, TensorIndex a, TensorIndex b,
                          double (*expected)(double, double));

  LatticePlan plan_;
  bool failed_ = false;
};

}  // namespace assay
