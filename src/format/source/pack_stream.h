// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "result.h"
#include "vector_pack.h"

namespace assay {

// Streams of vectors that follow each other, as in `cat a b`. A stream is a sequence of packs, and
// ends with an empty one.
class PackStream {
 public:
  // `name` is for errors. Reading gives up as soon as `stopped` returns true, after a signal.
  PackStream(int descriptor, std::string name, std::function<bool()> stopped)
      : descriptor_(descriptor), name_(std::move(name)), stopped_(std::move(stopped)) {}

  // Reads the next pack, which has vectors. Returns nothing at the end of the last stream, or after
  // a signal. Error kBadInput if the input ends within a stream or before the first one, or has
  // anything else, or if a stream has a vector twice.
  Result<std::optional<VectorPack>> Next();

  // Returns the folder for the names of the vectors of the last pack: "" for the first stream,
  // "stream-2" for the second. So names that several streams have do not collide.
  std::string folder() const { return streams_ == 1 ? "" : "stream-" + std::to_string(streams_); }

 private:
  Result<Done> CheckNames(const VectorPack& pack);
  std::string Place() const;

  int descriptor_;
  std::string name_;
  std::function<bool()> stopped_;
  int64_t streams_ = 0;  // that have begun
  bool inside_ = false;  // of the last of them
  std::map<std::string, std::string> last_names_;
};

}  // namespace assay
