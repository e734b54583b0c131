#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "result.h"
#include "tosa_serialization_handler.h"

namespace assay {

// What a file has that JSON and flatbuffers' writer of it do not cope with.
struct SerializationOddities {
  bool outside_data = false;       // a tensor's data stands outside of its table
  bool untyped_attribute = false;  // an operator has a table of unknown kind, which nobody verified
};

// The version and regions of a FlatBuffer, which is verified first, into `handler`. Errors are
// those of the handler.
Result<SerializationOddities> ReadSerialization(std::span<const uint8_t> file,
                                                std::string_view name, const ReadLimits& limits,
                                                TosaSerializationHandler& handler);

// The FlatBuffer that says what `handler` holds.
Result<std::vector<uint8_t>> WriteSerialization(const TosaSerializationHandler& handler);

// What a FlatBuffer of the content takes at most.
size_t WireBytesMax(const TosaSerializationHandler& handler);

}  // namespace assay
