// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

namespace assay {

// An open file descriptor, which its owner closes. It is negative if there is none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }
  operator int() const { return fd_; }
  // Returns the error code of close(), or 0. close() may be the first call to report a full disk.
  int Close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_ = -1;
};

// Reads exactly `count` bytes. Returns false if an error or the end of the file comes before.
inline bool ReadAll(int descriptor, void* to, size_t count) {
  for (auto* at = static_cast<char*>(to); count > 0;) {
    const ssize_t got = read(descriptor, at, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    count -= static_cast<size_t>(got);
  }
  return true;
}

// Writes all bytes. Returns false if that cannot be done; errno says why.
inline bool WriteAll(int descriptor, const void* from, size_t count) {
  for (auto* at = static_cast<const char*>(from); count > 0;) {
    const ssize_t written = write(descriptor, at, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    at += written;
    count -= static_cast<size_t>(written);
  }
  return true;
}

}  // namespace assay
