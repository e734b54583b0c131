// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "python_runtime.h"

namespace assay::backend {
namespace {

constexpr PythonRuntime kRuntime = {"opencv", "opencv", ""};

}  // namespace

extern const BackendKind opencv_backend = {
    .name = "opencv",
    .argument = "",
    .help =
        "OpenCV's module dnn, in FP32: graphs are translated to ONNX.\n"
        "scripts/install.sh --with opencv installs it.",
    .open = OpenPython<kRuntime>,
};
}  // namespace assay::backend
