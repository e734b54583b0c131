// SPDX-License-Identifier: Apache-2.0
/* Judges in eight threads at once, which share handles and have handles of their own. */
#include <assay/assay.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, VECTORS = 8, ROUNDS = 1 };

static assay_generator* generator;
static assay_vector* vectors[VECTORS];
static assay_outcomes* outcomes[VECTORS]; /* of the reference executor */

/* What one thread has seen of each vector. Each thread must see the same. */
typedef struct seen {
  char text[VECTORS][256];
  size_t bytes[VECTORS];
  int errors;
} seen;

static void look_at(size_t i, seen* to) {
  assay_error error;
  assay_vector *own, *smaller;
  assay_outcomes* executed;
  assay_judgement* judgement;
  assay_candidates* candidates;
  const void* bytes;
  const char* text;
  if (assay_judge(vectors[i], outcomes[i], &judgement, &error) != ASSAY_OK) ++to->errors;
  snprintf(to->text[i], sizeof to->text[i], "%s %s", assay_judgement_verdict_name(judgement),
           assay_judgement_note(judgement));
  assay_judgement_free(judgement);
  if (assay_vector_bytes(vectors[i], &bytes, &to->bytes[i], &error) != ASSAY_OK) ++to->errors;
  if (assay_vector_graph_text(vectors[i], 0, &text, &error) != ASSAY_OK) ++to->errors;
  if (assay_generate(generator, i, &own, &error) != ASSAY_OK) {
    ++to->errors;
    return;
  }
  if (assay_execute(own, &executed, &error) != ASSAY_OK) ++to->errors;
  if (assay_judge(own, executed, &judgement, &error) != ASSAY_OK) ++to->errors;
  if (assay_judgement_verdict(judgement) == ASSAY_VERDICT_DISAGREES) ++to->errors;
  assay_judgement_free(judgement);
  assay_outcomes_free(executed);
  if (assay_candidates_new(own, &candidates, &error) != ASSAY_OK) ++to->errors;
  if (assay_candidates_next(candidates, &smaller, &error) == ASSAY_OK) assay_vector_free(smaller);
  assay_candidates_free(candidates);
  assay_vector_free(own);
}

static void* work(void* to) {
  size_t round, i;
  for (round = 0; round < ROUNDS; ++round) {
    for (i = 0; i < VECTORS; ++i) look_at(i, to);
  }
  return NULL;
}

int main(void) {
  static seen all[THREADS];
  pthread_t threads[THREADS];
  assay_error error;
  size_t i, index = 0;
  int failures = 0;
  if (assay_generator_new(NULL, 7, NULL, 0, &generator, &error) != ASSAY_OK) return 1;
  for (i = 0; i < VECTORS; ++i, ++index) {
    if (assay_generate(generator, index, &vectors[i], &error) != ASSAY_OK) return 1;
    if (assay_execute(vectors[i], &outcomes[i], &error) != ASSAY_OK) return 1;
  }
  for (i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, &all[i]);
  for (i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (i = 0; i < THREADS; ++i) {
    if (all[i].errors > 0 || memcmp(all[i].text, all[0].text, sizeof all[0].text) != 0 ||
        memcmp(all[i].bytes, all[0].bytes, sizeof all[0].bytes) != 0) {
      printf("thread %d: %d errors, or other results\n", (int)i, all[i].errors);
      ++failures;
    }
  }
  for (i = 0; i < VECTORS; ++i) assay_outcomes_free(outcomes[i]), assay_vector_free(vectors[i]);
  assay_generator_free(generator);
  return failures;
}
