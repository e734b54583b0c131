// SPDX-License-Identifier: Apache-2.0
/* The rest of the program runs the vectors and prints the answers. ASSAY_PRINT prints a text, and
 * ASSAY_FLUSH makes sure that all of it arrives, even if the program crashes afterwards.
 * ASSAY_DECLARES has what `assay verify --declare` would say of the code under test, "no-checks". */
#ifndef ASSAY_PRINT
#include <stdio.h>
#define ASSAY_PRINT(text) ((void)fputs(text, stdout))
#define ASSAY_FLUSH() ((void)fflush(stdout))
#endif
#ifndef ASSAY_FLUSH
#define ASSAY_FLUSH() ((void)0)
#endif
#ifndef ASSAY_DECLARES
#define ASSAY_DECLARES ""
#endif

#define ELEMENTS_OF_LINE 32
#define REASON_MAX 200

static uint32_t checksum;

static void put(const char *text) {
  const char *at;
  for (at = text; *at != '\0'; ++at) {
    checksum = (uint32_t)((checksum ^ (uint8_t)*at) * UINT32_C(16777619));
  }
  ASSAY_PRINT(text);
}

static void put_hex(uint64_t value, uint32_t digits) {
  char text[17];
  uint32_t i;
  for (i = 0; i < digits; ++i) {
    text[i] = "0123456789abcdef"[(value >> (4 * (digits - 1 - i))) & 15];
  }
  text[digits] = '\0';
  put(text);
}

static void put_number(uint32_t value) {
  char text[11];
  int at = 10;
  text[10] = '\0';
  do {
    text[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  put(text + at);
}

static void put_reason(const char *reason) {
  char text[REASON_MAX + 1];
  int length = 0;
  while (reason != NULL && length < REASON_MAX && reason[length] >= ' ' && reason[length] <= '~') {
    text[length] = reason[length];
    ++length;
  }
  text[length] = '\0';
  put(text);
  put("\n");
}

static uint64_t element_at(const uint8_t *data, uint32_t index, uint32_t bytes) {
  uint8_t byte;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  data += (size_t)index * bytes;
  switch (bytes) {
    case 1:
      memcpy(&byte, data, sizeof byte);
      return byte;
    case 2:
      memcpy(&two, data, sizeof two);
      return two;
    case 4:
      memcpy(&four, data, sizeof four);
      return four;
    default:
      memcpy(&eight, data, sizeof eight);
      return eight;
  }
}

static void put_output(const assay_step *step, int32_t output, const uint8_t *data) {
  const assay_tensor *tensor = &step->graph->tensors[step->graph->outputs[output]];
  uint32_t at;
  for (at = 0; at < tensor->elements; ++at) {
    if (at % ELEMENTS_OF_LINE == 0) {
      put("assay output ");
      put_number((uint32_t)step->step);
      put(" ");
      put_number((uint32_t)output);
      put(" ");
      put_number(at);
      put(" ");
    }
    put_hex(element_at(data, at, tensor->element_bytes), 2 * tensor->element_bytes);
    if (at % ELEMENTS_OF_LINE == ELEMENTS_OF_LINE - 1 || at == tensor->elements - 1) put("\n");
  }
}

/* The outputs of a step follow each other in one buffer. They begin with a pattern that shows what
 * was never written. */
static void run_step(const assay_step *step, int *end) {
  void *outputs[OUTPUTS_MAX];
  const char *reason = NULL;
  size_t used = 0;
  int32_t i;
  memset(output_space.bytes, 0xA5, sizeof output_space.bytes);
  for (i = 0; i < step->graph->output_count; ++i) {
    const assay_tensor *tensor = &step->graph->tensors[step->graph->outputs[i]];
    outputs[i] = output_space.bytes + used;
    used += ((size_t)tensor->elements * tensor->element_bytes + 15) / 16 * 16;
  }
  *end = assay_run(step, outputs, &reason);
  if (*end == ASSAY_OK) {
    for (i = 0; i < step->graph->output_count; ++i) {
      put_output(step, i, (const uint8_t *)outputs[i]);
    }
  } else if (*end == ASSAY_REFUSED) {
    put("assay refused ");
    put_number((uint32_t)step->step);
    put(" ");
    put_reason(reason);
  } else {
    put("assay unsupported ");
    put_reason(reason);
  }
}

void assay_run_vectors(uint32_t first) {
  uint32_t i;
  int32_t step;
  if (sizeof ASSAY_DECLARES > 1) ASSAY_PRINT("assay declares " ASSAY_DECLARES "\n");
  for (i = first; i < VECTORS; ++i) {
    int end = ASSAY_OK;
    checksum = UINT32_C(2166136261);
    put("assay vector ");
    put(vectors[i].steps[0].key);
    put("\n");
    ASSAY_FLUSH();
    for (step = 0; step < vectors[i].step_count && end != ASSAY_UNSUPPORTED; ++step) {
      run_step(&vectors[i].steps[step], &end);
    }
    ASSAY_PRINT("assay end ");
    put_hex(checksum, 8);
    ASSAY_PRINT("\n");
    ASSAY_FLUSH();
  }
}

#ifndef ASSAY_NO_MAIN
int main(int argc, char **argv) {
  uint32_t first = 0;
  const char *digit;
  for (digit = argc > 1 ? argv[1] : ""; *digit >= '0' && *digit <= '9'; ++digit) {
    first = first * 10 + (uint32_t)(*digit - '0');
  }
  assay_run_vectors(first);
  return 0;
}
#endif
