// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "block_index.h"
#include "graph.h"
#include "signature.h"

namespace assay {

// Checks the inputs of a graph against those of its main block: number and shapes
// (graph/ERROR_IF/input-list), then element types (graph/ERROR_IF/list-types).
void CheckInputs(const Block& main, std::span<const TensorType> given, Judgement& judgement);

// Checks the lists of a COND_IF or WHILE_LOOP of `block` against the graphs that it runs. The text
// compares shapes only. If only element types differ, that is a separate error
// (graph/ERROR_IF/list-types, reading `control-flow-types`).
void CheckCalls(const BlockIndex& blocks, const Block& block, const Operator& op,
                Judgement& judgement);

}  // namespace assay
