#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstddef>
#include <optional>

namespace assay {

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
