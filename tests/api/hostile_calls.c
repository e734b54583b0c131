// SPDX-License-Identifier: Apache-2.0
/* Calls the library with what it must refuse, and checks that it leaves the process alone. */
#define _GNU_SOURCE
#include <assay/assay.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static int failures;
static FILE* report; /* standard output is watched */
static assay_error error;
#define CHECK(holds)                                                                      \
  do {                                                                                    \
    if (!(holds)) {                                                                       \
      ++failures;                                                                         \
      fprintf(report, "%s:%d: not true: %s (%s)\n", __FILE__, __LINE__, #holds, error.text); \
    }                                                                                     \
  } while (0)
/* A call that must fail with this status and a message of one line that has these words. */
#define FAILS(status, words, call)                                      \
  do {                                                                  \
    memset(&error, 'x', sizeof error);                                  \
    CHECK((call) == (status));                                          \
    CHECK(strstr(error.text, words) != NULL && strchr(error.text, '\n') == NULL); \
  } while (0)

static assay_vector* generated(const char* kind, uint64_t index) {
  assay_generator* generator;
  assay_vector* vector;
  CHECK(assay_generator_new(kind, 1, NULL, 0, &generator, &error) == ASSAY_OK);
  CHECK(assay_generate(generator, index, &vector, &error) == ASSAY_OK);
  assay_generator_free(generator);
  return vector;
}

static int fails_never(const assay_vector* vector, void* data) {
  (void)vector, (void)data;
  return 0;
}

static void pass_null_pointers(const assay_vector* vector) {
  assay_suite* suite;
  assay_vector* made;
  assay_outcomes* outcomes;
  assay_judgement* judgement;
  assay_lines* lines;
  assay_generator* generator;
  assay_candidates* candidates;
  assay_tensor_view view;
  assay_expectation expectation;
  assay_demand demand;
  assay_fold_pair pair;
  assay_plan plan;
  assay_memory_pool pool;
  assay_memory_buffer buffer;
  const void* bytes;
  const char* text;
  const char* const options[] = {NULL};
  void* data;
  size_t size;
  const char* null = "null pointer";
  const assay_status bad = ASSAY_BAD_ARGUMENT;
  FAILS(bad, null, assay_suite_open(NULL, &suite, &error));
  FAILS(bad, null, assay_suite_open("/", NULL, &error));
  FAILS(bad, null, assay_suite_vector(NULL, 0, &made, &error));
  FAILS(bad, null, assay_vector_read(NULL, 5, "name", &made, &error));
  FAILS(bad, null, assay_vector_read("", 0, NULL, NULL, &error));
  FAILS(bad, null, assay_vector_from_graph(NULL, 5, "name", NULL, 0, 1, &made, &error));
  FAILS(bad, null, assay_vector_from_graph("abc", 3, NULL, NULL, 1, 1, &made, &error));
  FAILS(bad, null, assay_vector_bytes(NULL, &bytes, &size, &error));
  FAILS(bad, null, assay_vector_bytes(vector, NULL, &size, &error));
  FAILS(bad, null, assay_vector_bytes(vector, &bytes, NULL, &error));
  FAILS(bad, null, assay_vector_graph_bytes(NULL, 0, &bytes, &size, &error));
  FAILS(bad, null, assay_vector_graph_bytes(vector, 0, NULL, NULL, &error));
  FAILS(bad, null, assay_vector_graph_text(NULL, 0, &text, &error));
  FAILS(bad, null, assay_vector_graph_text(vector, 0, NULL, &error));
  FAILS(bad, null, assay_vector_input(NULL, 0, 0, &view, &error));
  FAILS(bad, null, assay_vector_input(vector, 0, 0, NULL, &error));
  FAILS(bad, null, assay_vector_output(NULL, 0, 0, &view, &error));
  FAILS(bad, null, assay_vector_state_before(NULL, 0, 0, &view, &error));
  FAILS(bad, null, assay_vector_expected(NULL, 0, 0, &expectation, &error));
  FAILS(bad, null, assay_vector_state(NULL, 0, 0, &expectation, &error));
  FAILS(bad, null, assay_vector_demand(NULL, 0, 0, 0, &demand, NULL, 0, &error));
  FAILS(bad, null, assay_vector_demand(vector, 0, 0, 0, NULL, NULL, 0, &error));
  FAILS(bad, null, assay_outcomes_new(NULL, &outcomes, &error));
  FAILS(bad, null, assay_outcomes_new(vector, NULL, &error));
  FAILS(bad, null, assay_outcomes_buffer(NULL, 0, 0, &data, &size, &error));
  FAILS(bad, null, assay_outcomes_set_output(NULL, 0, 0, NULL, &error));
  FAILS(bad, null, assay_outcomes_set_variable(NULL, 0, NULL, &error));
  FAILS(bad, null, assay_outcomes_set(NULL, 0, 0, NULL, &error));
  FAILS(bad, null, assay_outcomes_declare(NULL, "plain-sums", &error));
  FAILS(bad, null, assay_outcomes_output(NULL, 0, 0, &view, &error));
  FAILS(bad, null, assay_outcomes_variable(NULL, 0, 0, &view, &error));
  FAILS(bad, null, assay_execute(NULL, &outcomes, &error));
  FAILS(bad, null, assay_judge(NULL, NULL, &judgement, &error));
  FAILS(bad, null, assay_judge(vector, NULL, &judgement, &error));
  FAILS(bad, null, assay_explain(vector, NULL, 0, &lines, &error));
  FAILS(bad, null, assay_check_graph(NULL, 0, NULL, "8K", &lines, &error));
  FAILS(bad, null, assay_check_graph("", 0, NULL, NULL, &lines, &error));
  FAILS(bad, null, assay_check_vector(NULL, &lines, &error));
  FAILS(bad, null, assay_vector_power(NULL, NULL, NULL, &lines, &error));
  FAILS(bad, null, assay_generator_new("graph", 1, NULL, 1, &generator, &error));
  FAILS(bad, null, assay_generator_new("graph", 1, options, 1, &generator, &error));
  FAILS(bad, null, assay_generate(NULL, 0, &made, &error));
  FAILS(bad, null, assay_candidates_new(NULL, &candidates, &error));
  FAILS(bad, null, assay_candidates_next(NULL, &made, &error));
  FAILS(bad, null, assay_minimize(vector, NULL, NULL, 0, &made, &error));
  FAILS(bad, null, assay_minimize(NULL, fails_never, NULL, 0, &made, &error));
  FAILS(bad, null, assay_vector_fold_pair(NULL, 0, &pair, &error));
  FAILS(bad, null, assay_vector_plan(NULL, 0, &plan, &error));
  FAILS(bad, null, assay_vector_plan_pool(NULL, 0, 0, &pool, &error));
  FAILS(bad, null, assay_vector_plan_buffer(NULL, 0, 0, &buffer, &error));
  FAILS(bad, null, assay_fold(NULL, 0, &made, &error));
  FAILS(bad, null, assay_plan_memory(vector, 0, NULL, 1, &made, &error));
  CHECK(made == NULL && lines == NULL && generator == NULL && judgement == NULL);
  CHECK(assay_execute(NULL, &outcomes, NULL) == bad); /* no one wants the message */
  CHECK(assay_suite_size(NULL) == 0 && *assay_suite_path(NULL, 0) == '\0');
  CHECK(*assay_vector_name(NULL) == '\0' && assay_vector_step_graph(NULL, 0) == -1);
  CHECK(assay_vector_expected_outcome(NULL, 0) == -1 && assay_vector_graph_count(NULL) == 0);
  CHECK(assay_outcomes_outcome(NULL, 0) == -1 && assay_judgement_verdict(NULL) == -1);
  CHECK(*assay_judgement_note(NULL) == '\0' && assay_finding_element(NULL, 0) == -1);
  CHECK(assay_lines_count(NULL) == 0 && *assay_lines_line(NULL, 3) == '\0');
  assay_suite_free(NULL), assay_vector_free(NULL), assay_outcomes_free(NULL);
  assay_judgement_free(NULL), assay_lines_free(NULL), assay_generator_free(NULL);
  assay_candidates_free(NULL);
}

static void pass_wrong_indices(const assay_vector* vector) {
  const size_t far = (size_t)-1;
  const char* has = "has";
  const assay_status bad = ASSAY_BAD_ARGUMENT;
  assay_tensor_view view;
  assay_expectation expectation;
  assay_demand demand;
  assay_vector* made;
  assay_outcomes* outcomes;
  const char* text;
  void* data;
  FAILS(bad, has, assay_vector_graph_text(vector, far, &text, &error));
  FAILS(bad, has, assay_vector_input(vector, far, 0, &view, &error));
  FAILS(bad, has, assay_vector_input(vector, 0, far, &view, &error));
  FAILS(bad, has, assay_vector_output(vector, 0, far, &view, &error));
  FAILS(bad, has, assay_vector_state_before(vector, 0, far, &view, &error));
  FAILS(bad, has, assay_vector_expected(vector, 0, far, &expectation, &error));
  FAILS(bad, has, assay_vector_state(vector, 0, far, &expectation, &error));
  FAILS(bad, has, assay_vector_demand(vector, 0, 0, far, &demand, NULL, 0, &error));
  FAILS(bad, has, assay_fold(vector, far, &made, &error));
  FAILS(bad, "alignment", assay_plan_memory(vector, 0, "auto", 0, &made, &error));
  FAILS(bad, "no algorithm", assay_plan_memory(vector, 0, "none", 1, &made, &error));
  FAILS(bad, "does not fail", assay_minimize(vector, fails_never, NULL, 0, &made, &error));
  CHECK(*assay_vector_tag(vector, far) == '\0' && *assay_vector_operator(vector, far) == '\0');
  CHECK(assay_outcomes_new(vector, &outcomes, &error) == ASSAY_OK);
  FAILS(bad, has, assay_outcomes_buffer(outcomes, far, 0, &data, NULL, &error));
  FAILS(bad, has, assay_outcomes_buffer(outcomes, 0, far, &data, NULL, &error));
  FAILS(bad, "outcome", assay_outcomes_set(outcomes, 0, 77, NULL, &error));
  FAILS(bad, "plain-sums", assay_outcomes_declare(outcomes, "plain-sum", &error));
  assay_outcomes_free(outcomes);
}

/* Gives outputs and inputs of wrong types, shapes and sizes. */
static void pass_wrong_tensors(const assay_vector* vector) {
  const assay_status bad = ASSAY_BAD_ARGUMENT;
  const int32_t shape[] = {2}, large[] = {INT32_MAX, INT32_MAX, INT32_MAX};
  const uint8_t bytes[8] = {2, 3, 0x88};
  assay_tensor_view value = {"x", bytes, 8, shape, 1, ASSAY_DTYPE_FP32}, other;
  assay_outcomes* outcomes;
  assay_judgement* judgement;
  assay_vector* made;
  const void* tosa;
  void* data;
  size_t size;
  CHECK(assay_outcomes_new(vector, &outcomes, &error) == ASSAY_OK);
  other = value, other.size = 7;
  FAILS(bad, "step 0: output 0", assay_outcomes_set_output(outcomes, 0, 0, &other, &error));
  other = value, other.dtype = 99;
  FAILS(bad, "element type 99", assay_outcomes_set_output(outcomes, 0, 0, &other, &error));
  other.dtype = ASSAY_DTYPE_BOOL + 256;
  FAILS(bad, "element type", assay_outcomes_set_output(outcomes, 0, 0, &other, &error));
  other = value, other.rank = 33;
  FAILS(bad, "rank 33", assay_outcomes_set_output(outcomes, 0, 0, &other, &error));
  other = value, other.shape = NULL;
  FAILS(bad, "null", assay_outcomes_set_output(outcomes, 0, 0, &other, &error));
  other = value, other.data = NULL;
  FAILS(bad, "null", assay_outcomes_set_output(outcomes, 0, 0, &other, &error));
  other = value, other.shape = large, other.rank = 3;
  FAILS(bad, "output 0", assay_outcomes_set_output(outcomes, 0, 0, &other, &error));
  other = value, other.dtype = ASSAY_DTYPE_BOOL, other.size = 2;
  FAILS(bad, "output 0", assay_outcomes_set_output(outcomes, 0, 0, &other, &error));
  CHECK(assay_outcomes_outcome(outcomes, 0) == ASSAY_OUTCOME_UNSUPPORTED);
  CHECK(assay_outcomes_set(outcomes, 0, ASSAY_OUTCOME_ANSWERED, NULL, &error) == ASSAY_OK);
  FAILS(bad, "is not set", assay_judge(vector, outcomes, &judgement, &error));
  /* A wrong type or shape is a finding, not an error. */
  other = value, other.dtype = ASSAY_DTYPE_I16, other.size = 4;
  CHECK(assay_outcomes_set_output(outcomes, 0, 0, &other, &error) == ASSAY_OK);
  CHECK(assay_judge(vector, outcomes, &judgement, &error) == ASSAY_OK);
  CHECK(strcmp(assay_finding_text(judgement, 0, ASSAY_FINDING_VIOLATION), "type") == 0);
  assay_judgement_free(judgement);
  /* A buffer with what is no value of its type: 2 is no bool. */
  CHECK(assay_outcomes_buffer(outcomes, 0, 0, &data, &size, &error) == ASSAY_OK);
  memset(data, 2, size);
  FAILS(bad, "output 0", assay_judge(vector, outcomes, &judgement, &error));
  assay_outcomes_free(outcomes);
  CHECK(assay_vector_graph_bytes(vector, 0, &tosa, &size, &error) == ASSAY_OK);
  FAILS(bad, "input", assay_vector_from_graph(tosa, size, NULL, NULL, 0, 1, &made, &error));
  other = value, other.dtype = ASSAY_DTYPE_I16, other.size = 4;
  {
    const assay_tensor_view inputs[] = {other, other};
    FAILS(bad, "the graph has", assay_vector_from_graph(tosa, size, NULL, inputs, 2, 1, &made, &error));
    FAILS(bad, "input_count", assay_vector_from_graph(tosa, size, NULL, inputs, 2, 0, &made, &error));
    FAILS(bad, "input_count",
          assay_vector_from_graph(tosa, size, NULL, inputs, 2, SIZE_MAX / 2 + 2, &made, &error));
  }
}

static void pass_wrong_options(void) {
  static const struct {
    const char *option, *words;
  } cases[] = {{"op", "has no ="},       {"op=ADD,ADDD", "op: no operator"},       {"typ=i8", "type"},
               {"max-rank=x", "number"}, {"max-rank=-1", "number"}, {"level=9K", "level"},
               {"target=/nonexistent/t.json", "/nonexistent/t.json"}, {"ext=EXT-NONE", "EXT"}};
  assay_generator* generator;
  assay_vector* vector;
  size_t i;
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assay_status status;
    memset(&error, 'x', sizeof error);
    status = assay_generator_new("graph", 1, &cases[i].option, 1, &generator, &error);
    CHECK(status == ASSAY_BAD_ARGUMENT || status == ASSAY_BAD_INPUT);
    CHECK(generator == NULL && strstr(error.text, cases[i].words) != NULL);
  }
  FAILS(ASSAY_BAD_ARGUMENT, "no kind", assay_generator_new("grap", 1, NULL, 0, &generator, &error));
  CHECK(assay_generator_new("graph", 1, NULL, 0, &generator, &error) == ASSAY_OK);
  FAILS(ASSAY_BAD_ARGUMENT, "index", assay_generate(generator, UINT64_MAX, &vector, &error));
  assay_generator_free(generator);
}

/* Reads all beginnings of a vector, and the vector with one byte changed, and judges what is read. */
static void read_damaged_bytes(const assay_vector* vector) {
  const void* whole;
  size_t size, i, read = 0, refused = 0;
  uint8_t* bytes;
  CHECK(assay_vector_bytes(vector, &whole, &size, &error) == ASSAY_OK);
  bytes = malloc(size);
  for (i = 0; i < 2 * size; i += 5) {
    const int is_cut = i < size;
    const size_t at = is_cut ? i : i - size;
    assay_vector* damaged;
    assay_outcomes* outcomes;
    assay_judgement* judgement;
    assay_status status;
    memcpy(bytes, whole, size);
    if (!is_cut) bytes[at] ^= 0x41;
    status = assay_vector_read(bytes, is_cut ? at : size, "damaged", &damaged, &error);
    if (status != ASSAY_OK) {
      CHECK((status == ASSAY_BAD_INPUT || status == ASSAY_UNSUPPORTED) && damaged == NULL);
      CHECK(strncmp(error.text, "damaged", 7) == 0 && strchr(error.text, '\n') == NULL);
      ++refused;
      continue;
    }
    ++read;
    CHECK(!is_cut);
    if (assay_execute(damaged, &outcomes, &error) == ASSAY_OK) {
      status = assay_judge(damaged, outcomes, &judgement, &error);
      CHECK(status != ASSAY_DEFECT);
      if (status == ASSAY_OK) assay_judgement_free(judgement);
      assay_outcomes_free(outcomes);
    }
    assay_vector_free(damaged);
  }
  CHECK(read > 10 && refused > 10);
  free(bytes);
}

static void open_bad_paths(void) {
  assay_suite* suite;
  assay_vector* vector;
  char folder[] = "/tmp/assay-hostile-XXXXXX";
  char path[64];
  FILE* file;
  FAILS(ASSAY_BAD_INPUT, "/nonexistent", assay_suite_open("/nonexistent", &suite, &error));
  CHECK(assay_suite_open("", &suite, &error) != ASSAY_OK && suite == NULL);
  CHECK(mkdtemp(folder) != NULL);
  FAILS(ASSAY_BAD_INPUT, folder, assay_suite_open(folder, &suite, &error));
  snprintf(path, sizeof path, "%s/suite.json", folder);
  file = fopen(path, "w");
  CHECK(file != NULL && fputs("{\"vectors\": [", file) >= 0 && fclose(file) == 0);
  FAILS(ASSAY_BAD_INPUT, "suite.json", assay_suite_open(folder, &suite, &error));
  CHECK(remove(path) == 0);
  /* A file so large that the programs of Assay would map it. */
  snprintf(path, sizeof path, "%s/large.tvec", folder);
  file = fopen(path, "w");
  CHECK(file != NULL && ftruncate(fileno(file), 1 << 22) == 0 && fclose(file) == 0);
  CHECK(assay_suite_open(path, &suite, &error) == ASSAY_OK);
  FAILS(ASSAY_BAD_INPUT, "large.tvec", assay_suite_vector(suite, 0, &vector, &error));
  assay_suite_free(suite);
  CHECK(remove(path) == 0 && remove(folder) == 0);
}

/* Checks that results do not depend on the floating-point mode of the caller, who keeps it. */
static void compute_in_another_mode(void) {
  assay_vector* vectors[2];
  const void* bytes[2];
  size_t sizes[2], i;
  for (i = 0; i < 2; ++i) {
    if (i == 1) {
      fesetround(FE_UPWARD);
#if defined(__x86_64__)
      _mm_setcsr(_mm_getcsr() | 0x8040); /* subnormals are zero */
#endif
      feraiseexcept(FE_DIVBYZERO);
    }
    vectors[i] = generated("graph", 11);
    CHECK(assay_vector_bytes(vectors[i], &bytes[i], &sizes[i], &error) == ASSAY_OK);
  }
  CHECK(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
  CHECK(fegetround() == FE_UPWARD && fetestexcept(FE_ALL_EXCEPT) == FE_DIVBYZERO);
#if defined(__x86_64__)
  CHECK((_mm_getcsr() & 0x8040) == 0x8040);
#endif
  fesetenv(FE_DFL_ENV);
  assay_vector_free(vectors[0]), assay_vector_free(vectors[1]);
}

static void misuse_shrinking(const assay_vector* vector) {
  const char* null = "null pointer";
  const assay_status bad = ASSAY_BAD_ARGUMENT;
  const assay_place nowhere = {-1, 0, INT64_MAX};
  assay_shrinkable *shrinkable, *smaller;
  assay_vector *problem, *made, *plans = generated("plan", 1);
  assay_lines* lines;
  assay_plan plan;
  size_t i;
  FAILS(bad, null, assay_shrinkable_new(NULL, &shrinkable, &error));
  FAILS(bad, null, assay_shrinkable_new(vector, NULL, &error));
  FAILS(bad, null, assay_shrinkable_smaller(NULL, 0, &smaller, &error));
  FAILS(bad, null, assay_vector_show(NULL, &lines, &error));
  FAILS(bad, null, assay_memory_problem(1, NULL, &error));
  FAILS(bad, null, assay_check_places(NULL, 0, &nowhere, 1, &lines, &error));
  FAILS(bad, null, assay_freeze_inputs(NULL, 1, &made, &error));
  FAILS(bad, "plan 0", assay_check_places(vector, 0, &nowhere, 1, &lines, &error));
  FAILS(bad, "sound plan", assay_shrinkable_new(plans, &shrinkable, &error)); /* it is broken */
  FAILS(ASSAY_BAD_INPUT, "graph 0", assay_freeze_inputs(plans, 1, &made, &error));
  CHECK(assay_shrinkable_vector(NULL) == NULL);
  assay_shrinkable_free(NULL);
  CHECK(assay_shrinkable_new(vector, &shrinkable, &error) == ASSAY_OK);
  CHECK(assay_shrinkable_smaller(shrinkable, SIZE_MAX, &smaller, &error) == ASSAY_NOTHING);
  assay_shrinkable_free(shrinkable);
  CHECK(assay_memory_problem(UINT64_MAX, &problem, &error) == ASSAY_OK);
  CHECK(assay_vector_plan(problem, 0, &plan, &error) == ASSAY_OK);
  FAILS(bad, "buffers", assay_check_places(problem, 0, &nowhere, plan.buffer_count + 1, &lines, &error));
  FAILS(bad, null, assay_check_places(problem, 0, NULL, plan.buffer_count, &lines, &error));
  {
    assay_place* places = calloc(plan.buffer_count, sizeof *places);
    for (i = 0; i < plan.buffer_count; ++i) places[i] = nowhere;
    CHECK(assay_check_places(problem, 0, places, plan.buffer_count, &lines, &error) == ASSAY_OK);
    CHECK(assay_lines_count(lines) >= plan.buffer_count);
    assay_lines_free(lines);
    free(places);
  }
  assay_vector_free(problem);
  assay_vector_free(plans);
}

int main(void) {
  struct sigaction before[NSIG], after[NSIG];
  assay_vector *vector, *stateful;
  char printed[64];
  FILE* watched = tmpfile();
  int number;
  report = fdopen(dup(2), "w");
  fflush(NULL);
  dup2(fileno(watched), 1), dup2(fileno(watched), 2);
  for (number = 1; number < NSIG; ++number) {
    memset(&before[number], 0, sizeof *before);
    sigaction(number, NULL, &before[number]);
  }
  vector = generated("operator", 2);
  stateful = generated("stateful", 3);
  pass_null_pointers(vector);
  misuse_shrinking(vector);
  pass_wrong_indices(vector);
  {
    assay_generator* generator;
    assay_vector* of_bool = NULL;
    const char* const options[] = {"op=LOGICAL_AND"};
    uint64_t index = 0;
    CHECK(assay_generator_new("operator", 1, options, 1, &generator, &error) == ASSAY_OK);
    while (assay_vector_input_count(of_bool, 0) != 2 ||
           assay_vector_expected_outcome(of_bool, 0) != ASSAY_OUTCOME_ANSWERED) {
      assay_vector_free(of_bool);
      assay_generate(generator, index++, &of_bool, &error);
    }
    pass_wrong_tensors(of_bool);
    assay_vector_free(of_bool);
    assay_generator_free(generator);
  }
  pass_wrong_options();
  read_damaged_bytes(stateful);
  open_bad_paths();
  compute_in_another_mode();
  for (number = 1; number < NSIG; ++number) {
    memset(&after[number], 0, sizeof *after);
    sigaction(number, NULL, &after[number]);
    CHECK(before[number].sa_handler == after[number].sa_handler &&
          before[number].sa_flags == after[number].sa_flags);
  }
  CHECK(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
  fflush(NULL);
  rewind(watched);
  CHECK(fgets(printed, sizeof printed, watched) == NULL);
  assay_vector_free(vector), assay_vector_free(stateful);
  fclose(report);
  return failures == 0 ? 0 : 1;
}
