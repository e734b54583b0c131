// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "python_runtime.h"

namespace assay::backend {
namespace {

constexpr std::string_view kLevels[] = {"all", "extended", "basic", "disabled"};

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions& options) {
  return OpenPythonRuntime({"onnxruntime-web", "onnxruntime", "onnxruntime-web", kLevels}, argument,
                           options);
}

}  // namespace

extern const BackendKind onnxruntime_web_backend = {
    .name = "onnxruntime-web",
    .argument = "[LEVEL]",
    .help =
        "ONNX Runtime, compiled to WebAssembly, in one thread. LEVEL is as for onnxruntime.\n"
        "scripts/install.sh --with onnxruntime-web installs it.",
    .open = Open,
};
}  // namespace assay::backend
