// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "case_source.h"
#include "result.h"

namespace assay {

// The vectors that a run needs again for its findings, and cannot load again: of a stream, or of a
// shard whose suite may be gone when shards are merged. JudgedRun::Add() bounds their number.
class KeptVectors {
 public:
  // `name` is that of the case, `words` are those of a command line that names it.
  void Add(int64_t index, std::string name, std::string words, const LoadedCase& loaded);
  bool Has(int64_t index) const { return vectors_.contains(index); }
  Result<LoadedCase> Load(int64_t index) const;
  const std::string& Name(int64_t index) const { return vectors_.at(index).name; }
  const std::string& Words(int64_t index) const { return vectors_.at(index).words; }
  // Returns the index of the vector of that name; nothing if there is none.
  std::optional<int64_t> IndexOf(const std::string& name) const;
  int64_t size() const { return std::ssize(vectors_); }

  // Writes a pack with the vectors by their names.
  Result<Done> WriteByName(const std::string& path) const;
  // Write a pack for ReadByIndex(). The indices in the file are those that `position` returns.
  Result<Done> WriteByIndex(const std::string& path,
                            const std::function<int64_t(int64_t)>& position) const;
  // Adds the vectors of such a file. Error kBadInput if it is damaged.
  Result<Done> ReadByIndex(const std::string& path);

 private:
  struct Vector {
    std::string name, words;
    std::vector<uint8_t> bytes;
  };
  std::map<int64_t, Vector> vectors_;
};

}  // namespace assay
