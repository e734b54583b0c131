// SPDX-License-Identifier: Apache-2.0
// xnnpack: XNNPACK through xnnpack/, a library with the functions of assay_backend.h.
#include "backend_kind.h"
#include "runtime_backend.h"

namespace assay::backend {
namespace {

constexpr Runtime kXnnpack = {"xnnpack"};

}  // namespace

extern const BackendKind xnnpack_backend = {
    .name = "xnnpack",
    .help =
        "XNNPACK: a subgraph of fp32 operators, which XNNPACK may fuse.\n"
        "scripts/install.sh --with xnnpack installs it.",
    .open = OpenRuntime<kXnnpack>,
};

}  // namespace assay::backend
