// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "case_result.h"
#include "known_failures.h"
#include "model_power.h"
#include "model_values.h"
#include "target.h"
#include "test_vector.h"

namespace assay {

// The distance of a backend's results from the reference executor's.
struct Distance {
  // The largest one: of floats in units in the last place, of integers as a number. NaN: unknown.
  double units = std::numeric_limits<double>::quiet_NaN();
  // The largest share that an element takes of what is allowed for it. NaN: unknown.
  double of_allowed = std::numeric_limits<double>::quiet_NaN();
  // The largest distance that is allowed for an element, in the same units. NaN: unknown.
  double allowed_units = std::numeric_limits<double>::quiet_NaN();
};
Distance DistanceFrom(const Expectation& expected, const Tensor& got);

// Returns the distance of an element of two tensors of one type and shape: of floats in units in
// the last place of `wanted`, of integers as a number. 0 if they are equal or both a NaN, infinite
// if only one is a NaN.
double UnitsApart(const Tensor& wanted, const Tensor& got, int64_t element);

// One operator of a model, and what a backend makes of it alone, on the values that the reference
// executor has there.
struct Layer {
  size_t number = 0;     // in reports, from 1; those of the main block come first
  size_t inside = 0;     // the number of the COND_IF or WHILE_LOOP that runs its block; 0: none
  std::string path;      // "WHILE_LOOP at m.mlir:9 / ", from the main block inwards; "" there
  bool is_run = true;    // false if the model does not run its block
  int32_t position = 0;  // in Block::operators
  std::string name;      // of its first output, or of the variable that it writes
  std::string location;  // in the model, as its file states it
  OperatorUse use;
  TensorType type;  // of its first output
  int64_t multiply_accumulates = 0;
  double least = 0, greatest = 0;  // of its finite results
  double informative = 0;          // the share of its results that are (InformativeShare())
  int32_t step = 0;  // of the model, whose values it was judged on: of several, a wrong one
  CaseResult result;
  Distance distance;
  std::vector<Tensor> results;  // of the backend; only with ModelJudging::keep_results
};

struct ModelJudging {
  BackendOptions limits;             // in force for each run
  std::vector<Target> targets = {};  // nothing outside one of them is run
  bool keep_results = false;    // of the layers, which takes as much memory as all values inside
  KnownFailures known = {};     // of which layers may be wrong alone
  ModelPower* power = nullptr;  // if not null, measures each layer that is judged alone
};

// A time-out says nothing about a layer. Makes such a result undecided, and returns true.
bool TakeTimeOut(const BackendOptions& limits, CaseResult& result);

// Judges every operator of a part alone, in the order of execution, on the values of each step of
// the model that gives it new operands. Layers that no window may
// contain are undecided (MayStandInWindow()). The distances are those of the outputs that differ
// most. A layer that disagrees has done so twice; one that is wrong among others and right alone is
// undecided. After three layers that reach the limits, or a signal (interrupt.h), the others are
// not run. Layers outside one of the targets are unsupported, and never run. Without values all are
// undecided. The first number is `before` + 1.
std::vector<Layer> JudgeLayers(Backend& backend, const TestVector& model, const NeededPart& part,
                               const std::vector<ModelValues>& values, const ModelJudging& options,
                               size_t before = 0);

// Judges layers on operands that were made for them. Returns a copy of each layer with its result
// there. What JudgeLayers() says of findings and limits holds here as well.
std::vector<Layer> JudgeMade(Backend& backend, const TestVector& model,
                             const std::vector<Layer>& layers,
                             const std::vector<MadeOperands>& made, const ModelJudging& options);

// Returns the layer as a vector of its own on the values of its step, with its expectation. Returns
// nothing if it cannot be judged alone.
std::optional<TestVector> LayerAlone(const TestVector& model, const Layer& layer,
                                     const std::vector<ModelValues>& values);

}  // namespace assay
