#pragma once

#include <string>

#include "graph.h"
#include "result.h"

namespace assay {

// The MLIR text of a graph: a module in the TOSA dialect, generic form, whose function @main takes
// the inputs of the main block and returns its outputs. Floats are written as their bits, so that
// nothing is lost. VARIABLE operators become module-level variables; the blocks that COND_IF and
// WHILE_LOOP name become their regions.
// Fails with kUnsupported on what the dialect has no word for: variable tensors (the older form of
// state), optional attributes left out, graphs that call themselves. Fails with kResource if the text
// would be longer than 1 GiB: a block is written once for each operator that runs it.
Result<std::string> WriteMlir(const Graph& graph);

// One element type and shape: "tensor<2x3xf32>", "!tosa.shape<2>" for shape_t.
std::string MlirTensorType(const TensorType& type);

}  // namespace assay
