// SPDX-License-Identifier: Apache-2.0
/* The example plugin with one error, which $ASSAY_VARIANT names. The error occurs in the second
   invocation, or when the plugin is loaded. Before that it behaves as the example. */
#define assay_backend example_backend
#include "../../src/backend/examples/backend.c"
#undef assay_backend

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int is(const char* variant) {
  const char* chosen = getenv("ASSAY_VARIANT");
  return chosen != NULL && strcmp(chosen, variant) == 0;
}

static volatile int sink;
static void* write_behind(void* output) {
  const assay_backend_output* to = output;
  ((char*)to->data)[to->size] = 1;
  return NULL;
}

static assay_backend_status invoke_wrongly(assay_backend_context* context,
                                           assay_backend_graph* graph,
                                           const assay_backend_input* inputs, size_t input_count,
                                           const assay_backend_output* outputs, size_t output_count,
                                           char* why) {
  static assay_backend_context shared;
  static int invocations;
  assay_backend_output to = outputs[0];
  const assay_backend_status status =
      invoke(is("leaks") ? &shared : context, graph, inputs, input_count, outputs, output_count, why);
  int32_t* elements = to.data;
  pthread_t thread;
  if (is("crashes-on-one-element") && outputs[0].size == 4) abort();
  if (++invocations != 2) return status;
  if (is("crashes")) *(volatile int*)(size_t)(invocations - 2) = 1;
  if (is("aborts")) abort();
  if (is("exits")) exit(0);
  if (is("spins")) for (;;) sink = 1;
  if (is("blocks")) for (;;) pause();
  if (is("writes-behind")) write_behind(&to);
  if (is("writes-behind-in-a-thread")) {
    pthread_create(&thread, NULL, write_behind, &to);
    pthread_join(thread, NULL);
  }
  if (is("writes-before")) elements[-1] = 1;
  if (is("writes-far-before")) elements[-10000] = 1;
  if (is("reads-behind")) sink = ((const int32_t*)inputs[0].data)[inputs[0].size / 4];
  if (is("writes-input")) ((int32_t*)(size_t)inputs[0].data)[0] = 1;
  if (is("says-too-much")) memset(why, 'x', ASSAY_BACKEND_REASON_SIZE + 1);
  if (is("gives-a-wrong-value")) elements[1] += 1;
  if (is("prints")) puts("hello");
  if (is("fails")) return strcpy(why, "lost the device"), ASSAY_BACKEND_FAILED;
  if (is("declines")) return strcpy(why, "not today"), ASSAY_BACKEND_UNSUPPORTED;
  if (is("refuses")) return strcpy(why, "bad rank"), ASSAY_BACKEND_REFUSED;
  if (is("gives-no-status")) return (assay_backend_status)17;
  if (is("rejects-in-version-1") || is("rejects"))
    return strcpy(why, "no registers left"), ASSAY_BACKEND_REJECTED;
  return status;
}
static void never_reset(assay_backend_context* context) { (void)context; }

/* ---- Version 2 */

static void explain(assay_backend_details* details) {
  if (is("writes-behind-the-details")) ((char*)details)[sizeof *details] = 1;
  strcpy(details->op, "ADD");
  strcpy(details->pass, "allocation, step 2");
  strcpy(details->log, "a line\n");
}
/* Gives the value 7 for each tap of fp32, and no other tap. */
static assay_backend_status invoke_with_taps(
    assay_backend_context* context, assay_backend_graph* graph, const assay_backend_input* inputs,
    size_t input_count, const assay_backend_output* outputs, size_t output_count,
    const char* const* tap_names, const assay_backend_output* taps, uint8_t* tap_given,
    size_t tap_count, char* why) {
  size_t i, k;
  for (i = 0; i < tap_count; ++i) {
    if (1 << taps[i].type != FP32 || strcmp(tap_names[i], "t0") == 0) continue;
    for (k = 0; k < taps[i].size / 4; ++k) ((float*)taps[i].data)[k] = 7;
    tap_given[i] = 1;
  }
  return invoke(context, graph, inputs, input_count, outputs, output_count, why);
}

static const assay_backend_v1* version_2(const assay_backend_v1* v1) {
  static const char* const declarations[] = {"plain-sums"};
  static const char* const environment[] = {"driver 7", "device 3"};
  static const uint32_t fp32[] = {ASSAY_BACKEND_FP32, 0}, unknown_type[] = {77};
  static const int64_t axes[] = {0, 2};
  static const assay_backend_range axis = {"axis", 0, 2, axes, 2}, strange = {"pad", 0, 1, NULL, 0};
  static assay_backend_capability capabilities[] = {{"SIN", fp32, 2, fp32, 1, NULL, 0},
                                                    {"CONCAT", NULL, 0, NULL, 0, &axis, 1}};
  static assay_backend_v2 backend;
  backend.v1 = *v1;
  backend.v1.size = is("is-small-of-version-2") ? sizeof backend - 1 : sizeof backend;
  backend.v1.version = ASSAY_BACKEND_VERSION_2;
  if (is("has-a-strange-type")) capabilities[0].inputs = unknown_type;
  if (is("has-a-strange-attribute")) capabilities[1].attributes = &strange;
  if (is("has-a-strange-capability")) capabilities[1].name = "SINE";
  backend.capabilities = capabilities;
  backend.capability_count = 2;
  backend.limits.rank = 3;
  backend.declarations = declarations;
  backend.declaration_count = 1;
  backend.environment = environment;
  backend.environment_count = 2;
  backend.explain = explain;
  backend.invoke_with_taps = invoke_with_taps;
  return &backend.v1;
}

const assay_backend_v1* assay_backend(void) {
  static const assay_backend_operator unknown = {"ADDER", ~0u};
  static assay_backend_v1 backend;
  backend = *example_backend();
  backend.invoke = invoke_wrongly;
  if (is("never-resets")) backend.reset_context = never_reset;
  if (is("is-null")) return NULL;
  if (is("is-small")) backend.size -= sizeof(void*);
  if (is("is-newer")) backend.version = 3;
  if (is("lacks-a-function")) backend.invoke = NULL;
  if (is("has-strange-operators")) backend.operators = &unknown, backend.operator_count = 1;
  if (is("crashes-at-once")) abort();
  if (is("is-of-version-2") || is("rejects") || is("writes-behind-the-details") ||
      is("is-small-of-version-2") || is("has-a-strange-type") || is("has-a-strange-attribute") ||
      is("has-a-strange-capability"))
    return version_2(&backend);
  return &backend;
}
