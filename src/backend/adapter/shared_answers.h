// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "descriptor.h"
#include "result.h"

namespace assay {

// The right to write answers, or vectors that need answers, into a folder. Several processes may
// have it at the same time. Who gets it or gives it up while nobody else has it removes the
// unfinished folders that killed processes have left. Where the file system has no locks, these
// stay; RecordedAnswers ignores them.
class SharedAnswers {
 public:
  // Makes the folder if it does not exist.
  static Result<SharedAnswers> Open(const std::string& folder);
  SharedAnswers(SharedAnswers&&) noexcept = default;
  SharedAnswers& operator=(SharedAnswers&&) = delete;
  ~SharedAnswers();

 private:
  SharedAnswers(std::string folder, Descriptor lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}
  void SweepIfAlone() const;

  std::string folder_;
  Descriptor lock_;
};

}  // namespace assay
