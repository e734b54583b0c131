// SPDX-License-Identifier: Apache-2.0
// plugin:FILE.so: a shared library with the functions of assay_backend.h. It is loaded into
// assay-plugin-host, which speaks the worker protocol for it.
#include <unistd.h>

#include "backend_kind.h"
#include "files.h"
#include "worker_client.h"

namespace assay::backend {
namespace {

Result<std::unique_ptr<Backend>> OpenPlugin(std::string_view argument,
                                            const BackendOptions& options) {
  std::string file(argument);
  const std::string title = "plugin:" + file;
  if (!FileExists(file)) return UsageError(title + ": no such file");
  if (file.find('/') == std::string::npos) file = "./" + file;  // not a system library
  const std::string host = ProgramBesideThis("assay-plugin-host");
  if (access(host.c_str(), X_OK) != 0) {
    return Unsupported(title + ": assay-plugin-host is not installed");
  }
  return WorkerBackend::Open({{host, file}, "", {}, 0}, title, options);
}

}  // namespace

extern const BackendKind plugin_backend = {
    .name = "plugin",
    .argument = "FILE.so",
    .help =
        "your shared library with the C functions of assay_backend.h, loaded into a process of\n"
        "its own. Its tensors end where mapped memory ends: an access beyond them is a finding.",
    .open = OpenPlugin,
    .taps = "if the library has invoke_with_taps (version 2)",
};
}  // namespace assay::backend
