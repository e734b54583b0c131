#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlir_syntax.h"
#include "result.h"

namespace assay {

// Which part of an MLIR text is meant, and where the text comes from.
struct MlirSource {
  std::string_view function;                 // "main" or "@main"; empty: the only one
  std::span<const std::string> places = {};  // as ParseMlir() takes them
};

// The operations of a module, or of a text without one.
const std::vector<MlirOperation>& MlirModuleBody(const std::vector<MlirOperation>& operations);

// The function of a module that has the name, or the only one. Declarations do not count.
// Errors: kUsage if there are several and none is named, with their names; kBadInput if there is
// none.
Result<const MlirOperation*> FindMlirFunction(const std::vector<MlirOperation>& operations,
                                              std::string_view function, std::string_view name);

}  // namespace assay
