#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace assay {

// Memory that ends where it may no longer be touched: its last byte is followed by pages that
// nobody may read or write, and so is its first by pages before it, after at most a page that is
// watched.
class GuardedMemory {
 public:
  // A copy of `bytes` that cannot be written to; `name` is for messages: `input 0 "x"`. Throws
  // std::bad_alloc.
  GuardedMemory(std::string name, std::span<const uint8_t> bytes);
  // Memory to write to. It has a pattern that is no likely result.
  GuardedMemory(std::string name, size_t size);
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory();

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  const std::string& name() const { return name_; }
  // Whether nobody has written to what lies between the pages before it and its first byte.
  bool FrontIsIntact() const;
  // Whether the address belongs to it or to the pages around it.
  bool Owns(uintptr_t address) const;
  // "before", "behind" or "to" it, for an address that it owns.
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
