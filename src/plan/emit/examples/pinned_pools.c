// SPDX-License-Identifier: Apache-2.0
/* Use case U3: buffers in memories that the caller has chosen. The small memories are full soon.
   A buffer that has no room there goes to the next memory. Constants lie in sections that a linker
   script can place. Reads i8[1,8,8,2], writes i32[1,8,8,4].

     assay plan filter.json --emit . --algorithm greedy_by_size \
       --pool dtcm:rw:target=c:size=1000 --pool sram:rw \
       --pool itcm:ro:target=c:size=80 --pool flash:ro */
#include <stdio.h>

#include "filter.h"

__attribute__((section("DTCM"), aligned(16))) static uint8_t
    dtcm_buffer[FILTER_DTCM_WORKSPACE_BUFFER_SIZE];
__attribute__((section("SRAM"), aligned(16))) static uint8_t
    sram_buffer[FILTER_SRAM_WORKSPACE_BUFFER_SIZE];

static int8_t image[FILTER_IMAGE_INPUT_SIZE];
static int32_t edges[FILTER_EDGES_OUTPUT_SIZE / sizeof(int32_t)];

int main(void) {
  const filter_workspaces workspaces = {.dtcm = dtcm_buffer, .sram = sram_buffer};
  const filter_parameters parameters = {.itcm = filter_itcm_parameter_buffer,
                                        .flash = filter_flash_parameter_buffer};
  const filter_inputs inputs = {.image = image};
  const filter_outputs outputs = {.edges = edges};
  assay_context context = {NULL, NULL, NULL};

  if (fread(image, sizeof image, 1, stdin) != 1) return 2;
  filter_set_workspaces(&context, &workspaces);
  /* The model notices a pool that nobody has set. */
  if (filter_run(&inputs, &outputs, &context) != ASSAY_KERNEL_NO_POOL) return 3;
  filter_set_parameters(&context, &parameters);
  if (filter_run(&inputs, &outputs, &context) != ASSAY_KERNEL_OK) return 1;
  fwrite(edges, sizeof edges, 1, stdout);
  return 0;
}
