// SPDX-License-Identifier: Apache-2.0
/* Use case U4: inputs and outputs lie in the workspace. Their memory is used again once they have
   been read. A driver could write there directly. Reads i8[1,8,8,2], writes i32[1,8,8,4].

     assay plan filter.json --emit . --pool sram:rw --workspace-io */
#include <stdio.h>

#include "filter.h"

__attribute__((aligned(16))) static uint8_t workspace_buffer[FILTER_SRAM_WORKSPACE_BUFFER_SIZE];

int main(void) {
  const filter_workspaces workspaces = {workspace_buffer};
  assay_context context = {NULL, NULL, NULL};
  filter_set_workspaces(&context, &workspaces);
  const filter_inputs inputs = filter_map_inputs(&context);
  const filter_outputs outputs = filter_map_outputs(&context);

  while (fread(inputs.image, FILTER_IMAGE_INPUT_SIZE, 1, stdin) == 1) {
    if (filter_run(&context) != ASSAY_KERNEL_OK) return 1;
    fwrite(outputs.edges, FILTER_EDGES_OUTPUT_SIZE, 1, stdout);
  }
  return 0;
}
