// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph.h"
#include "read_limits.h"
#include "result.h"
#include "spirv_instructions.h"

namespace assay::spirv {

// The variable of an input or output of a graph.
struct InterfaceSlot {
  uint32_t set = 0;
  uint32_t binding = 0;
  friend bool operator==(const InterfaceSlot&, const InterfaceSlot&) = default;
};

// A graph of a module. The main block has the inputs and outputs of the graph in their order,
// which is also that of the slots. Graph constants without a value are inputs behind those.
struct GraphModule {
  Graph graph;
  std::string entry_point;
  std::vector<InterfaceSlot> inputs, outputs;
  std::vector<uint32_t> constant_inputs;  // the numbers of these graph constants, ascending
};

// Returns the value of an OpGraphConstantARM by its number; nothing if the constant becomes an
// input. An open dimension of `type` is -1. Null: all become inputs.
using GraphConstants = std::function<Result<std::optional<Tensor>>(uint32_t number,  //
                                                                   const TensorType& type)>;

// Reads the graph of an entry point. `entry_point` is empty for the only one.
//
// Tensors are called by their OpName, by DebugTensor, by the OpName of the variable of an input or
// output, or by the id in a text. A tensor without a name, or with one that another tensor has, is
// called "%7" after its id; a graph constant that becomes an input "graph_constant_N". Operators
// have the name of DebugOperation as their location, or the line of OpLine ("net.py:12:3").
//
// Specialization constants have their defaults. Constants that nothing reads are left out.
//
// An error begins with the place: "word 12: OpExtInst CONV2D: ...". It is kBadInput for what breaks
// the rules of SPIR-V, or takes more memory than the file or `limits` allow, kUnsupported for what
// no TOSA graph has (README.md), kUsage for an entry point that is not there, and as `constants`
// says.
Result<GraphModule> ReadModule(std::span<const uint32_t> words, const GraphConstants& constants,
                               const std::string& entry_point, const ReadLimits& limits);

// Does the same for a text that ParseModule() has parsed (spirv_text.h).
Result<GraphModule> ReadModule(const ModuleCode& code, const GraphConstants& constants,
                               const std::string& entry_point, const ReadLimits& limits);

}  // namespace assay::spirv
