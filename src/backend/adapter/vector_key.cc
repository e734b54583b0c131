// SPDX-License-Identifier: Apache-2.0
#include "vector_key.h"

#include "sha256.h"
#include "tosa_file.h"

namespace assay {
namespace {

std::string LineOf(const Tensor& tensor) {
  return tensor.tensor_type().ToString() + " " + Sha256(tensor.bytes()) + "\n";
}

}  // namespace

std::string VectorKey(const TestVector& vector) {
  std::string text = "assay vector 1\nlevel " + vector.level + "\n";
  for (const Graph& graph : vector.graphs) text += "graph " + Sha256(WriteTosa(graph)) + "\n";
  for (const Step& step : vector.steps) {
    text += "step context " + std::to_string(step.context) + " graph " +
            std::to_string(step.graph) + "\n";
    for (const Tensor& input : step.inputs) text += "input " + LineOf(input);
    for (const auto& [name, value] : step.state_before) {
      text += "load " + Sha256(name) + " " + LineOf(value);
    }
  }
  return Sha256(text);
}

std::string TapsKey(const TestVector& vector, const TapRequest& asked) {
  std::string text = "assay taps 1\n" + VectorKey(vector) + "\n";
  for (const std::vector<TensorIndex>& tensors : asked) {
    text += "graph";
    for (const TensorIndex tensor : tensors) text += " " + std::to_string(tensor);
    text += "\n";
  }
  return Sha256(text);
}

}  // namespace assay
