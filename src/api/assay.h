// SPDX-License-Identifier: Apache-2.0
#pragma once
/* Assay as a library, in C99: test vectors of TOSA backends, the reference executor and the
   verdict.

   A suite is a list of vectors. A vector has graphs, inputs and expectations for some steps, which
   are invocations of its graphs one after the other. You run the steps on your backend, put what it
   did into outcomes, and let the library judge them:

       assay_suite_open("suite", &suite, &error);
       assay_suite_vector(suite, i, &vector, &error);
       assay_outcomes_new(vector, &outcomes, &error);
       ... assay_vector_input(), assay_outcomes_buffer() for each step ...
       assay_judge(vector, outcomes, &judgement, &error);

   Rules for all functions:
   - A function that can fail returns a status, and takes an `error` as its last argument, which may
     be NULL. If the status is not ASSAY_OK, the results are set to NULL or 0, and `error` has one
     line that names the culprit.
   - Other functions return the answer. They return 0, NULL, "" or a negative number for a handle
     that is NULL and for an index beyond its list.
   - Handles that a function makes are the caller's, who frees them with assay_..._free(). That does
     nothing for NULL. Handles do not refer to each other, so the order does not matter.
   - Pointers that are read from a handle are valid until it is freed or changed. Texts end with a
     zero. Data that a caller passes is copied, or used until the function returns.
   - Threads may use different handles at the same time, and one handle if no function changes it.
     Functions change a handle if they take it without const.
   - No function prints, ends the process, throws, starts threads or processes, or changes the
     signal handlers, the locale or the floating-point mode of the process. Results do not depend on
     the locale and the floating-point mode of the caller.

   The library keeps its binary interface: functions get new names or new symbol versions, and
   enumerators and fields of structs keep their values and places. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Errors */

typedef int32_t assay_status;
enum {
  ASSAY_OK = 0,
  ASSAY_NOTHING = 1,      /* there is no such thing, or no further one; `error` stays empty */
  ASSAY_BAD_ARGUMENT = 2, /* a null pointer, an index beyond a list, a wrong size or name */
  ASSAY_BAD_INPUT = 3,    /* a file or its content */
  ASSAY_UNSUPPORTED = 4,  /* understood, but this version or machine cannot do it */
  ASSAY_LIMIT = 5,        /* no memory, or a limit was reached */
  ASSAY_DEFECT = 6        /* a defect in Assay itself; free the handles that were passed */
};

enum { ASSAY_ERROR_SIZE = 1024 };
/* An error message, which the caller owns. It is cut off if it is longer. */
typedef struct assay_error {
  char text[ASSAY_ERROR_SIZE];
} assay_error;

/* Returns the version of the toolkit: "0.1.0". */
const char* assay_library_version(void);

/* ---- Tensors */

/* The types of elements, with their numbers in a `.tosa` file. */
typedef uint32_t assay_dtype;
enum {
  ASSAY_DTYPE_BOOL = 1,
  ASSAY_DTYPE_I4 = 2,
  ASSAY_DTYPE_I8 = 3,
  ASSAY_DTYPE_I16 = 4,
  ASSAY_DTYPE_I32 = 5,
  ASSAY_DTYPE_I48 = 6,
  ASSAY_DTYPE_FP32 = 7,
  ASSAY_DTYPE_FP16 = 8,
  ASSAY_DTYPE_BF16 = 9,
  ASSAY_DTYPE_SHAPE = 10,
  ASSAY_DTYPE_FP8E4M3 = 11,
  ASSAY_DTYPE_FP8E5M2 = 12
};
/* Returns the name in the specification, "i8"; "" if there is no such type. */
const char* assay_dtype_name(assay_dtype dtype);
/* Returns the bytes of an element in memory. */
size_t assay_dtype_size(assay_dtype dtype);

/* A tensor in somebody's memory. Elements are row-major, in the byte order of the machine, and
   aligned to their own size. bool (0 or 1), i4, i8 and fp8 take one byte; i16, fp16 and bf16 two;
   i32 and fp32 four; i48 and shape eight. i4 and i48 are sign-extended. */
typedef struct assay_tensor_view {
  const char* name;     /* "" if it has none; NULL is read as "" */
  const void* data;     /* NULL if there is no value */
  size_t size;          /* of all elements, in bytes */
  const int32_t* shape; /* `rank` dimensions, the outermost first */
  uint32_t rank;
  assay_dtype dtype;
} assay_tensor_view;

/* ---- Lists of lines */

typedef struct assay_lines assay_lines;
size_t assay_lines_count(const assay_lines* lines);
const char* assay_lines_line(const assay_lines* lines, size_t index);
void assay_lines_free(assay_lines* lines);

/* ---- Suites */

typedef struct assay_suite assay_suite;
typedef struct assay_vector assay_vector;

/* Opens a suite, a folder with vectors, a pack (`.tvecs`), a vector (`.tvec`) or an Arm test
   directory. The files of a suite must be those that its suite.json lists. Files are read into
   memory while they are used. */
assay_status assay_suite_open(const char* path, assay_suite** suite, assay_error* error);
size_t assay_suite_size(const assay_suite* suite);
/* Returns the path of a vector, also of one in a pack, which assay_suite_open() and the program
   `assay` take: "suite/operator/operator-000017.tvec". */
const char* assay_suite_path(const assay_suite* suite, size_t index);
/* Returns a line for each thing that the suite lacks. */
size_t assay_suite_gap_count(const assay_suite* suite);
const char* assay_suite_gap(const assay_suite* suite, size_t index);
/* Reads a vector. */
assay_status assay_suite_vector(const assay_suite* suite, size_t index, assay_vector** vector,
                                assay_error* error);
void assay_suite_free(assay_suite* suite);

/* ---- Vectors */

/* Reads the bytes of a `.tvec` file; `name` is for messages. */
assay_status assay_vector_read(const void* bytes, size_t size, const char* name,
                               assay_vector** vector, assay_error* error);
/* Makes a vector of a graph, the bytes of a `.tosa` or `.spv` file, and the inputs of `steps`
   invocations in one context: those of the first step, then those of the second. The reference
   executor computes the expectation. Each step must have as many inputs as the graph; graph
   constants of a module are inputs. */
assay_status assay_vector_from_graph(const void* tosa, size_t size, const char* name,
                                     const assay_tensor_view* inputs, size_t input_count,
                                     size_t steps, assay_vector** vector, assay_error* error);
void assay_vector_free(assay_vector* vector);
/* Gives the bytes of the vector as a `.tvec` file. They are the vector's. */
assay_status assay_vector_bytes(const assay_vector* vector, const void** bytes, size_t* size,
                                assay_error* error);

const char* assay_vector_name(const assay_vector* vector);  /* "operator-17-ADD" */
const char* assay_vector_kind(const assay_vector* vector);  /* "operator"; "" if not generated */
const char* assay_vector_level(const assay_vector* vector); /* "8K" or "none" */
/* The profiles and extensions that it needs: "PRO-INT". */
size_t assay_vector_requirement_count(const assay_vector* vector);
const char* assay_vector_requirement(const assay_vector* vector, size_t index);
/* The readings of the specification and the features that it depends on. */
size_t assay_vector_tag_count(const assay_vector* vector);
const char* assay_vector_tag(const assay_vector* vector, size_t index);
/* The distinct operators of all graphs but CONST and CONST_SHAPE, each with the type that
   distinguishes it: "CONV2D", ASSAY_DTYPE_I8. */
size_t assay_vector_operator_count(const assay_vector* vector);
const char* assay_vector_operator(const assay_vector* vector, size_t index);
assay_dtype assay_vector_operator_dtype(const assay_vector* vector, size_t index);

size_t assay_vector_graph_count(const assay_vector* vector);
/* Gives a graph as the bytes of a `.tosa` file, and as text, one operator a line. They are the
   vector's. */
assay_status assay_vector_graph_bytes(const assay_vector* vector, size_t graph, const void** bytes,
                                      size_t* size, assay_error* error);
assay_status assay_vector_graph_text(const assay_vector* vector, size_t graph, const char** text,
                                     assay_error* error);

/* ---- Steps of a vector */

/* The result of a step. */
typedef int32_t assay_outcome;
enum {
  ASSAY_OUTCOME_ANSWERED = 0,      /* there are outputs */
  ASSAY_OUTCOME_REFUSED = 1,       /* an ERROR_IF holds, or the backend reported an error */
  ASSAY_OUTCOME_UNPREDICTABLE = 2, /* a REQUIRE or a level check fails; never of a backend */
  ASSAY_OUTCOME_UNSUPPORTED = 3,   /* backends: counted, never judged */
  ASSAY_OUTCOME_CRASHED = 4,       /* backends: a finding */
  ASSAY_OUTCOME_TIMED_OUT = 5      /* backends: a finding */
};

size_t assay_vector_step_count(const assay_vector* vector);
/* Return the graph that a step invokes, and the context whose variables it uses; -1 if none. */
int32_t assay_vector_step_graph(const assay_vector* vector, size_t step);
int32_t assay_vector_step_context(const assay_vector* vector, size_t step);
size_t assay_vector_input_count(const assay_vector* vector, size_t step);
assay_status assay_vector_input(const assay_vector* vector, size_t step, size_t index,
                                assay_tensor_view* input, assay_error* error);
/* Gives the name, type and shape that the graph declares for an output; `data` is NULL. */
size_t assay_vector_output_count(const assay_vector* vector, size_t step);
assay_status assay_vector_output(const assay_vector* vector, size_t step, size_t index,
                                 assay_tensor_view* output, assay_error* error);
/* The values that variables must have before the step, for the few vectors that say so. */
size_t assay_vector_state_before_count(const assay_vector* vector, size_t step);
assay_status assay_vector_state_before(const assay_vector* vector, size_t step, size_t index,
                                       assay_tensor_view* variable, assay_error* error);

/* ---- Expectations */

/* Returns the outcome that the specification demands of a step: ANSWERED, REFUSED or UNPREDICTABLE,
   which leaves everything to the backend; -1 if there is no such step. */
assay_outcome assay_vector_expected_outcome(const assay_vector* vector, size_t step);
/* Returns the rule that decides, "CONV2D/ERROR_IF/3", unless the outcome is ANSWERED. */
const char* assay_vector_expected_rule(const assay_vector* vector, size_t step);

/* The value that an output or a variable must have. If `reference` is NULL, every element must be
   that of `value`, but for signs of zeros and bits of NaNs. Otherwise an element must lie within
   `error` of `reference` by the rules of the specification. An error of 0 means exactly
   `reference`. If the error is NaN or infinite, the element is undetermined and never judged. */
typedef struct assay_expectation {
  assay_tensor_view value;
  const double* reference; /* one for each element, or NULL */
  const double* error;     /* one for each element, or NULL */
  const char* rule;        /* in words: "exact", "ADD 0.5 ULP" */
} assay_expectation;
/* Give the expectation of an output; that of a variable after the step. Steps that are not ANSWERED
   have none. */
assay_status assay_vector_expected(const assay_vector* vector, size_t step, size_t output,
                                   assay_expectation* expectation, assay_error* error);
size_t assay_vector_state_count(const assay_vector* vector, size_t step);
assay_status assay_vector_state(const assay_vector* vector, size_t step, size_t index,
                                assay_expectation* expectation, assay_error* error);

/* The values that one element may have. */
typedef int32_t assay_demand;
enum {
  ASSAY_DEMAND_EXACT = 0,       /* one value */
  ASSAY_DEMAND_BOUNDED = 1,     /* a set of values around a reference */
  ASSAY_DEMAND_UNDETERMINED = 2 /* any */
};
/* Gives the demand on element `element` (row-major) of an output, and writes it as text, cut off to
   `size` bytes with its zero: "exact", "within 0.5 of 3". `text` may be NULL. */
assay_status assay_vector_demand(const assay_vector* vector, size_t step, size_t output,
                                 size_t element, assay_demand* demand, char* text, size_t size,
                                 assay_error* error);

/* ---- Outcomes: what a backend did with the steps of a vector */

typedef struct assay_outcomes assay_outcomes;

/* Makes outcomes for the steps of a vector, all UNSUPPORTED. */
assay_status assay_outcomes_new(const assay_vector* vector, assay_outcomes** outcomes,
                                assay_error* error);
void assay_outcomes_free(assay_outcomes* outcomes);
/* Gives memory for an output of the type and the shape that the graph declares, for the backend to
   fill. The step is then ANSWERED. */
assay_status assay_outcomes_buffer(assay_outcomes* outcomes, size_t step, size_t output,
                                   void** data, size_t* size, assay_error* error);
/* Copies an output, which may have any type and shape. The step is then ANSWERED. */
assay_status assay_outcomes_set_output(assay_outcomes* outcomes, size_t step, size_t output,
                                       const assay_tensor_view* value, assay_error* error);
/* Copies the value of a variable after the step. Variables need not be given. */
assay_status assay_outcomes_set_variable(assay_outcomes* outcomes, size_t step,
                                         const assay_tensor_view* value, assay_error* error);
/* Sets the outcome of a step, with a line on why; `message` may be NULL. */
assay_status assay_outcomes_set(assay_outcomes* outcomes, size_t step, assay_outcome outcome,
                                const char* message, assay_error* error);
/* Declares a fact about the floating point of the backend, which makes the judgement stricter:
   "plain-sums". `assay verify --help` lists them. */
assay_status assay_outcomes_declare(assay_outcomes* outcomes, const char* declaration,
                                    assay_error* error);

/* Read outcomes, also those of assay_execute(). */
assay_outcome assay_outcomes_outcome(const assay_outcomes* outcomes, size_t step);
const char* assay_outcomes_message(const assay_outcomes* outcomes, size_t step);
const char* assay_outcomes_rule(const assay_outcomes* outcomes, size_t step);
size_t assay_outcomes_output_count(const assay_outcomes* outcomes, size_t step);
assay_status assay_outcomes_output(const assay_outcomes* outcomes, size_t step, size_t output,
                                   assay_tensor_view* value, assay_error* error);
size_t assay_outcomes_variable_count(const assay_outcomes* outcomes, size_t step);
assay_status assay_outcomes_variable(const assay_outcomes* outcomes, size_t step, size_t index,
                                     assay_tensor_view* value, assay_error* error);

/* Executes a vector with the reference executor. */
assay_status assay_execute(const assay_vector* vector, assay_outcomes** outcomes,
                           assay_error* error);

/* ---- Judgement */

typedef struct assay_judgement assay_judgement;

typedef int32_t assay_verdict;
enum {
  ASSAY_VERDICT_AGREES = 0,
  ASSAY_VERDICT_DISAGREES = 1, /* there are findings */
  ASSAY_VERDICT_SUSPECT = 2,   /* it would disagree if the backend declared more */
  ASSAY_VERDICT_UNDECIDED = 3,
  ASSAY_VERDICT_UNSUPPORTED = 4 /* the backend does not support it */
};

/* Judges outcomes. All outputs of ANSWERED steps must be set. */
assay_status assay_judge(const assay_vector* vector, const assay_outcomes* outcomes,
                         assay_judgement** judgement, assay_error* error);
void assay_judgement_free(assay_judgement* judgement);
assay_verdict assay_judgement_verdict(const assay_judgement* judgement); /* -1 for NULL */
/* Returns "agrees", "disagrees", ... */
const char* assay_judgement_verdict_name(const assay_judgement* judgement);
/* Returns a line that says why the vector is suspect, undecided or unsupported; "" otherwise. */
const char* assay_judgement_note(const assay_judgement* judgement);
uint64_t assay_judgement_elements(const assay_judgement* judgement); /* that were judged */
size_t assay_judgement_finding_count(const assay_judgement* judgement);

typedef int32_t assay_finding_field;
enum {
  ASSAY_FINDING_HEADLINE = 0,   /* one line: "ADD i8: wrong value" */
  ASSAY_FINDING_TEXT = 1,       /* some lines: the first wrong element and what is allowed */
  ASSAY_FINDING_VIOLATION = 2,  /* "value", "type", "crash", "time-out", "outcome", "state", ... */
  ASSAY_FINDING_OPERATOR = 3,   /* that is blamed: "ADD"; "" if none can be */
  ASSAY_FINDING_DTYPE = 4,      /* of the operator: "i8" */
  ASSAY_FINDING_RULE = 5,       /* of the specification that is broken */
  ASSAY_FINDING_TENSOR = 6,     /* the output or the variable that is wrong */
  ASSAY_FINDING_POSITION = 7,   /* of the first wrong element: "[0,2,1]" */
  ASSAY_FINDING_EXPECTED = 8,   /* of that element */
  ASSAY_FINDING_GOT = 9,        /* of that element */
  ASSAY_FINDING_ALLOWED = 10,   /* of that element */
  ASSAY_FINDING_MESSAGE = 11,   /* one line */
  ASSAY_FINDING_SIGNATURE = 12, /* findings with the same text are of one kind */
  ASSAY_FINDING_RESTS_ON = 13   /* the declarations of the backend; "": the specification alone */
};
/* Returns a text of a finding; "" if it has none. */
const char* assay_finding_text(const assay_judgement* judgement, size_t finding,
                               assay_finding_field field);
int32_t assay_finding_step(const assay_judgement* judgement, size_t finding);
/* Returns the row-major index of the first wrong element; -1 if no element is wrong. */
int64_t assay_finding_element(const assay_judgement* judgement, size_t finding);
int64_t assay_finding_wrong_elements(const assay_judgement* judgement, size_t finding);
/* Explains a finding: how the right value comes about, operator by operator, or the rule that
   decides. */
assay_status assay_explain(const assay_vector* vector, const assay_judgement* judgement,
                           size_t finding, assay_lines** lines, assay_error* error);

/* Tells what an agreement on a vector notices. A fault is a mutant of one of its operators
   (`assay mutants --list`) that changes something in it. Gives the number of faults, and of those
   with which the vector disagrees, and a line for each other one: its id and what it does. A vector
   that takes too long to run so often notices none. `faults` and `noticed` may be NULL. */
assay_status assay_vector_power(const assay_vector* vector, uint64_t* faults, uint64_t* noticed,
                                assay_lines** missed, assay_error* error);

/* ---- Rules */

/* Checks a graph, the bytes of a `.tosa` or `.spv` file, for the level "8K" or "none". Gives a line
   for each rule that is broken: its id, the place, and its text. `name` is for messages. */
assay_status assay_check_graph(const void* tosa, size_t size, const char* name, const char* level,
                               assay_lines** broken, assay_error* error);
/* Does the same for all graphs of a vector, for its level, profiles and extensions. */
assay_status assay_check_vector(const assay_vector* vector, assay_lines** broken,
                                assay_error* error);

/* ---- Generate vectors, and make them smaller */

typedef struct assay_generator assay_generator;

/* Makes a generator of vectors of a kind: "operator", "graph", "control-flow", "stateful", "fold",
   "plan", "invalid", "dot-product", "network", "window"; NULL for all kinds that backends execute.
   An option is the text "NAME=VALUE", in which NAME is profile, ext, level, op, type, max-rank,
   max-elements, max-dimension, target or network, as for `assay gen`. Of profile, ext, op and type,
   there may be several values, separated by commas or in several options. The same kind, seed,
   options, index and version give the same vector everywhere. */
assay_status assay_generator_new(const char* kind, uint64_t seed, const char* const* options,
                                 size_t option_count, assay_generator** generator,
                                 assay_error* error);
void assay_generator_free(assay_generator* generator);
/* Returns how many indices cover everything that the kind covers systematically. */
uint64_t assay_generator_targets(const assay_generator* generator);
/* Makes the vector `index`. Returns ASSAY_NOTHING for the few indices that have no vector, and for
   those whose vector is outside the target. */
assay_status assay_generate(const assay_generator* generator, uint64_t index, assay_vector** vector,
                            assay_error* error);

/* The vectors that are one step smaller than a vector: without an operator, a step or a dimension,
   with simpler values, and so on. Each is as valid as the vector, and has an expectation of its
   own. The largest steps come first. Each is made when it is asked for, or a little earlier. */
typedef struct assay_candidates assay_candidates;
assay_status assay_candidates_new(const assay_vector* vector, assay_candidates** candidates,
                                  assay_error* error);
/* Gives the next vector. Returns ASSAY_NOTHING at the end. */
assay_status assay_candidates_next(assay_candidates* candidates, assay_vector** vector,
                                   assay_error* error);
void assay_candidates_free(assay_candidates* candidates);

/* Gives the smallest vector, as far as single steps lead, for which `fails` returns a number other
   than 0. `fails` is called at most `calls_max` times; 0 is no limit. It must not free the vector,
   and must return. */
assay_status assay_minimize(const assay_vector* vector,
                            int (*fails)(const assay_vector* vector, void* data), void* data,
                            uint64_t calls_max, assay_vector** smallest, assay_error* error);

/* ---- Pairs of graphs before and after constant folding (kind "fold", or assay_fold()) */

typedef struct assay_fold_pair {
  size_t before, after; /* graphs of the vector */
  int32_t equal; /* 1: they are equal for all inputs; 0: steps of the vector tell them apart */
  int32_t reserved;
  const char* law;    /* "x * 0 = 0" */
  const char* reason; /* in a sentence */
} assay_fold_pair;
size_t assay_vector_fold_pair_count(const assay_vector* vector);
assay_status assay_vector_fold_pair(const assay_vector* vector, size_t index, assay_fold_pair* pair,
                                    assay_error* error);

/* Makes a vector with a graph, the same graph after constant folding, and this pair. What depends
   on constants alone is computed by the reference executor, as far as it does not become much
   larger. The steps that invoke the graph are there twice, for each graph in contexts of its own.
 */
assay_status assay_fold(const assay_vector* vector, size_t graph, assay_vector** folded,
                        assay_error* error);

/* ---- Memory problems with plans (kind "plan", or assay_plan_memory()) */

/* A plan for a memory problem. All sizes, offsets and alignments are in bytes. */
typedef struct assay_plan {
  size_t buffer_count, pool_count;
  int32_t graph;      /* of the vector, that the problem is of; -1: none */
  int32_t has_plan;   /* 0: only the problem */
  int64_t optimum;    /* the smallest possible peak; -1: not known */
  const char* broken; /* the one rule that the plan breaks: "overlap"; "": it is sound */
  const char* fault;  /* the planner's mistake, for people */
} assay_plan;
/* A pool. The bytes [offset, offset + size) may be used; a size of -1 is no limit. */
typedef struct assay_memory_pool {
  const char* name;
  int64_t size, alignment, offset;
} assay_memory_pool;
/* The ticks [lower, upper) in which the bytes [window_lower, window_upper) are live; a window_upper
   of -1 stands for all bytes of the buffer. */
typedef struct assay_live_range {
  int64_t lower, upper, window_lower, window_upper;
} assay_live_range;
/* A buffer. It lies at `offset` from the base of pool `pool`; a pool of -1: it is not placed. */
typedef struct assay_memory_buffer {
  const char* name;
  int64_t size, alignment;
  int64_t fixed_offset; /* where it must lie; -1: anywhere */
  const assay_live_range* live;
  size_t live_count;
  const int32_t* conflicts; /* buffers that it conflicts with, beyond those of the live ranges */
  size_t conflict_count;
  const int32_t* pools; /* that it may lie in, the preferred one first; none: in every pool */
  size_t pool_count;
  int32_t pool;
  int32_t reserved;
  int64_t offset;
} assay_memory_buffer;
size_t assay_vector_plan_count(const assay_vector* vector);
assay_status assay_vector_plan(const assay_vector* vector, size_t index, assay_plan* plan,
                               assay_error* error);
assay_status assay_vector_plan_pool(const assay_vector* vector, size_t plan, size_t index,
                                    assay_memory_pool* pool, assay_error* error);
assay_status assay_vector_plan_buffer(const assay_vector* vector, size_t plan, size_t index,
                                      assay_memory_buffer* buffer, assay_error* error);
/* Makes a copy of a vector with a plan for the intermediate tensors and constants of a graph, in
   place of other plans. `algorithm` is one of `assay plan --help`: "auto". */
assay_status assay_plan_memory(const assay_vector* vector, size_t graph, const char* algorithm,
                               int64_t alignment, assay_vector** planned, assay_error* error);

/* ---- Property-based testing (assay/rapidcheck.h is made of these functions) */

/* A vector and the vectors that one structural move makes smaller, each with its own in turn. It
   may have steps, or a memory problem with a sound plan and nothing else. Of a pair that
   assay_fold() made, the graph before folding shrinks, and is folded again. */
typedef struct assay_shrinkable assay_shrinkable;
assay_status assay_shrinkable_new(const assay_vector* vector, assay_shrinkable** shrinkable,
                                  assay_error* error);
void assay_shrinkable_free(assay_shrinkable* shrinkable);
/* Returns the vector, which is the shrinkable's. */
const assay_vector* assay_shrinkable_vector(const assay_shrinkable* shrinkable);
/* Makes the smaller vector of this number, counted from 0. The largest cuts come first. Returns
   ASSAY_NOTHING if there are fewer. A search that goes on with the first one that fails ends about
   where assay_minimize() does. The result depends on the first vector and on the numbers alone. */
assay_status assay_shrinkable_smaller(const assay_shrinkable* shrinkable, size_t number,
                                      assay_shrinkable** smaller, assay_error* error);

/* Gives a vector as lines for people: its graphs, the inputs of its steps, pairs, and memory
   problems with their plans, which are JSON as `assay plan check` reads it. */
assay_status assay_vector_show(const assay_vector* vector, assay_lines** lines, assay_error* error);

/* Makes a vector with a memory problem of up to 80 buffers and a sound plan for it. */
assay_status assay_memory_problem(uint64_t seed, assay_vector** vector, assay_error* error);

/* The place of a buffer. */
typedef struct assay_place {
  int32_t pool;
  int32_t reserved;
  int64_t offset; /* from the base of the pool */
} assay_place;
/* Checks places, one for each buffer of a plan's problem. Gives a line for each rule that they
   break; a sound plan has none. */
assay_status assay_check_places(const assay_vector* vector, size_t plan, const assay_place* places,
                                size_t place_count, assay_lines** broken, assay_error* error);

/* Makes a vector with the first step on graph 0, in which inputs whose bit is set in `inputs` are
   constants. Input 64 has the bit of input 0. One input stays. */
assay_status assay_freeze_inputs(const assay_vector* vector, uint64_t inputs, assay_vector** frozen,
                                 assay_error* error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
