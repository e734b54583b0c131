// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backend.h"
#include "result.h"

namespace assay {

// A backend that is a worker of the Python package `assay`: the module `assay.backends.MODULE`.
struct PythonRuntime {
  std::string_view name;    // "onnxruntime"
  std::string_view module;  // "onnxruntime"
  // The argument of the module that names the runtime, "" if it has none.
  std::string_view runtime;
  // The variants of which the user may name one. The first one is the default. The module gets the
  // variant as its last argument.
  std::span<const std::string_view> variants = {};
};

// Starts the backend in the variant `argument`, "" for the default. The package is that of the
// build or installation to which this program belongs. Error kUsage for an unknown variant,
// kUnsupported if there is no package, or if the worker says what is not installed. Other errors
// are those of WorkerBackend::Open().
Result<std::unique_ptr<Backend>> OpenPythonRuntime(const PythonRuntime& kind,
                                                   std::string_view argument,
                                                   const BackendOptions& options);

// Opens the backend of `kRuntime`. It is a function for BackendKind::open.
template <const PythonRuntime& kRuntime>
Result<std::unique_ptr<Backend>> OpenPython(std::string_view argument,
                                            const BackendOptions& options) {
  return OpenPythonRuntime(kRuntime, argument, options);
}

}  // namespace assay
