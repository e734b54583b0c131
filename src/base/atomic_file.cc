// SPDX-License-Identifier: Apache-2.0
#include "atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "descriptor.h"

namespace assay {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;

Error WriteError(const std::string& path, int code) {
  const bool is_full = code == ENOSPC || code == EDQUOT || code == EFBIG || code == EIO ||
                       code == EMFILE || code == ENFILE || code == ENOMEM;
  return {is_full ? Error::Kind::kResource : Error::Kind::kBadInput,
          path + ": cannot write: " + std::generic_category().message(code)};
}

}  // namespace

Result<AtomicFile> AtomicFile::Open(const std::string& path) {
  AtomicFile file(path);
  file.descriptor_ = open(file.Temporary().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.descriptor_ < 0) return WriteError(path, errno);
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(buffer_, other.buffer_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(Temporary().c_str());
}

std::string AtomicFile::Temporary() const {
  return path_ + "." + std::to_string(getpid()) + ".tmp";
}

Result<Done> AtomicFile::Write(std::string_view text) {
  buffer_ += text;
  return buffer_.size() < kBufferBytes ? Result<Done>(Done{}) : Flush();
}

Result<Done> AtomicFile::Flush() {
  if (!WriteAll(descriptor_, buffer_.data(), buffer_.size())) return WriteError(path_, errno);
  buffer_.clear();
  return Done{};
}

Result<Done> AtomicFile::Finish() {
  const Result<Done> flushed = Flush();
  if (!flushed) return flushed;
  if (close(std::exchange(descriptor_, -1)) == 0 &&
      rename(Temporary().c_str(), path_.c_str()) == 0) {
    return Done{};
  }
  const int code = errno;
  unlink(Temporary().c_str());
  return WriteError(path_, code);
}

}  // namespace assay
