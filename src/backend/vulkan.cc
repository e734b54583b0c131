// SPDX-License-Identifier: Apache-2.0
// vulkan[:LOADER]: a device with the Vulkan extensions for TOSA graphs. It runs in a process of its
// own, assay-vulkan-host, which speaks the worker protocol.
#include <unistd.h>

#include "backend_kind.h"
#include "files.h"
#include "worker_client.h"

namespace assay::backend {
namespace {

Result<std::unique_ptr<Backend>> OpenVulkan(std::string_view argument,
                                            const BackendOptions& options) {
  const std::string host = ProgramBesideThis("assay-vulkan-host");
  if (access(host.c_str(), X_OK) != 0) {
    return Unsupported("vulkan: assay-vulkan-host is not installed");
  }
  ChildCommand command{{host}, "", {}, 0};
  if (!argument.empty()) {
    std::string library(argument);
    if (!FileExists(library)) return UsageError("vulkan:" + library + ": no such file");
    if (library.find('/') == std::string::npos) library = "./" + library;  // not a system library
    command.argv.push_back(library);
  }
  return WorkerBackend::Open(std::move(command), "vulkan", options);
}

}  // namespace

extern const BackendKind vulkan_backend = {
    .name = "vulkan",
    .argument = "[LOADER]",
    .help =
        "Vulkan ML: the first device with VK_ARM_tensors and VK_ARM_data_graph that runs graphs\n"
        "of TOSA.001000.1. The graph is translated to SPIR-V. LOADER is the file of the Vulkan\n"
        "loader, libvulkan.so.1 if it is missing.",
    .open = OpenVulkan,
};
}  // namespace assay::backend
