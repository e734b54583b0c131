// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "result.h"
#include "tapped_windows.h"
#include "tensor.h"
#include "test_vector.h"

namespace assay {

// Inputs that were drawn for a model.
struct DrawnInputs {
  std::vector<Tensor> inputs;
  std::string range;       // one line: how large they are
  double informative = 0;  // the mean share of informative elements (InformativeShare())
};

// Returns the share of the elements of a tensor that carry information: those that are not zero and
// not equal to the least or the greatest element. Clamped, saturated and dead elements are not.
double InformativeShare(const Tensor& tensor);

// Draws the inputs of the main block of a model, which has no step inputs yet, and calibrates them.
// Sets of ranges are tried on the reference executor. Sample 0 takes the one whose results inside
// the model are most informative; further samples take the sets in turn. Float inputs are nearly
// normal; indices are over their whole table (IndexRangesOf()). The inputs are a pure function of
// model, seed and sample. Error kUnsupported if an input is too large, kBadInput if the model is
// valid with none of the ranges.
Result<DrawnInputs> DrawModelInputs(const TestVector& model, const NeededPart& part, uint64_t seed,
                                    int64_t sample);

}  // namespace assay
