// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace assay {

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
