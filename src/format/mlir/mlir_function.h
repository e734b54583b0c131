// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
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
  bool lines = false;  // an operator without a location gets its file and line as one
  bool names = false;  // the inputs get the names of the arguments (MlirArgumentNames())
  std::string_view written = {};  // the text of the file, if MLIR wrote another one from it
  std::vector<std::string>* notes = nullptr;  // gets a line for everything that is ignored
};

// Returns the operations of a module, or of a text without a module.
const std::vector<MlirOperation>& MlirModuleBody(const std::vector<MlirOperation>& operations);

// Returns the functions of a module that have a body, by their symbols: "@main".
std::map<std::string, const MlirOperation*> MlirFunctions(
    const std::vector<MlirOperation>& operations);

// Returns the function of a module that has the name. Without a name, returns the only function, or
// the only one that is not private. Declarations do not count. Errors: kUsage, with the names, if
// there are several functions and none is named; kBadInput if there is none.
Result<const MlirOperation*> FindMlirFunction(const std::vector<MlirOperation>& operations,
                                              std::string_view function, std::string_view name);

}  // namespace assay
