// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files.h"
#include "result.h"

namespace assay {

// Bytes that several values share: the content of a file, and the tensors that point into it.
struct SharedBytes {
  std::shared_ptr<const uint8_t[]> owner;
  std::span<const uint8_t> bytes;
};

SharedBytes SharedBytesOf(std::vector<uint8_t> bytes);

// Regular files of this size and more are mapped into memory.
inline constexpr int64_t kMappedBytesMin = int64_t{1} << 20;

// Returns all bytes of a file, as ReadFile() and ReadRegularFile() do, but maps a large one.
//
// The content of a mapped file can change under its readers. If the file is cut, and a page behind
// its end is read, the process prints one line that names the file and ends with status 2 (or the
// status of EndOfChangedFile()). Other changes are found by ChangedFile().
Result<SharedBytes> MapFile(const std::string& path, int64_t bytes_max = kFileBytesMax);
Result<SharedBytes> MapRegularFile(const std::string& path, int64_t bytes_max = kFileBytesMax);

// Returns an Error if a file has been changed after this process mapped it. Results that were
// computed from it are then void.
std::optional<Error> ChangedFile();

// Sets the status with which this process ends if it reads behind the end of a mapped file.
void EndOfChangedFile(int status);

}  // namespace assay
