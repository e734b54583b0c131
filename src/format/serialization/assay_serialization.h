// SPDX-License-Identifier: Apache-2.0
#pragma once
/* Reads `.tosa` files from C (C99 or later): the reading side of tosa_serialization_handler.h.

   A file is opened, read and closed. All pointers and texts that functions return point into the
   opened file and are valid until it is closed. Texts end with a zero, and may contain other zeros.
   A file's texts need not be UTF-8. Lists have a count and are read by index from 0. Functions
   return NULL for an index beyond the list, and for a name that does not exist. No function throws,
   prints or ends the program. Several threads may read one file. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_graph assay_graph; /* an opened file */
typedef struct assay_region assay_region;
typedef struct assay_block assay_block;
typedef struct assay_operator assay_operator;
typedef struct assay_tensor assay_tensor;
typedef struct assay_shape assay_shape; /* a value of type shape_t */

/* Open a file, or `size` bytes of a file whose `name` is for messages. The bytes may be freed
   afterwards. On failure they return NULL, and `error`, of `error_size` bytes, has one line that
   says why, cut off if it is longer. They refuse the same files as TosaSerializationHandler. A
   `path` or `name` of NULL is "". */
assay_graph* assay_open_file(const char* path, char* error, size_t error_size);
assay_graph* assay_open_bytes(const void* bytes, size_t size, const char* name, char* error,
                              size_t error_size);
/* Closes a file. Does nothing for NULL. */
void assay_close(assay_graph* graph);

/* The version of the specification for which the graph is written. */
typedef struct assay_version {
  int32_t major, minor, patch;
  bool draft;
} assay_version;
assay_version assay_graph_version(const assay_graph* graph);

/* The first region is the main region. Its block "main" is the one that runs. */
size_t assay_graph_regions(const assay_graph* graph);
const assay_region* assay_graph_region(const assay_graph* graph, size_t index);
const assay_block* assay_graph_main_block(const assay_graph* graph);

const char* assay_region_name(const assay_region* region);
size_t assay_region_blocks(const assay_region* region);
const assay_block* assay_region_block(const assay_region* region, size_t index);

const char* assay_block_name(const assay_block* block);
size_t assay_block_operators(const assay_block* block);
const assay_operator* assay_block_operator(const assay_block* block, size_t index);
size_t assay_block_tensors(const assay_block* block);
const assay_tensor* assay_block_tensor(const assay_block* block, size_t index);
const assay_tensor* assay_block_tensor_by_name(const assay_block* block, const char* name);
size_t assay_block_shapes(const assay_block* block);
const assay_shape* assay_block_shape(const assay_block* block, size_t index);
const assay_shape* assay_block_shape_by_name(const assay_block* block, const char* name);
/* Names of tensors and shapes, as the file lists them: constants may be among the inputs. */
size_t assay_block_inputs(const assay_block* block);
const char* assay_block_input(const assay_block* block, size_t index);
size_t assay_block_outputs(const assay_block* block);
const char* assay_block_output(const assay_block* block, size_t index);

/* Numbers are those of the format, names those of the specification: 3, "CONV2D". */
uint32_t assay_operator_op(const assay_operator* op);
const char* assay_operator_name(const assay_operator* op);
/* Names of tensors and shapes, in the order of the specification's Arguments table. */
size_t assay_operator_inputs(const assay_operator* op);
const char* assay_operator_input(const assay_operator* op, size_t index);
size_t assay_operator_outputs(const assay_operator* op);
const char* assay_operator_output(const assay_operator* op, size_t index);
/* Returns the origin of the operator; opaque, "" if the file does not state it. */
const char* assay_operator_location(const assay_operator* op);

enum assay_attribute_kind {
  ASSAY_ATTRIBUTE_BOOL, /* number: 0 or 1 */
  ASSAY_ATTRIBUTE_INT,  /* number */
  ASSAY_ATTRIBUTE_ENUM, /* number: the format's, of DType for "acc_type" */
  ASSAY_ATTRIBUTE_INTS, /* size numbers at ints */
  ASSAY_ATTRIBUTE_TEXT, /* size bytes and a zero at text */
  ASSAY_ATTRIBUTE_BYTES /* size bytes at bytes; of CLAMP: one element of the input's type */
};
/* An attribute. Only the members that the comment at the kind names are set; others are 0. */
typedef struct assay_attribute {
  const char* name; /* "acc_type" */
  enum assay_attribute_kind kind;
  int64_t number;
  const int32_t* ints;
  const char* text;
  const uint8_t* bytes;
  size_t size;
} assay_attribute;
size_t assay_operator_attributes(const assay_operator* op);
/* Reads an attribute. Returns false, and sets nothing, if `index` is too large. */
bool assay_operator_attribute(const assay_operator* op, size_t index, assay_attribute* attribute);

const char* assay_tensor_name(const assay_tensor* tensor);
/* Return the format's number of the type, its name ("i8"), and the number of dimensions at
   assay_tensor_shape(). */
uint32_t assay_tensor_dtype(const assay_tensor* tensor);
const char* assay_tensor_dtype_name(const assay_tensor* tensor);
size_t assay_tensor_rank(const assay_tensor* tensor);
const int32_t* assay_tensor_shape(const assay_tensor* tensor);
/* Returns true if the tensor is unranked; then the shape has no meaning. */
bool assay_tensor_is_unranked(const assay_tensor* tensor);
/* Return the elements of a constant or the initial value of a variable, little-endian and dense.
   bool has one byte, i4 half a byte (the first in the low half), i48 six bytes. Zeros may follow.
   There are 0 bytes if there is no value. */
const uint8_t* assay_tensor_data(const assay_tensor* tensor);
size_t assay_tensor_data_size(const assay_tensor* tensor);
bool assay_tensor_is_variable(const assay_tensor* tensor);
const char* assay_tensor_variable_name(const assay_tensor* tensor);

const char* assay_shape_name(const assay_shape* shape);
/* Returns the number of values. The data has that many int64, little-endian. Zeros may follow. */
size_t assay_shape_rank(const assay_shape* shape);
const uint8_t* assay_shape_data(const assay_shape* shape);
size_t assay_shape_data_size(const assay_shape* shape);

#ifdef __cplusplus
}
#endif
