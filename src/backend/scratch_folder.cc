#include "scratch_folder.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace assay {
namespace {

Error OfMachine(const Error& error) {
  return {Error::Kind::kResource,
          error.message + "; files for backends go there, or where TMPDIR says"};
}

// A few bytes must find room: a disk may be full.
Result<Done> TryToWrite(const std::string& folder) {
  constexpr size_t kBytes = 1 << 16;
  const std::string path = JoinPath(folder, "try-" + std::to_string(getpid()));
  const Result<Done> written =
      WriteFileAtomically(path, std::string_view(std::string(kBytes, ' ')));
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return written;
}

}  // namespace

Result<ScratchFolder> ScratchFolder::Open(const std::string& folder) {
  ScratchFolder scratch;
  if (folder.empty()) {
    Result<TemporaryDirectory> temporary = TemporaryDirectory::Make();
    if (!temporary) return OfMachine(temporary.error());
    scratch.root_ = temporary->path();
    scratch.temporary_ = std::move(*temporary);
  } else {
    const Result<Done> made = MakeDirectories(folder);
    if (!made) return OfMachine(made.error());
    scratch.root_ = folder;
  }
  const Result<Done> written = TryToWrite(scratch.root_);
  if (!written) return OfMachine(written.error());
  return scratch;
}

Result<std::string> ScratchFolder::Make() {
  std::string folder;  // one that nobody has written answers to
  do {
    folder = JoinPath(root_, "vector-" + std::to_string(getpid()) + "-" + std::to_string(made_++));
  } while (IsDirectory(folder));
  const Result<Done> made = MakeDirectories(folder);
  if (!made) return OfMachine(made.error());
  return folder;
}

void ScratchFolder::Release(const std::string& vector_folder) const {
  std::error_code ignored;
  if (temporary_) std::filesystem::remove_all(vector_folder, ignored);
}

}  // namespace assay
