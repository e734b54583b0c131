// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace assay::python {

// Adds what concerns graphs: Program, Context, check(), infer(), plan() and fold().
void DefineGraphFunctions(pybind11::module_& module);

}  // namespace assay::python
