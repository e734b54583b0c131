#pragma once

#include <string_view>

#include "graph.h"
#include "read_limits.h"
#include "result.h"

namespace assay {

// The graph of an MLIR module in the TOSA dialect, generic form (`mlir-opt
// --mlir-print-op-generic`), with one function @main over tensors of static shape. Regions become
// blocks of the main region; a constant that a region captures is copied into its block, any other
// captured value is an error. A result that is an argument of its block, or returned twice, goes
// through an IDENTITY. Attributes that MLIR leaves at their default are filled in.
// Of the limits memory_max counts, for the elements of constants; those of which the text has one
// element for all may take 512 MiB.
// Errors: `NAME: line 3: what is not understood`.
Result<Graph> ReadMlir(std::string_view text, std::string_view name, const ReadLimits& limits = {});

}  // namespace assay
