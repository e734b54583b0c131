// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "backend.h"
#include "model_verdict.h"
#include "tensor.h"
#include "test_vector.h"

namespace assay {

// The difference of the results of two backends. Two NaN are equal, and so are zeros of either
// sign.
struct Parting {
  int64_t elements = 0;  // compared
  int64_t apart = 0;     // that are not equal
  // The largest distance: of floats in units in the last place of the first backend's result, of
  // integers as a number. NaN if nothing was compared, infinite if one result has another type or
  // shape, or is a NaN alone.
  double units = std::numeric_limits<double>::quiet_NaN();
};
Parting PartingOf(const std::vector<Tensor>& first, const std::vector<Tensor>& second);

// Two backends on one model.
struct ModelComparison {
  Parting outputs;             // of the whole model
  std::vector<Parting> alone;  // of each layer, on the reference executor's values
  // The same in a run of the whole model; empty unless both backends offer taps.
  std::vector<Parting> inside;

  // Returns the first layer alone whose results differ; nothing if there is none.
  std::optional<size_t> FirstApart() const;
};

// Compares two backends that have judged a model with ModelJudging::keep_results. Each runs the
// whole model once more.
ModelComparison CompareBackends(Backend& first, const ModelVerdict& of_first, Backend& second,
                                const ModelVerdict& of_second, const TestVector& model);

}  // namespace assay
