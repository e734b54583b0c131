// SPDX-License-Identifier: Apache-2.0
/* The example in C with a fault behind branches of which few vectors take each: NEGATE of i8 with
   the constant zero points -128 and 127, on a tensor of a certain shape. */
#define assay_backend exact_backend
#include "../../src/backend/examples/backend.c"
#undef assay_backend

static int zero_point(const assay_block* main, const assay_operator* op, size_t input) {
  const assay_tensor* t = assay_block_tensor_by_name(main, assay_operator_input(op, input));
  return assay_tensor_data_size(t) > 0 ? *(const int8_t*)assay_tensor_data(t) : 0;
}

static int is_rare(const assay_block* main, const assay_operator* op) {
  const assay_tensor* t = assay_block_tensor_by_name(main, assay_operator_output(op, 0));
  if (strcmp(assay_operator_name(op), "NEGATE") != 0) return 0;
  if (assay_tensor_dtype(t) != ASSAY_BACKEND_I8) return 0;
  if (zero_point(main, op, 1) != -128) return 0;
  if (zero_point(main, op, 2) != 127) return 0;
  if (assay_tensor_rank(t) < 3) return 0;
  if (assay_tensor_shape(t)[0] != assay_tensor_shape(t)[1]) return 0;
  if (assay_tensor_shape(t)[2] != 5) return 0;
  return 1;
}

static assay_backend_status faulty_invoke(assay_backend_context* context,
                                          assay_backend_graph* graph,
                                          const assay_backend_input* inputs, size_t input_count,
                                          const assay_backend_output* outputs, size_t output_count,
                                          char* why) {
  const assay_block* main = assay_graph_main_block((const assay_graph*)graph);
  const assay_backend_status status =
      invoke(context, graph, inputs, input_count, outputs, output_count, why);
  size_t k;
  for (k = 0; k < assay_block_operators(main); ++k) {
    if (is_rare(main, assay_block_operator(main, k))) *(uint8_t*)outputs[0].data ^= 1;
  }
  return status;
}

const assay_backend_v1* assay_backend(void) {
  static assay_backend_v1 backend;
  backend = *exact_backend();
  backend.invoke = faulty_invoke;
  return &backend;
}
