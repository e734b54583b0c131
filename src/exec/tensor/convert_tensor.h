// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bound_tensor.h"
#include "domain.h"
#include "tensor.h"
#include "test_vector.h"

namespace assay {

// Decodes all elements of a tensor that has a value.
DomainTensor<Scalar> ToScalars(const Tensor& tensor);

// Encodes all elements in the format of their type.
Tensor ToTensor(const DomainTensor<Scalar>& tensor);

// Returns an inner tensor of a graph as a backend has shown it, with the numbers that the backend
// may have passed on (Shown(), interval.h). Integers are exact.
BoundTensor ShownTensor(const Tensor& tensor, const Declarations& declarations);

// Returns the values of a tensor and their error bounds as the expectation of a test vector. `rule`
// names the operator that determines the tolerance.
Expectation ToExpectation(const BoundTensor& tensor, std::string rule);

}  // namespace assay
