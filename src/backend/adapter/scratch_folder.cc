// SPDX-License-Identifier: Apache-2.0
#include "scratch_folder.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace assay {
namespace {

Error OfMachine(const Error& error) {
  return {Error::Kind::kResource,
          error.message + "; files for backends go there, or where TMPDIR says"};
}

// Writes a small file to test whether the disk is full.
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
  std::string folder;  // a new one, so that it holds no old answers
  do {
    folder = JoinPath(root_, "vector-" + std::to_string(getpid()) + "-" + std::to_string(made_++));
  } while (IsDirectory(folder));
  const Result<Done> made = MakeDirectories(folder);
  if (!made) return made.error();
  return folder;
}

Result<std::vector<Outcome>> ScratchFolder::Run(
    const std::function<Result<std::vector<Outcome>>(const std::string& folder)>& run) {
  const Result<std::string> folder = Make();
  if (!folder) return Fail(folder.error());
  Result<std::vector<Outcome>> outcomes = run(*folder);
  const auto is_valid = [](const Outcome& outcome) { return outcome.kind == OutcomeKind::kValid; };
  if (!outcomes || !std::ranges::all_of(*outcomes, is_valid)) {
    // The test comes before the folder is removed: if the disk was full, the program's files still
    // fill it.
    const Result<Done> written = TryToWrite(root_);
    if (!written) Fail(written.error());
  }
  std::error_code ignored;
  if (temporary_) std::filesystem::remove_all(*folder, ignored);
  return outcomes;
}

Error ScratchFolder::Fail(const Error& error) {
  if (!failure_) failure_ = OfMachine(error);
  return *failure_;
}

}  // namespace assay
