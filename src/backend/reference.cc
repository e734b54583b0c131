// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "own_executor.h"
#include "version.h"

namespace assay::backend {
namespace {

Result<std::unique_ptr<Backend>> OpenReference(std::string_view argument,
                                               const BackendOptions& options) {
  ExecutionOptions execution;
  if (argument == "template") {
    execution.kernels = Kernels::kTemplate;
  } else if (!argument.empty() && argument != "fast") {
    return UsageError("reference: kernels are 'fast' or 'template', not '" + std::string(argument) +
                      "'");
  }
  const std::string name = argument.empty() ? "reference" : "reference:" + std::string(argument);
  return MakeOwnExecutor(name + " (assay " + std::string(kToolkitVersion) + ")", execution,
                         options);
}

}  // namespace

extern const BackendKind reference_backend = {
    .name = "reference",
    .argument = "[fast|template]",
    .help =
        "the reference executor; 'template' runs every operator as written, without the fast\n"
        "kernels",
    .open = OpenReference,
    .taps = "of any graph",
};
}  // namespace assay::backend
