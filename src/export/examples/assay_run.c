// SPDX-License-Identifier: Apache-2.0
/* An example of assay_run(): elementwise operators on i32, fp32 and bool, in C99. Compile it with a
 * program of `assay export --as c`:
 *
 *     cc -std=c99 -I there there/program-0.c assay_run.c -o program-0
 *     ./program-0 > there/program-0.answers
 *
 * It allocates no memory, and works for any byte order. */
#include "assay_run.h"

#include <stddef.h>
#include <string.h>

#define POOL_BYTES (1 << 18) /* for results inside a graph */
#define TENSORS_MAX 64

static union {
  uint64_t alignment;
  uint8_t bytes[POOL_BYTES];
} pool;

static float as_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static int is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* Computes one element. Sets *known to 0 for another operator or type. */
static uint32_t compute(const char *op, const char *type, uint32_t a, uint32_t b, int *known) {
  const int is_float = is(type, "fp32");
  const float x = as_float(a), y = as_float(b);
  /* In two's complement, the order of signed numbers is that of these unsigned ones. */
  const uint32_t p = a ^ UINT32_C(0x80000000), q = b ^ UINT32_C(0x80000000);
  if (is(op, "IDENTITY")) return a;
  if (is(type, "bool")) {
    if (is(op, "LOGICAL_AND")) return a & b;
    if (is(op, "LOGICAL_OR")) return a | b;
    if (is(op, "LOGICAL_XOR")) return a ^ b;
    if (is(op, "LOGICAL_NOT")) return !a;
  }
  if (is_float || is(type, "i32")) {
    if (is(op, "ADD")) return is_float ? bits_of(x + y) : a + b;
    if (is(op, "SUB")) return is_float ? bits_of(x - y) : a - b;
    if (is(op, "EQUAL")) return is_float ? x == y : a == b;
    if (is(op, "GREATER")) return is_float ? x > y : p > q;
    if (is(op, "GREATER_EQUAL")) return is_float ? x >= y : p >= q;
  }
  if (is(type, "i32")) {
    if (is(op, "MAXIMUM")) return p > q ? a : b;
    if (is(op, "MINIMUM")) return p < q ? a : b;
    if (is(op, "BITWISE_AND")) return a & b;
    if (is(op, "BITWISE_OR")) return a | b;
    if (is(op, "BITWISE_XOR")) return a ^ b;
    if (is(op, "BITWISE_NOT")) return ~a;
    if (is(op, "ABS")) return p < UINT32_C(0x80000000) ? 0 - a : a;
  }
  if (is(op, "ABS") && is_float) return a & UINT32_C(0x7fffffff);
  *known = 0;
  return 0;
}

static uint32_t load(const assay_tensor *tensor, const void *data, uint32_t index) {
  uint32_t value = 0;
  uint8_t byte;
  if (tensor->element_bytes == 4) {
    memcpy(&value, (const uint8_t *)data + 4 * (size_t)index, 4);
    return value;
  }
  memcpy(&byte, (const uint8_t *)data + index, 1);
  return byte;
}

static void store(const assay_tensor *tensor, void *data, uint32_t index, uint32_t value) {
  const uint8_t byte = (uint8_t)value;
  if (tensor->element_bytes == 4) {
    memcpy((uint8_t *)data + 4 * (size_t)index, &value, 4);
  } else {
    memcpy((uint8_t *)data + index, &byte, 1);
  }
}

/* Returns the element of an operand that belongs to an element of the result: a dimension of 1 is
 * stretched. */
static uint32_t source_of(const assay_tensor *operand, const assay_tensor *result, uint32_t index) {
  uint32_t source = 0, step = 1;
  int32_t axis;
  for (axis = result->rank - 1; axis >= 0; --axis) {
    const uint32_t size = (uint32_t)result->shape[axis];
    if (operand->shape[axis] != 1) source += index % size * step;
    step *= (uint32_t)operand->shape[axis];
    index /= size;
  }
  return source;
}

/* Returns 1 if the operand can be stretched to the result. */
static int fits(const assay_tensor *operand, const assay_tensor *result) {
  int32_t axis;
  int fits = operand->rank == result->rank && operand->elements > 0;
  for (axis = 0; axis < result->rank && fits; ++axis) {
    fits = operand->shape[axis] == 1 || operand->shape[axis] == result->shape[axis];
  }
  return fits;
}

static int run_operator(const assay_graph *graph, const assay_operator *op, void **data) {
  const assay_tensor *out = &graph->tensors[op->outputs[0]];
  const assay_tensor *a = &graph->tensors[op->inputs[0]];
  const assay_tensor *b = &graph->tensors[op->inputs[op->input_count - 1]];
  uint32_t i;
  int known = op->input_count <= 2 && op->output_count == 1 && fits(a, out) && fits(b, out) &&
              is(a->type, b->type) && (a->element_bytes == 4 || is(a->type, "bool"));
  for (i = 0; i < out->elements && known; ++i) {
    const uint32_t x = load(a, data[op->inputs[0]], source_of(a, out, i));
    const uint32_t y = load(b, data[op->inputs[op->input_count - 1]], source_of(b, out, i));
    store(out, data[op->outputs[0]], i, compute(op->name, a->type, x, y, &known));
  }
  return known;
}

int assay_run(const assay_step *step, void *const *outputs, const char **reason) {
  static void *data[TENSORS_MAX];
  const assay_graph *graph = step->graph;
  size_t used = 0;
  int32_t i;
  if (graph->tensor_count > TENSORS_MAX || step->input_count != graph->input_count) {
    *reason = "too many tensors";
    return ASSAY_UNSUPPORTED;
  }
  for (i = 0; i < graph->tensor_count; ++i) {
    const assay_tensor *tensor = &graph->tensors[i];
    const size_t bytes = ((size_t)tensor->elements * tensor->element_bytes + 15) / 16 * 16;
    if (tensor->variable) {
      *reason = "variable tensors";
      return ASSAY_UNSUPPORTED;
    }
    data[i] = (void *)(uintptr_t)tensor->data; /* constants are only read */
    if (data[i] != NULL) continue;
    if (bytes > POOL_BYTES - used) {
      *reason = "large tensors";
      return ASSAY_UNSUPPORTED;
    }
    data[i] = pool.bytes + used;
    used += bytes;
  }
  for (i = 0; i < graph->input_count; ++i) {
    data[graph->inputs[i]] = (void *)(uintptr_t)step->inputs[i].data;
  }
  for (i = 0; i < graph->operator_count; ++i) {
    const assay_operator *op = &graph->operators[i];
    if (is(op->name, "CONST") || is(op->name, "CONST_SHAPE")) continue;
    if (op->input_count == 0 || op->output_count == 0 || !run_operator(graph, op, data)) {
      *reason = op->name;
      return ASSAY_UNSUPPORTED;
    }
  }
  for (i = 0; i < graph->output_count; ++i) {
    const assay_tensor *tensor = &graph->tensors[graph->outputs[i]];
    memcpy(outputs[i], data[graph->outputs[i]], (size_t)tensor->elements * tensor->element_bytes);
  }
  return ASSAY_OK;
}
