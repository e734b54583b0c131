#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "result.h"
#include "tosa_serialization_handler.h"

namespace assay {

// The version and regions of a FlatBuffer, which is verified first, into `handler`. Errors are
// those of the handler.
Result<Done> ReadSerialization(std::span<const uint8_t> file, std::string_view name,
                               const SerializationLimits& limits,
                               TosaSerializationHandler& handler);

// The FlatBuffer that says what `handler` holds.
Result<std::vector<uint8_t>> WriteSerialization(const TosaSerializationHandler& handler);

}  // namespace assay
