#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "recorded_vectors.h"
#include "result.h"
#include "test_vector.h"

namespace assay {

// A vector to be judged: a `.tvec` file, or an Arm test directory, which is judged twice.
struct LoadedCase {
  TestVector vector;                        // what runs
  std::optional<RecordedVectors> recorded;  // Arm test directories only
};
Result<LoadedCase> LoadCase(const std::string& path);

// The cases that the paths on a command line name.
struct CaseList {
  std::vector<std::string> paths;  // of vectors and Arm test directories, as LoadCase() takes them
  std::vector<std::string> gaps;   // a line for each suite that is incomplete
};

// Lists all vectors at and below the paths. The files of a suite must be those that it lists.
// `note` is called with a line on vectors in the suite's folder that it does not list. Below
// folders, graphs without steps are skipped.
Result<CaseList> ListCases(const std::vector<std::string>& paths,
                           const std::function<void(const std::string&)>& note);

}  // namespace assay
