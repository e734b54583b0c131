// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arithmetic.h"

namespace assay {

// Networks in fp32, fp16 or bf16. Sums are kept in fp32 where the type row leaves the choice.
class FloatArithmetic : public Arithmetic {
 public:
  using Arithmetic::Arithmetic;
  TensorIndex Add(TensorIndex a, TensorIndex b) override;

 protected:
  // The weights and biases of one layer, in the order of their tensors.
  struct Weights {
    std::vector<double> weight, bias;
  };
  // The bounds of the CLAMP behind a layer; none if low > high.
  struct Bounds {
    double low, high;
  };

  TensorIndex Linear(const LinearLayer& layer) final;
  virtual Weights Choose(const LinearLayer& layer) = 0;
  // Is called for each further use of shared weights.
  virtual void Reuse(const LinearLayer&) {}
  virtual Bounds BoundsOf(Activation activation) const = 0;
  virtual DType AccType(const DotShape&) const { return DType::kFp32; }
  // Returns the type of the results of MATMUL: fp32 for bf16.
  DType ProductType() const { return type() == DType::kBf16 ? DType::kFp32 : type(); }

  // Adds a constant that broadcasts with tensors of this rank.
  TensorIndex Constant(DType of, int rank, double value);
  TensorIndex Mul(TensorIndex a, TensorIndex b);
  TensorIndex Scaled(TensorIndex x, double factor);
  TensorIndex MatMul(TensorIndex a, TensorIndex b);  // in the network's type
};

// Weights and inputs at random, of a scale that keeps activations within the same range from layer
// to layer. Softmax, GELU, layer normalization and gates are those of the field.
class NaturalArithmetic final : public FloatArithmetic {
 public:
  using FloatArithmetic::FloatArithmetic;
  TensorIndex Input(const Shape& shape) override;
  TensorIndex GlobalPool(TensorIndex x) override { return AveragePool(x); }
  TensorIndex Attend(TensorIndex q, TensorIndex k, TensorIndex v) override;
  TensorIndex Normalize(TensorIndex x) override;
  TensorIndex Gate(TensorIndex x) override { return graph().Add(Op::kSigmoid, {x}); }
  TensorIndex Squash(TensorIndex x) override { return graph().Add(Op::kTanh, {x}); }
  TensorIndex Times(TensorIndex gate, TensorIndex x) override { return Mul(gate, x); }
  TensorIndex Complement(TensorIndex gate) override;
  std::vector<TensorIndex> Outputs(TensorIndex scores) override;

 private:
  Weights Choose(const LinearLayer& layer) override;
  Bounds BoundsOf(Activation activation) const override;
  TensorIndex Softmax(TensorIndex x);  // over the last axis
  // Returns `count` numbers, uniform in +-bound.
  std::vector<double> Uniform(int64_t count, double bound);
};

}  // namespace assay
