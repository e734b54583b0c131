// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "pool_packing.h"

namespace assay {

// Returns the packing with more buffers after its own, the fillers, so that every section is full
// up to `height`. Offsets that pack all of them also pack the original buffers. If the fillers
// cannot be packed, the original buffers may still fit. There are many ways to split free space
// into fillers, and each `attempt` takes another one (filler_split.h). Returns nothing if nothing
// is free, if there is not enough room, if there are alignments, fixed offsets or other conflicts
// than those of live ranges, or if the packing or the number of fillers is too large.
std::optional<Packing> WithFillers(const Packing& packing, int64_t height, uint64_t attempt);

}  // namespace assay
