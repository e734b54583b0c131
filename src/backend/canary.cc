#include "own_executor.h"

namespace assay {
namespace {

// The rows of the fault table, one a line.
std::string Help() {
  std::string help = "the reference executor with one seeded fault, which a suite must find:";
  for (const FaultRow& row : AllFaults()) {
    if (row.fault == Fault::kNone) continue;
    help += "\ncanary:" + std::string(row.name) + ": " + std::string(row.what);
  }
  return help;
}

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions& options) {
  const std::optional<Fault> fault = FaultByName(argument);
  if (!fault || *fault == Fault::kNone) {
    return Error{Error::Kind::kUsage, "canary: no fault is named '" + std::string(argument) +
                                          "'; `assay verify --help` lists them"};
  }
  ExecutionOptions execution;
  execution.fault = *fault;
  return MakeOwnExecutor(
      "canary:" + std::string(argument) + " (" + std::string(RowOf(*fault).what) + ")", execution,
      options);
}

const std::string kHelp = Help();

}  // namespace

namespace backend {
extern const BackendKind canary_backend = {
    .name = "canary", .argument = "NAME", .help = kHelp, .open = Open};
}  // namespace backend
}  // namespace assay
