// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exec_folder.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// The layouts of the folder of a vector.
enum class ExportLayout : uint8_t {
  kFolders,  // the files that the kind `exec` gives to a program
  kNpz,      // the same, with the inputs of all steps in `inputs.npz`
  kArm,      // an Arm test directory for each step
};

// Returns the files of the folder of a vector: those of the layout, and `vector.json`, which says
// the same as `steps.txt` and the key of the vector. With `with_expected`, they include the
// expected values of outputs, below `expected/`. The layout is kFolders or kNpz.
std::vector<FolderFile> ExportedFiles(const TestVector& vector, const std::string& key,
                                      ExportLayout layout, bool with_expected);

// Writes the folder of a vector in any layout. If the folder exists, it stays as it is. Errors of
// WriteArmDirectory() and of writing files.
Result<Done> ExportVector(const TestVector& vector, const std::string& key, ExportLayout layout,
                          bool with_expected, const std::string& folder);

// A vector in the list of an export.
struct ExportedVector {
  std::string key;   // VectorKey()
  std::string path;  // as the user reaches it
  int64_t steps = 0;
};

// Returns the text of `manifest.json`: the vectors of an export, with their paths and keys.
// `layout` is the word of the command line.
std::string ManifestText(const std::string& layout, const std::vector<std::string>& suites,
                         const std::vector<ExportedVector>& vectors);

}  // namespace assay
