#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "result.h"

namespace assay {

class CommandLine;

// What a path on the command line stands for.
enum class SourceKind : uint8_t {
  kTosa,          // a `.tosa` file or one in JSON: a graph, no inputs
  kMlir,          // a `.mlir` or `.mlirbc` file, the same
  kVector,        // a `.tvec` file
  kArmDirectory,  // a folder with desc.json
  kFolder,        // any other folder, a suite among them
};

// By the ending of a file, the content of a folder. Error kBadInput if there is nothing at `path`,
// kUsage if it is nothing we know.
Result<SourceKind> KindOfSource(const std::string& path);

// Declares --function NAME, the function of an MLIR file that has several.
void AddFunctionOption(CommandLine& line, std::string& function);

// A `.tosa`, `.json`, `.mlir` or `.mlirbc` file. `function` is that of an MLIR file, and empty for
// the only one. `notes` gets what was passed over; it may be null.
Result<Graph> LoadGraph(const std::string& path, const std::string& function,
                        std::vector<std::string>* notes);

// The bytes of a `.tosa` file, or those that a `.json` file says.
Result<std::vector<uint8_t>> LoadTosaBytes(const std::string& path);

}  // namespace assay
