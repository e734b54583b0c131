// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "allowed_operators.h"

namespace assay {

// Grows a graph of about `operators` operators on a lattice, in fp32, fp16 or bf16: inputs, weights
// and constants are few integers times one unit, and an operator is added only if every element of
// its result has one value for every backend of plain sums (Declarations::plain_sums). So has the
// whole graph then. The vector has one step, with the expectation by the specification alone; it
// has no steps if the options allow no such graph.
TestVector GrowLatticeGraph(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                            int64_t operators);

}  // namespace assay
