// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "exec_folder.h"
#include "test_vector.h"

namespace assay {

// Returns the file `vector.json`, which says for a program what `steps.txt` says: the steps, with
// the files, names, types and shapes of their tensors. It also has the VectorKey() of the vector.
// With `with_expected`, it says which outcome is expected of each step. Every graph that a step
// runs has a main block.
FolderFile VectorDescription(const TestVector& vector, const std::string& key, bool with_expected);

}  // namespace assay
