// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "result.h"
#include "tosa_serialization_handler.h"

namespace assay {

// Content of a file that JSON, and flatbuffers' writer of JSON, cannot handle.
struct SerializationOddities {
  bool outside_data = false;       // a tensor's data stands outside of its table
  bool untyped_attribute = false;  // an operator has a table of unknown kind, which nobody verified
};

// Reads the version and regions of a FlatBuffer into `handler`. The FlatBuffer is verified first.
// Large data of tensors share the bytes of the file if their owner is given.
// Errors are those of the handler.
Result<SerializationOddities> ReadSerialization(std::span<const uint8_t> file,
                                                std::string_view name, const ReadLimits& limits,
                                                TosaSerializationHandler& handler,
                                                std::shared_ptr<const uint8_t[]> owner = nullptr);

// Returns the FlatBuffer with the content of `handler`.
Result<std::vector<uint8_t>> WriteSerialization(const TosaSerializationHandler& handler);

// Returns the largest size of a FlatBuffer with the content.
size_t WireBytesMax(const TosaSerializationHandler& handler);

}  // namespace assay
