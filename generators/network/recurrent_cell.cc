// SPDX-License-Identifier: Apache-2.0
#include "recurrent_cell.h"

namespace assay {

// i, f, g, o = W [x, h] + b; c' = f c + i g; h' = o tanh(c').
CellState LstmStep(Arithmetic& a, TensorIndex x, CellState state, CellWeights& weights) {
  const int32_t units = a.graph().ShapeOf(state.hidden)[2];
  const TensorIndex gates =
      a.Dense(a.Concat(x, state.hidden, 2), 4 * units, Activation::kLinear, {}, &weights.gates);
  const auto part = [&](int32_t i) { return a.Slice(gates, 2, int64_t{i} * units, units); };
  const TensorIndex input = a.Gate(part(0)), forget = a.Gate(part(1));
  const TensorIndex squashed = a.Squash(part(2)), output = a.Gate(part(3));
  const TensorIndex kept = a.Times(forget, state.cell);
  const TensorIndex cell = a.Add(kept, a.Times(input, squashed));
  return {a.Times(output, a.Squash(cell)), cell};
}

// z, r = gates of [x, h]; n = tanh of [x, r h]; h' = (1 - z) n + z h.
CellState GruStep(Arithmetic& a, TensorIndex x, CellState state, CellWeights& weights) {
  const TensorIndex h = state.hidden;
  const int32_t units = a.graph().ShapeOf(h)[2];
  const TensorIndex gates =
      a.Gate(a.Dense(a.Concat(x, h, 2), 2 * units, Activation::kLinear, {}, &weights.gates));
  const TensorIndex z = a.Slice(gates, 2, 0, units), r = a.Slice(gates, 2, units, units);
  const TensorIndex kept = a.Times(r, h);
  const TensorIndex n =
      a.Squash(a.Dense(a.Concat(x, kept, 2), units, Activation::kLinear, {}, &weights.state));
  const TensorIndex fresh = a.Times(a.Complement(z), n);
  return {a.Add(fresh, a.Times(z, h)), state.cell};
}

}  // namespace assay
