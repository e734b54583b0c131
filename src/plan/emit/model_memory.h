#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "liveness.h"

namespace assay {

// The memory of a graph that becomes a model in C.
struct ModelMemory {
  GraphMemory graph;  // its problem is what is to be planned
  // By pool: whether the source has it itself, because the target named none for constants, or none
  // for all else; and whether nobody writes it, so that it holds nothing but constants.
  std::vector<bool> own, read_only;
  bool workspace_io =
      false;  // inputs and outputs lie in the pools; otherwise they are the caller's
  // The model's variables. What is known of each is a byte of the buffer `states`.
  struct Variable {
    std::string name;
    TensorType type;
  };
  std::vector<Variable> variables;
  int32_t states = -1;  // -1 if there are no variables

  int32_t IndexOf(std::string_view variable) const;  // in `variables`
};

// The blocks that run, each after those that it runs; the main block is the last. `graph` has
// passed CheckStructure().
std::vector<const Block*> BlocksToRun(const Graph& graph);

// What MemoryOf() gives, and what the model needs beyond it. Error kBadInput names a rule that the
// graph breaks, kUnsupported what cannot be said in C: tensors of unknown size, CUSTOM, variables
// of other graphs or of two types, shapes and variable tensors that control flow hands on.
Result<ModelMemory> MemoryOfModel(const Graph& graph, MemoryTarget target);

}  // namespace assay
