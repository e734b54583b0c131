// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "result.h"

namespace assay {

// A file that is written part by part, and replaces `path` when it is finished: what
// WriteFileAtomically() does for a text that need not be in memory. An unfinished one is removed.
class AtomicFile {
 public:
  static Result<AtomicFile> Open(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  Result<Done> Write(std::string_view text);
  Result<Done> Finish();

 private:
  explicit AtomicFile(std::string path) : path_(std::move(path)) {}
  Result<Done> Flush();
  std::string Temporary() const;

  std::string path_;
  std::string buffer_;
  int descriptor_ = -1;
};

}  // namespace assay
