// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "python_runtime.h"

namespace assay::backend {
namespace {

constexpr std::string_view kLevels[] = {"all", "extended", "basic", "disabled"};

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions& options) {
  return OpenPythonRuntime({"onnxruntime", "onnxruntime", "onnxruntime-node", kLevels}, argument,
                           options);
}

}  // namespace

extern const BackendKind onnxruntime_backend = {
    .name = "onnxruntime",
    .argument = "[LEVEL]",
    .help =
        "ONNX Runtime, on the processor: graphs are translated to ONNX. LEVEL is that of its "
        "graph\n"
        "optimizations: all (the default), extended, basic or disabled.\n"
        "scripts/install.sh --with onnxruntime installs it.",
    .open = Open,
};
}  // namespace assay::backend
