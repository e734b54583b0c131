// SPDX-License-Identifier: Apache-2.0
// The configuration that jemalloc reads when a program is linked with it. Freed memory of any size
// is kept. A thread collects unused memory of its cache once in a GiB of allocations, not in 64
// KiB. This file is linked into programs only. In a library it would change the allocator of the
// programs that use the library.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf =
    "oversize_threshold:0,dirty_decay_ms:-1,muzzy_decay_ms:-1,tcache_gc_incr_bytes:1073741824";
}
