#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "files.h"
#include "result.h"

namespace assay {

// The place of a backend's folders, one for each vector. Two backends never have the same.
class ScratchFolder {
 public:
  // Below `folder`, whose vectors stay; or, if that is "", below TMPDIR, and nothing stays. Error
  // kResource if nothing can be written there, which is no fault of a backend.
  static Result<ScratchFolder> Open(const std::string& folder);

  // Makes the folder of one more vector.
  Result<std::string> Make();
  // The vector is done with.
  void Release(const std::string& vector_folder) const;

 private:
  std::string root_;
  std::optional<TemporaryDirectory> temporary_;
  int64_t made_ = 0;
};

}  // namespace assay
