// SPDX-License-Identifier: Apache-2.0
/* A planning algorithm in C. It places buffers one after the other, largest first, each at the
   lowest place of its pools that no earlier conflicting buffer uses. It ignores windows and treats
   the whole buffer as live. */
#include <assay/assay_plan_algorithm.h>
#include <stdio.h>
#include <stdlib.h>

static int lists(const assay_plan_buffer* buffer, int32_t other) {
  for (size_t i = 0; i < buffer->conflict_count; ++i) {
    if (buffer->conflicts[i] == other) return 1;
  }
  return 0;
}

static int conflict(const assay_plan_problem* problem, int32_t a, int32_t b) {
  const assay_plan_buffer *x = &problem->buffers[a], *y = &problem->buffers[b];
  if (x->size == 0 || y->size == 0) return 0;
  if (lists(x, b) || lists(y, a)) return 1;
  for (size_t i = 0; i < x->live_count; ++i) {
    for (size_t j = 0; j < y->live_count; ++j) {
      if (x->live[i].lower < y->live[j].upper && y->live[j].lower < x->live[i].upper) return 1;
    }
  }
  return 0;
}

static int64_t align_up(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/* Returns the first offset from `offset` on at which the buffer overlaps no conflicting buffer. */
static int64_t clear_from(const assay_plan_problem* problem, const assay_plan_place* places,
                          int32_t buffer, int32_t pool, int64_t offset) {
  const assay_plan_buffer* own = &problem->buffers[buffer];
  int moved = 1;
  while (moved) {
    moved = 0;
    offset = align_up(offset, own->alignment);
    for (size_t i = 0; i < problem->buffer_count; ++i) {
      const int64_t begin = places[i].offset, end = begin + problem->buffers[i].size;
      if (places[i].pool != pool || offset >= end || begin >= offset + own->size) continue;
      if (!conflict(problem, buffer, (int32_t)i)) continue;
      offset = end;
      moved = 1;
    }
  }
  return offset;
}

static int place(const assay_plan_problem* problem, assay_plan_place* places, int32_t buffer) {
  const assay_plan_buffer* own = &problem->buffers[buffer];
  for (size_t i = 0; i < own->pool_count; ++i) {
    const assay_plan_pool* pool = &problem->pools[own->pools[i]];
    const int64_t from = own->fixed_offset >= 0 ? own->fixed_offset : pool->offset;
    const int64_t offset = clear_from(problem, places, buffer, own->pools[i], from);
    if (own->fixed_offset >= 0 && offset != own->fixed_offset) continue;
    if (pool->size >= 0 && offset + own->size > pool->offset + pool->size) continue;
    places[buffer].pool = own->pools[i];
    places[buffer].offset = offset;
    return 1;
  }
  return 0;
}

static const assay_plan_problem* sorted; /* qsort has no argument for it */

/* Orders buffers: those with a fixed place come first, then the larger ones. */
static int compare(const void* a, const void* b) {
  const int32_t i = *(const int32_t*)a, j = *(const int32_t*)b;
  const assay_plan_buffer *x = &sorted->buffers[i], *y = &sorted->buffers[j];
  const int x_fixed = x->fixed_offset >= 0, y_fixed = y->fixed_offset >= 0;
  if (x_fixed != y_fixed) return y_fixed - x_fixed;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return i < j ? -1 : 1;
}

static assay_plan_status plan(const assay_plan_problem* problem, assay_plan_place* places,
                              char* reason) {
  const size_t count = problem->buffer_count;
  int32_t* order = malloc((count + 1) * sizeof(*order));
  assay_plan_status status = ASSAY_PLAN_OK;
  if (order == NULL) {
    snprintf(reason, ASSAY_PLAN_REASON_SIZE, "no memory");
    return ASSAY_PLAN_FAILED;
  }
  for (size_t i = 0; i < count; ++i) order[i] = (int32_t)i;
  sorted = problem;
  qsort(order, count, sizeof(*order), compare);
  for (size_t i = 0; i < count && status == ASSAY_PLAN_OK; ++i) {
    if (place(problem, places, order[i])) continue;
    snprintf(reason, ASSAY_PLAN_REASON_SIZE, "no room left for %.100s",
             problem->buffers[order[i]].name);
    status = ASSAY_PLAN_DOES_NOT_FIT;
  }
  free(order);
  return status;
}

const assay_plan_algorithm_v1* assay_plan_algorithm(void) {
  static const assay_plan_algorithm_v1 algorithm = {
      sizeof(assay_plan_algorithm_v1), ASSAY_PLAN_ALGORITHM_VERSION, "example",
      "largest first, each at its lowest place", plan};
  return &algorithm;
}
