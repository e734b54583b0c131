// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model_values.h"
#include "tapped_windows.h"
#include "test_vector.h"
#include "windows.h"

namespace assay {

// A block that control flow of a model runs, at one place, as a model of its own.
struct CalledBlock {
  std::vector<OperatorPlace> callers;  // COND_IF and WHILE_LOOP, from the main block inwards
  AttributeId role = {};               // the attribute of the last caller that names the block
  size_t caller_layer = 0;             // the number of the last caller, among all layers, from 1
  int32_t block = 0;                   // position in Graph::Blocks()
  // The number of layers before the first one of this block: those of the main block, and of the
  // blocks before it in the list.
  size_t layers_before = 0;
  // Has the block as its main one. Its steps are those executions of the block that are kept: the
  // first three, and the last. If the model does not run it, there is one on the operands of the
  // caller, unless it breaks a rule or needs a variable.
  TestVector model;
  NeededPart part;                  // what its results and the variables that it writes depend on
  std::vector<ModelValues> values;  // of these steps
  bool is_run = false;
  // Tells of the body of a loop whether some run of the loop had no, one, and several iterations.
  std::array<bool, 3> turns = {};
};

// Returns the blocks that the operators of a part of a model run, in the order of the callers, each
// followed by those that it runs itself. The list of places depends on the graph only.
std::vector<CalledBlock> CalledBlocksOf(const TestVector& model, const NeededPart& part);

// Returns the block that a layer with this number stands in; null for the main one.
const CalledBlock* BlockOfLayer(const std::vector<CalledBlock>& blocks, size_t number);

}  // namespace assay
