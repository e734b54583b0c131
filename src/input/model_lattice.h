// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "result.h"
#include "test_vector.h"

namespace assay {

// A model with other floating-point weights and inputs. They are few small integers times one unit,
// chosen layer by layer on the data, so that products and sums are exact in any order.
struct LatticeModel {
  TestVector vector;     // with the tag `lattice`; its step has inputs
  int64_t replaced = 0;  // constants
  // The layers, as the report numbers them from 1, and how many of them have one right value for
  // every element if the backend's sums are plain (Declarations::plain_sums). Expect() decides.
  int64_t layers = 0, exact_layers = 0;
  int64_t exact_up_to = 0;                 // the layers from 1 up to this one are all exact
  std::string first_inexact;               // "EXP t30"; "" if all are exact
  int64_t outputs = 0, exact_outputs = 0;  // elements of the outputs
  std::string Summary() const;             // one line
};

// Replaces the weights and the float inputs of a model. `given` has one step, with inputs for the
// tensors that are no floats. Zero points, scalars such as epsilons, and the bounds of CLAMP stay
// as they are where they are exact. The result is a pure function of the arguments. Error kUsage if
// the model has no floating-point weights, kUnsupported if an operator cannot be executed or
// nothing can be expected of the model.
Result<LatticeModel> OnLattice(const TestVector& given, uint64_t seed, int64_t sample);

}  // namespace assay
