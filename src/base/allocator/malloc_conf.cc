// Read by jemalloc, with which programs are linked: what is freed is kept, of any size, and a thread
// looks for what its cache does not use once in a GiB of allocations, not in 64 KiB. It is part of
// programs, never of a library: what a library defines would be in force in the programs of others.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf =
    "oversize_threshold:0,dirty_decay_ms:-1,muzzy_decay_ms:-1,tcache_gc_incr_bytes:1073741824";
}
