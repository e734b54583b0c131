// SPDX-License-Identifier: Apache-2.0
/* The example algorithm with one error, which $ASSAY_VARIANT names. */
#define assay_plan_algorithm example_algorithm
#include "../../src/plan/plugin/example/algorithm.c"
#undef assay_plan_algorithm

#include <string.h>
#include <unistd.h>

static int is(const char* variant) {
  const char* chosen = getenv("ASSAY_VARIANT");
  return chosen != NULL && strcmp(chosen, variant) == 0;
}

static assay_plan_status plan_wrongly(const assay_plan_problem* problem, assay_plan_place* places,
                                      char* reason) {
  const assay_plan_status status = plan(problem, places, reason);
  if (is("crashes")) *(volatile int*)(size_t)(problem->steps + 1) = 1;
  if (is("aborts")) abort();
  if (is("exits")) exit(0);
  if (is("blocks")) for (;;) pause();
  if (is("prints")) puts("a line of its own");
  if (is("floods")) for (int i = 0; i < 10000000; ++i) puts("\033[31mred \302\2332J");
  if (is("fails")) {
    strcpy(reason, "out of ideas\n");
    return ASSAY_PLAN_FAILED;
  }
  if (is("gives-up")) {
    strcpy(reason, "too full");
    return ASSAY_PLAN_DOES_NOT_FIT;
  }
  if (is("leaves-out")) places[0].pool = -1;
  if (is("no-such-pool")) places[0].pool = (int32_t)problem->pool_count;
  if (is("negative")) places[0].offset = -8;
  if (is("overflows")) places[0].offset = INT64_MAX;
  if (is("overlaps")) places[0] = places[1];
  if (is("misaligned")) places[0].offset += 1 << 20 | 1;
  return status;
}

const assay_plan_algorithm_v1* assay_plan_algorithm(void) {
  static assay_plan_algorithm_v1 changed;
  changed = *example_algorithm();
  changed.plan = plan_wrongly;
  if (is("nothing")) return NULL;
  if (is("short")) changed.size = 4;
  if (is("newer")) changed.version = 2;
  if (is("no-function")) changed.plan = NULL;
  return &changed;
}
