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

// What all readers of FlatBuffers need before and beyond flatbuffers::Verifier.

// The same bytes at an address that scalars can be read from in place: a copy only if they are not.
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

// A table takes eight bytes with what refers to it, so more than these are the same ones met again
// and again.
inline size_t TablesInFile(size_t file_bytes) {
  return std::min<size_t>(file_bytes / 8 + 64, FLATBUFFERS_MAX_BUFFER_SIZE);
}

// What is said of a file beyond a member of ReadLimits.
inline std::string LimitText(const char* limit, int64_t value) {
  return std::string("is beyond the limit ") + limit + " of " + std::to_string(value);
}

// Limits for a file of so many bytes.
inline flatbuffers::Verifier::Options VerifierOptions(size_t file_bytes, const ReadLimits& limits) {
  flatbuffers::Verifier::Options options;
  options.max_depth = 8;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(
      std::min(TablesInFile(file_bytes), static_cast<size_t>(limits.tables_max)));
  return options;
}

// ", or has more than ..." where the verifier may have failed for ReadLimits::tables_max.
inline std::string TableLimitText(size_t file_bytes, const ReadLimits& limits) {
  if (TablesInFile(file_bytes) <= static_cast<size_t>(limits.tables_max)) return "";
  return ", or " + LimitText("tables_max", limits.tables_max);
}

// The first field of a verified table whose id is not below `known`: something that the schema we
// read by does not have.
inline std::optional<size_t> UnknownField(const flatbuffers::Table& table, size_t known) {
  const uint8_t* vtable = table.GetVTable();
  const auto bytes = flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable);
  for (size_t id = known; 4 + 2 * id + 2 <= bytes; ++id) {
    if (flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable + 4 + 2 * id) != 0) return id;
  }
  return std::nullopt;
}

}  // namespace assay
