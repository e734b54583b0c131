// SPDX-License-Identifier: Apache-2.0
#include "suite_folder.h"

#include <set>
#include <utility>
#include <vector>

#include "output_folder.h"

namespace assay {
namespace {

// Removes the files of a suite that exist, its own folders that are empty afterwards, and the suite
// file. That file goes last, so that a second attempt knows what is left.
Result<Done> RemoveSuite(const std::vector<std::string>& files, const std::string& suite_folder) {
  std::set<std::string> folders;
  for (const std::string& file : files) {
    const std::string path = JoinPath(suite_folder, file);
    if (!FileExists(path)) continue;
    const Result<Done> removed = Remove(path);
    if (!removed) return removed;
    folders.insert(FolderOf(file));
  }
  folders.erase("");
  for (const std::string& folder : folders) {
    const std::string path = JoinPath(suite_folder, folder);
    const Result<std::vector<std::string>> rest = ListDirectory(path);
    if (!rest || !rest->empty()) continue;
    const Result<Done> removed = Remove(path);
    if (!removed) return removed;
  }
  return Remove(SuiteFile(suite_folder));
}

}  // namespace

Error HoldsAnotherSuite(const std::string& folder) {
  return UsageError(folder +
                    ": holds a complete suite of other options; choose another folder, or --force "
                    "replaces it");
}

Result<LockedSuiteFolder> OpenSuiteFolder(const std::string& folder, const Suite& fresh, bool force,
                                          bool resume) {
  const auto refuse = [&folder](const std::string& what) {
    return UsageError(folder + ": " + what);
  };
  Result<FolderLock> lock = OpenOutputFolder(folder, {});
  if (!lock) return lock.error();
  const bool has_suite = HasSuite(folder);
  const Result<Suite> old = has_suite ? ReadSuite(folder) : Result<Suite>(Suite{});
  if (!old) return old.error();
  const Result<SuiteFolder> content = ListSuite(folder, *old);
  if (!content) return content.error();
  const Result<Done> swept = RemoveStaleFiles(*lock, folder, content->leftovers);
  if (!swept) return swept.error();
  LockedSuiteFolder opened = {std::move(*lock)};
  const std::string first = content->foreign.empty() ? "" : content->foreign[0];
  if (!has_suite) {
    if (!first.empty()) {
      return refuse("is not empty, and holds no suite: there is " + first +
                    "; choose another folder");
    }
    const Result<std::vector<std::string>> rest = ListDirectory(folder);
    if (!rest) return rest.error();
    if (rest->empty()) return opened;
    return refuse("is not empty: there is " + (*rest)[0] + "; choose another folder");
  }
  if (force) {
    if (!first.empty()) {
      return refuse("--force removes only what " + SuiteFile(folder) + " lists; there is also " +
                    first);
    }
    const Result<Done> removed = RemoveSuite(content->vectors, folder);
    if (!removed) return removed.error();
    return opened;
  }
  if (!resume) {
    return refuse(old->incomplete
                      ? "holds an incomplete suite; --resume completes it, --force replaces it"
                      : "holds a suite already; --force replaces it");
  }
  const bool is_alike = old->generators == fresh.generators && old->options == fresh.options &&
                        old->toolkit_version == fresh.toolkit_version;
  if (!old->incomplete) {
    if (!is_alike || old->seed != fresh.seed) return HoldsAnotherSuite(folder);
    const Result<Done> unchanged = VerifySuite(folder, *old);
    if (!unchanged) return unchanged.error();
    opened.complete = *old;
    return opened;
  }
  if (!is_alike || old->incomplete->command != fresh.incomplete->command ||
      old->incomplete->cases != fresh.incomplete->cases) {
    return refuse("holds a part of another suite: " + old->incomplete->command + ", version " +
                  old->toolkit_version);
  }
  return opened;
}

}  // namespace assay
