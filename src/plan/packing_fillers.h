#pragma once

#include <cstdint>
#include <optional>

#include "pool_packing.h"

namespace assay {

// The packing and, after its buffers, others that take all that is left free below a height: what a
// section leaves free more than the one before it begins there, and ends where as much less is
// free. A packing of all is one of the first buffers; that there is none proves nothing. Nothing if
// nothing is free, if sections do not say all, or if that would be more fillers than buffers.
std::optional<Packing> WithFillers(const Packing& packing, int64_t height);

}  // namespace assay
