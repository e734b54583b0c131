// SPDX-License-Identifier: Apache-2.0
#include "python_runtime.h"

#include <cstdlib>
#include <string>

#include "child_process.h"
#include "files.h"
#include "name_search.h"
#include "worker_client.h"

namespace assay {
namespace {

// Debian's, for which numpy and the other modules are. Another one may come first on PATH.
constexpr char kPython[] = "/usr/bin/python3";

// Returns the folder that holds the package: beside this program in a build, and below the same
// prefix in an installation. Returns "" if there is none.
std::string PackageFolder() {
  for (const std::string_view place : {"python", "../lib/python3/dist-packages"}) {
    std::string folder = ProgramBesideThis(place);
    if (FileExists(folder + "/assay/backends/__init__.py")) return folder;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Backend>> OpenPythonRuntime(const PythonRuntime& kind,
                                                   std::string_view argument,
                                                   const BackendOptions& options) {
  std::string title(kind.name);
  ChildCommand command{{kPython, "-m", "assay.backends." + std::string(kind.module)}, "", {}, 0};
  if (!kind.runtime.empty()) command.argv.emplace_back(kind.runtime);
  if (!argument.empty()) {
    const Result<size_t> found = FindName("variant of " + title, argument, kind.variants);
    if (!found) return found.error();
    title += ":" + std::string(kind.variants[*found]);
    command.argv.emplace_back(kind.variants[*found]);
  } else if (!kind.variants.empty()) {
    command.argv.emplace_back(kind.variants[0]);
  }
  std::string path = PackageFolder();
  if (path.empty()) {
    return Error{Error::Kind::kUnsupported,
                 title +
                     ": not installed: assay's Python package is missing; build the target "
                     "assay_python, or install python3-assay"};
  }
  if (const char* const before = std::getenv("PYTHONPATH")) path += std::string(":") + before;
  command.environment.emplace_back("PYTHONPATH", std::move(path));
  Result<std::unique_ptr<WorkerBackend>> backend =
      WorkerBackend::Open(std::move(command), title, options);
  if (!backend) return backend.error();
  return std::unique_ptr<Backend>(std::move(*backend));
}

}  // namespace assay
