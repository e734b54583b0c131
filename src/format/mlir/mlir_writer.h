// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "graph.h"
#include "result.h"

namespace assay {

// The dialect of TOSA 1.0, or that of LLVM 19, which is older (mlir_legacy.h) and only for graphs
// that break no rule.
enum class MlirDialect : uint8_t { kTosa1, kLlvm19 };

// Returns the MLIR text of a graph: a module in the TOSA dialect, generic form. Its function @main
// takes the inputs of the main block and returns its outputs. Floats are written as their bits, so
// that nothing is lost. VARIABLE operators become module-level variables. The blocks that COND_IF
// and WHILE_LOOP name become their regions. Error kUnsupported if the dialect cannot express
// something: variable tensors (the older form of state), missing optional attributes, graphs that
// call themselves. Error kResource if the text would be longer than 1 GiB; a block is written once
// for each operator that runs it.
Result<std::string> WriteMlir(const Graph& graph, MlirDialect dialect = MlirDialect::kTosa1);

// Returns the MLIR type of a tensor: "tensor<2x3xf32>", "!tosa.shape<2>" for shape_t.
std::string MlirTensorType(const TensorType& type);

}  // namespace assay
