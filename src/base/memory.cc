// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace assay {
namespace {

constexpr size_t kLargePage = size_t{2} << 20;

}  // namespace

void KeepFreedMemory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the highest that there is
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

std::shared_ptr<uint8_t[]> RoomFor(size_t bytes) {
  if (bytes < 2 * kLargePage) return std::make_shared_for_overwrite<uint8_t[]>(bytes);
  const size_t whole_pages = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  // The alignment is done here because memory from aligned_alloc(), once freed, is too small to be
  // used for the same request again.
  size_t space = whole_pages + kLargePage;
  void* const memory = std::malloc(space);
  if (memory == nullptr) throw std::bad_alloc();
  void* room = memory;
  std::align(kLargePage, whole_pages, room, space);
#if defined(__linux__)
  madvise(room, whole_pages, MADV_HUGEPAGE);  // if this is refused, the pages stay small
#endif
  return {static_cast<uint8_t*>(room), [memory](uint8_t*) { std::free(memory); }};
}

}  // namespace assay
