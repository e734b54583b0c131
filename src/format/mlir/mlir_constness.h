// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "folding.h"
#include "mlir_function.h"
#include "result.h"

namespace assay {

// Returns the constness of the arguments of a function in an MLIR module. The attributes
// `compiletime_const_args_index` and `runtime_const_args_index` list positions ("[1 : i32]"); all
// other arguments vary. Errors are those of ParseMlir() and FindMlirFunction(). Another Error names
// the attribute that has a position twice, beyond the arguments, or something other than positions.
Result<std::vector<Constness>> ReadMlirConstness(std::string_view text, std::string_view name,
                                                 const MlirSource& source = {});

}  // namespace assay
