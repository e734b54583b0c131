// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "runtime_backend.h"

namespace assay::backend {
namespace {

constexpr Runtime kOpenCv = {"opencv", "opencv"};

}  // namespace

extern const BackendKind opencv_backend = {
    .name = "opencv",
    .help =
        "OpenCV's module dnn, in FP32: graphs are translated to ONNX.\n"
        "scripts/install.sh --with opencv installs it.",
    .open = OpenRuntime<kOpenCv>,
};
}  // namespace assay::backend
