// SPDX-License-Identifier: Apache-2.0
#include "backend_kind.h"
#include "mutants.h"
#include "name_search.h"
#include "own_executor.h"

namespace assay::backend {
namespace {

Result<std::unique_ptr<Backend>> OpenMutant(std::string_view argument,
                                            const BackendOptions& options) {
  const Result<size_t> found = FindName("mutant", argument, NamesOfRows(AllMutants(), &Mutant::id));
  if (!found) {
    return Error{found.error().kind, found.error().message + "; `assay mutants --list` prints all"};
  }
  const Mutant& mutant = AllMutants()[*found];
  // With a limit, because a fault may keep a loop from ending.
  const ExecutionOptions execution = {.mutant = &mutant, .loop_iterations_max = 10'000};
  return MakeOwnExecutor("mutant:" + std::string(mutant.id) + " (" + std::string(mutant.what) + ")",
                         execution, options);
}

}  // namespace

extern const BackendKind mutant_backend = {
    .name = "mutant",
    .argument = "ID",
    .help =
        "the reference executor with one fault in one operator; `assay mutants --list` prints "
        "the faults",
    .open = OpenMutant,
    .taps = "of any graph"};
}  // namespace assay::backend
