// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "folding.h"
#include "folding_fault.h"
#include "mutants.h"

namespace assay {

// The mistakes of FoldFault that need more than a branch in the correct code. With any other fault,
// these functions change nothing.

// Returns the attributes to copy to another graph. If `are_lost`, flags, axes and other attributes
// are reset.
Attributes Carried(const Attributes& attributes, bool are_lost);

// Adds a tensor to a block, under a name that no other tensor has.
TensorIndex AddTensor(Block& block, std::string name, TensorType type);

// Changes the results that a stage has computed.
void Spoil(std::vector<Tensor>& results, FoldStage which, FoldFault fault);

// Returns the mutant that computes at compile time in place of the executor, or null for the
// executor.
const Mutant* EvaluatorOf(FoldFault fault);

// Returns the compile-time stage with fp32 in place of fp16 and bf16. Results are rounded at the
// end.
Graph WithoutRounding(const Graph& stage);

}  // namespace assay
