// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arithmetic.h"

namespace assay {

// Networks in i8 with zero points of 0. A RESCALE behind each layer maps its i32 results to i8. Its
// multipliers are those of a calibration on the network's own input.
class IntegerArithmetic final : public Arithmetic {
 public:
  IntegerArithmetic(NetworkGraph& graph, Random random) : Arithmetic(graph, DType::kInt8, random) {}
  TensorIndex Input(const Shape& shape) override;
  TensorIndex GlobalPool(TensorIndex x) override { return AveragePool(x); }
  TensorIndex Attend(TensorIndex q, TensorIndex k, TensorIndex v) override;
  TensorIndex Normalize(TensorIndex x) override { return x; }
  TensorIndex Gate(TensorIndex x) override;
  TensorIndex Squash(TensorIndex x) override;
  TensorIndex Times(TensorIndex gate, TensorIndex x) override;
  TensorIndex Add(TensorIndex a, TensorIndex b) override;
  TensorIndex Complement(TensorIndex gate) override;
  std::vector<TensorIndex> Outputs(TensorIndex scores) override { return {scores}; }

 private:
  TensorIndex Linear(const LinearLayer& layer) override;
  Tensor Uniform(DType type, const Shape& shape, int64_t bound);
  // Adds a RESCALE from i32 to i8. With several scales, there is one for each channel.
  TensorIndex Rescale(TensorIndex x, std::span<const double> scales);
  // Returns the scales that give each of `channels` channels (the last axis) a root mean square of
  // 40.
  std::vector<double> Calibrate(TensorIndex x, int64_t channels);
  TensorIndex MatMul(TensorIndex a, TensorIndex b);
  TensorIndex Table(TensorIndex x, int64_t (*entry)(int64_t));
};

}  // namespace assay
