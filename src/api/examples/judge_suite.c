// SPDX-License-Identifier: Apache-2.0
/* Judges a backend with all vectors of a suite: judge_suite SUITE. The exit status is 1 if there is
   a finding.

   The backend is ../../backend/examples/backend.c, through its own functions. Put yours in its
   place. */
#include <assay/assay.h>
#include <assay/assay_backend.h>
#include <stdio.h>
#include <string.h>

enum { TENSORS_MAX = 64, CONTEXTS_MAX = 16 };

/* Returns 1 if the backend has all operators of a vector, and checks graphs if it has to refuse. */
static int supports(const assay_vector* vector) {
  const assay_backend_v1* backend = assay_backend();
  size_t i, k;
  for (i = 0; i < assay_vector_step_count(vector); ++i) {
    if (assay_vector_expected_outcome(vector, i) != ASSAY_OUTCOME_ANSWERED && !backend->refuses) {
      return 0;
    }
  }
  for (i = 0; i < assay_vector_operator_count(vector); ++i) {
    for (k = 0; k < backend->operator_count; ++k) {
      if (strcmp(backend->operators[k].name, assay_vector_operator(vector, i)) == 0 &&
          (backend->operators[k].types >> assay_vector_operator_dtype(vector, i) & 1) != 0) {
        break;
      }
    }
    if (k == backend->operator_count) return 0;
  }
  return 1;
}

/* Runs a step. Returns the backend's status; if it is not OK, `reason` says why. */
static assay_backend_status run_step(const assay_vector* vector, size_t step,
                                     assay_backend_context* context, assay_outcomes* outcomes,
                                     char* reason) {
  const assay_backend_v1* backend = assay_backend();
  const size_t input_count = assay_vector_input_count(vector, step);
  const size_t output_count = assay_vector_output_count(vector, step);
  assay_backend_input inputs[TENSORS_MAX];
  assay_backend_output outputs[TENSORS_MAX];
  assay_backend_graph* graph;
  assay_backend_status status;
  assay_tensor_view view;
  const void* tosa;
  void* data;
  size_t size, i;
  if (input_count > TENSORS_MAX || output_count > TENSORS_MAX) return ASSAY_BACKEND_UNSUPPORTED;
  assay_vector_graph_bytes(vector, (size_t)assay_vector_step_graph(vector, step), &tosa, &size,
                           NULL);
  status = backend->load_graph(tosa, size, assay_vector_level(vector), &graph, reason);
  if (status != ASSAY_BACKEND_OK) return status;
  for (i = 0; i < input_count; ++i) {
    assay_vector_input(vector, step, i, &view, NULL);
    inputs[i] = (assay_backend_input){view.data, view.size, view.dtype, view.rank, view.shape};
  }
  for (i = 0; i < output_count; ++i) {
    assay_vector_output(vector, step, i, &view, NULL);
    assay_outcomes_buffer(outcomes, step, i, &data, &size, NULL);
    outputs[i] = (assay_backend_output){data, size, view.dtype, view.rank, view.shape};
  }
  status = backend->invoke(context, graph, inputs, input_count, outputs, output_count, reason);
  backend->unload_graph(graph);
  return status;
}

/* Runs all steps of a vector, each in the context that it names. */
static void run(const assay_vector* vector, assay_outcomes* outcomes) {
  static const assay_outcome outcome_of[] = {ASSAY_OUTCOME_ANSWERED, ASSAY_OUTCOME_REFUSED,
                                             ASSAY_OUTCOME_UNSUPPORTED, ASSAY_OUTCOME_CRASHED};
  const assay_backend_v1* backend = assay_backend();
  assay_backend_context* contexts[CONTEXTS_MAX] = {NULL};
  char reason[ASSAY_BACKEND_REASON_SIZE] = "";
  size_t step, i;
  for (step = 0; step < assay_vector_step_count(vector); ++step) {
    const size_t context = (size_t)assay_vector_step_context(vector, step) % CONTEXTS_MAX;
    assay_backend_status status;
    if (contexts[context] == NULL) backend->open_context(&contexts[context], reason);
    status = run_step(vector, step, contexts[context], outcomes, reason);
    assay_outcomes_set(outcomes, step, outcome_of[status], reason, NULL);
  }
  for (i = 0; i < CONTEXTS_MAX; ++i) {
    if (contexts[i] != NULL) backend->close_context(contexts[i]);
  }
}

int main(int argc, char** argv) {
  size_t counts[5] = {0}, i;
  assay_suite* suite;
  assay_error error;
  if (assay_suite_open(argc == 2 ? argv[1] : NULL, &suite, &error) != ASSAY_OK) {
    fprintf(stderr, "judge_suite: %s\n", error.text);
    return 2;
  }
  for (i = 0; i < assay_suite_size(suite); ++i) {
    assay_vector* vector = NULL;
    assay_outcomes* outcomes = NULL;
    assay_judgement* judgement = NULL;
    if (assay_suite_vector(suite, i, &vector, &error) == ASSAY_OK &&
        assay_outcomes_new(vector, &outcomes, &error) == ASSAY_OK) {
      if (supports(vector)) run(vector, outcomes);
      assay_judge(vector, outcomes, &judgement, &error);
    }
    if (judgement == NULL) {
      fprintf(stderr, "%s: %s\n", assay_suite_path(suite, i), error.text);
      return 2;
    }
    ++counts[assay_judgement_verdict(judgement)];
    if (assay_judgement_verdict(judgement) == ASSAY_VERDICT_DISAGREES) {
      printf("%s: %s\n%s\n", assay_suite_path(suite, i),
             assay_finding_text(judgement, 0, ASSAY_FINDING_HEADLINE),
             assay_finding_text(judgement, 0, ASSAY_FINDING_TEXT));
    }
    assay_judgement_free(judgement);
    assay_outcomes_free(outcomes);
    assay_vector_free(vector);
  }
  printf("%d agree, %d disagree, %d suspect, %d undecided, %d unsupported\n", (int)counts[0],
         (int)counts[1], (int)counts[2], (int)counts[3], (int)counts[4]);
  assay_suite_free(suite);
  return counts[ASSAY_VERDICT_DISAGREES] > 0;
}
