// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arithmetic.h"

namespace assay {

// The weights of a cell, which are the same in each step. The first step chooses them.
struct CellWeights {
  SharedWeights gates, state;
};

// The tensors that a cell carries over from step to step, each [1, 1, units]. A GRU has no `cell`.
struct CellState {
  TensorIndex hidden = 0;
  TensorIndex cell = 0;
};

// Add one step of a recurrent network on x, [1, 1, inputs]. Return the state after it.
using CellStep = CellState(Arithmetic& a, TensorIndex x, CellState state, CellWeights& weights);
CellStep LstmStep, GruStep;

}  // namespace assay
