// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace assay {

// Memory with guard pages around it. Its last byte is followed directly by pages that nobody may
// read or write. Such pages also come before its first byte, with at most a page between them whose
// content is checked.
class GuardedMemory {
 public:
  // Makes a copy of `bytes` that cannot be written to. `name` is for messages: `input 0 "x"`.
  // Throws std::bad_alloc.
  GuardedMemory(std::string name, std::span<const uint8_t> bytes);
  // Makes memory to write to. It is filled with a pattern that is an unlikely result.
  GuardedMemory(std::string name, size_t size);
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory();

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  const std::string& name() const { return name_; }
  // Returns true if nothing was written between the pages before the memory and its first byte.
  bool FrontIsIntact() const;
  // Returns true if the address belongs to the memory or to the guard pages around it.
  bool Owns(uintptr_t address) const;
  // Returns "before", "behind" or "to", the position of an owned address relative to the memory.
  const char* Place(uintptr_t address) const;

 private:
  void Map(size_t size);

  const std::string name_;
  uint8_t* mapping_ = nullptr;
  size_t mapped_ = 0;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace assay
