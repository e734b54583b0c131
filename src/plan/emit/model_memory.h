// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "liveness.h"

namespace assay {

// The memory of a graph that becomes a model in C.
struct ModelMemory {
  GraphMemory graph;  // its problem is to be planned
  // `own`, by pool: true if the source has the pool itself, because the target names no pool for
  // constants, or none for everything else. `read_only`, by pool: true if nobody writes the pool,
  // so that it holds nothing but constants.
  std::vector<bool> own, read_only;
  bool workspace_io =
      false;  // inputs and outputs lie in the pools; otherwise they are the caller's
  // The model's variables. The state of each is a byte of the buffer `states`.
  struct Variable {
    std::string name;
    TensorType type;
  };
  std::vector<Variable> variables;
  std::optional<int32_t> states;  // if there are variables

  std::optional<size_t> IndexOf(std::string_view variable) const;  // in `variables`
};

// Returns the blocks that run, each after the blocks that it runs; the main block is last. `graph`
// has passed CheckStructure().
std::vector<const Block*> BlocksToRun(const Graph& graph);

// Returns the result of MemoryOf(), and what the model needs beyond it. Error kBadInput names a
// rule that the graph breaks. Error kUnsupported names what C cannot express: tensors of unknown
// size, CUSTOM, variables of other graphs or of two types, shapes and variable tensors that control
// flow passes on.
Result<ModelMemory> MemoryOfModel(const Graph& graph, MemoryTarget target);

}  // namespace assay
