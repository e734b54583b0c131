#include "backend.h"

#include "backend_files.h"

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
  std::string known;
  for (const BackendKind* kind : AllBackendKinds()) {
    if (kind->name == name) {
      if (has_argument && kind->argument.empty()) {
        return Error{Error::Kind::kUsage, std::string(name) + ": takes no argument, but is given " +
                                              std::string(argument)};
      }
      return kind->open(argument, options);
    }
    known += (known.empty() ? "" : ", ") + std::string(kind->name);
  }
  return Error{Error::Kind::kUsage,
               "no backend is named '" + std::string(name) + "'; there are " + known};
}

}  // namespace assay
