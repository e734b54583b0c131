#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "read_limits.h"
#include "result.h"

namespace assay {

// Whether `bytes`, aligned for scalars, can be read as a tosa::TosaGraph: the identifier is there,
// every offset inside, every string ended, and nothing beyond the limits (memory_max is for whoever
// reads it). If not, the Error says so of the file called `name`.
// Unlike the generated verifier this takes time in proportion to the file, also for files in which
// many operators share one long list of names.
Result<Done> VerifyTosa(std::span<const uint8_t> bytes, std::string_view name,
                        const ReadLimits& limits = {});

}  // namespace assay
