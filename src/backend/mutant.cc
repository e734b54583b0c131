#include "mutant.h"

#include "own_executor.h"

namespace assay {
namespace {

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions& options) {
  ExecutionOptions execution;
  execution.mutant = MutantById(argument);
  execution.loop_iterations_max = 10'000;  // a fault may keep a loop from ending
  if (execution.mutant == nullptr) {
    return Error{Error::Kind::kUsage, "mutant: none is called '" + std::string(argument) +
                                          "'; `assay mutants --list` prints them"};
  }
  return MakeOwnExecutor(
      "mutant:" + std::string(argument) + " (" + std::string(execution.mutant->what) + ")",
      execution, options);
}

}  // namespace

namespace backend {
extern const BackendKind mutant_backend = {
    .name = "mutant",
    .argument = "ID",
    .help =
        "the reference executor with one fault in one operator; `assay mutants --list` prints "
        "the faults",
    .open = Open};
}  // namespace backend
}  // namespace assay
