#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "result.h"

namespace assay {

// A function of an MLIR file, and the generic form that it was read from.
struct MlirFile {
  std::string text;
  std::vector<std::string> places;  // as ParseMlir() takes them
  Graph graph;
};

// Reads a file of MLIR: text in generic form, as ReadMlir() does; any other text and bytecode
// through `assay-mlir-helper`, which writes them in generic form. `function` is the name of one of
// several functions, or empty.
// Errors: those of ReadMlir(); kBadInput if MLIR cannot parse the file; kUnsupported if it needs
// the helper and there is none, or the helper crashes or takes too long.
Result<MlirFile> LoadMlir(const std::string& path, std::string_view function);

}  // namespace assay
