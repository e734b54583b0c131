// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "backend.h"
#include "result.h"

namespace assay {

// A backend for a runtime that is installed apart from Assay. With `module`, it is a worker of the
// Python package `assay`, the module `assay.backends.MODULE`. Without, it is a library with the
// functions of assay_backend.h, which is built with Assay if the runtime is installed:
// adapters/NAME.so in the folder of this program, or ../lib/assay/NAME.so.
struct Runtime {
  std::string_view name;         // "onnxruntime"
  std::string_view module = {};  // "onnxruntime"
  // The argument that tells the module which of several runtimes it is: "onnxruntime-node".
  std::string_view module_argument = {};
  // The variants of which the user may name one. The first one is the default. The module always
  // gets the variant as its last argument; a library gets one that the user names.
  std::span<const std::string_view> variants = {};
};

// Starts the backend in the variant `argument`, "" for the default. The package is that of the
// build or installation to which this program belongs. ASSAY_ADAPTERS names another folder of
// libraries than those above. Error kUsage for an unknown variant. Error kUnsupported (`onednn: not
// installed: ...`) if there is no package or library, or if the worker says what is not installed.
// Other errors are those of WorkerBackend::Open().
Result<std::unique_ptr<Backend>> OpenRuntime(const Runtime& runtime, std::string_view argument,
                                             const BackendOptions& options);

// Opens the backend of `kRuntime`. It is a function for BackendKind::open.
template <const Runtime& kRuntime>
Result<std::unique_ptr<Backend>> OpenRuntime(std::string_view argument,
                                             const BackendOptions& options) {
  return OpenRuntime(kRuntime, argument, options);
}

}  // namespace assay
