// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tapped_windows.h"
#include "test_vector.h"

namespace assay {

// Faults of what stands between layers: operand i is tensor t, which has the type and shape of the
// right one.
enum class WiringKind : uint8_t {
  kOtherTensor,      // the last such tensor before the right one
  kBufferReused,     // the first one between the right one and the layer that reads it
  kOperatorSkipped,  // all readers of a result get the operand
  kRoundingSkipped,  // the same of two CASTs or RESCALEs in a row
  kDoneTwice,        // all readers of a result get what the operator makes of the result
};
struct WiringFaultRow {
  WiringKind kind;
  const char* id;
  const char* what;
};
inline constexpr WiringFaultRow kWiringFaults[] = {
    {WiringKind::kOtherTensor, "wiring/other-tensor",
     "an operand is the last tensor of its type and shape before it"},
    {WiringKind::kBufferReused, "memory/reused-early",
     "an operand is overwritten by the first tensor of its type and shape after it"},
    {WiringKind::kOperatorSkipped, "fusion/operator-skipped",
     "the operator is left out, and its operand taken for its result"},
    {WiringKind::kRoundingSkipped, "fusion/rounding-skipped",
     "two CASTs or RESCALEs in a row are left out"},
    {WiringKind::kDoneTwice, "fusion/done-twice", "the RESCALE is done twice"},
};

struct WiringFault {
  WiringKind kind = WiringKind::kOtherTensor;
  size_t layer = 0;    // number, from 1
  int32_t reader = 0;  // the position of the operator that reads `to` for `from`; -1: all readers
  TensorIndex from = 0, to = 0;
};

// Returns the faults of each kind in the part of a model, in the order of its layers. None is known
// to change nothing: an operator that only renames or reshapes its operand is not skipped.
std::vector<WiringFault> WiringFaultsOf(const TestVector& model, const NeededPart& part);

// A softmax: the operators from the maximum of the scores to the MUL with the reciprocal of their
// sum. Without the subtraction of the maximum it differs only where EXP overflows, so a smaller
// window cannot tell whether a fused kernel leaves it out.
struct Softmax {
  std::vector<int32_t> operators;  // positions: REDUCE_MAX, SUB, EXP, REDUCE_SUM, RECIPROCAL, MUL
  int32_t subtraction() const { return operators[1]; }
};
std::vector<Softmax> SoftmaxesOf(const Block& main, const NeededPart& part);

// Puts a fault into the main block of the model that it is of: changes its operators, outputs and,
// if an operator is done twice, adds a tensor.
void Plant(const WiringFault& fault, Block& main);

}  // namespace assay
