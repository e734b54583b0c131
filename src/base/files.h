// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor.h"
#include "result.h"

namespace assay {

// Functions on whole files. Every Error is one line, `PATH: what went wrong`. Its kind is kResource
// if the machine is at a limit (disk full, too many open files), otherwise kBadInput.

// Returns the Error of a system call that failed with an error code: `PATH: cannot VERB: ...`.
Error SystemError(const std::string& path, std::string_view verb, int code);

// Returns all bytes of a file. Pipes and devices are read to their end. Error kResource if there
// are more than kFileBytesMax bytes.
inline constexpr int64_t kFileBytesMax = int64_t{2} << 30;
Result<std::vector<uint8_t>> ReadFile(const std::string& path);
Result<std::string> ReadTextFile(const std::string& path, int64_t bytes_max = kFileBytesMax);
// Do the same for a file in a folder where anybody may have put something else. They never wait for
// a pipe and read no device.
Result<std::vector<uint8_t>> ReadRegularFile(const std::string& path,
                                             int64_t bytes_max = kFileBytesMax);
Result<std::string> ReadRegularTextFile(const std::string& path, int64_t bytes_max = kFileBytesMax);
// Do the same for a file that Assay has written into a folder of its own. They follow no symbolic
// link in the last part of the path.
Result<std::vector<uint8_t>> ReadOwnFile(const std::string& path,
                                         int64_t bytes_max = kFileBytesMax);
Result<std::string> ReadOwnTextFile(const std::string& path);
// Opens such a file, with flags of open(). Error kBadInput, which says what to do, if a link or
// anything but a regular file is there.
Result<Descriptor> OpenOwnFile(const std::string& path, int flags = O_RDONLY);

// The text of a file that the user names and that may be a pipe, so that it can be read only once.
// Copies share the text: runs on several backends have the same.
class OnceReadText {
 public:
  static constexpr int64_t kBytesMax = int64_t{64} << 20;
  // Reads the file at the first call. Error kResource if it has more than kBytesMax bytes.
  Result<const std::string*> Of(const std::string& path) const;

 private:
  std::shared_ptr<std::optional<std::string>> text_ =
      std::make_shared<std::optional<std::string>>();
};

// Replaces what is at the path by a file of `bytes`, or leaves it as it was. It is for files that
// Assay names; OutputFile is for those that the user names. Writes `PATH.<process>.tmp`,
// checks every write, renames. A reader never sees half a file; a process that is killed may leave
// the `.tmp`.
Result<Done> WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes);
Result<Done> WriteFileAtomically(const std::string& path, std::string_view text);
// Replaces several files that belong together. No file is replaced before all have been written.
struct FileText {
  std::string path;
  std::string_view text;
};
Result<Done> WriteFilesAtomically(std::span<const FileText> files);

// Returns "a/b.tvec" for "a/b.tvec.4711.tmp", the name that a file has while it is written. Returns
// "" for any other name.
std::string_view FinalNameOf(std::string_view temporary);

// Creates the folder and those above it. Succeeds if the folder exists.
Result<Done> MakeDirectories(const std::string& path);

// Removes a file or an empty folder.
Result<Done> Remove(const std::string& path);

// Returns the names of the files and folders in a folder, sorted.
Result<std::vector<std::string>> ListDirectory(const std::string& path);

// Returns all files below a folder, at any depth, as sorted paths relative to it. Links are not
// followed and count as files.
Result<std::vector<std::string>> ListFilesBelow(const std::string& folder);

bool IsDirectory(const std::string& path);
bool FileExists(const std::string& path);
// Returns true for anything of that name, also a link that leads nowhere.
bool IsThere(const std::string& path);

// "a/b" and "c" give "a/b/c"; "" and "c" give "c"; an absolute `name` stays.
std::string JoinPath(std::string_view folder, std::string_view name);
// "a/b.tosa" gives "a"; "b.tosa" gives "".
std::string FolderOf(std::string_view path);
// "a/b.tosa" gives "b.tosa", "a/b/" gives "b".
std::string_view FileNameOf(std::string_view path);

// The exclusive right to write into a folder, among processes that ask for it. It ends with its
// owner, even if the owner is killed. Processes that are forked while it is held share it.
class FolderLock {
 public:
  // Takes the lock. Error kUsage, which names the other process, if another process holds it. If
  // the file system has no locks, every caller gets it.
  static Result<FolderLock> Take(const std::string& folder);
  // Tells whether the file system has locks.
  bool is_exclusive() const { return is_exclusive_; }

 private:
  FolderLock(Descriptor descriptor, bool is_exclusive)
      : descriptor_(std::move(descriptor)), is_exclusive_(is_exclusive) {}
  Descriptor descriptor_;
  bool is_exclusive_;
};

// A new folder under TMPDIR (or /tmp). It is removed, with its content, when its owner is destroyed
// or the process is killed.
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> Make();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept;
  ~TemporaryDirectory();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;  // "" once moved from
};

}  // namespace assay
