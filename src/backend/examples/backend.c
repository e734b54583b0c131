// SPDX-License-Identifier: Apache-2.0
/* Example of a library for `--backend plugin:`, from which you can start a backend of your own.
   With an installed Assay:

     cc -std=c99 -shared -fPIC backend.c -o backend.so $(pkg-config --cflags --libs assay_serialization) -lm
     assay verify suite --backend plugin:./backend.so

   It computes in double, which represents every i8, i16, i32 and fp32. So + - * of two fp32 give
   the same as with a single rounding. Operators that it declares are exact; all others are
   unsupported, and counted as such. */
#include <assay/assay_backend.h>
#include <assay/assay_serialization.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off: one line for each case */
enum { BOOL = 1 << 1, I8 = 1 << 3, I16 = 1 << 4, I32 = 1 << 5, FP32 = 1 << 7 }; /* bits of types */
enum { INTEGERS = I8 | I16 | I32, NUMBERS = I32 | FP32, ALL = BOOL | INTEGERS | FP32 };
enum { ABS, ADD, AND, NOT, OR, XOR, CLAMP, CONST, FLOOR, IDENTITY, MAXIMUM, MINIMUM, MUL, NEGATE,
       REVERSE, SUB, VARIABLE, VARIABLE_READ, VARIABLE_WRITE, OPERATORS };
static const assay_backend_operator operators[OPERATORS] = {
    {"ABS", NUMBERS}, {"ADD", NUMBERS}, {"BITWISE_AND", INTEGERS}, {"BITWISE_NOT", INTEGERS},
    {"BITWISE_OR", INTEGERS}, {"BITWISE_XOR", INTEGERS}, {"CLAMP", I8 | I16 | FP32}, {"CONST", ALL},
    {"FLOOR", FP32}, {"IDENTITY", ALL}, {"MAXIMUM", NUMBERS}, {"MINIMUM", NUMBERS},
    {"MUL", I8 | I16 | FP32}, {"NEGATE", INTEGERS | FP32}, {"REVERSE", ALL}, {"SUB", NUMBERS},
    {"VARIABLE", ALL}, {"VARIABLE_READ", ALL}, {"VARIABLE_WRITE", ALL}};

/* Reads an element in memory. */
static double get(uint32_t type, const void* data, size_t i) {
  switch (1 << type) {
    case FP32: return ((const float*)data)[i];
    case I32: return ((const int32_t*)data)[i];
    case I16: return ((const int16_t*)data)[i];
    default: return ((const int8_t*)data)[i];
  }
}
static void put(uint32_t type, void* data, size_t i, double x) {
  switch (1 << type) {
    case FP32: ((float*)data)[i] = (float)x; return;
    case I32: ((int32_t*)data)[i] = (int32_t)x; return;
    case I16: ((int16_t*)data)[i] = (int16_t)x; return;
    default: ((int8_t*)data)[i] = (int8_t)x;
  }
}

/* The value of a variable of a context, or of a tensor while a graph runs. */
typedef struct value { struct value* next; char* name; size_t count; double elements[]; } value;
struct assay_backend_context { value* variables; };

static size_t count_of(const assay_tensor* t) {
  size_t count = 1, k;
  for (k = 0; k < assay_tensor_rank(t); ++k) count *= (size_t)assay_tensor_shape(t)[k];
  return count;
}
/* Returns the value of that name and size. A new one has the elements from the file, or zeros. */
static double* find(value** list, const char* name, const assay_tensor* t) {
  const size_t count = count_of(t), given = assay_tensor_data_size(t) > 0 ? count : 0;
  value* v = *list;
  size_t i;
  while (v != NULL && (strcmp(v->name, name) != 0 || v->count != count)) v = v->next;
  if (v != NULL) return v->elements;
  v = calloc(1, sizeof *v + count * sizeof *v->elements + strlen(name) + 1);
  v->count = count;
  v->name = strcpy((char*)(v->elements + count), name);
  for (i = 0; i < given; ++i) v->elements[i] = get(assay_tensor_dtype(t), assay_tensor_data(t), i);
  v->next = *list;
  return (*list = v)->elements;
}
static void forget(value** list) {
  value *v = *list, *next;
  for (*list = NULL; v != NULL; v = next) next = v->next, free(v);
}

static int64_t attribute(const assay_operator* op, const char* name, assay_attribute* a) {
  size_t i = 0;
  while (assay_operator_attribute(op, i, a) && strcmp(a->name, name) != 0) ++i;
  return a->number;
}
static double extreme(const assay_operator* op, double a, double b, double (*ignore)(double, double)) {
  assay_attribute mode; /* 1: PROPAGATE */
  const int propagate = attribute(op, "nan_mode", &mode) == 1;
  return propagate && (isnan(a) || isnan(b)) ? NAN : ignore(a, b);
}
static double clamp(const assay_operator* op, uint32_t type, double a) {
  assay_attribute low, high;
  attribute(op, "min_val", &low);
  attribute(op, "max_val", &high);
  return extreme(op, extreme(op, a, get(type, low.bytes, 0), fmax), get(type, high.bytes, 0), fmin);
}
static double negate(uint32_t type, double a, double input_zp, double output_zp) {
  const double limit = 1 << type == I8 ? 0x1p7 : 1 << type == I16 ? 0x1p15 : 0x1p31;
  return 1 << type == FP32 ? -a : fmin(fmax(output_zp - (a - input_zp), -limit), limit - 1);
}
static double compute(size_t code, const assay_operator* op, uint32_t type, const double* x) {
  const double a = x[0], b = x[1];
  switch (code) {
    case ABS: return fabs(a);
    case ADD: return a + b;
    case AND: return (int32_t)a & (int32_t)b;
    case NOT: return ~(int32_t)a;
    case OR: return (int32_t)a | (int32_t)b;
    case XOR: return (int32_t)a ^ (int32_t)b;
    case CLAMP: return clamp(op, type, a);
    case FLOOR: return floor(a);
    case MAXIMUM: return extreme(op, a, b, fmax);
    case MINIMUM: return extreme(op, a, b, fmin);
    case MUL: return a * b;
    case NEGATE: return negate(type, a, b, x[2]);
    case SUB: return a - b;
    default: return a; /* is moved */
  }
}
/* Returns the source of element i of `to`. Dimensions of 1 are repeated; `axis` runs backwards. */
static size_t source(const assay_tensor* to, const assay_tensor* from, size_t i, int64_t axis) {
  size_t index = 0, stride = 1, k = assay_tensor_rank(from);
  if (k != assay_tensor_rank(to)) return 0; /* a zero point, a shift */
  while (k-- > 0) {
    const size_t size = (size_t)assay_tensor_shape(from)[k], all = (size_t)assay_tensor_shape(to)[k];
    index += stride * ((int64_t)k == axis ? size - 1 - i % all % size : i % all % size);
    stride *= size;
    i /= all;
  }
  return index;
}
/* Returns a tensor's value. Tensors with variable=true are in the context, by their own name or by
   the one that VARIABLE gives them. Other tensors exist only during the run. */
static double* operand(value** variables, value** values, const assay_tensor* t, size_t code) {
  const char* name = assay_tensor_name(t);
  if (!assay_tensor_is_variable(t)) return find(values, name, t);
  if (code >= VARIABLE && *assay_tensor_variable_name(t)) name = assay_tensor_variable_name(t);
  return find(variables, name, t);
}
static void run(value** variables, value** values, const assay_block* block,
                const assay_operator* op) {
  const assay_tensor *to = assay_block_tensor_by_name(block, assay_operator_output(op, 0)), *from[3];
  const size_t inputs = assay_operator_inputs(op);
  double *in[3], x[3] = {0, 0, 0}, *out;
  assay_attribute a;
  int64_t axis;
  size_t i, k, code = 0;
  while (strcmp(operators[code].name, assay_operator_name(op)) != 0) ++code;
  axis = code == REVERSE ? attribute(op, "axis", &a) : -1;
  out = operand(variables, values, to, code); /* which is all that CONST and VARIABLE do */
  for (k = 0; k < inputs; ++k) {
    from[k] = assay_block_tensor_by_name(block, assay_operator_input(op, k));
    in[k] = operand(variables, values, from[k], code);
  }
  for (i = 0; inputs > 0 && i < count_of(to); ++i) {
    for (k = 0; k < inputs; ++k) x[k] = in[k][source(to, from[k], i, axis)];
    out[i] = compute(code, op, assay_tensor_dtype(from[0]), x);
    if (assay_tensor_dtype(to) == ASSAY_BACKEND_FP32) out[i] = (float)out[i];
  }
}

/* The functions of assay_backend.h. A graph is an opened file. */
static assay_backend_status load_graph(const void* tosa, size_t size, const char* level,
                                       assay_backend_graph** graph, char* why) {
  assay_graph* file = assay_open_bytes(tosa, size, level, why, ASSAY_BACKEND_REASON_SIZE);
  *graph = (assay_backend_graph*)file;
  return file == NULL ? ASSAY_BACKEND_UNSUPPORTED : ASSAY_BACKEND_OK;
}
static void unload_graph(assay_backend_graph* graph) { assay_close((assay_graph*)graph); }
static assay_backend_status open_context(assay_backend_context** context, char* why) {
  *context = calloc(1, sizeof **context);
  if (*context == NULL) strcpy(why, "out of memory");
  return *context == NULL ? ASSAY_BACKEND_FAILED : ASSAY_BACKEND_OK;
}
static void reset_context(assay_backend_context* context) { forget(&context->variables); }
static void close_context(assay_backend_context* context) { reset_context(context), free(context); }
static assay_backend_status invoke(assay_backend_context* context, assay_backend_graph* graph,
                                   const assay_backend_input* inputs, size_t input_count,
                                   const assay_backend_output* outputs, size_t output_count,
                                   char* why) {
  const assay_block* main = assay_graph_main_block((const assay_graph*)graph);
  value *values = NULL, **variables = &context->variables;
  size_t i, k;
  (void)why;
  for (k = 0; k < input_count; ++k) {
    const assay_tensor* t = assay_block_tensor_by_name(main, assay_block_input(main, k));
    double* in = operand(variables, &values, t, IDENTITY);
    for (i = 0; i < count_of(t); ++i) in[i] = get(inputs[k].type, inputs[k].data, i);
  }
  for (k = 0; k < assay_block_operators(main); ++k) {
    run(variables, &values, main, assay_block_operator(main, k));
  }
  for (k = 0; k < output_count; ++k) {
    const assay_tensor* t = assay_block_tensor_by_name(main, assay_block_output(main, k));
    const double* out = operand(variables, &values, t, IDENTITY);
    for (i = 0; i < count_of(t); ++i) put(outputs[k].type, outputs[k].data, i, out[i]);
  }
  forget(&values);
  return ASSAY_BACKEND_OK;
}

const assay_backend_v1* assay_backend(void) {
  static const assay_backend_v1 backend = {
      sizeof backend, ASSAY_BACKEND_VERSION, "C example", "1", operators, OPERATORS, 0, 0, 1,
      load_graph, unload_graph, open_context, reset_context, close_context, invoke};
  return &backend;
}
