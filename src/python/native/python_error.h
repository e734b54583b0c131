// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "result.h"

namespace assay::python {

// The exception classes of the package, which the module makes. Both are subclasses of Python's
// ValueError or RuntimeError.
void DefineErrors(pybind11::module_& module);

// Raises the exception of an Error: BadInput for kUsage and kBadInput, otherwise LimitReached.
[[noreturn]] void Raise(const Error& error);

// Returns the value of a Result, or raises its Error.
template <class T>
T ValueOf(Result<T> result) {
  if (!result) Raise(result.error());
  return std::move(*result);
}

}  // namespace assay::python
