// SPDX-License-Identifier: Apache-2.0
/* Variables stay in the workspace from run to run: two workspaces are two states of one model.
   Reads fp32[2] and counts each twice in the first workspace, once in the second; writes both
   counts. Then initialises the first again, and writes the result of one more run.

     assay plan counter.json --emit . --pool sram:rw */
#include <stdio.h>
#include <string.h>

#include "counter.h"

__attribute__((aligned(16))) static uint8_t buffers[2][(COUNTER_SRAM_WORKSPACE_BUFFER_SIZE + 15) /
                                                       16 * 16];

int main(void) {
  const counter_workspaces workspaces[2] = {{buffers[0]}, {buffers[1]}};
  float step[2], count[2];
  const counter_inputs inputs = {step};
  const counter_outputs outputs = {count};
  assay_context contexts[2] = {{NULL, NULL, NULL}, {NULL, NULL, NULL}};
  int i;

  memset(buffers, 0xff, sizeof buffers); /* whatever is in memory when a program begins */
  for (i = 0; i < 2; ++i) {
    counter_set_workspaces(&contexts[i], &workspaces[i]);
    if (counter_init(&contexts[i]) != ASSAY_KERNEL_OK) return 1;
  }
  while (fread(step, sizeof step, 1, stdin) == 1) {
    if (counter_run(&inputs, &outputs, &contexts[0]) != ASSAY_KERNEL_OK) return 1;
    if (counter_run(&inputs, &outputs, &contexts[0]) != ASSAY_KERNEL_OK) return 1;
    fwrite(count, sizeof count, 1, stdout);
    if (counter_run(&inputs, &outputs, &contexts[1]) != ASSAY_KERNEL_OK) return 1;
    fwrite(count, sizeof count, 1, stdout);
  }
  if (counter_init(&contexts[0]) != ASSAY_KERNEL_OK) return 1;
  if (counter_run(&inputs, &outputs, &contexts[0]) != ASSAY_KERNEL_OK) return 1;
  fwrite(count, sizeof count, 1, stdout);
  return 0;
}
