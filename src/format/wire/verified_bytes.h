// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "read_limits.h"

namespace assay {

// Helpers that all readers of FlatBuffers need in addition to flatbuffers::Verifier.

// The same bytes at an address from which scalars can be read in place. They are copied only if
// necessary.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::span<const uint8_t> bytes) : bytes_(bytes) {
    if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) == 0) return;
    copy_.resize(bytes.size() / sizeof(uint64_t) + 1);
    const auto to = reinterpret_cast<uint8_t*>(copy_.data());
    std::copy(bytes.begin(), bytes.end(), to);
    bytes_ = {to, bytes.size()};
  }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const uint8_t> bytes_;
  std::vector<uint64_t> copy_;
};

// Returns the most tables that a file has room for. A table and the reference to it take eight
// bytes, so a larger count means that tables are met again and again.
inline size_t TablesInFile(size_t file_bytes) {
  return std::min<size_t>(file_bytes / 8 + 64, FLATBUFFERS_MAX_BUFFER_SIZE);
}

// Returns the message for a file that exceeds a member of ReadLimits.
inline std::string LimitText(const char* limit, int64_t value) {
  return std::string("is beyond the limit ") + limit + " of " + std::to_string(value);
}

// Returns the options for a file of `file_bytes` bytes.
inline flatbuffers::Verifier::Options VerifierOptions(size_t file_bytes, const ReadLimits& limits) {
  flatbuffers::Verifier::Options options;
  options.max_depth = 8;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(
      std::min(TablesInFile(file_bytes), static_cast<size_t>(limits.tables_max)));
  return options;
}

// Returns ", or has more than ..." if the verifier may have failed because of
// ReadLimits::tables_max.
inline std::string TableLimitText(size_t file_bytes, const ReadLimits& limits) {
  if (TablesInFile(file_bytes) <= static_cast<size_t>(limits.tables_max)) return "";
  return ", or " + LimitText("tables_max", limits.tables_max);
}

// Returns the first field of a verified table whose id is not below `known`. Our schema does not
// have that field.
inline std::optional<size_t> UnknownField(const flatbuffers::Table& table, size_t known) {
  const uint8_t* vtable = table.GetVTable();
  const auto bytes = flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable);
  for (size_t id = known; 4 + 2 * id + 2 <= bytes; ++id) {
    if (flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable + 4 + 2 * id) != 0) return id;
  }
  return std::nullopt;
}

}  // namespace assay
