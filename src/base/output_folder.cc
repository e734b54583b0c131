// SPDX-License-Identifier: Apache-2.0
#include "output_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "process_state.h"

namespace assay {
namespace {

// Tells whether the process that gave a file its temporary name may still write it. This process
// has written nothing yet, so a name with its own number comes from an earlier process.
bool MayGrow(const std::string& file) {
  const size_t number = FinalNameOf(file).size() + 1;
  const int64_t process = std::strtoll(file.c_str() + number, nullptr, 10);
  return process != getpid() && ProcessRuns(process);
}

bool Matches(std::string_view file, std::string_view name) {
  return name.starts_with('*') ? file.ends_with(name.substr(1)) : file == name;
}

}  // namespace

Result<Done> RemoveStaleFiles(const FolderLock& lock, const std::string& folder,
                              const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (FinalNameOf(file).empty() || (!lock.is_exclusive() && MayGrow(file))) continue;
    const Result<Done> removed = Remove(JoinPath(folder, file));
    if (!removed) return removed;
  }
  return Done{};
}

Result<FolderLock> OpenOutputFolder(const std::string& folder,
                                    std::span<const std::string_view> names) {
  const Result<Done> made = MakeDirectories(folder);
  if (!made) return made.error();
  Result<FolderLock> lock = FolderLock::Take(folder);
  if (!lock) return lock;
  for (const std::string_view name : names) {
    const std::string below = JoinPath(folder, FolderOf(name));
    if (!IsDirectory(below)) continue;
    Result<std::vector<std::string>> files = ListDirectory(below);
    if (!files) return files.error();
    std::erase_if(*files, [name](const std::string& file) {
      return !Matches(FinalNameOf(file), FileNameOf(name));
    });
    const Result<Done> removed = RemoveStaleFiles(*lock, below, *files);
    if (!removed) return removed.error();
  }
  return lock;
}

}  // namespace assay
