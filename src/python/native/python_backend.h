// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "backend.h"
#include "result.h"

namespace assay::python {

// Returns the backend behind a Connection (src/python/assay/in_process.py), which answers the
// requests of the worker protocol by function calls. `title` names it in the report. A request
// takes the interpreter's lock, which the caller must not hold. No limit of time is kept.
Result<std::unique_ptr<Backend>> OpenPythonBackend(pybind11::object connection, std::string title,
                                                   const BackendOptions& options);

}  // namespace assay::python
