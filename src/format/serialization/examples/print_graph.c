// SPDX-License-Identifier: Apache-2.0
/* Prints the content of a `.tosa` file: print_graph FILE */
#include <assay/assay_serialization.h>
#include <inttypes.h>
#include <stdio.h>

static void print_attribute(const assay_attribute* attribute) {
  size_t i;
  printf(" %s=", attribute->name);
  switch (attribute->kind) {
    case ASSAY_ATTRIBUTE_BOOL:
    case ASSAY_ATTRIBUTE_INT:
    case ASSAY_ATTRIBUTE_ENUM:
      printf("%" PRId64, attribute->number);
      break;
    case ASSAY_ATTRIBUTE_INTS:
      for (i = 0; i < attribute->size; ++i) {
        printf("%s%" PRId32, i > 0 ? "," : "", attribute->ints[i]);
      }
      break;
    case ASSAY_ATTRIBUTE_TEXT:
      printf("\"%s\"", attribute->text);
      break;
    case ASSAY_ATTRIBUTE_BYTES:
      for (i = 0; i < attribute->size; ++i) printf("%02x", attribute->bytes[i]);
      break;
  }
}

static void print_operator(const assay_operator* op) {
  assay_attribute attribute;
  size_t i;
  printf("   ");
  for (i = 0; i < assay_operator_outputs(op); ++i) printf(" %s", assay_operator_output(op, i));
  printf(" = %s", assay_operator_name(op));
  for (i = 0; i < assay_operator_inputs(op); ++i) printf(" %s", assay_operator_input(op, i));
  for (i = 0; assay_operator_attribute(op, i, &attribute); ++i) print_attribute(&attribute);
  printf("\n");
}

static void print_tensor(const assay_tensor* tensor) {
  size_t i;
  printf("    tensor %s: %s[", assay_tensor_name(tensor), assay_tensor_dtype_name(tensor));
  for (i = 0; i < assay_tensor_rank(tensor); ++i) {
    printf("%s%" PRId32, i > 0 ? "," : "", assay_tensor_shape(tensor)[i]);
  }
  printf("]%s", assay_tensor_is_variable(tensor) ? " variable" : "");
  if (assay_tensor_data_size(tensor) > 0) printf(" %zu bytes", assay_tensor_data_size(tensor));
  printf("\n");
}

static void print_block(const assay_block* block) {
  size_t i;
  printf("  block %s:", assay_block_name(block));
  for (i = 0; i < assay_block_inputs(block); ++i) printf(" %s", assay_block_input(block, i));
  printf(" ->");
  for (i = 0; i < assay_block_outputs(block); ++i) printf(" %s", assay_block_output(block, i));
  printf("\n");
  for (i = 0; i < assay_block_tensors(block); ++i) print_tensor(assay_block_tensor(block, i));
  for (i = 0; i < assay_block_shapes(block); ++i) {
    const assay_shape* shape = assay_block_shape(block, i);
    printf("    shape %s: %zu numbers\n", assay_shape_name(shape), assay_shape_rank(shape));
  }
  for (i = 0; i < assay_block_operators(block); ++i) print_operator(assay_block_operator(block, i));
}

int main(int argc, char** argv) {
  char error[256];
  assay_graph* graph = NULL;
  assay_version version;
  size_t r, b;
  if (argc != 2) {
    fprintf(stderr, "usage: print_graph FILE\n");
    return 2;
  }
  graph = assay_open_file(argv[1], error, sizeof(error));
  if (graph == NULL) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  version = assay_graph_version(graph);
  printf("TOSA %" PRId32 ".%" PRId32 ".%" PRId32 "%s\n", version.major, version.minor,
         version.patch, version.draft ? " draft" : "");
  for (r = 0; r < assay_graph_regions(graph); ++r) {
    const assay_region* region = assay_graph_region(graph, r);
    printf("region %s\n", assay_region_name(region));
    for (b = 0; b < assay_region_blocks(region); ++b) print_block(assay_region_block(region, b));
  }
  assay_close(graph);
  return 0;
}
