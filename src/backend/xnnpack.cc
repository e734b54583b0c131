// SPDX-License-Identifier: Apache-2.0
// xnnpack: XNNPACK through xnnpack/, a library with the functions of assay_backend.h.
#include "backend_kind.h"
#include "plugin_runtime.h"

namespace assay::backend {
namespace {

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions& options) {
  return OpenPluginRuntime({"xnnpack"}, argument, options);
}

}  // namespace

extern const BackendKind xnnpack_backend = {
    .name = "xnnpack",
    .argument = "",
    .help =
        "XNNPACK: a subgraph of fp32 operators, which XNNPACK may fuse.\n"
        "scripts/install.sh --with xnnpack installs it.",
    .open = Open,
};

}  // namespace assay::backend
