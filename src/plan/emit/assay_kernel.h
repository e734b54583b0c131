// SPDX-License-Identifier: Apache-2.0
#pragma once
/* The reference kernels, in C99: a call runs one operator on tensors in memory. The C that `assay
   plan --emit` writes includes this header, and is linked with libassay_kernels.a.

   A call writes the results and the scratch that it names, and nothing else. Calls are independent
   of each other, and may be made in several threads at once. The reference kernels are made to be
   right, not to be small: they allocate while they run. They keep only tables about operators and a
   few short lists for the next call. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t assay_kernel_status;
enum {
  ASSAY_KERNEL_OK = 0,
  ASSAY_KERNEL_ERROR = 1,         /* an ERROR_IF of the specification holds */
  ASSAY_KERNEL_UNPREDICTABLE = 2, /* a REQUIRE of the specification is broken */
  ASSAY_KERNEL_UNSUPPORTED = 3,   /* a call that this header does not allow */
  ASSAY_KERNEL_FAILED = 4,        /* out of memory */
  ASSAY_KERNEL_NO_POOL = 5        /* models only: a pool is not set, or its base is misaligned */
};

/* The types of elements, with their numbers in a `.tosa` file. */
enum {
  ASSAY_KERNEL_BOOL = 1,
  ASSAY_KERNEL_I4 = 2,
  ASSAY_KERNEL_I8 = 3,
  ASSAY_KERNEL_I16 = 4,
  ASSAY_KERNEL_I32 = 5,
  ASSAY_KERNEL_I48 = 6,
  ASSAY_KERNEL_FP32 = 7,
  ASSAY_KERNEL_FP16 = 8,
  ASSAY_KERNEL_BF16 = 9,
  ASSAY_KERNEL_SHAPE = 10,
  ASSAY_KERNEL_FP8E4M3 = 11,
  ASSAY_KERNEL_FP8E5M2 = 12
};

/* A tensor. Its elements are row-major, little-endian, at any address. A bool (0 or 1), i4, i8 or
   fp8 takes one byte; i16, fp16 or bf16 two; i32 or fp32 four; i48 or shape eight. i4 and i48 are
   sign-extended. */
typedef struct assay_kernel_input {
  const void* data;
  uint32_t type;
  uint32_t rank;
  const int32_t* shape; /* rank numbers, the outermost dimension first */
} assay_kernel_input;

/* A result. It may lie where an input does, because it is written when all inputs have been read.
 */
typedef struct assay_kernel_output {
  void* data;
  uint32_t type;
  uint32_t rank;
  const int32_t* shape;
} assay_kernel_output;

/* Memory that the operator may use while it runs. Its content before and afterwards has no meaning.
   The reference kernels do not need it, but overwrite it: if a plan has put something there that is
   still needed, the results are wrong. */
typedef struct assay_kernel_scratch {
  void* data;
  size_t size; /* in bytes */
} assay_kernel_scratch;

/* An attribute, by its name in the specification. `number` holds a number, a flag, an enumeration
   (by its number in a `.tosa` file), or CLAMP's min_val or max_val (floats by their bits). A list
   is `size` numbers at `ints`. */
typedef struct assay_kernel_attribute {
  const char* name; /* "acc_type" */
  int64_t number;
  const int32_t* ints;
  size_t size;
} assay_kernel_attribute;

/* One operator that is to run: any but CONST, CONST_SHAPE, CUSTOM, control flow and the operators
   on variables. Operands, results and attributes are those of the Arguments table in the
   specification. Operands and results are in the order of that table. */
typedef struct assay_kernel_call {
  const char* name; /* "CONV2D" */
  const assay_kernel_attribute* attributes;
  size_t attribute_count;
  const assay_kernel_input* inputs;
  size_t input_count;
  const assay_kernel_output* outputs;
  size_t output_count;
  const assay_kernel_scratch* scratch;
  size_t scratch_count;
} assay_kernel_call;

/* The object that `resource_handle` points to for the reference kernels, unless it is NULL. They
   write there, in one zero-terminated line, why a status is not OK ("ADD/ERROR_IF/1: breaks"). */
enum { ASSAY_KERNEL_REASON_SIZE = 128 };
typedef struct assay_kernel_report {
  char reason[ASSAY_KERNEL_REASON_SIZE];
} assay_kernel_report;

/* Runs an operator. If the status is not OK, the results are unchanged. */
assay_kernel_status assay_kernel_run(const assay_kernel_call* call, void* resource_handle);

/* A variable of a model, in the model's workspace. `state` has flags of the kernels; it is 0 at
   first. */
typedef struct assay_kernel_variable {
  const char* name;
  uint8_t* state;
  void* data;
  size_t size; /* in bytes */
} assay_kernel_variable;

/* Begins a run of a graph with `count` variables: none of them is declared. */
void assay_kernel_begin(uint8_t* states, size_t count);
/* Runs VARIABLE. `initial` is its initial_value, or NULL. */
assay_kernel_status assay_kernel_declare(const assay_kernel_variable* variable, const void* initial,
                                         void* resource_handle);
/* Run VARIABLE_READ and VARIABLE_WRITE. */
assay_kernel_status assay_kernel_read(const assay_kernel_variable* variable, void* output,
                                      void* resource_handle);
assay_kernel_status assay_kernel_write(const assay_kernel_variable* variable, const void* input,
                                       void* resource_handle);
/* For tensors with variable=true, the older form of variables. assay_kernel_use() is called before
   one is read, and gives it its initial value (or NULL) if nothing has written it;
   assay_kernel_written() is called after one has been written. */
assay_kernel_status assay_kernel_use(const assay_kernel_variable* variable, const void* initial,
                                     void* resource_handle);
void assay_kernel_written(const assay_kernel_variable* variable);

/* The pools and the handle that a model runs with. A null pointer is a pool or a handle that is not
   set. */
typedef struct assay_context {
  const void* workspaces; /* set by MODEL_set_workspaces() */
  const void* parameters; /* set by MODEL_set_parameters() */
  void* resource_handle;  /* passed to every kernel */
} assay_context;

#ifdef __cplusplus
}
#endif
