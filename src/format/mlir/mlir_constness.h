#pragma once

#include <string_view>
#include <vector>

#include "folding.h"
#include "mlir_function.h"
#include "result.h"

namespace assay {

// How constant the arguments of a function are in an MLIR module: by its attributes
// `compiletime_const_args_index` and `runtime_const_args_index`, lists of positions ("[1 : i32]");
// the others vary. Errors are those of ParseMlir() and FindMlirFunction(), or name the attribute
// that has a position twice, beyond the arguments, or something else than positions.
Result<std::vector<Constness>> ReadMlirConstness(std::string_view text, std::string_view name,
                                                 const MlirSource& source = {});

}  // namespace assay
