// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "runtime_backend.h"

namespace assay::backend {
namespace {

constexpr std::string_view kLiteRtVariants[] = {"relaxed", "compat"};
constexpr Runtime kLiteRt = {"litert", "litert", "", kLiteRtVariants};

}  // namespace

extern const BackendKind litert_backend = {
    .name = "litert",
    .argument = "[relaxed|compat]",
    .help =
        "LiteRT.js (TensorFlow Lite with XNNPACK), compiled to WebAssembly with relaxed SIMD\n"
        "(relaxed, the default) or without (compat), in one thread. Graphs are translated to\n"
        ".tflite, also networks of INT8.\n"
        "scripts/install.sh --with litert installs it.",
    .open = OpenRuntime<kLiteRt>,
};
}  // namespace assay::backend
