// SPDX-License-Identifier: Apache-2.0
#include "atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace assay {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;

// Gives a file without a name this name. Returns the error code, or 0.
int GiveName(int fd, const std::string& name) {
  const std::string itself = "/proc/self/fd/" + std::to_string(fd);
  unlink(name.c_str());  // left by a killed process that had our process id
  return linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0
                                                                                          : errno;
}

}  // namespace

Result<AtomicFile> AtomicFile::Open(const std::string& path) {
  AtomicFile file(path);
  const std::string folder = FolderOf(path);
  file.descriptor_ = Descriptor(
      open(folder.empty() ? "." : folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666));
  if (file.descriptor_ >= 0) return file;
  file.descriptor_ =
      Descriptor(open(file.Temporary().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.descriptor_ < 0) return SystemError(path, "write", errno);
  file.is_named_ = true;
  return file;
}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(buffer_, other.buffer_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(is_named_, other.is_named_);
  return *this;
}

AtomicFile::~AtomicFile() {
  if (is_named_) unlink(Temporary().c_str());
}

std::string AtomicFile::Temporary() const {
  return path_ + "." + std::to_string(getpid()) + ".tmp";
}

Result<Done> AtomicFile::Write(std::string_view text) {
  if (buffer_.size() + text.size() < kBufferBytes) {
    buffer_ += text;
    return Done{};
  }
  if (!WriteAll(descriptor_, buffer_.data(), buffer_.size()) ||
      !WriteAll(descriptor_, text.data(), text.size())) {
    return SystemError(path_, "write", errno);
  }
  buffer_.clear();
  return Done{};
}

Result<Done> AtomicFile::Complete() {
  int code = WriteAll(descriptor_, buffer_.data(), buffer_.size()) ? 0 : errno;
  if (code == 0 && !is_named_) {
    code = GiveName(descriptor_, Temporary());
    is_named_ = code == 0;
  }
  buffer_ = {};  // files that belong together wait for the last one
  const int close_code = descriptor_.Close();
  if (code == 0) code = close_code;
  if (code == 0) return Done{};
  return SystemError(path_, "write", code);
}

Result<Done> AtomicFile::Replace() {
  if (rename(Temporary().c_str(), path_.c_str()) != 0) return SystemError(path_, "write", errno);
  is_named_ = false;
  return Done{};
}

Result<Done> AtomicFile::Finish() {
  const Result<Done> complete = Complete();
  return complete ? Replace() : complete;
}

Result<Done> WriteFileAtomically(const std::string& path, std::span<const uint8_t> bytes) {
  return WriteFileAtomically(
      path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Result<Done> WriteFileAtomically(const std::string& path, std::string_view text) {
  const FileText file = {path, text};
  return WriteFilesAtomically({&file, 1});
}

Result<Done> WriteFilesAtomically(std::span<const FileText> files) {
  std::vector<AtomicFile> written;
  for (const FileText& file : files) {
    Result<AtomicFile> to = AtomicFile::Open(file.path);
    if (!to) return to.error();
    Result<Done> done = to->Write(file.text);
    if (done) done = to->Complete();
    if (!done) return done;
    written.push_back(std::move(*to));
  }
  for (AtomicFile& file : written) {
    const Result<Done> replaced = file.Replace();
    if (!replaced) return replaced;
  }
  return Done{};
}

}  // namespace assay
