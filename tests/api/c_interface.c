// SPDX-License-Identifier: Apache-2.0
/* Walks a suite with a backend of its own, through the C interface alone. */
#define _POSIX_C_SOURCE 200809L
#include <assay/assay.h>
#include <assay/assay_backend.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;
static assay_error error;
#define CHECK(holds)                                                                  \
  do {                                                                                \
    if (!(holds)) {                                                                   \
      ++failures;                                                                     \
      printf("%s:%d: not true: %s (%s)\n", __FILE__, __LINE__, #holds, error.text);   \
    }                                                                                 \
  } while (0)
#define OK(call) CHECK((call) == ASSAY_OK)

enum { RANK_MAX = 32, TENSORS_MAX = 16, CONTEXTS_MAX = 8 };

/* Writes some vectors of a kind to files in a folder. Returns how many. */
static size_t write_vectors(const char* folder, const char* kind, const char* const* options,
                            size_t option_count, uint64_t cases) {
  assay_generator* generator = NULL;
  size_t count = 0;
  uint64_t i;
  OK(assay_generator_new(kind, 5, options, option_count, &generator, &error));
  CHECK(assay_generator_targets(generator) > 0);
  for (i = 0; i < cases; ++i) {
    assay_vector* vector;
    const void* bytes;
    size_t size;
    char path[512];
    FILE* file;
    const assay_status status = assay_generate(generator, i, &vector, &error);
    CHECK(status == ASSAY_OK || (status == ASSAY_NOTHING && vector == NULL));
    if (status != ASSAY_OK) continue;
    CHECK(strcmp(assay_vector_kind(vector), kind) == 0);
    OK(assay_vector_bytes(vector, &bytes, &size, &error));
    snprintf(path, sizeof path, "%s/%s-%06d.tvec", folder, kind, (int)i);
    file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    ++count;
    assay_vector_free(vector);
  }
  assay_generator_free(generator);
  return count;
}

static assay_outcome outcome_of(assay_backend_status status) {
  if (status == ASSAY_BACKEND_UNSUPPORTED) return ASSAY_OUTCOME_UNSUPPORTED;
  return status == ASSAY_BACKEND_REFUSED ? ASSAY_OUTCOME_REFUSED : ASSAY_OUTCOME_CRASHED;
}

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

/* Runs one step on the example backend. Returns its status. */
static assay_backend_status run_step(const assay_vector* vector, size_t step,
                                     assay_backend_context* context, assay_outcomes* outcomes,
                                     char* reason) {
  const assay_backend_v1* backend = assay_backend();
  assay_backend_graph* graph;
  assay_backend_input inputs[TENSORS_MAX];
  assay_backend_output outputs[TENSORS_MAX];
  const size_t input_count = assay_vector_input_count(vector, step);
  const size_t output_count = assay_vector_output_count(vector, step);
  assay_backend_status status;
  const void* tosa;
  size_t size, i;
  CHECK(input_count <= TENSORS_MAX && output_count <= TENSORS_MAX);
  OK(assay_vector_graph_bytes(vector, (size_t)assay_vector_step_graph(vector, step), &tosa, &size,
                              &error));
  status = backend->load_graph(tosa, size, assay_vector_level(vector), &graph, reason);
  if (status != ASSAY_BACKEND_OK) return status;
  for (i = 0; i < input_count; ++i) {
    assay_tensor_view view;
    OK(assay_vector_input(vector, step, i, &view, &error));
    CHECK((uintptr_t)view.data % assay_dtype_size(view.dtype) == 0);
    inputs[i] = (assay_backend_input){view.data, view.size, view.dtype, view.rank, view.shape};
  }
  for (i = 0; i < output_count; ++i) {
    assay_tensor_view view;
    void* data;
    OK(assay_vector_output(vector, step, i, &view, &error));
    OK(assay_outcomes_buffer(outcomes, step, i, &data, &size, &error));
    CHECK(size == view.size);
    outputs[i] = (assay_backend_output){data, size, view.dtype, view.rank, view.shape};
  }
  status = backend->invoke(context, graph, inputs, input_count, outputs, output_count, reason);
  backend->unload_graph(graph);
  return status;
}

/* Runs all steps of a vector on the example backend. */
static void run(const assay_vector* vector, assay_outcomes* outcomes) {
  const assay_backend_v1* backend = assay_backend();
  assay_backend_context* contexts[CONTEXTS_MAX] = {NULL};
  char reason[ASSAY_BACKEND_REASON_SIZE];
  size_t step, i;
  for (step = 0; step < assay_vector_step_count(vector); ++step) {
    const int32_t context = assay_vector_step_context(vector, step);
    assay_backend_status status;
    CHECK(context >= 0 && context < CONTEXTS_MAX);
    if (contexts[context] == NULL) backend->open_context(&contexts[context], reason);
    status = run_step(vector, step, contexts[context], outcomes, reason);
    if (status == ASSAY_BACKEND_OK) continue;
    OK(assay_outcomes_set(outcomes, step, outcome_of(status), reason, &error));
  }
  for (i = 0; i < CONTEXTS_MAX; ++i) {
    if (contexts[i] != NULL) backend->close_context(contexts[i]);
  }
}

static assay_verdict judge(const assay_vector* vector, const assay_outcomes* outcomes) {
  assay_judgement* judgement;
  assay_verdict verdict;
  OK(assay_judge(vector, outcomes, &judgement, &error));
  verdict = assay_judgement_verdict(judgement);
  CHECK((verdict == ASSAY_VERDICT_DISAGREES) == (assay_judgement_finding_count(judgement) > 0));
  assay_judgement_free(judgement);
  return verdict;
}

/* Makes the last element of the first output wrong, and checks the finding. */
static void check_finding(const assay_vector* vector) {
  assay_outcomes* outcomes;
  assay_judgement* judgement;
  assay_tensor_view value;
  assay_expectation expectation;
  assay_demand demand;
  assay_lines* lines;
  char allowed[64];
  size_t elements, width, i;
  int32_t shape[RANK_MAX];
  OK(assay_execute(vector, &outcomes, &error));
  OK(assay_vector_expected(vector, 0, 0, &expectation, &error));
  OK(assay_outcomes_output(outcomes, 0, 0, &value, &error));
  CHECK(value.dtype == expectation.value.dtype && value.size == expectation.value.size);
  width = assay_dtype_size(value.dtype);
  elements = value.size / width;
  OK(assay_vector_demand(vector, 0, 0, elements - 1, &demand, allowed, sizeof allowed, &error));
  if (demand == ASSAY_DEMAND_EXACT && expectation.reference == NULL) {
    uint8_t* wrong = malloc(value.size);
    const assay_dtype dtype = value.dtype;
    CHECK(strcmp(allowed, "exact") == 0);
    memcpy(wrong, value.data, value.size);
    wrong[(elements - 1) * width] ^= 1;
    memcpy(shape, value.shape, value.rank * sizeof *shape);
    value.data = wrong;
    value.shape = shape;
    OK(assay_outcomes_set_output(outcomes, 0, 0, &value, &error));
    free(wrong);
    OK(assay_judge(vector, outcomes, &judgement, &error));
    /* Another NaN is a NaN, and a subnormal may come out as zero. */
    if (dtype != ASSAY_DTYPE_FP32) CHECK(assay_judgement_finding_count(judgement) == 1);
    if (assay_judgement_finding_count(judgement) == 1) {
      CHECK(assay_finding_element(judgement, 0) == (int64_t)elements - 1);
      CHECK(assay_finding_wrong_elements(judgement, 0) == 1);
      CHECK(assay_finding_step(judgement, 0) == 0);
      CHECK(strcmp(assay_finding_text(judgement, 0, ASSAY_FINDING_VIOLATION), "value") == 0);
      for (i = 0; i <= ASSAY_FINDING_GOT; ++i) {
        /* Nothing is blamed alone if a write or the read of a variable is at fault. */
        if (i == ASSAY_FINDING_OPERATOR || i == ASSAY_FINDING_RULE) continue;
        CHECK(*assay_finding_text(judgement, 0, (assay_finding_field)i) != '\0');
      }
      CHECK(*assay_finding_text(judgement, 0, 99) == '\0');
      OK(assay_explain(vector, judgement, 0, &lines, &error));
      CHECK(assay_lines_count(lines) > 5);
      assay_lines_free(lines);
    }
    assay_judgement_free(judgement);
  }
  assay_outcomes_free(outcomes);
}

/* Makes the vector again from its graph and its inputs, and compares the expectation. */
static void check_from_graph(const assay_vector* vector) {
  assay_tensor_view inputs[TENSORS_MAX];
  assay_vector* made;
  assay_expectation a, b;
  const size_t count = assay_vector_input_count(vector, 0);
  const void* tosa;
  size_t size, i;
  if (assay_vector_step_count(vector) != 1 ||
      strcmp(assay_vector_level(vector), "8K") != 0) return;
  for (i = 0; i < count; ++i) OK(assay_vector_input(vector, 0, i, &inputs[i], &error));
  OK(assay_vector_graph_bytes(vector, 0, &tosa, &size, &error));
  OK(assay_vector_from_graph(tosa, size, "again", inputs, count, 1, &made, &error));
  OK(assay_vector_expected(vector, 0, 0, &a, &error));
  OK(assay_vector_expected(made, 0, 0, &b, &error));
  CHECK(a.value.size == b.value.size && memcmp(a.value.data, b.value.data, a.value.size) == 0);
  CHECK(strcmp(a.value.name, b.value.name) == 0 && strcmp(a.rule, b.rule) == 0);
  assay_vector_free(made);
}

static void check_rules(const assay_vector* vector) {
  assay_lines* lines;
  const void* tosa;
  const char* text;
  size_t size;
  OK(assay_check_vector(vector, &lines, &error));
  CHECK(assay_lines_count(lines) == 0);
  assay_lines_free(lines);
  OK(assay_vector_graph_bytes(vector, 0, &tosa, &size, &error));
  OK(assay_check_graph(tosa, size, "graph", assay_vector_level(vector), &lines, &error));
  CHECK(assay_lines_count(lines) == 0);
  assay_lines_free(lines);
  OK(assay_vector_graph_text(vector, 0, &text, &error));
  CHECK(strncmp(text, "TOSA 1.0.0\n", 11) == 0);
}

static void measure_power(const assay_vector* vector) {
  assay_lines* missed;
  uint64_t faults, noticed;
  OK(assay_vector_power(vector, &faults, &noticed, &missed, &error));
  CHECK(noticed <= faults && assay_lines_count(missed) == faults - noticed);
  assay_lines_free(missed);
  OK(assay_vector_power(vector, NULL, NULL, &missed, &error));
  assay_lines_free(missed);
}

/* Returns 1 if the vector has the operator MUL. */
static int has_mul(const assay_vector* vector, void* calls) {
  size_t i;
  ++*(int*)calls;
  for (i = 0; i < assay_vector_operator_count(vector); ++i) {
    if (strcmp(assay_vector_operator(vector, i), "MUL") == 0) return 1;
  }
  return 0;
}

/* Checks the vectors that are smaller than graphs with several operators. */
static void check_smaller(void) {
  const char* const options[] = {"op=MUL", "op=ADD", "op=CLAMP", "type=fp32", "max-rank=3"};
  assay_generator* generator;
  assay_vector *vector, *smaller, *smallest;
  assay_candidates* candidates;
  assay_status status;
  uint64_t i;
  int calls = 0, seen = 0;
  OK(assay_generator_new("graph", 1, options, 5, &generator, &error));
  for (i = 0; i < 20 && seen < 2; ++i) {
    size_t count = 0;
    if (assay_generate(generator, i, &vector, &error) != ASSAY_OK) continue;
    if (!has_mul(vector, &calls)) {
      assay_vector_free(vector);
      continue;
    }
    ++seen;
    OK(assay_candidates_new(vector, &candidates, &error));
    while (count < 40 &&
           (status = assay_candidates_next(candidates, &smaller, &error)) == ASSAY_OK) {
      assay_outcomes* outcomes;
      OK(assay_execute(smaller, &outcomes, &error));
      CHECK(judge(smaller, outcomes) == ASSAY_VERDICT_AGREES ||
            judge(smaller, outcomes) == ASSAY_VERDICT_UNDECIDED);
      assay_outcomes_free(outcomes);
      assay_vector_free(smaller);
      ++count;
    }
    CHECK(count > 5);
    assay_candidates_free(candidates);
    calls = 0;
    OK(assay_minimize(vector, has_mul, &calls, 500, &smallest, &error));
    CHECK(calls > 1 && assay_vector_operator_count(smallest) == 1);
    CHECK(strcmp(assay_vector_operator(smallest, 0), "MUL") == 0);
    /* The smallest vector has no smaller one with a MUL. */
    OK(assay_candidates_new(smallest, &candidates, &error));
    while ((status = assay_candidates_next(candidates, &smaller, &error)) == ASSAY_OK) {
      CHECK(!has_mul(smaller, &calls));
      assay_vector_free(smaller);
    }
    CHECK(status == ASSAY_NOTHING && smaller == NULL);
    assay_candidates_free(candidates);
    assay_vector_free(smallest);
    assay_vector_free(vector);
  }
  CHECK(seen == 2);
  assay_generator_free(generator);
}

/* Returns 1 if two buffers in one pool share a byte while both are live. */
static int collide(const assay_memory_buffer* a, const assay_memory_buffer* b) {
  size_t i, k;
  if (a->pool != b->pool || a->offset >= b->offset + b->size || b->offset >= a->offset + a->size) {
    return 0;
  }
  for (i = 0; i < a->live_count; ++i) {
    for (k = 0; k < b->live_count; ++k) {
      if (a->live[i].lower < b->live[k].upper && b->live[k].lower < a->live[i].upper) return 1;
    }
  }
  return 0;
}

/* Checks a graph after folding, and its memory plan. */
static void check_fold_and_plan(void) {
  assay_generator* generator;
  uint64_t i;
  size_t fewer = 0, buffers = 0;
  OK(assay_generator_new("graph", 3, NULL, 0, &generator, &error));
  for (i = 0; i < 6; ++i) {
    assay_vector *vector, *folded, *planned;
    assay_outcomes* outcomes;
    assay_fold_pair pair;
    assay_plan plan;
    const void* bytes[2];
    size_t sizes[2], a, b;
    if (assay_generate(generator, i, &vector, &error) != ASSAY_OK) continue;
    OK(assay_fold(vector, 0, &folded, &error));
    CHECK(assay_vector_fold_pair_count(folded) == 1 && assay_vector_graph_count(folded) == 2);
    OK(assay_vector_fold_pair(folded, 0, &pair, &error));
    CHECK(pair.before == 0 && pair.after == 1 && pair.equal == 1);
    CHECK(assay_vector_step_count(folded) == 2 * assay_vector_step_count(vector));
    for (a = 0; a < 2; ++a) {
      OK(assay_vector_graph_bytes(folded, a, &bytes[a], &sizes[a], &error));
    }
    fewer += sizes[0] != sizes[1];
    OK(assay_execute(folded, &outcomes, &error));
    CHECK(judge(folded, outcomes) != ASSAY_VERDICT_DISAGREES);
    for (a = 0; a < assay_vector_output_count(folded, 0); ++a) {
      assay_tensor_view before, after;
      OK(assay_outcomes_output(outcomes, 0, a, &before, &error));
      OK(assay_outcomes_output(outcomes, 1, a, &after, &error));
      CHECK(before.size == after.size && memcmp(before.data, after.data, before.size) == 0);
    }
    assay_outcomes_free(outcomes);
    OK(assay_plan_memory(vector, 0, "auto", 16, &planned, &error));
    CHECK(assay_vector_plan_count(planned) == 1);
    OK(assay_vector_plan(planned, 0, &plan, &error));
    CHECK(plan.has_plan == 1 && plan.graph == 0 && *plan.broken == '\0' && plan.pool_count > 0);
    buffers += plan.buffer_count;
    for (a = 0; a < plan.buffer_count; ++a) {
      assay_memory_buffer first, second;
      assay_memory_pool pool;
      OK(assay_vector_plan_buffer(planned, 0, a, &first, &error));
      CHECK(first.pool >= 0 && first.offset % first.alignment == 0 && first.live_count > 0);
      OK(assay_vector_plan_pool(planned, 0, (size_t)first.pool, &pool, &error));
      for (b = 0; b < a; ++b) {
        OK(assay_vector_plan_buffer(planned, 0, b, &second, &error));
        CHECK(!collide(&first, &second));
      }
    }
    assay_vector_free(planned);
    assay_vector_free(folded);
    assay_vector_free(vector);
  }
  CHECK(fewer > 0 && buffers > 10);
  assay_generator_free(generator);
}

int main(void) {
  const char* const options[] = {"op=ADD,MUL,CLAMP,ABS,BITWISE_AND,NEGATE", "type=i8", "type=i32",
                                 "type=fp32"};
  char folder[] = "/tmp/assay-c-interface-XXXXXX";
  char command[64];
  assay_suite* suite;
  size_t counts[5] = {0}, i, written;
  CHECK(mkdtemp(folder) != NULL);
  written = write_vectors(folder, "operator", options, 4, 40) +
            write_vectors(folder, "stateful", NULL, 0, 40);
  OK(assay_suite_open(folder, &suite, &error));
  CHECK(written > 50 && assay_suite_size(suite) == written && assay_suite_gap_count(suite) == 0);
  for (i = 0; i < assay_suite_size(suite); ++i) {
    assay_vector* vector;
    assay_outcomes* outcomes;
    assay_verdict verdict;
    CHECK(strncmp(assay_suite_path(suite, i), folder, strlen(folder)) == 0);
    OK(assay_suite_vector(suite, i, &vector, &error));
    if (assay_vector_expected_outcome(vector, 0) == ASSAY_OUTCOME_ANSWERED) {
      check_rules(vector);
  measure_power(vector);
      check_from_graph(vector);
      check_finding(vector);
    } else {
      CHECK(strchr(assay_vector_expected_rule(vector, 0), '/') != NULL);
    }
    OK(assay_outcomes_new(vector, &outcomes, &error));
    CHECK(judge(vector, outcomes) == ASSAY_VERDICT_UNSUPPORTED);
    if (supports(vector)) run(vector, outcomes);
    verdict = judge(vector, outcomes);
    CHECK(verdict >= 0 && verdict < 5);
    ++counts[verdict];
    OK(assay_outcomes_set(outcomes, 0, ASSAY_OUTCOME_CRASHED, "signal 11", &error));
    if (verdict == ASSAY_VERDICT_AGREES) {
      CHECK(judge(vector, outcomes) == ASSAY_VERDICT_DISAGREES);
    }
    assay_outcomes_free(outcomes);
    assay_vector_free(vector);
  }
  assay_suite_free(suite);
  printf("%d agree, %d disagree, %d unsupported\n", (int)counts[ASSAY_VERDICT_AGREES],
         (int)counts[ASSAY_VERDICT_DISAGREES], (int)counts[ASSAY_VERDICT_UNSUPPORTED]);
  CHECK(counts[ASSAY_VERDICT_AGREES] > 20 && counts[ASSAY_VERDICT_DISAGREES] == 0);
  check_smaller();
  check_fold_and_plan();
  snprintf(command, sizeof command, "rm -r %s", folder);
  CHECK(system(command) == 0);
  return failures == 0 ? 0 : 1;
}
