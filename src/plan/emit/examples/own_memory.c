// SPDX-License-Identifier: Apache-2.0
/* Use case U1, the simplest: the model has its own memory, and the caller passes inputs and
   outputs. Reads fp32[4] from standard input, writes fp32[4].

     assay plan scale.json --emit . */
#include <stdio.h>

#include "scale.h"

int main(void) {
  float x[4], y[4];
  const scale_inputs inputs = {x};
  const scale_outputs outputs = {y};
  while (fread(x, sizeof x, 1, stdin) == 1) {
    if (scale_run(&inputs, &outputs, NULL) != ASSAY_KERNEL_OK) return 1;
    fwrite(y, sizeof y, 1, stdout);
  }
  return 0;
}
