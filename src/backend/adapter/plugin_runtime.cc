// SPDX-License-Identifier: Apache-2.0
#include "plugin_runtime.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "child_process.h"
#include "files.h"
#include "name_search.h"
#include "worker_client.h"

namespace assay {
namespace {

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

Result<std::unique_ptr<Backend>> OpenPluginRuntime(const PluginRuntime& kind,
                                                   std::string_view argument,
                                                   const BackendOptions& options) {
  std::string title(kind.name);
  const std::string library = LibraryOf(kind.name);
  ChildCommand command{{ProgramBesideThis("assay-plugin-host"), library}, "", {}, 0};
  if (!argument.empty()) {
    const Result<size_t> found = FindName("variant of " + title, argument, kind.variants);
    if (!found) return found.error();
    title += ":" + std::string(kind.variants[*found]);
    command.argv.emplace_back(kind.variants[*found]);
  }
  if (library.empty()) {
    return Error{Error::Kind::kUnsupported, title + ": not installed: scripts/install.sh --with " +
                                                std::string(kind.name) +
                                                " installs it; then build Assay again"};
  }
  // One thread: sums keep their order, and a suite has a process for each job.
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    command.environment.emplace_back("OMP_NUM_THREADS", "1");
  }
  Result<std::unique_ptr<WorkerBackend>> backend =
      WorkerBackend::Open(std::move(command), title, options);
  if (!backend) return backend.error();
  return std::unique_ptr<Backend>(std::move(*backend));
}

}  // namespace assay
