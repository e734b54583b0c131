// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace assay {

// The first access to a page costs more than writing it. So freed memory of large blocks is not
// returned to the system, and still larger blocks use large pages.

// Makes this process keep the memory that it frees, for later allocations. Called by main(). (With
// jemalloc this is always so.)
void KeepFreedMemory();

// Returns `bytes` bytes of uninitialized memory. Throws std::bad_alloc.
std::shared_ptr<uint8_t[]> RoomFor(size_t bytes);

}  // namespace assay
