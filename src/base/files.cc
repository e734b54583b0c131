// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "descriptor.h"
#include "guardian.h"
#include "output_file.h"
#include "process_state.h"

namespace assay {
namespace {

bool IsResource(int code) {
  return code == ENOSPC || code == EDQUOT || code == EIO || code == EMFILE || code == ENFILE ||
         code == ENOMEM || code == EFBIG;
}

Error TooLarge(const std::string& path, int64_t bytes_max) {
  return {Error::Kind::kResource,
          path + ": is larger than " + std::to_string(bytes_max) + " bytes"};
}

Error NotRegular(const std::string& path) {
  return BadInput(path + ": is no regular file; a folder is read from regular files only");
}

// Pipes and devices may have no end.
constexpr int64_t kStreamBytesMax = int64_t{256} << 20;

// The files that a function reads.
enum class Readable { kAny, kRegular, kOwn };

Result<Descriptor> OpenToRead(const std::string& path, Readable readable) {
  if (readable == Readable::kOwn) return OpenOwnFile(path);
  // O_NONBLOCK does not wait for somebody to open the other end of a pipe.
  Descriptor file(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | (readable == Readable::kRegular ? O_NONBLOCK : 0)));
  if (file < 0) return SystemError(path, "open", errno);
  return file;
}

// Reads into a container of bytes, which may throw std::bad_alloc.
template <class Bytes>
Result<Bytes> ReadInto(const std::string& path, int64_t bytes_max, Readable readable) {
  const Result<Descriptor> opened = OpenToRead(path, readable);
  if (!opened) return opened.error();
  const Descriptor& file = *opened;
  struct stat status;
  if (fstat(file, &status) != 0) return SystemError(path, "read", errno);
  if (S_ISDIR(status.st_mode)) return SystemError(path, "read", EISDIR);
  if (readable == Readable::kRegular && !S_ISREG(status.st_mode)) return NotRegular(path);
  if (!S_ISREG(status.st_mode)) bytes_max = std::min(bytes_max, kStreamBytesMax);
  if (status.st_size > bytes_max) return TooLarge(path, bytes_max);
  if (const std::optional<Error> output = RefuseOutput(status)) return *output;
  Bytes bytes;
  // One byte more than expected shows the end of the file in the first read.
  bytes.resize(static_cast<size_t>(std::max<off_t>(status.st_size, 4095)) + 1);
  size_t size = 0;
  for (;;) {
    if (size == bytes.size()) {
      const auto all = static_cast<size_t>(bytes_max) + 1;
      bytes.resize(4 * size < all ? 2 * size : all);
    }
    const ssize_t got = read(file, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(path, "read", errno);
    if (got == 0) break;
    size += static_cast<size_t>(got);
    if (size > static_cast<size_t>(bytes_max)) return TooLarge(path, bytes_max);
    // A short read with the expected size means that the file has ended.
    if (S_ISREG(status.st_mode) && static_cast<off_t>(size) == status.st_size) break;
  }
  bytes.resize(size);
  return bytes;
}

template <class Bytes>
Result<Bytes> ReadBytes(const std::string& path, int64_t bytes_max, Readable readable) {
  try {
    return ReadInto<Bytes>(path, bytes_max, readable);
  } catch (const std::bad_alloc&) {
    return SystemError(path, "read", ENOMEM);
  }
}

}  // namespace

Error SystemError(const std::string& path, std::string_view verb, int code) {
  return {IsResource(code) ? Error::Kind::kResource : Error::Kind::kBadInput,
          path + ": cannot " + std::string(verb) + ": " + std::generic_category().message(code)};
}

Result<std::vector<uint8_t>> ReadFile(const std::string& path) {
  return ReadBytes<std::vector<uint8_t>>(path, kFileBytesMax, Readable::kAny);
}

Result<std::string> ReadTextFile(const std::string& path, int64_t bytes_max) {
  return ReadBytes<std::string>(path, bytes_max, Readable::kAny);
}

Result<std::vector<uint8_t>> ReadRegularFile(const std::string& path, int64_t bytes_max) {
  return ReadBytes<std::vector<uint8_t>>(path, bytes_max, Readable::kRegular);
}

Result<std::string> ReadRegularTextFile(const std::string& path, int64_t bytes_max) {
  return ReadBytes<std::string>(path, bytes_max, Readable::kRegular);
}

Result<Descriptor> OpenOwnFile(const std::string& path, int flags) {
  Descriptor file(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  const int code = errno;
  struct stat status;
  if (file < 0 && lstat(path.c_str(), &status) != 0) return SystemError(path, "open", code);
  if (file >= 0 && fstat(file, &status) != 0) return SystemError(path, "open", errno);
  if (S_ISLNK(status.st_mode)) {
    return BadInput(path + ": is a symbolic link; put the file itself there, or remove the link");
  }
  if (!S_ISREG(status.st_mode)) return BadInput(path + ": is no regular file; remove it");
  if (file < 0) return SystemError(path, "open", code);
  return file;
}

Result<std::vector<uint8_t>> ReadOwnFile(const std::string& path, int64_t bytes_max) {
  return ReadBytes<std::vector<uint8_t>>(path, bytes_max, Readable::kOwn);
}

Result<std::string> ReadOwnTextFile(const std::string& path) {
  return ReadBytes<std::string>(path, kFileBytesMax, Readable::kOwn);
}

Result<const std::string*> OnceReadText::Of(const std::string& path) const {
  if (!*text_) {
    Result<std::string> text = ReadTextFile(path, kBytesMax);
    if (!text) return text.error();
    *text_ = std::move(*text);
  }
  return &**text_;
}

Result<Done> MakeDirectories(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) return SystemError(path, "make the folder", code.value());
  if (!IsDirectory(path)) return SystemError(path, "make the folder", ENOTDIR);
  return Done{};
}

std::string_view FinalNameOf(std::string_view temporary) {
  constexpr std::string_view kEnding = ".tmp";
  if (!temporary.ends_with(kEnding)) return "";
  temporary.remove_suffix(kEnding.size());
  const size_t digits = temporary.find_last_not_of("0123456789");
  const bool has_process = digits != std::string_view::npos && digits + 1 < temporary.size();
  return has_process && temporary[digits] == '.' ? temporary.substr(0, digits) : "";
}

Result<Done> Remove(const std::string& path) {
  std::error_code code;
  std::filesystem::remove(path, code);
  if (code) return SystemError(path, "remove", code.value());
  return Done{};
}

Result<std::vector<std::string>> ListFilesBelow(const std::string& folder) {
  using Iterator = std::filesystem::recursive_directory_iterator;
  std::error_code code;
  std::vector<std::string> files;
  for (Iterator at(folder, code); !code && at != Iterator(); at.increment(code)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) continue;
    files.push_back(at->path().lexically_relative(folder).string());
  }
  if (code) return SystemError(folder, "list", code.value());
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<std::string>> ListDirectory(const std::string& path) {
  std::error_code code;
  std::vector<std::string> names;
  std::filesystem::directory_iterator at(path, code);
  for (; !code && at != std::filesystem::directory_iterator(); at.increment(code)) {
    names.push_back(at->path().filename().string());
  }
  if (code) return SystemError(path, "list", code.value());
  std::sort(names.begin(), names.end());
  return names;
}

bool IsDirectory(const std::string& path) {
  std::error_code code;
  return std::filesystem::is_directory(path, code);
}

bool FileExists(const std::string& path) {
  std::error_code code;
  return std::filesystem::exists(path, code);
}

bool IsThere(const std::string& path) {
  std::error_code code;
  return std::filesystem::exists(std::filesystem::symlink_status(path, code));
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  std::string path(folder);
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

std::string FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return "";
  return std::string(path.substr(0, std::max<size_t>(slash, 1)));
}

std::string_view FileNameOf(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

namespace {

// The workers of a process that was killed hold its lock until they have ended, which takes a
// moment. The system does not name such an owner.
constexpr int kLockWaitsMax = 200;
constexpr std::chrono::milliseconds kLockWait(10);

// Returns the process that holds a lock on a file, from /proc/locks. Returns 0 if it is unknown, or
// no longer runs.
int64_t LockOwner(int descriptor) {
  struct stat status;
  const Result<std::string> locks = ReadTextFile("/proc/locks");
  if (!locks || fstat(descriptor, &status) != 0) return 0;
  std::istringstream lines(*locks);
  for (std::string line; std::getline(lines, line);) {
    // "1: FLOCK  ADVISORY  WRITE 4711 fe:00:131 0 EOF"; waiting locks have "->" in front.
    std::istringstream words(line);
    std::string number, kind, mode, access, file;
    int64_t process = 0;
    words >> number >> kind >> mode >> access >> process >> file;
    if (kind != "FLOCK" || !file.ends_with(":" + std::to_string(status.st_ino))) continue;
    return ProcessRuns(process) ? process : 0;
  }
  return 0;
}

}  // namespace

Result<FolderLock> FolderLock::Take(const std::string& folder) {
  Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor < 0) return SystemError(folder, "open", errno);
  int64_t owner = 0;
  for (int waits = 0;; ++waits) {
    const bool is_taken = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (is_taken || errno != EWOULDBLOCK) return FolderLock(std::move(descriptor), is_taken);
    owner = LockOwner(descriptor);
    if (owner > 0 || waits == kLockWaitsMax) break;
    std::this_thread::sleep_for(kLockWait);
  }
  const std::string process = owner > 0 ? "process " + std::to_string(owner) : "another process";
  return UsageError(folder + ": " + process +
                    " writes into this folder; wait for it, or choose another");
}

Result<TemporaryDirectory> TemporaryDirectory::Make() {
  const char* root = std::getenv("TMPDIR");
  std::string path = JoinPath(root != nullptr && *root != '\0' ? root : "/tmp", "assay.XXXXXX");
  if (mkdtemp(path.data()) == nullptr) return SystemError(path, "make the folder", errno);
  GuardFolder(path);
  return TemporaryDirectory(path);
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

TemporaryDirectory& TemporaryDirectory::operator=(TemporaryDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (path_.empty()) return;
  std::filesystem::remove_all(path_, ignored);
  ForgetFolder(path_);
}

}  // namespace assay
