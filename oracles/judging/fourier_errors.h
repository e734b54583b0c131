// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "test_vector.h"

namespace assay {

// The errors that the coefficients of a Fourier transform may cause in one output, because a
// backend may calculate their angles in fp32 (reading `fourier-coefficients`).
struct FourierErrors {
  // The largest error of each element; empty: not of a transform, or of calculated operands.
  std::vector<double> element;
  // The largest sum of errors, each divided by its element's unit in DotStatistics. It is less than
  // the sum of the largest: the error of a coefficient is the same wherever its angle occurs.
  double sum = 0;
};

// Computes the errors of output number `output`, which must have statistics.
FourierErrors FourierErrorsOf(const Graph& graph, const Step& step, size_t output);

}  // namespace assay
