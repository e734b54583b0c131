// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "read_limits.h"
#include "result.h"

namespace assay {

// Checks that `bytes`, aligned for scalars, can be read as a tosa::TosaGraph. The identifier must
// exist, every offset must be inside, every string must end, and nothing may exceed the limits
// (memory_max is for the reader). The Error names the file called `name`. Unlike the generated
// verifier, it takes time in proportion to the file, even if many operators share one long list of
// names.
Result<Done> VerifyTosa(std::span<const uint8_t> bytes, std::string_view name,
                        const ReadLimits& limits = {});

}  // namespace assay
