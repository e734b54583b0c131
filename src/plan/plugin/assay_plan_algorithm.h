// SPDX-License-Identifier: Apache-2.0
#pragma once
/* The interface of a memory planning algorithm as a shared library, in C99.
   `--algorithm plugin:FILE.so` loads it. The library exports one function, assay_plan_algorithm().
   It is called in a process of its own. An error there is reported in one line, and the plan is
   checked before it is used. All sizes, offsets and alignments are in bytes. Buffers and pools are
   identified by their numbers, from 0. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ASSAY_PLAN_ALGORITHM_VERSION = 1, /* of this interface */
  ASSAY_PLAN_REASON_SIZE = 256
};

typedef int32_t assay_plan_status; /* one of these; any other value is a failure as well */
enum {
  ASSAY_PLAN_OK = 0,
  ASSAY_PLAN_DOES_NOT_FIT = 1, /* it finds no plan within the sizes of the pools; this is no
                                  proof that there is none */
  ASSAY_PLAN_FAILED = 2        /* it broke down */
};

/* A live range [lower, upper) of a buffer, in ticks. Only its bytes
   [window_lower, window_upper) are live. */
typedef struct assay_plan_range {
  int64_t lower, upper;
  int64_t window_lower, window_upper;
} assay_plan_range;

typedef struct assay_plan_buffer {
  const char* name;
  int64_t size;                 /* 0 or more; a buffer of size 0 conflicts with nothing */
  int64_t alignment;            /* 1 or more: divides its offset */
  int64_t fixed_offset;         /* its required offset; -1: any offset */
  const assay_plan_range* live; /* ordered and disjoint; two buffers conflict if their ranges
                                   overlap in time and window */
  size_t live_count;
  const int32_t* conflicts; /* other buffers with which it conflicts, in addition to those of
                               `live`; perhaps only one of the two buffers states it */
  size_t conflict_count;
  const int32_t* pools; /* the pools that it may be in, the preferred one first; at least one */
  size_t pool_count;
} assay_plan_buffer;

typedef struct assay_plan_pool {
  const char* name;
  int64_t size;   /* of the usable part, [offset, offset + size); -1: unlimited */
  int64_t offset; /* of the first usable byte */
} assay_plan_pool;

typedef struct assay_plan_problem {
  const assay_plan_buffer* buffers;
  size_t buffer_count;
  const assay_plan_pool* pools;
  size_t pool_count;
  int64_t steps; /* the limit of `--max-steps`, for searches; -1: no limit */
} assay_plan_problem;

typedef struct assay_plan_place {
  int32_t pool;
  int64_t offset; /* from the base of the pool */
} assay_plan_place;

typedef struct assay_plan_algorithm_v1 {
  size_t size;         /* sizeof(assay_plan_algorithm_v1) */
  uint32_t version;    /* ASSAY_PLAN_ALGORITHM_VERSION */
  const char* name;    /* of the algorithm */
  const char* summary; /* one line */

  /* Finds a place for each buffer. places[i] is the place of buffer i; it is -1, -1 before the
     call. Two buffers that conflict must not share a byte of a pool. If the status is not OK, the
     function writes one line that says why to `reason`, in at most ASSAY_PLAN_REASON_SIZE bytes
     with its zero. */
  assay_plan_status (*plan)(const assay_plan_problem* problem, assay_plan_place* places,
                            char* reason);
} assay_plan_algorithm_v1;

/* The function that the library exports. It returns the same static struct at every call. */
const assay_plan_algorithm_v1* assay_plan_algorithm(void);

#ifdef __cplusplus
}
#endif
