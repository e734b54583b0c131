// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "result.h"
#include "suite.h"
#include "vector_pack.h"

namespace assay {

// Writes vectors to the packs of a folder, or to a stream of packs. Keeps one pack in memory.
class PackSink {
 public:
  // Writes to files in `folder`, which exists: PackFile(0), PackFile(1) and so on. Without
  // `writes`, only packs() is made.
  explicit PackSink(std::string folder, bool writes = true)
      : folder_(std::move(folder)), writes_(writes) {}
  // Writes to a stream, which ends with an empty pack. `name` is for errors.
  PackSink(int descriptor, std::string name) : folder_(std::move(name)), descriptor_(descriptor) {}

  Result<Done> Add(std::string_view name, std::span<const uint8_t> bytes);
  // Writes what is left. A folder gets no empty pack.
  Result<Done> Finish();
  // The packs that were written.
  const std::vector<Suite::Entry>& packs() const { return packs_; }

 private:
  Result<Done> Write();

  std::string folder_;
  bool writes_ = true;
  std::optional<int> descriptor_;
  VectorPackWriter writer_;
  std::vector<Suite::Entry> packs_;
};

}  // namespace assay
