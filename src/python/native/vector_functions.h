// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace assay::python {

// Adds what concerns test vectors: Vector, generate(), verify() and minimize().
void DefineVectorFunctions(pybind11::module_& module);

}  // namespace assay::python
