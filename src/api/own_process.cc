// SPDX-License-Identifier: Apache-2.0
// Replaces functions of src/base that are for programs: they end the process or handle its signals.
// The linker takes these definitions, because it sees them before the archive of src/base. All of
// mapped_file.cc is replaced, so that the linker does not take it as well.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "files.h"
#include "guarded.h"
#include "mapped_file.h"

namespace assay {

// Ends no process: the function of the library that was called returns ASSAY_DEFECT.
void FailCheck(const char* invariant, const char* file, int line) {
  throw api::Defect{"defect in Assay itself: " + std::string(invariant) + " (" + file + ":" +
                    std::to_string(line) + ")"};
}

SharedBytes SharedBytesOf(std::vector<uint8_t> bytes) {
  const auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  return {{owner, owner->data()}, *owner};
}

// Read all files: a mapped file that somebody cuts would need a handler of signals.
Result<SharedBytes> MapFile(const std::string& path, int64_t) {
  Result<std::vector<uint8_t>> bytes = ReadFile(path);
  if (!bytes) return bytes.error();
  return SharedBytesOf(std::move(*bytes));
}
Result<SharedBytes> MapRegularFile(const std::string& path, int64_t bytes_max) {
  Result<std::vector<uint8_t>> bytes = ReadRegularFile(path, std::min(bytes_max, kFileBytesMax));
  if (!bytes) return bytes.error();
  return SharedBytesOf(std::move(*bytes));
}

// No file is mapped, so none changes under its readers.
std::optional<Error> ChangedFile() { return std::nullopt; }
void EndOfChangedFile(int) {}

}  // namespace assay
