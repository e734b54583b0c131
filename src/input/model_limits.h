// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.h"
#include "test_vector.h"

namespace assay {

// Returns the time limits of a vector, raised for a model by what its multiply-accumulates may
// take.
BackendOptions LimitsOfModel(const TestVector& model, BackendOptions limits);

}  // namespace assay
