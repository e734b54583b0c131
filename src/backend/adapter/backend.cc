#include "backend.h"

#include "backend_files.h"
#include "name_search.h"

namespace assay {

std::optional<Result<std::vector<Outcome>>> Backend::RunAfterReset(const TestVector&) {
  return std::nullopt;
}

std::span<const BackendKind* const> AllBackendKinds() { return backend::kFiles; }

Result<const BackendKind*> FindBackendKind(std::string_view specification) {
  const std::string_view name = specification.substr(0, specification.find(':'));
  std::vector<std::string_view> known;
  for (const BackendKind* kind : AllBackendKinds()) known.push_back(kind->name);
  const Result<size_t> found = FindName("backend", name, known);
  if (!found) return found.error();
  return AllBackendKinds()[*found];
}

Result<std::unique_ptr<Backend>> OpenBackend(std::string_view specification,
                                             const BackendOptions& options) {
  const Result<const BackendKind*> kind = FindBackendKind(specification);
  if (!kind) return kind.error();
  const size_t colon = specification.find(':');
  if (colon == std::string_view::npos) return (*kind)->open("", options);
  const std::string_view argument = specification.substr(colon + 1);
  if ((*kind)->argument.empty()) {
    return Error{
        Error::Kind::kUsage,
        std::string((*kind)->name) + ": takes no argument, but is given " + std::string(argument)};
  }
  return (*kind)->open(argument, options);
}

}  // namespace assay
