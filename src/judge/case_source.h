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
  std::optional<RecordedVectors> recorded;  // of an Arm test directory
};
Result<LoadedCase> LoadCase(const std::string& path);

// The cases that the paths on a command line hold.
struct CaseList {
  std::vector<std::string> paths;  // of vectors and Arm test directories, as LoadCase() takes them
  std::vector<std::string> gaps;   // a line for each suite that is incomplete
};

// All vectors at and below the paths. The files of a suite must be those that it lists; `note` is
// given a line on vectors in its folder that it does not list. Graphs without steps are passed over
// below folders.
Result<CaseList> ListCases(const std::vector<std::string>& paths,
                           const std::function<void(const std::string&)>& note);

}  // namespace assay
