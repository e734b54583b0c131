// SPDX-License-Identifier: Apache-2.0
#include "float_flow.h"

#include <algorithm>

#include "inexact_operators.h"

namespace assay {

FloatFlow::FloatFlow(const TestVector& vector) {
  for (const Graph& graph : vector.graphs) {
    for (const Block& block : graph.Blocks()) {
      values_[&block].resize(block.tensors.size());
      for (const Operator& op : block.operators) block_of_[&op] = &block;
    }
  }
}

std::vector<std::string> FloatFlow::Ran(const Operator& op) {
  const Block& block = *block_of_.at(&op);
  const bool is_inexact = IsInexact(block, op);
  Value result = {0, op.op == Op::kVariableRead, is_inexact ? op.op : Op::kUnknown};
  std::vector<std::string> pairs;
  for (const TensorIndex input : op.inputs) {
    const Value& operand = At(block, input);
    result.depth = std::max(result.depth, operand.depth);
    result.varies |= operand.varies;
    if (is_inexact && operand.inexact_producer != Op::kUnknown) {
      pairs.push_back(InexactPair(operand.inexact_producer, op.op, block.TypeOf(input).type));
    }
  }
  if (is_inexact) ++result.depth;
  std::vector<Value>& values = values_.at(&block);
  for (const TensorIndex output : op.outputs) values[static_cast<size_t>(output)] = result;
  return pairs;
}

std::vector<bool> FloatFlow::VaryingOperands(const Operator& op) const {
  const Block& block = *block_of_.at(&op);
  std::vector<bool> varying;
  for (const TensorIndex input : op.inputs) varying.push_back(At(block, input).varies);
  return varying;
}

std::vector<int32_t> FloatFlow::DepthsOfOutputs(const Graph& graph) const {
  std::vector<int32_t> depths;
  const Block& main = *graph.Main();
  for (const TensorIndex output : main.outputs) {
    if (IsFloat(main.TypeOf(output).type)) depths.push_back(At(main, output).depth);
  }
  return depths;
}

std::string_view DepthClassOf(int32_t depth) {
  constexpr int32_t kLeast[] = {1, 2, 3, 4, 8, 16};
  const auto beyond = std::ranges::upper_bound(kLeast, depth);
  return kDepthClasses[beyond - std::begin(kLeast) - 1];
}

}  // namespace assay
