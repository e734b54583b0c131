// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "descriptor.h"
#include "files.h"
#include "result.h"

namespace assay {

// A file that is written part by part, and replaces `path` when it is finished: what
// WriteFileAtomically() does for a text that need not be in memory. An unfinished one is removed.
// If the file system allows it, the file has no name until it is complete. Then a process that is
// killed while it writes leaves nothing behind.
class AtomicFile {
 public:
  static Result<AtomicFile> Open(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  Result<Done> Write(std::string_view text);
  // Complete() writes all that is left, and Replace() then replaces `path`. Finish() does both.
  Result<Done> Complete();
  Result<Done> Replace();
  Result<Done> Finish();

 private:
  explicit AtomicFile(std::string path) : path_(std::move(path)) {}
  std::string Temporary() const;

  std::string path_;
  std::string buffer_;
  Descriptor descriptor_;
  bool is_named_ = false;  // Temporary() is there
};

}  // namespace assay
