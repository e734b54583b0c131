// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "mapped_file.h"
#include "result.h"

namespace assay {

// A function of an MLIR file, and the generic form from which it was read.
struct MlirFile {
  SharedBytes bytes;
  std::vector<std::string> places;  // the `places` argument of ParseMlir()
  Graph graph;

  std::string_view text() const { return TextOf(bytes); }
  static std::string_view TextOf(const SharedBytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size()};
  }
};

// Reads an MLIR file. Text in generic form is read as by ReadMlir(). For other text and bytecode,
// `assay-mlir-helper` first writes the generic form. `function` names one of several functions, or
// is empty. With a seed, constants whose data the file leaves out (`dense_resource<__elided__>`)
// get elements that are drawn from it. Errors: those of ReadMlir(); kBadInput if MLIR cannot parse
// the file; kUnsupported if the helper is needed but is missing, crashes or takes too long. `notes`
// gets a line for everything that is ignored; it may be null.
Result<MlirFile> LoadMlir(const std::string& path, std::string_view function,
                          std::vector<std::string>* notes = nullptr,
                          std::optional<uint64_t> seed_of_missing = std::nullopt);

}  // namespace assay
