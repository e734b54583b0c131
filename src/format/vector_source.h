#pragma once

#include <string>
#include <vector>

#include "result.h"
#include "test_vector.h"

namespace assay {

// Where vectors come from: `.tvec` and `.tosa` files, Arm test directories (with a desc.json),
// suites (with a suite.json), and folders with any of these at any depth.

// The vectors that `path` stands for, each as LoadVector() takes it: the path itself, those that
// the suite lists, in its order, or all below the folder, sorted by name. Error kBadInput if there
// is none.
Result<std::vector<std::string>> ListVectors(const std::string& path);

// One vector. A `.tosa` file gives a graph without steps; an Arm test directory gives one step
// without expectations. `notes` as in ReadTosa().
Result<TestVector> LoadVector(const std::string& path, std::vector<std::string>* notes);

}  // namespace assay
