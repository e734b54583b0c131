// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "runtime_backend.h"

namespace assay::backend {
namespace {

constexpr std::string_view kOnnxRuntimeLevels[] = {"all", "extended", "basic", "disabled"};
constexpr Runtime kOnnxRuntime = {"onnxruntime", "onnxruntime", "onnxruntime-node",
                                  kOnnxRuntimeLevels};

}  // namespace

extern const BackendKind onnxruntime_backend = {
    .name = "onnxruntime",
    .argument = "[LEVEL]",
    .help =
        "ONNX Runtime, on the processor: graphs are translated to ONNX. LEVEL is that of its "
        "graph\n"
        "optimizations: all (the default), extended, basic or disabled.\n"
        "scripts/install.sh --with onnxruntime installs it.",
    .open = OpenRuntime<kOnnxRuntime>,
};
}  // namespace assay::backend
