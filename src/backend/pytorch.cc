// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "runtime_backend.h"

namespace assay::backend {
namespace {

constexpr std::string_view kPyTorchVariants[] = {"eager", "script"};
constexpr Runtime kPyTorch = {"pytorch", "pytorch", "", kPyTorchVariants};

}  // namespace

extern const BackendKind pytorch_backend = {
    .name = "pytorch",
    .argument = "[eager|script]",
    .help =
        "PyTorch: operators one by one (eager), or the graph as traced, frozen and optimized\n"
        "TorchScript (script).\n"
        "scripts/install.sh --with pytorch installs it.",
    .open = OpenRuntime<kPyTorch>,
};

}  // namespace assay::backend
