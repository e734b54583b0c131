// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "runtime_backend.h"

namespace assay::backend {
namespace {

constexpr std::string_view kOnnxRuntimeWebLevels[] = {"all", "extended", "basic", "disabled"};
constexpr Runtime kOnnxRuntimeWeb = {"onnxruntime-web", "onnxruntime", "onnxruntime-web",
                                     kOnnxRuntimeWebLevels};

}  // namespace

extern const BackendKind onnxruntime_web_backend = {
    .name = "onnxruntime-web",
    .argument = "[LEVEL]",
    .help =
        "ONNX Runtime, compiled to WebAssembly, in one thread. LEVEL is as for onnxruntime.\n"
        "scripts/install.sh --with onnxruntime-web installs it.",
    .open = OpenRuntime<kOnnxRuntimeWeb>,
};
}  // namespace assay::backend
