// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "graph.h"
#include "mlir_function.h"
#include "read_limits.h"
#include "result.h"

namespace assay {

// Reads the graph of a function in an MLIR module in the TOSA dialect, generic form (`mlir-opt
// --mlir-print-op-generic`), over tensors of static shape.
// - Module-level variables are read as well, and regions become blocks of the main region.
// - A constant that a region captures is copied into its block. Any other captured value becomes an
//   operand, and an input of the blocks.
// - A result that is an argument of its block, or is returned twice, goes through an IDENTITY.
// - Attributes that MLIR leaves at their default are filled in.
// - `arith.constant` of a tensor is a CONST, and so is a `tensor.empty` without elements.
//
// Of the limits, only memory_max is used, for the elements of constants. Constants whose text has
// one element for all may take 512 MiB. Errors: `NAME:3: what is not understood`, and those of
// FindMlirFunction(). Error kUnsupported means that MLIR itself may be able to write the text in a
// form that can be read.
Result<Graph> ReadMlir(std::string_view text, std::string_view name, const ReadLimits& limits = {},
                       const MlirSource& source = {});

// Refuses a text of any form that gives an operation in generic form a property which TOSA 1.0 does
// not have: MLIR would drop it.
Result<Done> CheckMlirProperties(std::string_view text, std::string_view name);

// Returns the message for a dialect that ReadMlir() does not know.
std::string UnknownMlirDialect(std::string_view dialect);

}  // namespace assay
