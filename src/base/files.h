#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace assay {

// Files as a whole. Every Error is one line, `PATH: what went wrong`: kResource where the machine
// is at its limits (disk full, too many open files), otherwise kBadInput.

// All bytes of a file; pipes and devices are read to their end. At most kFileBytesMax: what is
// larger is kResource.
inline constexpr int64_t kFileBytesMax = int64_t{2} << 30;
Result<std::vector<uint8_t>> ReadFile(const std::string& path);
Result<std::string> ReadTextFile(const std::string& path);
// The same of a file that lies in a folder, where anybody may have put something else: never waits
// for a pipe, reads no device.
Result<std::vector<uint8_t>> ReadRegularFile(const std::string& path,
                                             int64_t bytes_max = kFileBytesMax);
Result<std::string> ReadRegularTextFile(const std::string& path);

// Replaces the file by `bytes`, or leaves it as it was: writes `PATH.<process>.tmp`, checks every
// write, renames. A reader never sees half a file; a process that is killed may leave the `.tmp`.
Result<Done> WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes);
Result<Done> WriteFileAtomically(const std::string& path, std::string_view text);
// The same of files that belong together: none is replaced before all have been written.
struct FileText {
  std::string path;
  std::string_view text;
};
Result<Done> WriteFilesAtomically(std::span<const FileText> files);

// "a/b.tvec" for "a/b.tvec.4711.tmp", the name that a file has while it is written; "" for others.
std::string_view FinalNameOf(std::string_view temporary);

// The folder and those above it; fine if it exists.
Result<Done> MakeDirectories(const std::string& path);

// Removes a file, or a folder that is empty.
Result<Done> Remove(const std::string& path);

// The names in a folder, sorted; folders too.
Result<std::vector<std::string>> ListDirectory(const std::string& path);

// All files below a folder, at any depth, as paths that are relative to it, sorted. Links are not
// followed, and count as files.
Result<std::vector<std::string>> ListFilesBelow(const std::string& folder);

bool IsDirectory(const std::string& path);
bool FileExists(const std::string& path);

// "a/b" and "c" give "a/b/c"; "" and "c" give "c"; an absolute `name` stays.
std::string JoinPath(std::string_view folder, std::string_view name);
// "a/b.tosa" gives "a"; "b.tosa" gives "".
std::string FolderOf(std::string_view path);
// "a/b.tosa" gives "b.tosa", "a/b/" gives "b".
std::string_view FileNameOf(std::string_view path);

// The sole right to write into a folder, among processes that ask for it. It ends with its owner,
// also when that is killed. Processes that are forked meanwhile share it.
class FolderLock {
 public:
  // Error kUsage, which names the other process, if somebody else has it. Where the file system has
  // no locks, everybody gets it.
  static Result<FolderLock> Take(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// A fresh folder under TMPDIR (or /tmp) that goes away, content and all, with its owner, or with
// the process if that is killed.
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
