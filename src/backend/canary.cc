#include "name_search.h"
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

Result<std::unique_ptr<Backend>> Open(std::string_view argument, const BackendOptions&) {
  const std::optional<Fault> fault = FaultByName(argument);
  if (!fault || *fault == Fault::kNone) {
    std::vector<std::string_view> known;
    for (const FaultRow& row : AllFaults()) {
      if (row.fault != Fault::kNone) known.push_back(row.name);
    }
    return UnknownName("fault (canary)", argument, known);
  }
  ExecutionOptions options;
  options.fault = *fault;
  return MakeOwnExecutor(
      "canary:" + std::string(argument) + " (" + std::string(RowOf(*fault).what) + ")", options);
}

const std::string kHelp = Help();

}  // namespace

namespace backend {
extern const BackendKind canary_backend = {
    .name = "canary", .argument = "NAME", .help = kHelp, .open = Open};
}  // namespace backend
}  // namespace assay
