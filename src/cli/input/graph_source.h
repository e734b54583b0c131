#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "recorded.h"
#include "result.h"
#include "test_vector.h"

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

// True of a file of MLIR, text or bytecode.
bool IsMlirPath(std::string_view path);

// Declares --function NAME, the function of an MLIR file that has several.
void AddFunctionOption(CommandLine& line, std::string& function);

// A `.tosa`, `.json`, `.mlir` or `.mlirbc` file. `function` is that of an MLIR file, and empty for
// the only one. `notes` gets what was passed over; it may be null.
Result<Graph> LoadGraph(const std::string& path, const std::string& function,
                        std::vector<std::string>* notes);

// The bytes of a `.tosa` file, or those that a `.json` file says.
Result<std::vector<uint8_t>> LoadTosaBytes(const std::string& path);

// A vector to be judged: a `.tvec` file, or an Arm test directory, which is judged twice.
struct LoadedCase {
  TestVector vector;                        // what runs
  std::optional<RecordedVectors> recorded;  // of an Arm test directory
};
Result<LoadedCase> LoadCase(const std::string& path);

// The cases that the paths on a command line hold.
struct CaseList {
  std::vector<std::string> paths;  // of vectors and Arm test directories, as LoadCase() takes them
  std::vector<std::string> gaps;   // a line for each suite that is incomplete
};

// All vectors at and below the paths. The files of a suite must be those that it lists; a note is
// printed on vectors in its folder that it does not list. Graphs without steps are passed over
// below folders.
Result<CaseList> ListCases(const std::vector<std::string>& paths);

// The status of a command that came to `status` on cases with these gaps: kExitUndecided in place
// of kExitClean if there are any. Prints a note for each.
int StatusWithGaps(int status, const std::vector<std::string>& gaps);

}  // namespace assay
