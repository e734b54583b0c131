/* The interface between the programs of `assay export --as c` and the code under test. C99. */
#ifndef ASSAY_RUN_H
#define ASSAY_RUN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor. The elements in `data` are in row-major order, in the byte order of this machine:
 *   bool, i4, i8, fp8e4m3, fp8e5m2   uint8_t   (a bool is 0 or 1; an i4 is sign-extended)
 *   i16, fp16, bf16                  uint16_t
 *   i32, fp32                        uint32_t
 *   i48, shape                       uint64_t  (sign-extended)
 * Signed numbers are in two's complement, and floats are their bits. */
typedef struct {
  const char *name;
  const char *type; /* "i8", "fp32" */
  int32_t rank;
  const int32_t *shape; /* `rank` dimensions */
  uint32_t elements;
  uint32_t element_bytes;
  int32_t variable; /* 1 for a tensor with `variable=true`, the older form of state */
  const void *data; /* of constants, inputs and loaded variables, and the first value of a tensor
                     * with `variable=true`; otherwise a null pointer */
} assay_tensor;

typedef struct {
  const char *name;       /* "CONV2D" */
  const char *attributes; /* "pad=[0,0,0,0] stride=[1,1] acc_type=i32" */
  int32_t input_count;
  const int32_t *inputs; /* indices of tensors of the graph */
  int32_t output_count;
  const int32_t *outputs;
} assay_operator;

/* A graph: its `.tosa` file, and the tensors and operators of its block `main` in an order of
 * execution. Blocks that COND_IF and WHILE_LOOP run are in the file only. */
typedef struct {
  const uint8_t *tosa;
  uint32_t tosa_bytes;
  int32_t tensor_count;
  const assay_tensor *tensors;
  int32_t operator_count;
  const assay_operator *operators;
  int32_t input_count;
  const int32_t *inputs;
  int32_t output_count;
  const int32_t *outputs;
} assay_graph;

/* One invocation of a graph. */
typedef struct {
  const char *key;      /* of the vector, 64 hexadecimal digits */
  const char *name;     /* of the vector, for people */
  int32_t step;         /* 0: a new vector begins, and no context has variables yet */
  int32_t context;      /* steps of one vector with the same context share their variables */
  int32_t graph_number; /* of the vector's graphs */
  const assay_graph *graph;
  int32_t input_count; /* that of the graph, unless the vector breaks this very rule */
  const assay_tensor *inputs;
  int32_t load_count; /* variables that get a value from outside before the step */
  const assay_tensor *loads;
} assay_step;

enum {
  ASSAY_OK = 0,         /* all outputs are written */
  ASSAY_REFUSED = 1,    /* an ERROR_IF of the specification holds */
  ASSAY_UNSUPPORTED = 2 /* the vector is not supported; it is counted and never judged */
};

/* You write this function. It runs one step and writes output K to `outputs[K]`, in the form of
 * assay_tensor.data. The memory is aligned to 16 bytes. `*reason` may be set to one line of text.
 */
int assay_run(const assay_step *step, void *const *outputs, const char **reason);

/* Runs the vectors of a program from `first` on, and prints the answers. main() calls it with the
 * number in its first argument. Define ASSAY_NO_MAIN for a program without main(). */
void assay_run_vectors(uint32_t first);

#ifdef __cplusplus
}
#endif

#endif
