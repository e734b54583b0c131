#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace assay {

// The first touch of a page costs more than writing it does. So large memory is not given back to
// the system, and what is larger still lies in large pages.

// For main(): lets this process keep what it frees, for the next allocation. (With jemalloc it does
// in any case.)
void KeepFreedMemory();

// So many bytes, not set.
std::shared_ptr<uint8_t[]> RoomFor(size_t bytes);

}  // namespace assay
