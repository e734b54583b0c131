// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "test_vector.h"
#include "windows.h"

namespace assay {

// The part of a main block that some of its outputs depend on. A VARIABLE_READ depends on each
// VARIABLE_WRITE of its variable before it in the block; if the block runs again, on all of them.
struct NeededPart {
  // Positions in Block::operators, in the order of execution, without constants.
  std::vector<int32_t> operators;
  // The inner tensors that these operators compute, ascending: no outputs of the block, no shapes,
  // no tensors with `variable=true`.
  std::vector<TensorIndex> inner;
};
NeededPart PartNeededBy(const Block& main, const std::vector<TensorIndex>& outputs,
                        bool runs_again = false);

// A window of a main block. Its inputs are inputs of the graph, and values that a backend has
// shown.
struct TappedWindow {
  Window window;                     // as FindWindows() returns it
  std::vector<bool> inputs_shown;    // ExecutionOptions::inputs_shown
  std::vector<TensorIndex> outputs;  // the outputs of the window, as tensors of the main block
};

// Returns a window for each operator of a part of which the backend has shown a result in a step:
// the operator and, where the backend has not shown its operands, the operators that compute them.
// `shown` has the values of inner tensors and of outputs, with the types of the block. Operators
// that no window may contain, and those behind long chains of tensors that were not shown, are left
// out. The windows are in the order of execution.
std::vector<TappedWindow> TappedWindows(const TestVector& vector, int32_t step,
                                        const NeededPart& part,
                                        const std::map<TensorIndex, Tensor>& shown);

// Returns a function that makes such a window for the operator at a position, in a time that does
// not grow with the block; it returns nothing if the operator is left out. The function must not
// outlive the arguments.
std::function<std::optional<TappedWindow>(int32_t position)> TappedWindowAt(
    const TestVector& vector, int32_t step, const std::map<TensorIndex, Tensor>& shown);

}  // namespace assay
