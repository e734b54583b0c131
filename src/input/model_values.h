// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "outcome.h"
#include "tapped_windows.h"
#include "test_vector.h"

namespace assay {

// A model is a vector of one graph. It has one step, or a sequence of them if it has variables.

// Returns the main block of a model.
const Block& MainOf(const TestVector& model);

// Returns the part of a model that its outputs depend on, in any step.
NeededPart PartOf(const TestVector& model);

// Leaves out the steps of a model from the first one that is not valid on, but keeps the first.
void CutInvalidSteps(TestVector& model);

// Returns the model with other outputs, which are tensors of its main block, and without what they
// do not need. It has no expectation.
TestVector WithOutputs(const TestVector& model, const std::vector<TensorIndex>& outputs);

// Returns the tensors that a cut after the first `count` operators of a part gives to the rest of
// the model, or to its outputs.
std::vector<TensorIndex> CutOutputs(const Block& main, const NeededPart& part, size_t count);

// The values of a step of a model in the reference executor.
struct ModelValues {
  Outcome outcome;                       // of the run that computed them
  std::map<TensorIndex, Tensor> values;  // of inner tensors and outputs; only if it is valid
};
// Return those of all steps, up to the first one that is not valid, and those of the first step.
std::vector<ModelValues> ValuesOfSteps(const TestVector& model, const NeededPart& part);
ModelValues ValuesOf(const TestVector& model, const NeededPart& part);

}  // namespace assay
