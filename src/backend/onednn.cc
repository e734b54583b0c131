// SPDX-License-Identifier: Apache-2.0
// onednn[:VARIANT]: oneDNN through onednn/, a library with the functions of assay_backend.h.
#include "backend_kind.h"
#include "plugin_runtime.h"

namespace assay::backend {
namespace {

constexpr std::string_view kVariants[] = {"fused", "unfused"};

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions& options) {
  return OpenPluginRuntime({"onednn", kVariants}, argument, options);
}

}  // namespace

extern const BackendKind onednn_backend = {
    .name = "onednn",
    .argument = "[fused|unfused]",
    .help =
        "oneDNN: dot products, pooling, element-wise operators and reductions. Operators that\n"
        "follow a dot product become its post-operators, unless unfused is given.\n"
        "scripts/install.sh --with onednn installs it.",
    .open = Open,
};

}  // namespace assay::backend
