// SPDX-License-Identifier: Apache-2.0
/* Use case U2: two models, which run one after the other, share a workspace as large as the larger
   of the two needs. Reads i8[1,8,8,2], writes i32[1,8,8,4]; then reads fp32[4], writes fp32[4].

     assay plan filter.json --emit . --pool sram:rw
     assay plan scale.json --emit . --pool sram:rw */
#include <stdio.h>

#include "filter.h"
#include "scale.h"

enum {
  SRAM_SIZE = FILTER_SRAM_WORKSPACE_BUFFER_SIZE > SCALE_SRAM_WORKSPACE_BUFFER_SIZE
                  ? FILTER_SRAM_WORKSPACE_BUFFER_SIZE
                  : SCALE_SRAM_WORKSPACE_BUFFER_SIZE
};
__attribute__((aligned(16))) static uint8_t workspace_buffer[SRAM_SIZE];

static int8_t image[FILTER_IMAGE_INPUT_SIZE];
static int32_t edges[FILTER_EDGES_OUTPUT_SIZE / sizeof(int32_t)];

int main(void) {
  float x[4], y[4];
  const filter_workspaces filter_pools = {workspace_buffer};
  const scale_workspaces scale_pools = {workspace_buffer};
  const filter_inputs filter_in = {image};
  const filter_outputs filter_out = {edges};
  const scale_inputs scale_in = {x};
  const scale_outputs scale_out = {y};
  assay_kernel_report report = {""};
  assay_context context = {NULL, NULL, &report};

  if (fread(image, sizeof image, 1, stdin) != 1 || fread(x, sizeof x, 1, stdin) != 1) return 2;
  filter_set_workspaces(&context, &filter_pools);
  if (filter_run(&filter_in, &filter_out, &context) != ASSAY_KERNEL_OK) {
    fprintf(stderr, "%s\n", report.reason);
    return 1;
  }
  scale_set_workspaces(&context, &scale_pools);
  if (scale_run(&scale_in, &scale_out, &context) != ASSAY_KERNEL_OK) {
    fprintf(stderr, "%s\n", report.reason);
    return 1;
  }
  fwrite(edges, sizeof edges, 1, stdout);
  fwrite(y, sizeof y, 1, stdout);
  return 0;
}
