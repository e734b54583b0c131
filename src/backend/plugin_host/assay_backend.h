#pragma once
/* The interface of a TOSA backend as a shared library, in C99. `--backend plugin:FILE.so` loads
   it. The library exports one function, assay_backend(). A process of its own loads the library
   and calls it from one thread. A crash there is a finding about the backend.

   All pointers are valid until the function that got them returns. Memory ends at the end of each
   tensor: reading or writing one byte more is a crash, which names the tensor. Constant memory
   cannot be written to. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ASSAY_BACKEND_VERSION = 1, /* of this interface */
  ASSAY_BACKEND_REASON_SIZE = 256
};

typedef int32_t assay_backend_status; /* one of these; any other value is a failure as well */
enum {
  ASSAY_BACKEND_OK = 0,
  ASSAY_BACKEND_REFUSED = 1,     /* an ERROR_IF of the specification holds for the graph */
  ASSAY_BACKEND_UNSUPPORTED = 2, /* the backend does not support this: counted, never judged */
  ASSAY_BACKEND_FAILED = 3       /* the backend broke down: a finding; the process is ended */
};

/* The types of elements, with their numbers in a `.tosa` file. */
enum {
  ASSAY_BACKEND_BOOL = 1,
  ASSAY_BACKEND_I4 = 2,
  ASSAY_BACKEND_I8 = 3,
  ASSAY_BACKEND_I16 = 4,
  ASSAY_BACKEND_I32 = 5,
  ASSAY_BACKEND_I48 = 6,
  ASSAY_BACKEND_FP32 = 7,
  ASSAY_BACKEND_FP16 = 8,
  ASSAY_BACKEND_BF16 = 9,
  ASSAY_BACKEND_SHAPE = 10,
  ASSAY_BACKEND_FP8E4M3 = 11,
  ASSAY_BACKEND_FP8E5M2 = 12
};

/* An input tensor. Elements are row-major, in the byte order of the machine, and aligned to their
   own size. bool (0 or 1), i4, i8 and fp8 take one byte; i16, fp16 and bf16 two; i32 and fp32
   four; i48 and shape eight. i4 and i48 are sign-extended. */
typedef struct assay_backend_input {
  const void* data;
  size_t size; /* in bytes */
  uint32_t type;
  uint32_t rank;
  const int32_t* shape; /* rank numbers, the outermost dimension first */
} assay_backend_input;

/* An output tensor, which the library fills. Its initial content has no meaning. */
typedef struct assay_backend_output {
  void* data;
  size_t size;
  uint32_t type;
  uint32_t rank;
  const int32_t* shape; /* that the graph declares */
} assay_backend_output;

/* One operator that the backend has. */
typedef struct assay_backend_operator {
  const char* name; /* "ADD" */
  /* The supported types, as bits 1 << type; ~0u for all. They are types of its first input. If
     there is none, or if it is bool or shape, they are types of its first output. For VARIABLE,
     they are types of the variable. */
  uint32_t types;
} assay_backend_operator;

typedef struct assay_backend_context assay_backend_context; /* a set of variables */
typedef struct assay_backend_graph assay_backend_graph;

/* The description of the backend, and its functions. The backend does not get test vectors that
   need more than it declares here. If a status is not OK, the function writes one line that says
   why to `reason`, in at most ASSAY_BACKEND_REASON_SIZE bytes with its zero. */
typedef struct assay_backend_v1 {
  size_t size;         /* sizeof(assay_backend_v1) */
  uint32_t version;    /* ASSAY_BACKEND_VERSION */
  const char* name;    /* of the backend, for the report */
  const char* release; /* its own version, for the report */
  const assay_backend_operator* operators;
  size_t operator_count;
  uint32_t contexts_max; /* that may be open at once; 0: no limit */
  uint32_t refuses;      /* 1: it checks graphs, and refuses those for which an ERROR_IF holds */
  uint32_t variable_tensors; /* 1: it has tensors with variable=true, the older form of state */

  /* Makes a graph from the bytes of a `.tosa` file, to be invoked in any context. `level` is the
     level of the graph, "8K" or "none". */
  assay_backend_status (*load_graph)(const void* tosa, size_t size, const char* level,
                                     assay_backend_graph** graph, char* reason);
  void (*unload_graph)(assay_backend_graph* graph);
  /* Opens a context in which no variable has a value yet. */
  assay_backend_status (*open_context)(assay_backend_context** context, char* reason);
  /* Makes the context as if it were newly opened. */
  void (*reset_context)(assay_backend_context* context);
  void (*close_context)(assay_backend_context* context);
  /* Runs the graph once. Inputs and outputs are in the order of those of its block `main`. */
  assay_backend_status (*invoke)(assay_backend_context* context, assay_backend_graph* graph,
                                 const assay_backend_input* inputs, size_t input_count,
                                 const assay_backend_output* outputs, size_t output_count,
                                 char* reason);
} assay_backend_v1;

/* The function that the library exports. It returns the same static struct at every call. */
const assay_backend_v1* assay_backend(void);

#ifdef __cplusplus
}
#endif
