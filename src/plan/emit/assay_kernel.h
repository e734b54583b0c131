#pragma once
/* The reference kernels, in C99: one operator on tensors in memory. This is what the C that `assay
   plan --emit` writes is compiled with; it is linked with libassay_kernels.a.

   What is written is the results and the scratch that a call names, and nothing else. Calls know
   nothing of each other, and may be made in several threads at once. The reference kernels are made
   to be right, not to be small: they allocate while they run, and keep no more than tables about
   operators and a few short lists for the next call. */
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
  ASSAY_KERNEL_UNSUPPORTED = 3,   /* a call that is not what is described here */
  ASSAY_KERNEL_FAILED = 4,        /* out of memory */
  ASSAY_KERNEL_NO_POOL = 5        /* of models: a pool is not set, or its base is misaligned */
};

/* Types of elements, with the numbers that they have in a `.tosa` file. */
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

/* A tensor: elements row-major, little-endian, at any address: bool (0 or 1), i4, i8 and fp8 take
   one byte, i16, fp16 and bf16 two, i32 and fp32 four, i48 and shape eight; i4 and i48 are
   sign-extended. */
typedef struct assay_kernel_input {
  const void* data;
  uint32_t type;
  uint32_t rank;
  const int32_t* shape; /* rank numbers, the outermost dimension first */
} assay_kernel_input;

/* May lie where an input does: it is written when all inputs have been read. */
typedef struct assay_kernel_output {
  void* data;
  uint32_t type;
  uint32_t rank;
  const int32_t* shape;
} assay_kernel_output;

/* Memory that the operator may use while it runs; what is in it before and afterwards means
   nothing. The reference kernels have no need of it, and overwrite it: a plan that has put there
   what is still needed then shows in the results. */
typedef struct assay_kernel_scratch {
  void* data;
  size_t size; /* in bytes */
} assay_kernel_scratch;

/* An attribute by the name that the specification gives it. A number, a flag or an enumeration (by
   its number in a `.tosa` file) is `number`, and so are CLAMP's min_val and max_val (floats by
   their bits); a list is `size` numbers at `ints`. */
typedef struct assay_kernel_attribute {
  const char* name; /* "acc_type" */
  int64_t number;
  const int32_t* ints;
  size_t size;
} assay_kernel_attribute;

/* One operator that is to run: any but CONST, CONST_SHAPE, CUSTOM, control flow and those on
   variables. Operands, results and attributes are those of the specification's Arguments table,
   operands and results in its order. */
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

/* What `resource_handle` points to for the reference kernels, or it is NULL: where they say, in one
   line that ends with a zero, why a status is not OK ("ADD/ERROR_IF/1: breaks"). */
enum { ASSAY_KERNEL_REASON_SIZE = 128 };
typedef struct assay_kernel_report {
  char reason[ASSAY_KERNEL_REASON_SIZE];
} assay_kernel_report;

/* Runs an operator. Where the status is not OK, the results are as they were. */
assay_kernel_status assay_kernel_run(const assay_kernel_call* call, void* resource_handle);

/* A variable of a model, in the model's workspace. `state` is what is known of it: 0 at first. */
typedef struct assay_kernel_variable {
  const char* name;
  uint8_t* state;
  void* data;
  size_t size; /* in bytes */
} assay_kernel_variable;

/* A graph begins, which has `count` variables: none of them is declared. */
void assay_kernel_begin(uint8_t* states, size_t count);
/* VARIABLE: `initial` is its initial_value, or NULL. */
assay_kernel_status assay_kernel_declare(const assay_kernel_variable* variable, const void* initial,
                                         void* resource_handle);
/* VARIABLE_READ and VARIABLE_WRITE. */
assay_kernel_status assay_kernel_read(const assay_kernel_variable* variable, void* output,
                                      void* resource_handle);
assay_kernel_status assay_kernel_write(const assay_kernel_variable* variable, const void* input,
                                       void* resource_handle);
/* Tensors with variable=true, the older form: before one is read, which gives it its initial value
   (or NULL) if nothing has written it, and after one has been written. */
assay_kernel_status assay_kernel_use(const assay_kernel_variable* variable, const void* initial,
                                     void* resource_handle);
void assay_kernel_written(const assay_kernel_variable* variable);

/* What a model runs with; zeros are nothing yet. */
typedef struct assay_context {
  const void* workspaces; /* of the model: MODEL_set_workspaces() */
  const void* parameters; /* of the model: MODEL_set_parameters() */
  void* resource_handle;  /* is passed to every kernel */
} assay_context;

#ifdef __cplusplus
}
#endif
