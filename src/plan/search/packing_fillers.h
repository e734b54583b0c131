// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "pool_packing.h"

namespace assay {

// Returns the packing with more buffers after its own, the fillers, so that every section is full
// up to `height`. Offsets that pack all of them also pack the original buffers. If the fillers
// cannot be packed, the original buffers may still fit. A filler begins where a section leaves more
// free than the section before it, and ends where a section leaves less. Returns nothing if no
// section leaves anything free, if a section is higher than `height`, if there are alignments,
// fixed offsets or other conflicts than those of live ranges, or if the packing or the number of
// fillers is too large.
std::optional<Packing> WithFillers(const Packing& packing, int64_t height);

}  // namespace assay
