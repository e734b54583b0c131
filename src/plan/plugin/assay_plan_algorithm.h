#pragma once
/* A memory planning algorithm as a shared library, in C99: what `--algorithm plugin:FILE.so` loads.
   The library exports one function, assay_plan_algorithm(). It is called in a process of its own:
   what goes wrong there is said in one line, and its plan is checked before anything is done with
   it. All sizes, offsets and alignments are in bytes; buffers and pools are called by their
   numbers, from 0. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ASSAY_PLAN_ALGORITHM_VERSION = 1, /* of what this file describes */
  ASSAY_PLAN_REASON_SIZE = 256
};

typedef int32_t assay_plan_status; /* one of these; any other is a failure of its own */
enum {
  ASSAY_PLAN_OK = 0,
  ASSAY_PLAN_DOES_NOT_FIT = 1, /* it finds no plan within the sizes of the pools: no proof
                                  that there is none */
  ASSAY_PLAN_FAILED = 2        /* it broke down */
};

/* A stretch of time [lower, upper) in ticks in which a buffer is live; of its bytes those of
   [window_lower, window_upper). */
typedef struct assay_plan_range {
  int64_t lower, upper;
  int64_t window_lower, window_upper;
} assay_plan_range;

typedef struct assay_plan_buffer {
  const char* name;
  int64_t size;                 /* 0 or more; a buffer of size 0 conflicts with nothing */
  int64_t alignment;            /* 1 or more: divides its offset */
  int64_t fixed_offset;         /* where it must lie; -1: anywhere */
  const assay_plan_range* live; /* ordered and disjoint; those of two buffers that overlap, in time
                                   and window, make them conflict */
  size_t live_count;
  const int32_t* conflicts; /* other buffers that it conflicts with, beyond those of `live`; one of
                               the two may be silent about it */
  size_t conflict_count;
  const int32_t* pools; /* those that it may lie in, the preferred one first; at least one */
  size_t pool_count;
} assay_plan_buffer;

typedef struct assay_plan_pool {
  const char* name;
  int64_t size;   /* of what may be used, [offset, offset + size); -1: unlimited */
  int64_t offset; /* of its first byte that may be used */
} assay_plan_pool;

typedef struct assay_plan_problem {
  const assay_plan_buffer* buffers;
  size_t buffer_count;
  const assay_plan_pool* pools;
  size_t pool_count;
  int64_t steps; /* of `--max-steps`, for searches; -1: as many as it likes */
} assay_plan_problem;

typedef struct assay_plan_place {
  int32_t pool;
  int64_t offset; /* from the base of the pool */
} assay_plan_place;

typedef struct assay_plan_algorithm_v1 {
  size_t size;         /* sizeof(assay_plan_algorithm_v1) */
  uint32_t version;    /* ASSAY_PLAN_ALGORITHM_VERSION */
  const char* name;    /* of the algorithm */
  const char* summary; /* in a line */

  /* Finds a place for each buffer: places[i] is that of buffer i, and -1, -1 before. No two buffers
     that conflict may share a byte of a pool. Where the status is not OK, `reason` gets one line
     that says why, in at most ASSAY_PLAN_REASON_SIZE bytes with its zero. */
  assay_plan_status (*plan)(const assay_plan_problem* problem, assay_plan_place* places,
                            char* reason);
} assay_plan_algorithm_v1;

/* What the library exports. Static; the same at every call. */
const assay_plan_algorithm_v1* assay_plan_algorithm(void);

#ifdef __cplusplus
}
#endif
