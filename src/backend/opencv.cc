// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "python_runtime.h"

namespace assay::backend {
namespace {

Result<std::unique_ptr<Backend>> Open(std::string_view, const BackendOptions& options) {
  return OpenPythonRuntime({"opencv", "opencv", "", {}}, "", options);
}

}  // namespace

extern const BackendKind opencv_backend = {
    .name = "opencv",
    .argument = "",
    .help =
        "OpenCV's module dnn, in FP32: graphs are translated to ONNX.\n"
        "scripts/install.sh --with opencv installs it.",
    .open = Open,
};
}  // namespace assay::backend
