// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "outcome.h"
#include "result.h"

namespace assay {

// The folder in which a backend makes one folder for each vector. Two backends never share one.
class ScratchFolder {
 public:
  // Makes a folder below `folder`; the folders of its vectors stay. If `folder` is "", it makes one
  // below TMPDIR, and nothing stays. Error kResource if nothing can be written there, which is no
  // fault of a backend.
  static Result<ScratchFolder> Open(const std::string& folder);

  // Calls `run` with a new folder for one vector, and removes the folder afterwards. If a step has
  // no answer, it tests whether files can still be written.
  Result<std::vector<Outcome>> Run(
      const std::function<Result<std::vector<Outcome>>(const std::string& folder)>& run);

  // Records that a file of the vector cannot be written. Returns that as an Error kResource.
  Error Fail(const Error& error);

  // Returns the Error kResource of the first file or folder that could not be written, if any.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  Result<std::string> Make();

  std::string root_;
  std::optional<TemporaryDirectory> temporary_;
  int64_t made_ = 0;
  std::optional<Error> failure_;
};

}  // namespace assay
