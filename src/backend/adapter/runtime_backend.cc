// SPDX-License-Identifier: Apache-2.0
#include "runtime_backend.h"

#include <cstdlib>
#include <string>
#include <utility>

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

// Returns the path of the library, "" if there is none.
std::string LibraryOf(std::string_view name) {
  const std::string file = "/" + std::string(name) + ".so";
  std::string folders[] = {ProgramBesideThis("adapters"), ProgramBesideThis("../lib/assay")};
  if (const char* const named = std::getenv("ASSAY_ADAPTERS")) folders[0] = folders[1] = named;
  for (const std::string& folder : folders) {
    if (FileExists(folder + file)) return folder + file;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Backend>> OpenRuntime(const Runtime& runtime, std::string_view argument,
                                             const BackendOptions& options) {
  std::string title(runtime.name);
  const bool is_module = !runtime.module.empty();
  const std::string found_at = is_module ? PackageFolder() : LibraryOf(runtime.name);
  ChildCommand command;
  if (is_module) {
    command.argv = {kPython, "-m", "assay.backends." + std::string(runtime.module)};
    if (!runtime.module_argument.empty()) command.argv.emplace_back(runtime.module_argument);
  } else {
    command.argv = {ProgramBesideThis("assay-plugin-host"), found_at};
  }
  if (!argument.empty()) {
    const Result<size_t> found = FindName("variant of " + title, argument, runtime.variants);
    if (!found) return found.error();
    title += ":" + std::string(runtime.variants[*found]);
    command.argv.emplace_back(runtime.variants[*found]);
  } else if (is_module && !runtime.variants.empty()) {
    command.argv.emplace_back(runtime.variants[0]);
  }
  if (found_at.empty()) {
    return Unsupported(title + ": not installed: " +
                       (is_module ? "assay's Python package is missing; build the target "
                                    "assay_python, or install python3-assay"
                                  : "scripts/install.sh --with " + std::string(runtime.name) +
                                        " installs it; then build Assay again"));
  }
  if (is_module) {
    std::string path = found_at;
    if (const char* const before = std::getenv("PYTHONPATH")) path += std::string(":") + before;
    command.environment.emplace_back("PYTHONPATH", std::move(path));
  } else if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    // One thread: sums keep their order, and a suite has a process for each job.
    command.environment.emplace_back("OMP_NUM_THREADS", "1");
  }
  return WorkerBackend::Open(std::move(command), title, options);
}

}  // namespace assay
