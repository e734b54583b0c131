// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backend.h"
#include "name_search.h"
#include "output_file.h"
#include "recording_backend.h"
#include "result.h"

namespace assay {

// One kind of backend; each src/backend/<kind>.cc defines one, `<kind>_backend`.
struct BackendKind {
  std::string_view name;           // "reference"; `--backend NAME` or `NAME:ARGUMENT`
  std::string_view argument = {};  // what follows the colon, "" if nothing may: "COMMAND"
  std::string_view help;           // one or more lines
  Result<std::unique_ptr<Backend>> (*open)(std::string_view argument,
                                           const BackendOptions& options);
  std::span<const Exemption> exemptions = {};
  // The inner tensors that the backend returns (taps): "of any graph"; "" for none.
  std::string_view taps = {};
};

std::span<const BackendKind* const> AllBackendKinds();

// Returns the kind that `specification` names, which is `NAME` or `NAME:ARGUMENT`. Error kUsage for
// an unknown name.
inline Result<const BackendKind*> FindBackendKind(std::string_view specification) {
  const std::string_view name = specification.substr(0, specification.find(':'));
  const Result<size_t> found =
      FindName("backend", name, NamesOfRows(AllBackendKinds(), &BackendKind::name));
  if (!found) return found.error();
  return AllBackendKinds()[*found];
}

// Opens the backend `NAME` or `NAME:ARGUMENT`. Error kUsage for an unknown name or an unknown
// declaration, kUnsupported if it is not installed here (`mlir: not installed`). With
// `options.record`, errors of RecordAnswers().
inline Result<std::unique_ptr<Backend>> OpenBackend(std::string_view specification,
                                                    const BackendOptions& options) {
  const Result<const BackendKind*> kind = FindBackendKind(specification);
  if (!kind) return kind.error();
  const Result<BackendDeclarations> declarations = DeclarationsNamed(options.declarations);
  if (!declarations) return declarations.error();
  const size_t colon = specification.find(':');
  const bool has_argument = colon != std::string_view::npos;
  const std::string_view argument = has_argument ? specification.substr(colon + 1) : "";
  if (has_argument && (*kind)->argument.empty()) {
    return UsageError(std::string((*kind)->name) + ": takes no argument, but is given " +
                      std::string(argument));
  }
  if (const std::optional<Error> output = RefuseOutputIn(argument)) return *output;
  Result<std::unique_ptr<Backend>> backend = (*kind)->open(argument, options);
  if (!backend) return backend;
  (*backend)->Declare(*declarations);
  if (options.record.empty()) return backend;
  return RecordAnswers(std::move(*backend), std::string(specification), options.record);
}

}  // namespace assay
