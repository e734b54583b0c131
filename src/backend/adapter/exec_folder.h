// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "result.h"
#include "test_vector.h"

namespace assay {

// The folder of files in which a program of the kind `exec`, or a program on another machine, gets
// a vector. The section on `exec` in ../README.md describes the files.

// Returns "step-3-WHAT".
std::string StepFile(size_t step, const std::string& what);
// Returns "step-3-DIRECTION-0.npy". DIRECTION is input, load, output or state.
std::string TensorFile(size_t step, const char* direction, size_t index);

struct FolderFile {
  std::string name;
  std::vector<uint8_t> bytes;
};

// Returns the graphs, the inputs, the values of variables and, last, `steps.txt`. Every graph that
// a step runs has a main block.
std::vector<FolderFile> ExecFolderFiles(const TestVector& vector);

// Writes files to an existing folder, in their order.
Result<Done> WriteFolderFiles(const std::string& folder, const std::vector<FolderFile>& files);

// Writes files to a new folder. It gets its name last, so that nobody sees a part of it. If the
// folder exists, it stays as it is.
Result<Done> WriteNewFolder(const std::string& folder, const std::vector<FolderFile>& files);

}  // namespace assay
