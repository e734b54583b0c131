// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mapped_file.h"
#include "result.h"

namespace assay {

// Many vectors in one file (`.tvecs`). Each has a name, "operator/operator-000017.tvec", and the
// bytes of the file of that name. README.md describes the format.

// A pack is complete when it has so many bytes or vectors. One vector may be larger.
inline constexpr int64_t kPackBytes = int64_t{32} << 20;
inline constexpr int64_t kPackVectors = 4096;

// A pack while it is made, in memory.
class VectorPackWriter {
 public:
  VectorPackWriter();
  void Add(std::string_view name, std::span<const uint8_t> bytes);
  int64_t count() const { return count_; }
  bool IsFull() const { return count_ >= kPackVectors || std::ssize(bytes_) >= kPackBytes; }
  // Returns the bytes of the file, the same for the same vectors, and begins the next pack.
  std::vector<uint8_t> Finish();

 private:
  std::vector<uint8_t> bytes_;
  std::string index_;
  int64_t count_ = 0;
};

// The names that a pack may have: those of `.tvec` files below a folder, each once, or any.
enum class PackNames : uint8_t { kFiles, kAny };

// A complete pack. An Error is one line, `PATH: what is wrong`.
class VectorPack {
 public:
  // Opens a file, which is mapped. The index must have its SHA-256.
  static Result<VectorPack> Open(const std::string& path, PackNames names = PackNames::kFiles);
  // Reads the pack in `bytes`, which come from a file called `name`.
  static Result<VectorPack> Parse(SharedBytes bytes, std::string name,
                                  PackNames names = PackNames::kFiles);
  // Reads the pack that comes next in a stream (pack_stream.h). Returns nothing if the stream has
  // ended, or after a signal (`stopped`). Error kBadInput if it holds anything else.
  static Result<std::optional<VectorPack>> ReadNext(int descriptor, const std::string& name,
                                                    const std::function<bool()>& stopped);

  int64_t size() const { return std::ssize(entries_); }
  std::string NameOf(int64_t number) const;
  // Returns the SHA-256 that the index has for a vector.
  std::string_view Sha256Of(int64_t number) const {
    return entries_[static_cast<size_t>(number)].sha256;
  }
  // Finds a vector by its name.
  std::optional<int64_t> Find(std::string_view name) const;
  // Returns the bytes of a vector, which must have their SHA-256. They share those of the pack.
  Result<SharedBytes> BytesOf(int64_t number) const;

 private:
  struct Entry {
    size_t begin = 0, size = 0;  // in the pack
    std::string_view sha256, name;
  };
  SharedBytes bytes_;
  std::string path_;
  std::vector<Entry> entries_;
};

}  // namespace assay
