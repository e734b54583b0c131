// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recorded_vectors.h"
#include "result.h"
#include "suite.h"
#include "test_vector.h"
#include "vector_pack.h"

namespace assay {

// A vector to be judged: a `.tvec` file, one in a pack, or an Arm test directory, which is judged
// twice.
struct LoadedCase {
  TestVector vector;                        // what runs
  std::optional<RecordedVectors> recorded;  // Arm test directories only
  std::string sha256{};                     // HashOfSource(); "" if it is in no file
};
Result<LoadedCase> LoadCase(const std::string& path);

// Returns the vector that a case is judged by. For an Arm test, this is our executor's expectation.
inline const TestVector& JudgedVector(const LoadedCase& loaded) {
  return loaded.recorded ? loaded.recorded->computed : loaded.vector;
}

// Returns the SHA-256 of the file of a vector, also of one in a pack. For a folder, returns that of
// what sha256sum prints for the files below it. Returns "" for what cannot be read.
std::string HashOfSource(const std::string& path);

// A suite that is a shard of a larger one.
struct SuiteShard {
  std::string folder;
  Suite::Shard shard;
  std::string identity;  // IdentityOfShards()
};

// The cases that the paths on a command line name. Cases of packs take no memory each.
class CaseList {
 public:
  int64_t size() const { return runs_.empty() ? 0 : runs_.back().first + runs_.back().count; }
  // Returns the path of a case, as LoadCase() takes it.
  std::string Name(int64_t index) const;
  // Does what LoadCase() does. Opens each pack once if the indices ascend.
  Result<LoadedCase> Load(int64_t index) const;
  // Returns all files and Arm test directories that the cases are read from, in order.
  std::vector<std::string> Files() const;

  std::vector<std::string> gaps;  // a line for each suite that is incomplete
  std::vector<SuiteShard> shards;

  // Adds a vector, an Arm test directory, or all vectors of a pack.
  Result<Done> Add(const std::string& path);
  // Adds the vectors of a pack that is in no file. Their names are those in the pack, below a
  // folder or "".
  void Add(VectorPack pack, std::string folder);

 private:
  // One path and the cases that it stands for.
  struct Run {
    std::string path;
    std::string folder;  // of the names of packed vectors
    int64_t first = 0, count = 1;
    bool is_pack = false;
  };
  size_t RunOf(int64_t index) const;
  const Result<VectorPack>& PackOf(size_t run) const;

  std::vector<Run> runs_;
  mutable size_t open_run_ = 0;  // of `open_`
  mutable std::optional<Result<VectorPack>> open_;
};

// Loads the vector of a pack, which is called `path`.
Result<LoadedCase> LoadPacked(const VectorPack& pack, int64_t number, const std::string& path);

// Lists all vectors at and below the paths. The files of a suite must be those that it lists.
// `note` is called with a line on vectors in the suite's folder that it does not list. Below
// folders, graphs without steps are skipped.
Result<CaseList> ListCases(const std::vector<std::string>& paths,
                           const std::function<void(const std::string&)>& note);

}  // namespace assay
