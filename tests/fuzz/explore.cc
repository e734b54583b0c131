// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "check_graph.h"
#include "executor.h"
#include "fuzz_target.h"

namespace assay::fuzz {
namespace {

constexpr int64_t kElementsMax = 1 << 12;
constexpr Level kSmall = {"small", 6, 16, 16, 16, 31, 6, 64};

// Returns tensors of ones for the inputs of the main block; nothing if they have too many elements.
std::optional<std::vector<Tensor>> Inputs(const Graph& graph) {
  const Block* main = graph.Main();
  if (main == nullptr) return std::nullopt;
  std::vector<Tensor> inputs;
  int64_t elements = 0;
  for (const TensorIndex input : main->inputs) {
    const TensorType& type = main->TypeOf(input);
    if (type.shape.Elements() > kElementsMax - elements) return std::nullopt;
    elements += type.shape.Elements();
    inputs.push_back(Tensor::Splat(type.type, type.shape, 1));
  }
  return inputs;
}

}  // namespace

bool Explore(const Graph& graph) {
  CheckGraph(graph, kLevel8K, {});
  const std::optional<std::vector<Tensor>> inputs = Inputs(graph);
  if (!inputs) return false;
  ExecutionOptions options;
  options.level = kSmall;
  options.elements_max = kElementsMax;
  options.loop_iterations_max = 20;
  Context context;
  return Execute(context, graph, *inputs, options).kind == OutcomeKind::kValid;
}

}  // namespace assay::fuzz
