#include "backend.h"

#include "backend_files.h"
#include "name_search.h"

namespace assay {

std::optional<Result<std::vector<Outcome>>> Backend::RunAfterReset(const TestVector&) {
  return std::nullopt;
}

std::span<const BackendKind* const> AllBackendKinds() { return backend::kFiles; }

Result<std::unique_ptr<Backend>> OpenBackend(std::string_view specification,
                                             const BackendOptions& options) {
  const size_t colon = specification.find(':');
  const std::string_view name = specification.substr(0, colon);
  const bool has_argument = colon != std::string_view::npos;
  const std::string_view argument = has_argument ? specification.substr(colon + 1) : "";
  std::vector<std::string_view> known;
  for (const BackendKind* kind : AllBackendKinds()) {
    if (kind->name == name) {
      if (has_argument && kind->argument.empty()) {
        return Error{Error::Kind::kUsage, std::string(name) + ": takes no argument, but is given " +
                                              std::string(argument)};
      }
      return kind->open(argument, options);
    }
    known.push_back(kind->name);
  }
  return UnknownName("backend", name, known);
}

}  // namespace assay
