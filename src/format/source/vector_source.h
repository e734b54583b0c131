// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "result.h"
#include "test_vector.h"

namespace assay {

// The sources of vectors: `.tvec` and `.tosa` files, Arm test directories (with a desc.json),
// suites (with a suite.json), packs of vectors (`.tvecs`), and folders with any of these at any
// depth.

struct VectorList {
  std::vector<std::string> vectors;  // each is an argument of LoadVector(), or a pack
  std::vector<std::string> suites;   // the folders of the suites that some of them come from
};
// Finds the vectors at `path`: the path itself, those of the suite, in its order, or all below the
// folder, sorted by name. Error kBadInput if there is neither a vector nor a suite.
Result<VectorList> FindVectors(const std::string& path);

// Returns only the vectors, those in packs as well. Error kBadInput if there is none.
Result<std::vector<std::string>> ListVectors(const std::string& path);

// Returns the path below which LoadVector() takes the vectors of a pack by their names: the folder
// of the suite that lists the pack, else the pack.
std::string PathOfPacked(const std::string& pack);

// Loads one vector, also one in a pack. A `.tosa` file gives a graph without steps. An Arm test
// directory gives one step without expectations.
Result<TestVector> LoadVector(const std::string& path);

}  // namespace assay
