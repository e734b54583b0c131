#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlir_syntax.h"
#include "result.h"

namespace assay {

// The function of an MLIR text to read, and the origin of the text.
struct MlirSource {
  std::string_view function;                 // "main" or "@main"; empty: the only one
  std::span<const std::string> places = {};  // the `places` argument of ParseMlir()
};

// Returns the operations of a module, or of a text without a module.
const std::vector<MlirOperation>& MlirModuleBody(const std::vector<MlirOperation>& operations);

// Returns the function of a module that has the name, or the only function. Declarations do not
// count. Errors: kUsage, with the names, if there are several functions and none is named;
// kBadInput if there is none.
Result<const MlirOperation*> FindMlirFunction(const std::vector<MlirOperation>& operations,
                                              std::string_view function, std::string_view name);

}  // namespace assay
