// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "graph.h"
#include "result.h"

namespace assay::spirv {

// A module, and the values of its OpGraphConstantARM instructions by their numbers.
struct Module {
  std::vector<uint32_t> words;
  std::vector<Tensor> constants;
};

// Writes the main block of a graph as a module with the graph entry point `main`. Tensors keep
// their names (OpName). Constants that nothing reads are left out. Error kUnsupported for graphs
// that such a module cannot express (README.md).
Result<Module> WriteModule(const Graph& graph);

}  // namespace assay::spirv
