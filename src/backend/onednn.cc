// SPDX-License-Identifier: Apache-2.0
// onednn[:VARIANT]: oneDNN through onednn/, a library with the functions of assay_backend.h.
#include "backend_kind.h"
#include "runtime_backend.h"

namespace assay::backend {
namespace {

constexpr std::string_view kOneDnnVariants[] = {"fused", "unfused"};
constexpr Runtime kOneDnn = {.name = "onednn", .variants = kOneDnnVariants};

}  // namespace

extern const BackendKind onednn_backend = {
    .name = "onednn",
    .argument = "[fused|unfused]",
    .help =
        "oneDNN: dot products, pooling, element-wise operators and reductions. Operators that\n"
        "follow a dot product become its post-operators, unless unfused is given.\n"
        "scripts/install.sh --with onednn installs it.",
    .open = OpenRuntime<kOneDnn>,
};

}  // namespace assay::backend
