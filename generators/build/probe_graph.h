// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "test_vector.h"

namespace assay {

// A small vector in which a declaration determines every element of the results.
struct Probe {
  std::string what;  // "MATMUL fp16 to fp32, 64 products"
  TestVector vector;
};

// Builds a small vector of one graph and one step, operator by operator.
class ProbeGraph {
 public:
  // Names of tensors begin with a letter, which the caller may choose.
  TensorIndex Input(const Tensor& value, char letter = 't') {
    block_.inputs.push_back(Declare(value.tensor_type(), letter));
    step_.inputs.push_back(value);
    return block_.inputs.back();
  }
  TensorIndex Constant(const Tensor& value, char letter = 't') {
    const TensorIndex constant = Declare(value.tensor_type(), letter);
    block_.operators.push_back({Op::kConst, {{AttributeId::kValues, value}}, {}, {constant}});
    return constant;
  }
  TensorIndex Add(Op op, std::vector<TensorIndex> inputs, const TensorType& type,
                  Attributes attributes = {}) {
    return AddAll(op, std::move(inputs), {&type, 1}, std::move(attributes))[0];
  }
  // Adds an operator with results of these types.
  std::vector<TensorIndex> AddAll(Op op, std::vector<TensorIndex> inputs,
                                  std::span<const TensorType> types, Attributes attributes) {
    std::vector<TensorIndex> outputs;
    for (const TensorType& type : types) outputs.push_back(Declare(type, 't'));
    block_.operators.push_back({op, std::move(attributes), std::move(inputs), outputs});
    return outputs;
  }
  // Returns the vector, without an expectation. The object must not be used again.
  TestVector Finish(std::vector<TensorIndex> outputs) {
    TestVector vector;
    vector.graphs = {EmptyGraph()};
    block_.outputs = std::move(outputs);
    block_.name = vector.graphs[0].Main()->name;
    *vector.graphs[0].Main() = std::move(block_);
    vector.steps = {std::move(step_)};
    return vector;
  }
  // Returns a probe, which expects exactly these results.
  Probe Finish(std::string what, TensorIndex output, const std::vector<double>& expected) {
    const TensorType type = block_.TypeOf(output);
    step_.outputs = {{Tensor::FromFloats(type.type, type.shape, expected), {}, {}, "exact"}};
    return Finish(std::move(what), output);
  }
  // Returns a probe without an expectation.
  Probe Finish(std::string what, TensorIndex output) { return {std::move(what), Finish({output})}; }

 private:
  TensorIndex Declare(const TensorType& type, char letter) {
    return block_.AddTensor(letter + std::to_string(block_.tensors.size()), type);
  }

  Block block_;
  Step step_;
};

}  // namespace assay
