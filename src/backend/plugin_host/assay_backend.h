// SPDX-License-Identifier: Apache-2.0
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
  ASSAY_BACKEND_VERSION = 1,   /* of assay_backend_v1 */
  ASSAY_BACKEND_VERSION_2 = 2, /* of assay_backend_v2, at the end of this file */
  ASSAY_BACKEND_REASON_SIZE = 256
};

typedef int32_t assay_backend_status; /* one of these; any other value is a failure as well */
enum {
  ASSAY_BACKEND_OK = 0,
  ASSAY_BACKEND_REFUSED = 1,     /* an ERROR_IF of the specification holds for the graph */
  ASSAY_BACKEND_UNSUPPORTED = 2, /* the backend does not support this: counted, never judged */
  ASSAY_BACKEND_FAILED = 3,      /* the backend broke down: a finding; the process is ended */
  /* Version 2: the backend rejects the graph for a reason of its own, although no ERROR_IF holds.
     That is a finding, "refused a valid graph". If the backend's authors say that they do not
     support such graphs, the status is ASSAY_BACKEND_UNSUPPORTED. */
  ASSAY_BACKEND_REJECTED = 4
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

/* ---- Version 2. It only adds to version 1, so libraries of version 1 work as before. A field that
   is zero or null is not declared, or not there. */

/* The values that an attribute may have: a bool (0 or 1), an integer, an enumeration, or a list of
   integers. Of a list, each element must be allowed. */
typedef struct assay_backend_range {
  const char* name; /* "pad" */
  int64_t min, max;
  const int64_t* values; /* those from min to max that are allowed; null: all of them */
  size_t value_count;
} assay_backend_range;

/* One way in which an operator may be used. */
typedef struct assay_backend_capability {
  const char* name; /* of the operator: "CONV2D" */
  /* The types of the inputs and of the outputs, in order. 0 is any type. The last type of a list is
     also that of all further tensors. An empty list allows all types. */
  const uint32_t* inputs;
  size_t input_count;
  const uint32_t* outputs;
  size_t output_count;
  const assay_backend_range* attributes; /* those that are not here may have any value */
  size_t attribute_count;
} assay_backend_capability;

/* The largest graphs that the backend takes. 0: no limit. */
typedef struct assay_backend_limits {
  uint32_t rank;           /* of every tensor */
  uint32_t graphs;         /* that may be loaded at once */
  uint64_t dimension;      /* of every tensor */
  uint64_t elements;       /* of every tensor */
  uint64_t constant_bytes; /* of all CONST and CONST_SHAPE values of a graph */
} assay_backend_limits;

/* Details of a call. All texts end with a zero, and are empty at first. */
typedef struct assay_backend_details {
  char op[64];    /* the operator that a failure belongs to, a name of TOSA: "CONV2D" */
  char pass[256]; /* the part of the backend that failed: "canonicalize, ClampIsNoOp" */
  char log[8192]; /* text for people, kept with a finding */
} assay_backend_details;

typedef struct assay_backend_v2 {
  /* Version 1, with size = sizeof(assay_backend_v2) and version = ASSAY_BACKEND_VERSION_2. An
     operator is supported if `operators` or one of the capabilities allows it. */
  assay_backend_v1 v1;
  const assay_backend_capability* capabilities;
  size_t capability_count;
  assay_backend_limits limits;
  /* Facts about the backend, by name. `assay help options` lists all names. An unknown
     name is an error. */
  const char* const* declarations;
  size_t declaration_count;
  /* Lines for the report: the version of the runtime, the device, the driver, and so on. */
  const char* const* environment;
  size_t environment_count;
  /* 1: the values of taps are those that all later operators have read, rounded to their types (the
     declaration "taps-used"). Otherwise a compiler may have calculated a tensor again for another
     reader. */
  uint32_t taps_are_read;
  uint32_t reserved; /* 0 */

  /* May be null. Is called after each function that returns a status. */
  void (*explain)(assay_backend_details* details);
  /* May be null. Does the same as invoke, and also gives the values of tensors of block `main`.
     taps[i] has the type and the shape of the tensor with the name tap_names[i]. The library sets
     tap_given[i] to 1 for each value that it gives. */
  assay_backend_status (*invoke_with_taps)(assay_backend_context* context,
                                           assay_backend_graph* graph,
                                           const assay_backend_input* inputs, size_t input_count,
                                           const assay_backend_output* outputs, size_t output_count,
                                           const char* const* tap_names,
                                           const assay_backend_output* taps, uint8_t* tap_given,
                                           size_t tap_count, char* reason);

  /* Not used by assay yet: ways to compile a graph, "O0" and "O2". */
  const char* const* variants;
  size_t variant_count;
  /* Chooses one of `variants` for the graphs that are loaded from now on; null: the default.
     `onednn:unfused` and other backends of Assay call it once, before any graph is loaded. */
  assay_backend_status (*choose_variant)(const char* variant, char* reason);
  /* Not used any more: counts of the code that ran. */
  uint8_t* counters;
  size_t counter_count;
} assay_backend_v2;

/* The function that the library exports. It returns the same static struct at every call. A library
   of version 2 returns the address of assay_backend_v2.v1. */
const assay_backend_v1* assay_backend(void);

#ifdef __cplusplus
}
#endif
